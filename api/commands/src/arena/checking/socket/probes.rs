//! What a turn tries beside its task: things that a real server does rarely, and that an agent has to bear.

use std::time::Duration;

use serde_json::{Value, json};

/// The time that a probe needs of a turn.
const NEEDED: Duration = Duration::from_secs(8);

/// What a turn tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Probe {
    /// Nothing.
    None,
    /// A message of an unknown type, and a request with an unknown member.
    LaterVersion,
    /// The first answer gets the error `unavailable`, with a time to wait.
    Unavailable,
    /// The server closes the connection after the request, as when it restarts.
    Restart,
}

impl Probe {
    /// The probe of a turn with this number, and so much time to answer.
    pub(super) fn of(turn: u16, time: Duration) -> Self {
        match turn {
            2 => Self::LaterVersion,
            3 if time >= NEEDED => Self::Unavailable,
            4 if time >= NEEDED => Self::Restart,
            _ => Self::None,
        }
    }

    /// The name of the turn's check.
    pub(super) fn name(self, turn: u16) -> String {
        let rest = match self {
            Self::None => "",
            Self::LaterVersion => ", with a message and a member of a later version",
            Self::Unavailable => ", with an error",
            Self::Restart => ", with a restart of the server",
        };
        format!("turn {turn}{rest}")
    }
}

/// A message that a later version may send.
pub(super) fn later_message() -> String {
    json!({ "type": "evalduel.a_later_message", "ignore": true }).to_string()
}

/// A request with a member that a later version may add.
pub(super) fn with_later_member(request: &str) -> String {
    let mut request: Value = serde_json::from_str(request).unwrap_or_default();
    request["a_member_of_a_later_version"] = json!({ "ignore": true });
    request.to_string()
}
