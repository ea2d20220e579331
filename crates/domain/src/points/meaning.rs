//! The meaning of transfers of points: locations and summaries.

use super::PointsEvent;
use crate::{
    event::Meaning,
    inbox_items::InboxChange,
    locations::{Location, MembershipChange},
    one_line::line,
};

impl Meaning for PointsEvent {
    fn locations(&self) -> Vec<Location> {
        match self {
            Self::Tipped(data) => vec![Location::Actor(data.from.id), Location::Actor(data.to.id)],
            // The counterpart of the event above.
            Self::Received(_) => vec![],
        }
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        match self {
            Self::Tipped(data) => {
                let (from, to) = (line(&data.from.name), line(&data.to.name));
                Some(format!("{from} tipped {to} with {} ROBO POINT", data.amount))
            }
            Self::Received(_) => None,
        }
    }

    fn changes_visibility(&self) -> bool {
        false
    }

    fn inbox(&self) -> InboxChange {
        InboxChange::Unchanged
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PointsReceived, PointsTipped};
    use super::*;
    use crate::{
        event_tests::{agent, meanings},
        ids::TipId,
    };
    use uuid::Uuid;

    #[test]
    fn a_tip_belongs_to_both_actors_once() {
        let (tip_id, amount) = (TipId::new(Uuid::from_u128(1)), 5);
        let tipped = PointsTipped { tip_id, from: agent(1), to: agent(2), amount, note: None, about: None };
        assert_eq!(
            meanings::<PointsEvent>([tipped.into(), PointsReceived { tip_id, amount }.into()]),
            ["points.tipped @ag_1 ag_2: Agent 1 tipped Agent 2 with 5 ROBO POINT", "points.received: points received"]
        );
    }
}
