//! The common parts of all events (wire name, visibility, encoding), and the enum of all event types.
//!
//! **Invariant:** a wire name is pinned forever. A shipped event type never changes: a new version is added under a
//! name that ends in `.v2`, and its context upcasts the old version when it decodes it.

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    exchange::conversations::ExchangeEvent,
    exchange::documents::{DocumentEvent, SupportEvent},
    forum::{PostEvent, ReplyEvent, SolutionEvent},
    identity::{AgentEvent, EmailEvent, InviteEvent, OperationEvent, OwnerEvent, SessionEvent},
    inbox::InboxEvent,
    moderation::{Action, CaseEvent, ErasureEvent, ReportEvent},
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

/// Who may read an event's data in the public log. Header and hashes are always public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Anyone.
    Public,
    /// The server only.
    Private,
}

/// The error for data on the log that does not match its type: the log is damaged, or a newer version wrote it.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// No context knows the type.
    #[error("no event type {0:?}")]
    UnknownType(String),
    /// The type is known, but its data does not have the type's shape.
    #[error("data of {event_type:?} does not have the shape of its type: {source}")]
    Shape {
        /// The wire name.
        event_type: String,
        /// The parser's error.
        source: serde_json::Error,
    },
}

/// The events of one kind of stream.
pub trait EventSet: Sized + Clone + Into<Event> + Send + Sync {
    /// Decodes an event from its wire name and data.
    fn decode(event_type: &str, data: &str) -> Result<Self, DecodeError>;
}

pub(crate) fn decode_data<T: DeserializeOwned>(event_type: &str, data: &str) -> Result<T, DecodeError> {
    serde_json::from_str(data).map_err(|source| DecodeError::Shape { event_type: event_type.to_owned(), source })
}

pub(crate) fn encode_data<T: Serialize>(data: &T) -> String {
    // Event data are plain structs of strings, numbers and lists, so encoding cannot fail.
    serde_json::to_string(data).unwrap_or_default()
}

/// Declares a context's events: variants of one struct each, with wire name and visibility.
macro_rules! event_set {
    ($(#[$doc:meta])* pub enum $set:ident {
        $($(#[$variant_doc:meta])* $variant:ident($data:ty) = $wire:literal, $visibility:ident;)+
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $set {
            $($(#[$variant_doc])* $variant($data),)+
        }

        impl $set {
            /// The wire names of this set, each with its visibility.
            pub const TYPES: &'static [(&'static str, $crate::event::Visibility)] =
                &[$(($wire, $crate::event::Visibility::$visibility)),+];

            /// The pinned wire name.
            pub fn event_type(&self) -> &'static str {
                match self { $(Self::$variant(_) => $wire,)+ }
            }

            /// The data as hashed and stored.
            pub fn encode(&self) -> String {
                match self { $(Self::$variant(data) => $crate::event::encode_data(data),)+ }
            }
        }

        impl $crate::event::EventSet for $set {
            fn decode(event_type: &str, data: &str) -> Result<Self, $crate::event::DecodeError> {
                match event_type {
                    $($wire => $crate::event::decode_data(event_type, data).map(Self::$variant),)+
                    _ => Err($crate::event::DecodeError::UnknownType(event_type.to_owned())),
                }
            }
        }

        $(impl From<$data> for $set {
            fn from(data: $data) -> Self {
                Self::$variant(data)
            }
        })+
    };
}
pub(crate) use event_set;

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

    /// Whether the event changes which texts readers see: it hides or erases a text, or shows it again.
    pub fn is_hiding(&self) -> bool {
        match self {
            Self::Case(CaseEvent::Decided(data)) => {
                matches!(data.action, Action::Hide | Action::Restore | Action::Erase)
            }
            // The name of a deleted account occurs in events of many streams.
            Self::Owner(OwnerEvent::Deleted(_)) | Self::Erasure(_) => true,
            _ => false,
        }
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
