//! Acknowledgement of inbox items: the read position of each recipient.

use serde::{Deserialize, Serialize};

use crate::{
    actors::ActorId,
    decide::{Command, State},
    event::{event_set, unlisted_events},
};

event_set! {
    /// The events of an inbox; stream `inbox:{reader}`.
    pub enum InboxEvent: Uncached {
        /// Items were acknowledged, up to a position or one by one.
        Acknowledged(InboxAcknowledged) = "inbox.acknowledged", Private, [];
    }
}

unlisted_events!(InboxEvent);

/// See [`InboxEvent::Acknowledged`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboxAcknowledged {
    /// The recipient that owns the inbox.
    pub reader_id: ActorId,
    /// All items up to this position are read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub up_to: Option<i64>,
    /// The positions of further items that are read, in order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub positions: Vec<i64>,
}

/// An inbox, folded from its stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Inbox {
    /// All items up to this position are read.
    pub up_to: i64,
}

impl State for Inbox {
    type Event = InboxEvent;

    fn apply(self, event: &InboxEvent) -> Self {
        let InboxEvent::Acknowledged(data) = event;
        Self { up_to: self.up_to.max(data.up_to.unwrap_or(0)) }
    }
}

impl Inbox {
    /// The stream of an actor's inbox.
    pub fn stream(reader: ActorId) -> String {
        format!("inbox:{reader}")
    }
}

/// Acknowledges items. Items that are read already change nothing.
#[derive(Debug, Clone)]
pub struct Acknowledge {
    /// The caller, whose inbox it is.
    pub reader_id: ActorId,
    /// All items up to this position, which must be on the log.
    pub up_to: Option<i64>,
    /// The positions of unread items.
    pub positions: Vec<i64>,
}

impl Command for Acknowledge {
    type State<'a> = &'a Inbox;
    type Event = InboxEvent;
    type Error = std::convert::Infallible;

    fn decide(&self, inbox: &Inbox) -> Result<Vec<InboxEvent>, Self::Error> {
        let up_to = self.up_to.filter(|up_to| *up_to > inbox.up_to);
        let known = up_to.unwrap_or(inbox.up_to);
        let mut positions: Vec<_> = self.positions.iter().copied().filter(|position| *position > known).collect();
        positions.sort_unstable();
        positions.dedup();
        let nothing = up_to.is_none() && positions.is_empty();
        let event = InboxAcknowledged { reader_id: self.reader_id, up_to, positions };
        Ok(if nothing { vec![] } else { vec![event.into()] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{decide::testing::given, ids::AgentId};
    use proptest::prelude::*;
    use uuid::Uuid;

    fn reader() -> ActorId {
        AgentId::new(Uuid::from_u128(1)).into()
    }

    fn acknowledge(up_to: Option<i64>, positions: &[i64]) -> Acknowledge {
        Acknowledge { reader_id: reader(), up_to, positions: positions.to_vec() }
    }

    fn event(up_to: Option<i64>, positions: &[i64]) -> InboxEvent {
        InboxAcknowledged { reader_id: reader(), up_to, positions: positions.to_vec() }.into()
    }

    #[test]
    fn acknowledging_read_items_adds_no_event() {
        let inbox = given::<Inbox>([event(Some(7), &[])]);
        assert_eq!(acknowledge(Some(9), &[]).decide(&inbox), Ok(vec![event(Some(9), &[])]));
        for (up_to, positions) in [(Some(7), vec![]), (Some(3), vec![7, 2]), (None, vec![1]), (None, vec![])] {
            assert_eq!(acknowledge(up_to, &positions).decide(&inbox), Ok(vec![]));
        }
    }

    #[test]
    fn positions_are_sorted_and_limited_to_unread_items() {
        assert_eq!(acknowledge(None, &[9, 8, 9]).decide(&Inbox::default()), Ok(vec![event(None, &[8, 9])]));
        assert_eq!(acknowledge(Some(8), &[9, 8]).decide(&Inbox::default()), Ok(vec![event(Some(8), &[9])]));
    }

    #[test]
    fn its_stream_and_its_data_are_pinned() {
        let id = "ag_00000000000000000000000001";
        assert_eq!(Inbox::stream(reader()), format!("inbox:{id}"));
        assert_eq!(event(Some(7), &[]).encode(), format!(r#"{{"readerId":"{id}","upTo":7}}"#));
        assert_eq!(event(None, &[8, 9]).encode(), format!(r#"{{"readerId":"{id}","positions":[8,9]}}"#));
    }

    proptest! {
        #[test]
        fn the_read_position_is_the_highest_acknowledged(
            steps in prop::collection::vec((any::<Option<u8>>(), prop::collection::vec(any::<u8>(), 0..4)), 0..12)
        ) {
            let (mut inbox, mut furthest) = (Inbox::default(), 0);
            for (up_to, positions) in steps {
                let positions: Vec<_> = positions.into_iter().map(i64::from).collect();
                let command = acknowledge(up_to.map(i64::from), &positions);
                for event in command.decide(&inbox).unwrap() {
                    inbox = inbox.apply(&event);
                }
                furthest = furthest.max(up_to.map_or(0, i64::from));
                prop_assert_eq!(inbox.up_to, furthest);
                prop_assert_eq!(acknowledge(up_to.map(i64::from), &[]).decide(&inbox), Ok(vec![]));
            }
        }
    }
}
