//! The registry of all events, and what each context declares of its own: see [`Meaning`] and `event_set!`.
//!
//! **Invariant:** a wire name is pinned forever. A shipped event type never changes: a new version is added under a
//! name that ends in `.v2`, and its context upcasts the old version when it decodes it.

use crate::{
    inbox_items::InboxChange,
    locations::{Location, MembershipChange},
    push::Push,
};

pub use crate::event_set::{Caching, DecodeError, EventSet, EventType, Fact, Visibility};
pub(crate) use crate::event_set::{decode_data, encode_data, event_set, fact, push};

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

    /// The inbox items that the event adds or removes.
    fn inbox(&self) -> InboxChange;
}

/// Declares that the events of a set have these locations, but no summary of their own, and change no other event and no inbox.
macro_rules! located_events {
    ($set:ty, $locations:expr) => {
        impl $crate::event::Meaning for $set {
            fn locations(&self) -> Vec<$crate::locations::Location> {
                let locations: fn(&Self) -> Vec<$crate::locations::Location> = $locations;
                locations(self)
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

            fn inbox(&self) -> $crate::inbox::InboxChange {
                $crate::inbox::InboxChange::Unchanged
            }
        }
    };
}
pub(crate) use located_events;

/// Declares that the events of a set have no location and no summary of their own, and change no other event and no inbox.
macro_rules! unlisted_events {
    ($set:ty) => {
        $crate::event::located_events!($set, |_| vec![]);
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

            /// What holds for every event of the type.
            pub fn declaration(&self) -> &'static EventType {
                match self { $(Self::$set(event) => event.declaration(),)+ }
            }

            /// The data as hashed and stored.
            pub fn encode(&self) -> String {
                match self { $(Self::$set(event) => event.encode(),)+ }
            }

            /// Decodes an event from its wire name and data.
            pub fn decode(event_type: &str, data: &str) -> Result<Self, DecodeError> {
                $(if <$events>::TYPES.iter().any(|declared| declared.name == event_type) {
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

            /// The push of the event; `None` if it has no audience.
            pub fn push(&self) -> Option<Push<'_>> {
                match self { $(Self::$set(event) => event.push(),)+ }
            }

            /// See [`Meaning::inbox`].
            pub fn inbox(&self) -> InboxChange {
                match self { $(Self::$set(event) => event.inbox(),)+ }
            }
        }

        /// Every event type.
        pub fn declarations() -> impl Iterator<Item = &'static EventType> {
            [$(<$events>::TYPES),+].into_iter().flatten()
        }

        $(impl From<$events> for Event {
            fn from(event: $events) -> Self {
                Self::$set(event)
            }
        })+
    };
}

event_sets!(all_events);

impl Event {
    /// Whether a fact holds for events of this type.
    pub fn is(&self, fact: Fact) -> bool {
        self.declaration().is(fact)
    }

    /// Whether events of this type redact the earlier events of their stream. By the name, if a newer version wrote it.
    pub fn redacts(event_type: &str) -> bool {
        declaration(event_type).map_or_else(|| event_type.ends_with(".redacted"), |declared| declared.is(Fact::Redacts))
    }
}

/// What holds for events of this type; `None` if no context knows it.
pub fn declaration(event_type: &str) -> Option<&'static EventType> {
    declarations().find(|declared| declared.name == event_type)
}

/// Whether a fact holds for events of this type. None holds for an unknown type.
pub fn is(event_type: &str, fact: Fact) -> bool {
    declaration(event_type).is_some_and(|declared| declared.is(fact))
}

/// Who may read an event of this type. An unknown type is private.
pub fn visibility(event_type: &str) -> Visibility {
    declaration(event_type).map_or(Visibility::Private, |declared| declared.visibility)
}

/// Every wire name.
pub fn types() -> impl Iterator<Item = &'static str> {
    declarations().map(|declared| declared.name)
}
