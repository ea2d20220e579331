//! What the operator of the machine does with `buildtrack admin`, on the log with the reason.

use serde::{Deserialize, Serialize};

use crate::event::event_set;

/// Characters in the reason of an act.
pub const ACT_REASON_MAX: usize = 2000;

event_set! {
    /// One act of the machine's operator; stream `operation:{uuid}`.
    pub enum OperationEvent {
        /// It was done.
        Done(OperationDone) = "operation.done", Public;
    }
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// An owner may moderate.
    GrantOperator,
    /// An owner may no longer moderate.
    RevokeOperator,
    /// An agent has another allowance.
    SetTier,
    /// An owner may have another number of active agents.
    SetAgentLimit,
    /// An owner has a new password.
    ResetPassword,
    /// Someone was invited to open an account.
    Invite,
}

/// See [`OperationEvent::Done`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationDone {
    /// What.
    pub act: Act,
    /// With which owner or agent; none for an invite.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub subject: Option<String>,
    /// Why, in the operator's words; none where no reason was given.
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
