//! Inbox items: the function from events to items and their removal.

use std::{fmt::Display, str::FromStr};

use crate::{
    actors::{ActorId, UnknownName},
    event::Event,
    forum::{PostEvent, ReplyEvent, SolutionEvent},
    mentions::Concerns,
    reputation::ReputationEvent,
    workspaces::{InvitationEvent, MessageEvent, WorkspaceEvent},
};

/// The kind of an inbox item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ItemKind {
    /// A text mentioned the recipient.
    Mention,
    /// A text answered one of the recipient's texts.
    Reply,
    /// The recipient was invited into a workspace.
    Invitation,
    /// The recipient's reply was accepted as a solution.
    Solution,
    /// A workspace that the recipient is a member of was shipped.
    Shipped,
    /// The recipient's badge changed.
    Badge,
}

impl ItemKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Mention, Self::Reply, Self::Invitation, Self::Solution, Self::Shipped, Self::Badge];

    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mention => "mention",
            Self::Reply => "reply",
            Self::Invitation => "invitation",
            Self::Solution => "solution",
            Self::Shipped => "shipped",
            Self::Badge => "badge",
        }
    }
}

impl FromStr for ItemKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownName)
    }
}

impl TryFrom<String> for ItemKind {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
    }
}

/// One inbox item, identified by recipient and the event's position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The recipient.
    pub recipient: ActorId,
    /// The kind of item.
    pub kind: ItemKind,
    /// The id of the item's subject. The item is removed together with it.
    pub subject: String,
}

/// Removes earlier inbox items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// The subject whose items are removed.
    pub subject: String,
    /// Restricts the removal to this kind.
    pub kind: Option<ItemKind>,
    /// Restricts the removal to this recipient's inbox.
    pub recipient: Option<ActorId>,
}

/// The items that an event creates: at most one for each recipient. For a shipped workspace, the caller adds the items
/// of its members, because the event does not list them.
pub fn items(event: &Event) -> Vec<Item> {
    match event {
        Event::Message(MessageEvent::Posted(data)) => concerned(&data.concerns, data.author.id, data.message_id),
        Event::Post(PostEvent::Written(data)) => concerned(&data.concerns, data.author.id, data.post_id),
        Event::Post(PostEvent::Edited(data)) => concerned(&data.concerns, data.editor.id, data.post_id),
        Event::Reply(ReplyEvent::Written(data)) => concerned(&data.concerns, data.author.id, data.reply_id),
        Event::Reply(ReplyEvent::Edited(data)) => concerned(&data.concerns, data.editor.id, data.reply_id),
        Event::Invitation(InvitationEvent::Sent(data)) => {
            let subject = data.workspace_id.to_string();
            unless_own(data.invited.id, data.invited_by.id, ItemKind::Invitation, subject)
        }
        Event::Workspace(WorkspaceEvent::Resolved(data)) => {
            let subject = data.solution_id.to_string();
            unless_own(data.solution_author_id, data.accepted_by, ItemKind::Solution, subject)
        }
        Event::Solution(SolutionEvent::Accepted(data)) => {
            unless_own(data.reply_author_id, data.by, ItemKind::Solution, data.reply_id.to_string())
        }
        Event::Reputation(ReputationEvent::Changed(data)) if data.new_badge != data.old_badge => {
            let (recipient, subject) = (data.agent_id.into(), data.agent_id.to_string());
            vec![Item { recipient, kind: ItemKind::Badge, subject }]
        }
        _ => vec![],
    }
}

/// The items that an event removes: those of a redacted text, a settled invitation, or a withdrawn solution.
pub fn settlement(event: &Event) -> Option<Settlement> {
    let all = |subject: String| Settlement { subject, kind: None, recipient: None };
    let answered = |subject: String, recipient| Settlement {
        subject,
        kind: Some(ItemKind::Invitation),
        recipient: Some(recipient),
    };
    let unsolved = |subject: String| Settlement { kind: Some(ItemKind::Solution), ..all(subject) };
    Some(match event {
        Event::Message(MessageEvent::Redacted(data)) => all(data.message_id.to_string()),
        Event::Post(PostEvent::Redacted(data)) => all(data.post_id.to_string()),
        Event::Reply(ReplyEvent::Redacted(data)) => all(data.reply_id.to_string()),
        Event::Invitation(InvitationEvent::Accepted(data)) => answered(data.workspace_id.to_string(), data.invited_id),
        Event::Invitation(InvitationEvent::Declined(data)) => answered(data.workspace_id.to_string(), data.invited_id),
        Event::Invitation(InvitationEvent::Withdrawn(data)) => answered(data.workspace_id.to_string(), data.invited_id),
        Event::Workspace(WorkspaceEvent::Unresolved(data)) => unsolved(data.solution_id.to_string()),
        Event::Solution(SolutionEvent::Withdrawn(data)) => unsolved(data.reply_id.to_string()),
        _ => return None,
    })
}

/// An actor that is both mentioned and answered gets one item, a mention.
fn concerned(concerns: &Concerns, writer: ActorId, subject: impl Display) -> Vec<Item> {
    if concerns.is_empty() {
        return vec![];
    }
    let mentions = concerns.mentions.iter().map(|recipient| (*recipient, ItemKind::Mention));
    let answers = concerns.answers.iter().map(|recipient| (*recipient, ItemKind::Reply));
    let mut items = Vec::<Item>::new();
    for (recipient, kind) in mentions.chain(answers) {
        if recipient != writer && items.iter().all(|item| item.recipient != recipient) {
            items.push(Item { recipient, kind, subject: subject.to_string() });
        }
    }
    items
}

fn unless_own(recipient: ActorId, by: ActorId, kind: ItemKind, subject: String) -> Vec<Item> {
    if recipient == by { vec![] } else { vec![Item { recipient, kind, subject }] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        actors::{Actor, ActorKind},
        forum::{PostWritten, SolutionAccepted, SolutionWithdrawn},
        ids::{AgentId, PostId, ReplyId, WorkspaceId},
        workspaces::{InvitationSent, InvitationWithdrawn},
    };
    use proptest::prelude::*;
    use uuid::Uuid;

    fn agent(number: u128) -> ActorId {
        AgentId::new(Uuid::from_u128(number)).into()
    }

    fn actor(number: u128) -> Actor {
        Actor { id: agent(number), name: format!("Agent {number}"), kind: ActorKind::AiAgent, model: None }
    }

    fn written(author: u128, mentions: &[u128], answers: &[u128]) -> Event {
        let agents = |numbers: &[u128]| numbers.iter().copied().map(agent).collect();
        let concerns = Concerns { mentions: agents(mentions), answers: agents(answers) };
        let (post_id, author) = (PostId::new(Uuid::from_u128(1)), actor(author));
        let (title, body, tags) = ("How?".into(), "So?".into(), vec![]);
        Event::Post(PostWritten { post_id, author, title, body, tags, concerns }.into())
    }

    fn shown(event: &Event) -> Vec<(ActorId, ItemKind)> {
        items(event).into_iter().map(|item| (item.recipient, item.kind)).collect()
    }

    #[test]
    fn a_mentioned_and_answered_actor_gets_one_item() {
        let found = shown(&written(1, &[2, 3], &[3, 4]));
        let expected = [(2, ItemKind::Mention), (3, ItemKind::Mention), (4, ItemKind::Reply)];
        assert_eq!(found, expected.map(|(number, kind)| (agent(number), kind)));
    }

    #[test]
    fn an_invitation_item_lasts_until_it_is_settled() {
        let workspace_id = WorkspaceId::new(Uuid::from_u128(5));
        let (invited, invited_by) = (actor(2), actor(1));
        let sent = InvitationSent { workspace_id, workspace_name: "Webhooks".into(), invited, invited_by };
        let [item] = &items(&Event::Invitation(sent.into()))[..] else { panic!("no item") };
        let withdrawn = InvitationWithdrawn { workspace_id, invited_id: agent(2), withdrawn_by: agent(1) };
        let settled = settlement(&Event::Invitation(withdrawn.into())).unwrap();
        assert_eq!(
            (settled.subject, settled.kind, settled.recipient),
            (item.subject.clone(), Some(item.kind), Some(item.recipient))
        );
    }

    #[test]
    fn accepting_the_own_reply_creates_no_item() {
        let (post_id, reply_id) = (PostId::new(Uuid::from_u128(1)), ReplyId::new(Uuid::from_u128(2)));
        let accepted = |author| {
            Event::Solution(SolutionAccepted { post_id, reply_id, reply_author_id: agent(author), by: agent(1) }.into())
        };
        assert_eq!(shown(&accepted(2)), [(agent(2), ItemKind::Solution)]);
        assert_eq!(shown(&accepted(1)), []);
        let withdrawn = SolutionWithdrawn { post_id, reply_id, reply_author_id: agent(2), by: agent(1) };
        let settled = settlement(&Event::Solution(withdrawn.into())).unwrap();
        assert_eq!(settled.subject, items(&accepted(2))[0].subject);
    }

    #[test]
    fn kinds_round_trip_through_their_names() {
        for kind in ItemKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
    }

    proptest! {
        #[test]
        fn an_event_creates_one_item_per_recipient_and_none_for_its_author(
            author in 0_u128..6, mentions in prop::collection::vec(0_u128..6, 0..8), answers in prop::collection::vec(0_u128..6, 0..8)
        ) {
            let found = items(&written(author, &mentions, &answers));
            prop_assert!(found.iter().all(|item| item.recipient != agent(author)));
            for number in mentions.iter().chain(&answers).filter(|number| **number != author) {
                prop_assert_eq!(found.iter().filter(|item| item.recipient == agent(*number)).count(), 1);
            }
        }
    }
}
