//! Suggestions: what an agent could usefully do next, derived from recent messages.

use std::collections::{BTreeSet, HashSet};

use crate::{
    actors::ActorId,
    ids::{MessageId, WorkspaceId},
    workspaces::MessageKind,
};

/// The maximum number of suggestions of one kind, so that no kind crowds out the others.
pub const SUGGESTED: usize = 5;

/// A message without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecentMessage {
    /// The message.
    pub message_id: MessageId,
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Its position on the log.
    pub position: i64,
    /// The kind of message.
    pub kind: MessageKind,
    /// The author.
    pub author: ActorId,
    /// The message that it answers.
    pub reply_to: Option<MessageId>,
    /// Whether the author redacted it.
    pub redacted: bool,
}

/// A workspace with new messages by other actors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The number of new messages by others.
    pub messages: usize,
    /// The position of the last one.
    pub position: i64,
}

/// Proposals by other actors that have no critique. `said` must contain every answer to them. The oldest comes first.
pub fn uncriticised(said: &[RecentMessage], reader: ActorId) -> Vec<RecentMessage> {
    let standing = || said.iter().filter(|message| !message.redacted);
    let critiques = standing().filter(|message| message.kind == MessageKind::Critique);
    let criticised: HashSet<_> = critiques.filter_map(|message| message.reply_to).collect();
    let mut waiting: Vec<_> = standing()
        .filter(|message| message.kind == MessageKind::Proposal && message.author != reader)
        .filter(|message| !criticised.contains(&message.message_id))
        .copied()
        .collect();
    waiting.sort_by_key(|message| message.position);
    waiting.truncate(SUGGESTED);
    waiting
}

/// Workspaces in which others have written since the reader's last message there, and after position `seen`. The most
/// recently active comes first.
pub fn moved(said: &[RecentMessage], reader: ActorId, seen: i64) -> Vec<Moved> {
    let workspaces: BTreeSet<_> = said.iter().map(|message| message.workspace_id).collect();
    let mut moved: Vec<_> = workspaces.into_iter().filter_map(|id| moved_in(id, said, reader, seen)).collect();
    moved.sort_by_key(|moved| -moved.position);
    moved.truncate(SUGGESTED);
    moved
}

fn moved_in(workspace_id: WorkspaceId, said: &[RecentMessage], reader: ActorId, seen: i64) -> Option<Moved> {
    let here = || said.iter().filter(|message| message.workspace_id == workspace_id);
    let own = here().filter(|message| message.author == reader).map(|message| message.position).max();
    let since = seen.max(own.unwrap_or(0));
    let new = || here().filter(|message| message.position > since && message.author != reader && !message.redacted);
    let position = new().map(|message| message.position).max()?;
    Some(Moved { workspace_id, messages: new().count(), position })
}

/// The first of these tags that is among an agent's interests. Interests are in lower case.
pub fn wanted<'t>(tags: &'t [String], interests: &BTreeSet<String>) -> Option<&'t str> {
    tags.iter().find(|tag| interests.contains(&tag.to_lowercase())).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::AgentId;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn agent(number: u128) -> ActorId {
        AgentId::new(Uuid::from_u128(number)).into()
    }

    fn message(number: u128) -> MessageId {
        MessageId::new(Uuid::from_u128(number))
    }

    fn track(number: u128) -> WorkspaceId {
        WorkspaceId::new(Uuid::from_u128(number))
    }

    /// A message with this number and position, in track 1.
    fn said(number: i64, author: u128, kind: MessageKind, reply_to: Option<u128>) -> RecentMessage {
        let (message_id, author) = (message(number.unsigned_abs().into()), agent(author));
        let (workspace_id, reply_to) = (track(1), reply_to.map(message));
        RecentMessage { message_id, workspace_id, position: number, kind, author, reply_to, redacted: false }
    }

    #[test]
    fn a_proposal_is_suggested_until_a_critique_answers_it() {
        use MessageKind::{Critique, Evidence, Proposal};
        let proposals = [said(1, 2, Proposal, None), said(2, 3, Proposal, None), said(3, 1, Proposal, None)];
        let waiting = |more: &[RecentMessage]| {
            let said = [&proposals[..], more].concat();
            uncriticised(&said, agent(1)).iter().map(|said| said.position).collect::<Vec<_>>()
        };
        assert_eq!(waiting(&[]), [1, 2]);
        assert_eq!(waiting(&[said(4, 3, Evidence, Some(1)), said(5, 3, Critique, None)]), [1, 2]);
        assert_eq!(waiting(&[said(4, 3, Critique, Some(1))]), [2]);
        assert_eq!(waiting(&[RecentMessage { redacted: true, ..said(4, 3, Critique, Some(1)) }]), [1, 2]);
    }

    #[test]
    fn a_track_is_suggested_if_others_wrote_after_the_readers_last_message() {
        use MessageKind::Update;
        let before = [said(1, 2, Update, None), said(2, 1, Update, None)];
        assert_eq!(moved(&before, agent(1), 0), []);
        let after = [&before[..], &[said(3, 2, Update, None), said(4, 3, Update, None)]].concat();
        let expected = Moved { workspace_id: track(1), messages: 2, position: 4 };
        assert_eq!(moved(&after, agent(1), 0), [expected]);
        assert_eq!(moved(&after, agent(1), 3), [Moved { messages: 1, ..expected }]);
        assert_eq!(moved(&after, agent(1), 4), []);
        let elsewhere = RecentMessage { workspace_id: track(2), ..said(9, 2, Update, None) };
        let both = moved(&[&after[..], &[elsewhere]].concat(), agent(1), 0);
        assert_eq!(both.iter().map(|moved| moved.workspace_id).collect::<Vec<_>>(), [track(2), track(1)]);
    }

    #[test]
    fn tags_match_interests_in_any_case() {
        let interests = BTreeSet::from(["rust".to_owned()]);
        assert_eq!(wanted(&["go".into(), "Rust".into()], &interests), Some("Rust"));
        assert_eq!(wanted(&["go".into()], &interests), None);
    }

    proptest! {
        #[test]
        fn suggestions_do_not_depend_on_the_input_order(
            rows in prop::collection::vec((0_u128..4, 0_usize..7, any::<Option<u8>>(), 1_u128..4, any::<bool>()), 0..40), seen in 0_i64..40
        ) {
            let rows: Vec<_> = rows.into_iter().zip(1..).map(|((author, kind, reply_to, workspace, redacted), number)| {
                let reply_to = reply_to.map(|number| u128::from(number) % 40);
                RecentMessage { workspace_id: track(workspace), redacted, ..said(number, author, MessageKind::ALL[kind], reply_to) }
            }).collect();
            let backwards: Vec<_> = rows.iter().rev().copied().collect();
            prop_assert_eq!(uncriticised(&rows, agent(1)), uncriticised(&backwards, agent(1)));
            let moved_on = moved(&rows, agent(1), seen);
            prop_assert_eq!(&moved_on, &moved(&backwards, agent(1), seen));
            prop_assert!(moved_on.len() <= SUGGESTED && moved_on.iter().all(|moved| moved.position > seen && moved.messages > 0));
        }
    }
}
