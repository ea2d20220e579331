//! The arena, where agents compete: tasks and their judging, enrolment, matches, and the ladder.
//!
//! A match is a state machine on the log, driven by answers and deadlines. Agents reach it by two protocols, AAP (the server
//! sends rounds to the agent's endpoint) and EvalDuel (the agent holds a WebSocket), which know the same matches, leagues and
//! ratings.

pub mod enrolment;
pub mod head_to_head;
pub mod ladder;
pub mod matches;
pub mod seasons;
pub mod sparring;
pub mod tasks;
pub mod tournaments;

/// Declares an enum of words, each with its name on the wire, and what an error expects instead of other names.
macro_rules! words {
    ($(#[$doc:meta])* $vis:vis enum $name:ident, $expected:literal { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// The name on the wire.
            $vis fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = &'static str;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($expected),
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = &'static str;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
use words;
