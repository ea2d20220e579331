//! Sets of events: the table in which a context declares its events, with all that depends on their type alone, and their
//! encoding.

use serde::{Serialize, de::DeserializeOwned};

use crate::{event::Event, push_type::PushType};

/// Who may read an event's data in the public log. Header and hashes are always public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Anyone.
    Public,
    /// The server only.
    Private,
}

/// What holds for every event of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventType {
    /// The pinned wire name.
    pub name: &'static str,
    /// Who may read its data.
    pub visibility: Visibility,
    /// Whether it invalidates cached values of its stream.
    pub caching: Caching,
    /// What else holds.
    pub facts: &'static [Fact],
}

/// Whether the store caches values that depend on a stream: each of its events invalidates them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caching {
    /// It does, by the stream's name.
    Cached,
    /// It does not.
    Uncached,
}

/// A fact about every event of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// It redacts the earlier events of its stream.
    Redacts,
    /// It may change which texts readers see; see [`Meaning::changes_visibility`](crate::event::Meaning).
    ChangesVisibility,
    /// It may have an audience of agents, to whose endpoints it is sent as this type. Its data declare the push: see
    /// [`Pushed`](crate::push::Pushed).
    Pushed(PushType),
    /// It changes a search document.
    Indexed,
    /// It replaces a name or text of its stream. The new one is not hidden where the old one is.
    ReplacesText,
    /// It is accepted while storage is low: it frees storage, completes existing work, or ends something that a person
    /// must be able to end.
    Essential,
    /// It holds texts of its own in these fields. Operators hide them by the event's position. Ids inside the fields are the
    /// client's content, not ids of this server.
    Texts(&'static [&'static str]),
    /// It is recorded next to another event that shows the same text. Both have the same value in this field, and are hidden
    /// and erased together.
    SharesText(&'static [&'static str]),
}

impl EventType {
    /// Whether the fact holds.
    pub fn is(&self, fact: Fact) -> bool {
        self.facts.contains(&fact)
    }

    /// The type of [`Fact::Pushed`]; `None` if events of this type never have an audience.
    pub fn push_type(&self) -> Option<PushType> {
        self.facts.iter().find_map(|fact| if let Fact::Pushed(push_type) = fact { Some(*push_type) } else { None })
    }

    /// The fields of [`Fact::Texts`]; empty if the event has no texts of its own.
    pub fn texts(&self) -> &'static [&'static str] {
        let texts = |fact: &Fact| if let Fact::Texts(fields) = fact { Some(*fields) } else { None };
        self.facts.iter().find_map(texts).unwrap_or_default()
    }

    /// The field of [`Fact::SharesText`]; `None` if no other event shows the same text.
    pub fn shared_text(&self) -> Option<&'static str> {
        self.facts
            .iter()
            .find_map(|fact| if let Fact::SharesText(fields) = fact { fields.first().copied() } else { None })
    }

    /// The first part of the wire name.
    pub fn kind(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(kind, _)| kind)
    }
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
    /// The types of this set, in the order of their declaration.
    const TYPES: &'static [EventType];

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

/// A [`Fact`] as `event_set!` writes it: `Indexed`, `Pushed(ForumReply)`, `Texts("title", "body")`.
macro_rules! fact {
    (Pushed($push_type:ident)) => { $crate::event::Fact::Pushed($crate::push_type::PushType::$push_type) };
    ($fact:ident($($field:literal),+)) => { $crate::event::Fact::$fact(&[$($field),+]) };
    ($fact:ident) => { $crate::event::Fact::$fact };
}
pub(crate) use fact;

/// The push of an event with these facts. If `Pushed` is among them, the data must implement
/// [`Pushed`](crate::push::Pushed); otherwise the event has none.
macro_rules! push {
    ($data:ident,) => {{
        let _ = $data;
        None
    }};
    ($data:ident, Pushed($push_type:ident) $(, $($rest:tt)*)?) => {
        $crate::push::Push::of($crate::push_type::PushType::$push_type, $data)
    };
    ($data:ident, $fact:ident $(($($argument:tt),+))? $(, $($rest:tt)*)?) => {
        $crate::event::push!($data, $($($rest)*)?)
    };
}
pub(crate) use push;

/// Declares a context's events: for the set its [`Caching`], and for each variant its data, wire name, [`Visibility`] and
/// [`Fact`]s.
macro_rules! event_set {
    ($(#[$doc:meta])* pub enum $set:ident: $caching:ident {
        $($(#[$variant_doc:meta])* $variant:ident($data:ty) = $wire:literal, $visibility:ident,
            [$($fact:ident $(($($argument:tt),+))?),*];)+
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $set {
            $($(#[$variant_doc])* $variant($data),)+
        }

        impl $set {
            /// The pinned wire name.
            pub fn event_type(&self) -> &'static str {
                match self { $(Self::$variant(_) => $wire,)+ }
            }

            /// What holds for every event of the type.
            pub fn declaration(&self) -> &'static $crate::event::EventType {
                match self {
                    $(Self::$variant(_) => &$crate::event::EventType {
                        name: $wire,
                        visibility: $crate::event::Visibility::$visibility,
                        caching: $crate::event::Caching::$caching,
                        facts: &[$($crate::event::fact!($fact $(($($argument),+))?)),*],
                    },)+
                }
            }

            /// The push of the event; `None` if it has no audience.
            pub fn push(&self) -> Option<$crate::push::Push<'_>> {
                match self {
                    $(Self::$variant(data) => $crate::event::push!(data, $($fact $(($($argument),+))?),*),)+
                }
            }

            /// The data as hashed and stored.
            pub fn encode(&self) -> String {
                match self { $(Self::$variant(data) => $crate::event::encode_data(data),)+ }
            }
        }

        impl $crate::event::EventSet for $set {
            const TYPES: &'static [$crate::event::EventType] = &[$($crate::event::EventType {
                name: $wire,
                visibility: $crate::event::Visibility::$visibility,
                caching: $crate::event::Caching::$caching,
                facts: &[$($crate::event::fact!($fact $(($($argument),+))?)),*],
            }),+];

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
