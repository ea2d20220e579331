//! What somebody could usefully do, picked out of what lately happened.

use std::collections::{BTreeSet, HashSet};

use crate::{
    actors::ActorId,
    ids::{MessageId, WorkspaceId},
    workspaces::MessageKind,
};

/// Suggestions of one kind at most, so that none crowds out the others.
pub const SUGGESTED: usize = 5;

/// A message without its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said {
    /// The message.
    pub message_id: MessageId,
    /// Where it was posted.
    pub workspace_id: WorkspaceId,
    /// Where it stands on the log.
    pub position: i64,
    /// What sort of contribution it is.
    pub kind: MessageKind,
    /// Who wrote it.
    pub author: ActorId,
    /// The message it answers.
    pub reply_to: Option<MessageId>,
    /// Whether its author took it back.
    pub redacted: bool,
}

/// A workspace in which others have said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// Which.
    pub workspace_id: WorkspaceId,
    /// How many messages there are by others.
    pub messages: usize,
    /// The last of them.
    pub position: i64,
}

/// Proposals of others that no critique answers, of those whose answers are all among what was said; the one that waits
/// longest first.
pub fn uncriticised(said: &[Said], reader: ActorId) -> Vec<Said> {
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

/// Workspaces in which others have said something since the reader wrote there last, and beyond `seen`; the one that
/// moved last first.
pub fn moved(said: &[Said], reader: ActorId, seen: i64) -> Vec<Moved> {
    let workspaces: BTreeSet<_> = said.iter().map(|message| message.workspace_id).collect();
    let mut moved: Vec<_> = workspaces.into_iter().filter_map(|id| moved_in(id, said, reader, seen)).collect();
    moved.sort_by_key(|moved| -moved.position);
    moved.truncate(SUGGESTED);
    moved
}

fn moved_in(workspace_id: WorkspaceId, said: &[Said], reader: ActorId, seen: i64) -> Option<Moved> {
    let here = || said.iter().filter(|message| message.workspace_id == workspace_id);
    let own = here().filter(|message| message.author == reader).map(|message| message.position).max();
    let since = seen.max(own.unwrap_or(0));
    let new = || here().filter(|message| message.position > since && message.author != reader && !message.redacted);
    let position = new().map(|message| message.position).max()?;
    Some(Moved { workspace_id, messages: new().count(), position })
}

/// The first of these tags that is among somebody's interests, which are in lower case.
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

    /// The message of that number, at that position, in track 1.
    fn said(number: i64, author: u128, kind: MessageKind, reply_to: Option<u128>) -> Said {
        let (message_id, author) = (message(number.unsigned_abs().into()), agent(author));
        let (workspace_id, reply_to) = (track(1), reply_to.map(message));
        Said { message_id, workspace_id, position: number, kind, author, reply_to, redacted: false }
    }

    #[test]
    fn a_proposal_waits_until_a_critique_answers_it() {
        use MessageKind::{Critique, Evidence, Proposal};
        let proposals = [said(1, 2, Proposal, None), said(2, 3, Proposal, None), said(3, 1, Proposal, None)];
        let waiting = |more: &[Said]| {
            let said = [&proposals[..], more].concat();
            uncriticised(&said, agent(1)).iter().map(|said| said.position).collect::<Vec<_>>()
        };
        assert_eq!(waiting(&[]), [1, 2]);
        assert_eq!(waiting(&[said(4, 3, Evidence, Some(1)), said(5, 3, Critique, None)]), [1, 2]);
        assert_eq!(waiting(&[said(4, 3, Critique, Some(1))]), [2]);
        assert_eq!(waiting(&[Said { redacted: true, ..said(4, 3, Critique, Some(1)) }]), [1, 2]);
    }

    #[test]
    fn a_track_has_moved_if_others_wrote_after_what_was_seen_and_written() {
        use MessageKind::Update;
        let before = [said(1, 2, Update, None), said(2, 1, Update, None)];
        assert_eq!(moved(&before, agent(1), 0), []);
        let after = [&before[..], &[said(3, 2, Update, None), said(4, 3, Update, None)]].concat();
        let expected = Moved { workspace_id: track(1), messages: 2, position: 4 };
        assert_eq!(moved(&after, agent(1), 0), [expected]);
        assert_eq!(moved(&after, agent(1), 3), [Moved { messages: 1, ..expected }]);
        assert_eq!(moved(&after, agent(1), 4), []);
        let elsewhere = Said { workspace_id: track(2), ..said(9, 2, Update, None) };
        let both = moved(&[&after[..], &[elsewhere]].concat(), agent(1), 0);
        assert_eq!(both.iter().map(|moved| moved.workspace_id).collect::<Vec<_>>(), [track(2), track(1)]);
    }

    #[test]
    fn a_tag_is_wanted_whatever_its_case() {
        let interests = BTreeSet::from(["rust".to_owned()]);
        assert_eq!(wanted(&["go".into(), "Rust".into()], &interests), Some("Rust"));
        assert_eq!(wanted(&["go".into()], &interests), None);
    }

    proptest! {
        #[test]
        fn the_order_in_which_it_is_read_changes_nothing(
            rows in prop::collection::vec((0_u128..4, 0_usize..7, any::<Option<u8>>(), 1_u128..4, any::<bool>()), 0..40), seen in 0_i64..40
        ) {
            let rows: Vec<_> = rows.into_iter().zip(1..).map(|((author, kind, reply_to, workspace, redacted), number)| {
                let reply_to = reply_to.map(|number| u128::from(number) % 40);
                Said { workspace_id: track(workspace), redacted, ..said(number, author, MessageKind::ALL[kind], reply_to) }
            }).collect();
            let backwards: Vec<_> = rows.iter().rev().copied().collect();
            prop_assert_eq!(uncriticised(&rows, agent(1)), uncriticised(&backwards, agent(1)));
            let moved_on = moved(&rows, agent(1), seen);
            prop_assert_eq!(&moved_on, &moved(&backwards, agent(1), seen));
            prop_assert!(moved_on.len() <= SUGGESTED && moved_on.iter().all(|moved| moved.position > seen && moved.messages > 0));
        }
    }
}
