//! The vote of one voter for one target.

use serde::{Deserialize, Serialize};

use super::TargetId;
use crate::{
    actors::{Actor, ActorId},
    decide::{Command, State},
    event::event_set,
    ids::WorkspaceId,
};

event_set! {
    /// The events of one vote; stream `vote:{target}:{voter}`.
    pub enum VoteEvent: Uncached {
        /// The voter cast the vote.
        Cast(VoteCast) = "vote.cast", Public, [];
        /// The voter withdrew the vote.
        Withdrawn(VoteWithdrawn) = "vote.withdrawn", Public, [];
    }
}

/// See [`VoteEvent::Cast`]. It names all actors involved, so that reputation can be computed from votes alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VoteCast {
    /// The target.
    pub target: TargetId,
    /// The target's workspace; `None` in the forum.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub workspace_id: Option<WorkspaceId>,
    /// The target's author.
    pub target_author_id: ActorId,
    /// The voter, with its profile at that time.
    pub voter: Actor,
}

/// See [`VoteEvent::Withdrawn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VoteWithdrawn {
    /// The target.
    pub target: TargetId,
    /// The target's workspace; `None` in the forum.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub workspace_id: Option<WorkspaceId>,
    /// The target's author.
    pub target_author_id: ActorId,
    /// The voter.
    pub voter_id: ActorId,
}

/// A vote, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vote {
    /// The vote, if it is in force.
    pub cast: Option<VoteCast>,
}

impl State for Vote {
    type Event = VoteEvent;

    fn apply(self, event: &VoteEvent) -> Self {
        match event {
            VoteEvent::Cast(data) => Self { cast: Some(data.clone()) },
            VoteEvent::Withdrawn(_) => Self { cast: None },
        }
    }
}

impl Vote {
    /// The stream of a voter's vote for a target.
    pub fn stream(target: TargetId, voter: ActorId) -> String {
        format!("vote:{target}:{voter}")
    }
}

/// The reason why a vote is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VoteError {
    /// The target is the voter's own work.
    #[error("an actor cannot vote for its own work")]
    OwnWork,
}

/// Casts a vote. Voting again changes nothing.
#[derive(Debug, Clone)]
pub struct CastVote(pub VoteCast);

impl Command for CastVote {
    type State<'a> = &'a Vote;
    type Event = VoteEvent;
    type Error = VoteError;

    fn decide(&self, vote: &Vote) -> Result<Vec<VoteEvent>, VoteError> {
        if self.0.target_author_id == self.0.voter.id {
            return Err(VoteError::OwnWork);
        }
        Ok(if vote.cast.is_some() { vec![] } else { vec![self.0.clone().into()] })
    }
}

/// Withdraws a vote. If there is none, nothing changes.
#[derive(Debug, Clone, Copy)]
pub struct RemoveVote;

impl Command for RemoveVote {
    type State<'a> = &'a Vote;
    type Event = VoteEvent;
    type Error = VoteError;

    fn decide(&self, vote: &Vote) -> Result<Vec<VoteEvent>, VoteError> {
        let withdrawn = |cast: &VoteCast| {
            let VoteCast { target, workspace_id, target_author_id, voter } = cast.clone();
            VoteWithdrawn { target, workspace_id, target_author_id, voter_id: voter.id }.into()
        };
        Ok(vote.cast.iter().map(withdrawn).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        actors::ActorKind,
        decide::testing::given,
        ids::{AgentId, MessageId},
    };
    use proptest::prelude::*;
    use uuid::Uuid;

    fn agent(number: u128) -> Actor {
        let id = AgentId::new(Uuid::from_u128(number)).into();
        Actor { id, name: format!("Agent {number}"), kind: ActorKind::AiAgent, model: None }
    }

    fn cast(author: u128, voter: u128) -> VoteCast {
        let target = MessageId::new(Uuid::from_u128(9)).into();
        let workspace_id = Some(WorkspaceId::new(Uuid::from_u128(8)));
        VoteCast { target, workspace_id, target_author_id: agent(author).id, voter: agent(voter) }
    }

    fn withdrawn(author: u128, voter: u128) -> VoteEvent {
        let VoteCast { target, workspace_id, target_author_id, voter } = cast(author, voter);
        VoteWithdrawn { target, workspace_id, target_author_id, voter_id: voter.id }.into()
    }

    #[test]
    fn voting_twice_is_one_vote() {
        assert_eq!(CastVote(cast(1, 2)).decide(&given([])), Ok(vec![cast(1, 2).into()]));
        assert_eq!(CastVote(cast(1, 2)).decide(&given([cast(1, 2).into()])), Ok(vec![]));
    }

    #[test]
    fn a_vote_for_the_own_work_is_refused() {
        assert_eq!(CastVote(cast(1, 1)).decide(&Vote::default()), Err(VoteError::OwnWork));
    }

    #[test]
    fn a_withdrawn_vote_can_be_cast_again() {
        let (first, back) = (VoteEvent::from(cast(1, 2)), withdrawn(1, 2));
        assert_eq!(RemoveVote.decide(&given([])), Ok(vec![]));
        assert_eq!(RemoveVote.decide(&given([first.clone()])), Ok(vec![back.clone()]));
        assert_eq!(RemoveVote.decide(&given([first.clone(), back.clone()])), Ok(vec![]));
        assert_eq!(CastVote(cast(1, 2)).decide(&given([first.clone(), back])), Ok(vec![first]));
    }

    #[test]
    fn its_stream_and_its_data_are_pinned() {
        let VoteCast { target, voter, .. } = cast(1, 2);
        let (message, ada, bob) =
            ("msg_00000000000000000000000009", "ag_00000000000000000000000001", "ag_00000000000000000000000002");
        let track = "ws_00000000000000000000000008";
        assert_eq!(Vote::stream(target, voter.id), format!("vote:{message}:{bob}"));
        assert_eq!(
            VoteEvent::from(cast(1, 2)).encode(),
            format!(
                r#"{{"target":"{message}","workspaceId":"{track}","targetAuthorId":"{ada}","voter":{{"id":"{bob}","name":"Agent 2","type":"ai-agent"}}}}"#
            )
        );
        assert_eq!(
            withdrawn(1, 2).encode(),
            format!(r#"{{"target":"{message}","workspaceId":"{track}","targetAuthorId":"{ada}","voterId":"{bob}"}}"#)
        );
        let in_the_forum = VoteEvent::from(VoteCast { workspace_id: None, ..cast(1, 2) });
        assert!(in_the_forum.encode().starts_with(&format!(r#"{{"target":"{message}","targetAuthorId":"#)));
    }

    proptest! {
        #[test]
        fn a_vote_counts_if_it_was_cast_last_and_events_alternate(steps in prop::collection::vec(any::<bool>(), 0..30)) {
            let (mut vote, mut events) = (Vote::default(), Vec::new());
            for casts in &steps {
                let decided = if *casts { CastVote(cast(1, 2)).decide(&vote) } else { RemoveVote.decide(&vote) };
                for event in decided.unwrap() {
                    vote = vote.apply(&event);
                    events.push(matches!(event, VoteEvent::Cast(_)));
                }
            }
            prop_assert_eq!(vote.cast.is_some(), steps.last().copied().unwrap_or(false));
            prop_assert!(events.iter().enumerate().all(|(index, casts)| *casts == (index % 2 == 0)));
        }
    }
}
