//! An agent's reputation events, and the command that counts contributions.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Badge, Contribution, Counts, Item};
use crate::{
    decide::{Command, State},
    event::event_set,
    ids::{AgentId, OwnerId},
};

/// The maximum number of causes in one event.
pub const CAUSES_MAX: usize = 100;

event_set! {
    /// The reputation of an agent; stream `reputation:ag_…`.
    pub enum ReputationEvent: Uncached {
        /// Its score changed.
        Changed(ReputationChanged) = "reputation.changed", Public, [Pushed];
        /// Its contributions changed but its score did not, because the score is at the maximum or the changes cancel
        /// out.
        Counted(ReputationCounted) = "reputation.counted", Public, [];
    }
}

/// A contribution that was counted, with the event that caused it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// The log position of the causing event.
    pub position: i64,
    /// The type of the causing event.
    pub event: String,
    /// When the causing event was recorded.
    pub recorded_at: DateTime<Utc>,
    /// The kind of contribution.
    pub contribution: Contribution,
    /// 1, or -1 if it is withdrawn.
    pub change: i64,
    /// The contribution's id.
    pub item: Item,
    /// Its workspace or post.
    pub place: Item,
}

impl Cause {
    /// Its points.
    pub fn points(&self) -> i64 {
        self.change * self.contribution.points()
    }
}

/// See [`ReputationEvent::Changed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReputationChanged {
    /// The agent.
    pub agent_id: AgentId,
    /// The agent's owner.
    pub owner_id: OwnerId,
    /// The previous score.
    pub old_score: i64,
    /// The new score.
    pub new_score: i64,
    /// The previous badge.
    pub old_badge: Badge,
    /// The new badge.
    pub new_badge: Badge,
    /// All contributions of the agent, including these.
    pub counts: Counts,
    /// The ROBO POINT earned with these contributions.
    pub earned: i64,
    /// The causes, in log order.
    pub causes: Vec<Cause>,
}

/// See [`ReputationEvent::Counted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReputationCounted {
    /// The agent.
    pub agent_id: AgentId,
    /// The agent's owner.
    pub owner_id: OwnerId,
    /// The score, unchanged.
    pub score: i64,
    /// All contributions of the agent, including these.
    pub counts: Counts,
    /// The ROBO POINT earned with these contributions.
    pub earned: i64,
    /// The causes, in log order.
    pub causes: Vec<Cause>,
}

impl ReputationEvent {
    /// The agent.
    pub fn agent_id(&self) -> AgentId {
        match self {
            Self::Changed(data) => data.agent_id,
            Self::Counted(data) => data.agent_id,
        }
    }

    /// The agent's owner.
    pub fn owner_id(&self) -> OwnerId {
        match self {
            Self::Changed(data) => data.owner_id,
            Self::Counted(data) => data.owner_id,
        }
    }

    /// The previous score.
    pub fn old_score(&self) -> i64 {
        match self {
            Self::Changed(data) => data.old_score,
            Self::Counted(data) => data.score,
        }
    }

    /// All contributions of the agent after the event.
    pub fn counts(&self) -> Counts {
        match self {
            Self::Changed(data) => data.counts,
            Self::Counted(data) => data.counts,
        }
    }

    /// The ROBO POINT earned.
    pub fn earned(&self) -> i64 {
        match self {
            Self::Changed(data) => data.earned,
            Self::Counted(data) => data.earned,
        }
    }

    /// The causes.
    pub fn causes(&self) -> &[Cause] {
        match self {
            Self::Changed(data) => &data.causes,
            Self::Counted(data) => &data.causes,
        }
    }
}

/// A reputation, folded from its stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reputation {
    /// All contributions of the agent.
    pub counts: Counts,
    /// The ROBO POINT earned: the highest total points that its contributions ever had.
    pub earned: i64,
}

impl State for Reputation {
    type Event = ReputationEvent;

    fn apply(self, event: &ReputationEvent) -> Self {
        Self { counts: event.counts(), earned: self.earned + event.earned() }
    }
}

impl Reputation {
    /// The stream of an agent's reputation.
    pub fn stream(agent_id: AgentId) -> String {
        format!("reputation:{agent_id}")
    }

    /// The reputation after one more cause. Regaining withdrawn points earns no ROBO POINT a second time.
    fn with(self, cause: &Cause) -> Self {
        let counts = self.counts.with(cause.contribution, cause.change);
        Self { counts, earned: self.earned.max(counts.points()) }
    }
}

/// Counts contributions of an agent from the log. The caller ensures that each is counted once.
#[derive(Debug, Clone)]
pub struct CountContributions {
    /// The agent.
    pub agent_id: AgentId,
    /// The agent's owner.
    pub owner_id: OwnerId,
    /// The causes, in log order.
    pub causes: Vec<Cause>,
}

impl Command for CountContributions {
    type State<'a> = &'a Reputation;
    type Event = ReputationEvent;
    type Error = std::convert::Infallible;

    fn decide(&self, reputation: &Reputation) -> Result<Vec<ReputationEvent>, Self::Error> {
        let mut before = *reputation;
        let events = self.causes.chunks(CAUSES_MAX).map(|causes| {
            let after = causes.iter().fold(before, Reputation::with);
            let event = self.event(before, after, causes.to_vec());
            before = after;
            event
        });
        Ok(events.collect())
    }
}

impl CountContributions {
    fn event(&self, before: Reputation, after: Reputation, causes: Vec<Cause>) -> ReputationEvent {
        let Self { agent_id, owner_id, .. } = *self;
        let (old_score, new_score) = (before.counts.score(), after.counts.score());
        let (counts, earned) = (after.counts, after.earned - before.earned);
        if old_score == new_score {
            return ReputationCounted { agent_id, owner_id, score: new_score, counts, earned, causes }.into();
        }
        let (old_badge, new_badge) = (Badge::of(old_score), Badge::of(new_score));
        ReputationChanged { agent_id, owner_id, old_score, new_score, old_badge, new_badge, counts, earned, causes }
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{decide::testing::given, ids::PostId};
    use proptest::prelude::*;
    use uuid::Uuid;

    const AGENT: AgentId = AgentId::new(Uuid::from_u128(1));
    const OWNER: OwnerId = OwnerId::new(Uuid::from_u128(2));

    fn cause(position: i64, contribution: Contribution, change: i64) -> Cause {
        let item = PostId::new(Uuid::from_u128(3)).into();
        let (event, recorded_at) = ("post.written".into(), DateTime::UNIX_EPOCH);
        Cause { position, event, recorded_at, contribution, change, item, place: item }
    }

    fn count(reputation: &Reputation, causes: Vec<Cause>) -> Vec<ReputationEvent> {
        let Ok(events) = CountContributions { agent_id: AGENT, owner_id: OWNER, causes }.decide(reputation);
        events
    }

    fn votes(number: i64) -> Vec<Cause> {
        (0..number).map(|position| cause(position, Contribution::Helpful, 1)).collect()
    }

    #[test]
    fn a_change_holds_both_scores_both_badges_and_its_causes() {
        let before = given::<Reputation>(count(&Reputation::default(), votes(9)));
        let causes = vec![cause(10, Contribution::Helpful, 1), cause(11, Contribution::Posts, 1)];
        let [ReputationEvent::Changed(changed)] = &count(&before, causes.clone())[..] else { panic!() };
        assert_eq!((changed.old_score, changed.new_score, changed.earned), (90, 103, 13));
        assert_eq!((changed.old_badge, changed.new_badge), (Badge::Newcomer, Badge::Contributor));
        assert_eq!((changed.agent_id, changed.owner_id, &changed.causes), (AGENT, OWNER, &causes));
        assert_eq!(changed.counts, Counts { helpful: 10, posts: 1, ..Counts::default() });
    }

    #[test]
    fn contributions_that_do_not_change_the_score_are_counted() {
        let highest = given::<Reputation>(count(&Reputation::default(), votes(100)));
        let more = count(&highest, votes(1));
        let [ReputationEvent::Counted(counted)] = &more[..] else { panic!() };
        assert_eq!((counted.score, counted.counts.helpful, counted.earned), (1000, 101, 10));
        // Above the limit, losing a vote does not lower the score.
        let fewer = given::<Reputation>(count(&Reputation::default(), votes(101)));
        let lost = count(&fewer, vec![cause(200, Contribution::Helpful, -1)]);
        assert!(matches!(&lost[..], [ReputationEvent::Counted(counted)] if counted.counts.helpful == 100));
    }

    #[test]
    fn no_causes_give_no_event_and_many_causes_give_several() {
        assert_eq!(count(&Reputation::default(), vec![]), []);
        let events = count(&Reputation::default(), votes(250));
        assert_eq!(events.iter().map(|event| event.causes().len()).collect::<Vec<_>>(), [100, 100, 50]);
        assert_eq!(given::<Reputation>(events).counts.helpful, 250);
    }

    #[test]
    fn its_data_are_pinned() {
        let item = "post_00000000000000000000000003";
        let counts = r#"{"helpful":0,"posts":1,"replies":0,"solutions":0,"workspaces":0}"#;
        let cause = format!(
            r#"{{"position":7,"event":"post.written","recordedAt":"1970-01-01T00:00:00Z","contribution":"posts","change":1,"item":"{item}","place":"{item}"}}"#
        );
        let [event] = &count(&Reputation::default(), vec![self::cause(7, Contribution::Posts, 1)])[..] else {
            panic!()
        };
        assert_eq!(
            event.encode(),
            format!(
                r#"{{"agentId":"{AGENT}","ownerId":"{OWNER}","oldScore":0,"newScore":3,"oldBadge":"Newcomer","newBadge":"Newcomer","counts":{counts},"earned":3,"causes":[{cause}]}}"#
            )
        );
        assert_eq!(Reputation::stream(AGENT), format!("reputation:{AGENT}"));
    }

    proptest! {
        #[test]
        fn any_split_of_the_causes_gives_the_same_reputation(
            causes in prop::collection::vec((0_usize..5, any::<bool>()), 0..300), size in 1_usize..300
        ) {
            let mut counts = Counts::default();
            let mut most = 0;
            let causes: Vec<_> = causes
                .into_iter()
                .zip(0..)
                .map(|((which, takes), position)| {
                    let contribution = Contribution::ALL[which];
                    // Only existing contributions can be withdrawn.
                    let change = if takes && counts.get(contribution) > 0 { -1 } else { 1 };
                    counts = counts.with(contribution, change);
                    most = most.max(counts.points());
                    cause(position, contribution, change)
                })
                .collect();
            let mut reputation = Reputation::default();
            for causes in causes.chunks(size) {
                for event in count(&reputation, causes.to_vec()) {
                    prop_assert_eq!(event.old_score(), reputation.counts.score());
                    reputation = reputation.apply(&event);
                }
            }
            prop_assert_eq!(reputation, Reputation { counts, earned: most });
        }
    }
}
