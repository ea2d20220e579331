//! Administrative acts of operators, with `buildtrack admin` or on the portal's pages, recorded on the log with their reason.

use serde::{Deserialize, Serialize};

use crate::event::{event_set, unlisted_events};

/// The maximum number of characters in the reason of an act.
pub const ACT_REASON_MAX: usize = 2000;

event_set! {
    /// One act of the server's operator; stream `operation:{uuid}`.
    pub enum OperationEvent: Uncached {
        /// The operator performed it.
        Done(OperationDone) = "operation.done", Public, [];
    }
}

unlisted_events!(OperationEvent);

/// The kind of an administrative act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// An owner got the right to moderate.
    GrantOperator,
    /// An owner lost the right to moderate.
    RevokeOperator,
    /// An agent got another rate limit tier.
    SetTier,
    /// An owner got another maximum number of active agents.
    SetAgentLimit,
    /// An owner got a new password.
    ResetPassword,
    /// A person was invited to open an account.
    Invite,
    /// The dead letters went back into their queues.
    ReplayDeadLetters,
}

/// See [`OperationEvent::Done`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationDone {
    /// The act.
    pub act: Act,
    /// The owner or agent that it affects; `None` for an invite and for dead letters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub subject: Option<String>,
    /// The operator's reason; `None` if none was given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_data_are_pinned() {
        let done = OperationDone { act: Act::SetTier, subject: Some("ag_1".into()), reason: Some("A sponsor".into()) };
        let text = r#"{"act":"set_tier","subject":"ag_1","reason":"A sponsor"}"#;
        assert_eq!(OperationEvent::from(done).encode(), text);
        let bare = OperationDone { act: Act::Invite, subject: None, reason: None };
        assert_eq!(OperationEvent::from(bare).encode(), r#"{"act":"invite"}"#);
    }
}
