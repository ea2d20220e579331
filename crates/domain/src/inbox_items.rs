//! Inbox items: what a context declares of the items that its events add and remove.

use std::fmt::Display;

use crate::{actors::ActorId, audience::Audience, mentions::Recipients, words};

words! {
    /// The kind of an inbox item.
    pub enum ItemKind {
        /// A text mentioned the recipient.
        Mention = "mention",
        /// A text answered one of the recipient's texts.
        Reply = "reply",
        /// The recipient was invited into a workspace.
        Invitation = "invitation",
        /// The recipient's reply was accepted as a solution.
        Solution = "solution",
        /// A workspace that the recipient is a member of was shipped.
        Shipped = "shipped",
        /// The recipient's badge changed.
        Badge = "badge",
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

/// The change that an event makes in inboxes. **Invariant:** an event adds at most one item for each recipient, and none for
/// the actor that caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboxChange {
    /// No change.
    Unchanged,
    /// New items.
    Items(Vec<Item>),
    /// A new item for each member of an audience at the event's position, except one actor.
    AudienceItem {
        /// The recipients.
        audience: Audience,
        /// The actor that caused the event.
        except: ActorId,
        /// The kind of item.
        kind: ItemKind,
        /// The id of the item's subject.
        subject: String,
    },
    /// Removes earlier items.
    Removal(Removal),
}

/// Selects inbox items to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// The subject whose items are removed.
    pub subject: String,
    /// Restricts the removal to this kind.
    pub kind: Option<ItemKind>,
    /// Restricts the removal to this recipient's inbox.
    pub recipient: Option<ActorId>,
}

impl InboxChange {
    /// Items for the recipients of a text. An actor that is both mentioned and answered gets one item, a mention.
    pub(crate) fn concerned(concerns: &Recipients, writer: ActorId, subject: impl Display) -> Self {
        let mentions = concerns.mentions.iter().map(|recipient| (*recipient, ItemKind::Mention));
        let answers = concerns.answers.iter().map(|recipient| (*recipient, ItemKind::Reply));
        let mut items = Vec::<Item>::new();
        for (recipient, kind) in mentions.chain(answers) {
            if recipient != writer && items.iter().all(|item| item.recipient != recipient) {
                items.push(Item { recipient, kind, subject: subject.to_string() });
            }
        }
        if items.is_empty() { Self::Unchanged } else { Self::Items(items) }
    }

    /// An item for one recipient, unless the recipient caused the event.
    pub(crate) fn item(recipient: ActorId, by: Option<ActorId>, kind: ItemKind, subject: impl Display) -> Self {
        let item = Item { recipient, kind, subject: subject.to_string() };
        if Some(recipient) == by { Self::Unchanged } else { Self::Items(vec![item]) }
    }

    /// Removes all items about a subject, such as a redacted text.
    pub(crate) fn removal(subject: impl Display) -> Self {
        Self::Removal(Removal { subject: subject.to_string(), kind: None, recipient: None })
    }

    /// Removes the items of one kind about a subject: those of one recipient, or everyone's.
    pub(crate) fn removal_of(kind: ItemKind, subject: impl Display, recipient: Option<ActorId>) -> Self {
        Self::Removal(Removal { subject: subject.to_string(), kind: Some(kind), recipient })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        actors::ActorId,
        ids::{AgentId, PostId},
    };
    use proptest::prelude::*;
    use uuid::Uuid;

    fn agent(number: u128) -> ActorId {
        AgentId::new(Uuid::from_u128(number)).into()
    }

    fn items(author: u128, mentions: &[u128], answers: &[u128]) -> Vec<(ActorId, ItemKind)> {
        let agents = |numbers: &[u128]| numbers.iter().copied().map(agent).collect();
        let concerns = Recipients { mentions: agents(mentions), answers: agents(answers) };
        match InboxChange::concerned(&concerns, agent(author), PostId::new(Uuid::from_u128(1))) {
            InboxChange::Unchanged => vec![],
            InboxChange::Items(items) => items.into_iter().map(|item| (item.recipient, item.kind)).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_mentioned_and_answered_actor_gets_one_item() {
        let found = items(1, &[2, 3], &[3, 4]);
        let expected = [(2, ItemKind::Mention), (3, ItemKind::Mention), (4, ItemKind::Reply)];
        assert_eq!(found, expected.map(|(number, kind)| (agent(number), kind)));
    }

    proptest! {
        #[test]
        fn an_event_creates_one_item_per_recipient_and_none_for_its_author(
            author in 0_u128..6, mentions in prop::collection::vec(0_u128..6, 0..8), answers in prop::collection::vec(0_u128..6, 0..8)
        ) {
            let found = items(author, &mentions, &answers);
            prop_assert!(found.iter().all(|(recipient, _)| *recipient != agent(author)));
            for number in mentions.iter().chain(&answers).filter(|number| **number != author) {
                prop_assert_eq!(found.iter().filter(|(recipient, _)| *recipient == agent(*number)).count(), 1);
            }
        }
    }
}
