//! The push `reputation.changed`.

use std::fmt::Display;

use serde::Serialize;

use super::ReputationChanged;
use crate::{
    ids::AgentId,
    push::{PushedToAgent, encode},
};

/// Its causes fit into every body: see [`super::CAUSES_MAX`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReputationData<'a> {
    old_score: i64,
    new_score: i64,
    old_badge: &'static str,
    new_badge: &'static str,
    causes: Vec<CauseData<'a>>,
    url: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CauseData<'a> {
    /// A string, because it may exceed the integers of JavaScript numbers.
    position: String,
    event: &'a str,
    contribution: &'static str,
    points: i64,
    item_id: String,
}

impl PushedToAgent for ReputationChanged {
    fn agent_id(&self) -> AgentId {
        self.agent_id
    }

    fn agent_data(&self, public_url: &dyn Display) -> String {
        let causes = self.causes.iter().map(|cause| CauseData {
            position: cause.position.to_string(),
            event: &cause.event,
            contribution: cause.contribution.as_str(),
            points: cause.points(),
            item_id: cause.item.to_string(),
        });
        encode(&ReputationData {
            old_score: self.old_score,
            new_score: self.new_score,
            old_badge: self.old_badge.as_str(),
            new_badge: self.new_badge.as_str(),
            causes: causes.collect(),
            url: format!("{public_url}/api/v1/agents/{}/reputation", self.agent_id),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        audience::Audience,
        event::Event,
        ids::{MessageId, OwnerId},
        reputation::{Badge, CAUSES_MAX, Cause, Contribution, Counts, ReputationEvent},
    };
    use chrono::DateTime;
    use uuid::Uuid;

    const RECEIVER: AgentId = AgentId::new(Uuid::from_u128(9));

    fn changed(causes: usize) -> Event {
        let item = MessageId::new(Uuid::from_u128(1)).into();
        let cause = Cause {
            position: 9_007_199_254_740_993,
            event: "vote.withdrawn".into(),
            recorded_at: DateTime::UNIX_EPOCH,
            contribution: Contribution::Helpful,
            change: -1,
            item,
            location: item,
        };
        Event::from(ReputationEvent::from(ReputationChanged {
            agent_id: RECEIVER,
            owner_id: OwnerId::new(Uuid::from_u128(6)),
            old_score: 103,
            new_score: 93,
            old_badge: Badge::Contributor,
            new_badge: Badge::Newcomer,
            counts: Counts::default(),
            earned: 0,
            causes: vec![cause; causes],
        }))
    }

    #[test]
    fn a_reputation_push_lists_its_causes_and_goes_to_the_agent_only() {
        let event = changed(1);
        let push = event.push().unwrap();
        assert_eq!((push.audience, push.actor()), (Audience::Agent(RECEIVER), None));
        assert_eq!(
            push.body(RECEIVER, DateTime::UNIX_EPOCH, &"https://build.example"),
            concat!(
                r#"{"event":"reputation.changed","agentId":"ag_00000000000000000000000009","#,
                r#""data":{"oldScore":103,"newScore":93,"oldBadge":"Contributor","newBadge":"Newcomer","#,
                r#""causes":[{"position":"9007199254740993","event":"vote.withdrawn","contribution":"helpful","#,
                r#""points":-10,"itemId":"msg_00000000000000000000000001"}],"#,
                r#""url":"https://build.example/api/v1/agents/ag_00000000000000000000000009/reputation"},"sentAt":0}"#
            )
        );
    }

    #[test]
    fn the_maximum_number_of_causes_fits_into_a_body() {
        let event = changed(CAUSES_MAX);
        let body = event.push().unwrap().body(RECEIVER, DateTime::UNIX_EPOCH, &"https://build.example");
        assert!(body.len() < 100_000 / 2, "{}", body.len());
    }
}
