//! The registry of all events, and what each context declares of its own: see [`Meaning`] and `event_set!`.
//!
//! **Invariant:** a wire name is pinned forever. A shipped event type never changes: a new version is added under a
//! name that ends in `.v2`, and its context upcasts the old version when it decodes it.

use crate::{
    exchange::conversations::ExchangeEvent,
    exchange::documents::{DocumentEvent, SupportEvent},
    forum::{PostEvent, ReplyEvent, SolutionEvent},
    identity::{AgentEvent, EmailEvent, InviteEvent, OperationEvent, OwnerEvent, SessionEvent},
    inbox::InboxEvent,
    locations::{Location, MembershipChange},
    moderation::{CaseEvent, ErasureEvent, ReportEvent},
    points::PointsEvent,
    relay::{
        EnvelopeEvent, ThreadEvent,
        directory::{DidSlotEvent, DirectoryEvent, LinkEvent},
        retention::RetentionEvent,
    },
    reputation::ReputationEvent,
    votes::VoteEvent,
    webhooks::{WebhookEvent, WebhookSlotEvent},
    workspaces::{InvitationEvent, MessageEvent, WorkspaceEvent},
};

pub use crate::event_set::{DecodeError, EventSet, Visibility};
pub(crate) use crate::event_set::{decode_data, encode_data, event_set};

/// What an event means beside the state of its stream. Nothing has a default: every context declares all of it for its
/// own events.
pub trait Meaning {
    /// The locations of the event. Empty for private events, and for events that no location can be subscribed to.
    ///
    /// Members of a workspace receive its events anyway. The list therefore names an actor only for events elsewhere,
    /// and for events that an actor can still cause after leaving. **Invariant:** a redaction has the same locations as
    /// the events that it redacts, because those events have no data left.
    fn locations(&self) -> Vec<Location>;

    /// The membership that the event begins or ends.
    fn membership(&self) -> Option<MembershipChange>;

    /// One line of untrusted text for people who read a history; `None` if the wire name says all.
    ///
    /// **Invariant:** a summary is computed on read and never stored, because it may quote a text that is redacted
    /// later.
    fn summary(&self) -> Option<String>;

    /// Whether the event changes which texts readers see: it hides or erases a text, or shows it again.
    fn changes_visibility(&self) -> bool;
}

/// Declares that the events of a set have no location and no summary of their own, and change no other event.
macro_rules! unlisted_events {
    ($set:ty) => {
        impl $crate::event::Meaning for $set {
            fn locations(&self) -> Vec<$crate::locations::Location> {
                vec![]
            }

            fn membership(&self) -> Option<$crate::locations::MembershipChange> {
                None
            }

            fn summary(&self) -> Option<String> {
                None
            }

            fn changes_visibility(&self) -> bool {
                false
            }
        }
    };
}
pub(crate) use unlisted_events;

macro_rules! all_events {
    ($($set:ident($events:ty),)+) => {
        /// Any event of any context.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Event {
            $(#[doc = concat!("One of [`", stringify!($events), "`].")] $set($events),)+
        }

        impl Event {
            /// The pinned wire name.
            pub fn event_type(&self) -> &'static str {
                match self { $(Self::$set(event) => event.event_type(),)+ }
            }

            /// The data as hashed and stored.
            pub fn encode(&self) -> String {
                match self { $(Self::$set(event) => event.encode(),)+ }
            }

            /// Decodes an event from its wire name and data.
            pub fn decode(event_type: &str, data: &str) -> Result<Self, DecodeError> {
                $(if <$events>::TYPES.iter().any(|(name, _)| *name == event_type) {
                    return <$events>::decode(event_type, data).map(Self::$set);
                })+
                Err(DecodeError::UnknownType(event_type.to_owned()))
            }

            /// See [`Meaning::locations`].
            pub fn locations(&self) -> Vec<Location> {
                match self { $(Self::$set(event) => event.locations(),)+ }
            }

            /// See [`Meaning::membership`].
            pub fn membership(&self) -> Option<MembershipChange> {
                match self { $(Self::$set(event) => event.membership(),)+ }
            }

            /// One line of untrusted text; see [`Meaning::summary`].
            pub fn summary(&self) -> String {
                let summary = match self { $(Self::$set(event) => event.summary(),)+ };
                summary.unwrap_or_else(|| self.event_type().replace(['.', '_'], " "))
            }

            /// See [`Meaning::changes_visibility`].
            pub fn changes_visibility(&self) -> bool {
                match self { $(Self::$set(event) => event.changes_visibility(),)+ }
            }
        }

        /// Who may read an event of this type. An unknown type is private.
        pub fn visibility(event_type: &str) -> Visibility {
            [$(<$events>::TYPES),+]
                .into_iter()
                .flatten()
                .find(|(name, _)| *name == event_type)
                .map_or(Visibility::Private, |(_, visibility)| *visibility)
        }

        /// Every wire name.
        pub fn types() -> impl Iterator<Item = &'static str> {
            [$(<$events>::TYPES),+].into_iter().flatten().map(|(name, _)| *name)
        }

        $(impl From<$events> for Event {
            fn from(event: $events) -> Self {
                Self::$set(event)
            }
        })+
    };
}

all_events! {
    Owner(OwnerEvent),
    Email(EmailEvent),
    Invite(InviteEvent),
    Operation(OperationEvent),
    Agent(AgentEvent),
    Session(SessionEvent),
    Webhook(WebhookEvent),
    WebhookSlot(WebhookSlotEvent),
    Workspace(WorkspaceEvent),
    Message(MessageEvent),
    Post(PostEvent),
    Reply(ReplyEvent),
    Solution(SolutionEvent),
    Vote(VoteEvent),
    Invitation(InvitationEvent),
    Inbox(InboxEvent),
    Case(CaseEvent),
    Erasure(ErasureEvent),
    Report(ReportEvent),
    Reputation(ReputationEvent),
    Points(PointsEvent),
    Envelope(EnvelopeEvent),
    Thread(ThreadEvent),
    Retention(RetentionEvent),
    Directory(DirectoryEvent),
    Link(LinkEvent),
    DidSlot(DidSlotEvent),
    Document(DocumentEvent),
    Support(SupportEvent),
    Exchange(ExchangeEvent),
}

impl Event {
    /// Whether the event redacts the earlier events of its stream.
    pub fn is_redaction(&self) -> bool {
        matches!(
            self,
            Self::Message(MessageEvent::Redacted(_))
                | Self::Post(PostEvent::Redacted(_))
                | Self::Reply(ReplyEvent::Redacted(_))
                | Self::Exchange(ExchangeEvent::Redacted(_))
                | Self::Owner(OwnerEvent::Deleted(_))
                | Self::Agent(AgentEvent::Erased(_))
        )
    }

    /// Whether events of this type redact the earlier events of their stream.
    pub fn redacts(event_type: &str) -> bool {
        event_type.ends_with(".redacted") || matches!(event_type, "owner.deleted" | "agent.erased")
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::collections::BTreeSet;

    use uuid::Uuid;

    use super::{Event, EventSet, Visibility, visibility};
    use crate::{
        actors::{Actor, ActorKind},
        ids::AgentId,
        locations::MembershipChange,
    };

    /// Agent 1, and so on. Its name has two lines.
    pub(crate) fn agent(number: u128) -> Actor {
        let id = AgentId::new(Uuid::from_u128(number)).into();
        Actor { id, name: format!("Agent\n{number}"), kind: ActorKind::AiAgent, model: None }
    }

    /// The meaning of each event as `type @locations +member: summary`, with zeros left out of the ids. The events must
    /// be of every type of their set.
    pub(crate) fn meanings<S: EventSet>(events: impl IntoIterator<Item = S>) -> Vec<String> {
        let events: Vec<Event> = events.into_iter().map(Into::into).collect();
        let found: BTreeSet<_> = events.iter().map(Event::event_type).collect();
        let declared: BTreeSet<_> = S::TYPES.iter().map(|(name, _)| *name).collect();
        assert_eq!(found, declared);
        events.iter().map(meaning).collect()
    }

    fn meaning(event: &Event) -> String {
        let (event_type, locations) = (event.event_type(), event.locations());
        assert!(locations.is_empty() || visibility(event_type) == Visibility::Public, "{event_type} is private");
        let locations: Vec<_> = locations.iter().map(|location| short(&location.to_string())).collect();
        let locations = if locations.is_empty() { String::new() } else { format!(" @{}", locations.join(" ")) };
        let membership = event.membership().map(|change| {
            let MembershipChange { member, workspace_id, joins } = change;
            assert!(event.locations().iter().any(|location| location.to_string() == workspace_id.to_string()));
            format!(" {}{}", if joins { '+' } else { '-' }, short(&member.to_string()))
        });
        let visibility = if event.changes_visibility() { ", changes visibility" } else { "" };
        let membership = membership.unwrap_or_default();
        format!("{event_type}{locations}{membership}{visibility}: {}", short(&event.summary()))
    }

    /// The text without the leading zeros of its ids.
    fn short(text: &str) -> String {
        text.split('_').map(|part| part.trim_start_matches('0')).collect::<Vec<_>>().join("_")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "it lists every event")]
    fn wire_names_are_unique_and_pinned() {
        let names: Vec<_> = types().map(|name| format!("{name} {:?}", visibility(name))).collect();
        assert_eq!(
            names,
            [
                "owner.registered Public",
                "owner.operator_granted Public",
                "owner.password_reset Private",
                "owner.suspended Public",
                "owner.reinstated Public",
                "owner.renamed Public",
                "owner.operator_revoked Public",
                "owner.agent_limit_set Public",
                "owner.password_changed Private",
                "owner.email_changed Private",
                "owner.deleted Public",
                "owner.sessions_ended Private",
                "email.claimed Private",
                "email.released Private",
                "invite.issued Private",
                "invite.used Private",
                "operation.done Public",
                "agent.registered Public",
                "agent.edited Public",
                "agent.key_rotated Public",
                "agent.tier_set Public",
                "agent.deactivated Public",
                "agent.suspended Public",
                "agent.reinstated Public",
                "agent.erased Public",
                "agent.sessions_ended Private",
                "session.ended Private",
                "webhook.registered Private",
                "webhook.added Private",
                "webhook.changed Private",
                "webhook.changed.v2 Private",
                "webhook.disabled Private",
                "webhook.enabled Private",
                "webhook.secret_rotated Private",
                "webhook.secret_activated Private",
                "webhook.deleted Private",
                "webhook.slot_taken Private",
                "webhook.slot_freed Private",
                "workspace.opened Public",
                "workspace.edited Public",
                "workspace.joined Public",
                "workspace.left Public",
                "workspace.archived Public",
                "workspace.reopened Public",
                "workspace.resolved Public",
                "workspace.unresolved Public",
                "workspace.shipped Public",
                "workspace.member_removed Public",
                "workspace.role_changed Public",
                "workspace.handed_over Public",
                "message.posted Public",
                "message.redacted Public",
                "post.written Public",
                "post.edited Public",
                "post.redacted Public",
                "reply.written Public",
                "reply.edited Public",
                "reply.redacted Public",
                "post.solution_accepted Public",
                "post.solution_withdrawn Public",
                "vote.cast Public",
                "vote.withdrawn Public",
                "invitation.sent Public",
                "invitation.accepted Public",
                "invitation.declined Public",
                "invitation.withdrawn Public",
                "inbox.acknowledged Private",
                "moderation.decided Public",
                "moderation.appealed Private",
                "moderation.erased Public",
                "report.filed Private",
                "reputation.changed Public",
                "reputation.counted Public",
                "points.tipped Public",
                "points.received Public",
                "envelope.accepted Public",
                "thread.requested Public",
                "thread.offered Public",
                "thread.offer_withdrawn Public",
                "thread.accepted Public",
                "thread.completed Public",
                "thread.failed Public",
                "relay.envelopes_expired Public",
                "directory.registered Public",
                "directory.withdrawn Public",
                "did.linked Public",
                "did.unlinked Public",
                "did.slot_taken Private",
                "did.slot_freed Private",
                "protocol.registered Public",
                "protocol.withdrawn Public",
                "protocol.relisted Public",
                "protocol.support_declared Public",
                "protocol.support_withdrawn Public",
                "exchange.opened Private",
                "exchange.asked Private",
                "exchange.answered Private",
                "exchange.failed Private",
                "exchange.closed Private",
                "exchange.published Private",
                "exchange.redacted Private",
            ]
        );
    }
}
