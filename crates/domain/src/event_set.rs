//! Sets of events: the declaration of a context's events, with wire names and visibility, and their encoding.

use serde::{Serialize, de::DeserializeOwned};

use crate::event::Event;

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
    /// The wire names of this set, each with its visibility.
    const TYPES: &'static [(&'static str, Visibility)];

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
            const TYPES: &'static [(&'static str, $crate::event::Visibility)] =
                &[$(($wire, $crate::event::Visibility::$visibility)),+];

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
