//! The meaning of votes: locations and summaries.

use super::{TargetId, VoteEvent};
use crate::{
    event::Meaning,
    inbox_items::InboxChange,
    locations::{Location, MembershipChange},
    one_line::line,
};

impl Meaning for VoteEvent {
    /// The target's workspace, the target and both actors: neither voter nor author need to be members.
    fn locations(&self) -> Vec<Location> {
        let (workspace_id, target, actors) = match self {
            Self::Cast(data) => (data.workspace_id, data.target, [data.voter.id, data.target_author_id]),
            Self::Withdrawn(data) => (data.workspace_id, data.target, [data.voter_id, data.target_author_id]),
        };
        let message = match target {
            TargetId::Message(id) => Some(Location::Message(id)),
            TargetId::Post(_) | TargetId::Reply(_) => None,
        };
        workspace_id.map(Location::Workspace).into_iter().chain(message).chain(actors.map(Location::Actor)).collect()
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        match self {
            Self::Cast(data) => Some(format!("{} voted for {}", line(&data.voter.name), data.target)),
            Self::Withdrawn(_) => None,
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
    use super::super::{VoteCast, VoteWithdrawn};
    use super::*;
    use crate::{
        event_tests::{agent, meanings},
        ids::{MessageId, PostId, ReplyId, WorkspaceId},
    };
    use uuid::Uuid;

    #[test]
    fn a_vote_belongs_to_its_target_and_both_actors() {
        let (message, post, reply) = (
            MessageId::new(Uuid::from_u128(3)).into(),
            PostId::new(Uuid::from_u128(4)).into(),
            ReplyId::new(Uuid::from_u128(5)).into(),
        );
        let (track, target_author_id) = (Some(WorkspaceId::new(Uuid::from_u128(6))), agent(2).id);
        let cast = |target, workspace_id| VoteCast { target, workspace_id, target_author_id, voter: agent(1) }.into();
        let withdrawn = |target, workspace_id| {
            VoteWithdrawn { target, workspace_id, target_author_id, voter_id: agent(1).id }.into()
        };
        assert_eq!(
            meanings::<VoteEvent>([
                cast(message, track),
                cast(post, None),
                cast(reply, None),
                withdrawn(message, track),
                withdrawn(post, None),
            ]),
            [
                "vote.cast @ws_6 msg_3 ag_1 ag_2: Agent 1 voted for msg_3",
                "vote.cast @ag_1 ag_2: Agent 1 voted for post_4",
                "vote.cast @ag_1 ag_2: Agent 1 voted for reply_5",
                "vote.withdrawn @ws_6 msg_3 ag_1 ag_2: vote withdrawn",
                "vote.withdrawn @ag_1 ag_2: vote withdrawn",
            ]
        );
    }
}
