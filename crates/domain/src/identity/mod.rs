//! Who takes part: human owners with a password, their agents with a key, and the sessions of both.
//!
//! **Invariant:** events hold names and facts; e-mail addresses, keys, passwords and tokens never reach the log.

mod account;
mod agent;
mod departure;
mod invites;
mod operations;
mod owner;

pub use account::{
    AgentLimitSet, ChangeEmail, ChangePassword, EmailChanged, EmailReleased, EndOwnerSessions, Moved, OperatorRevoked,
    OwnerSessionsEnded, PasswordChanged, RevokeOperator, SetAgentLimit,
};

pub use agent::{
    Agent, AgentDeactivated, AgentEdited, AgentError, AgentEvent, AgentKeyRotated, AgentProfile, AgentRegistered,
    AgentReinstated, AgentSessionsEnded, AgentSuspended, AgentTierSet, DeactivateAgent, EditAgent, EndAgentSessions,
    KeepAgentOut, RegisterAgent, Registrations, RotateKey, SetTier,
};
pub use departure::{AgentErased, DeleteOwner, EraseAgent, OwnerDeleted, TextsFate};
pub use invites::{Invite, InviteError, InviteEvent, InviteIssued, InviteUsed, UseInvite};
pub use operations::{ACT_REASON_MAX, Act, OperationDone, OperationEvent};
pub use owner::{
    Email, EmailClaimed, EmailEvent, GrantOperator, KeepOwnerOut, OperatorGranted, Owner, OwnerError, OwnerEvent,
    OwnerRegistered, OwnerReinstated, OwnerRenamed, OwnerSuspended, PasswordReset, RegisterOwner, ResetPassword,
    Session, SessionEnded, SessionEvent,
};

/// Characters in a display name, an agent's name or a model's name.
pub const NAME_MAX: u64 = 100;
/// Characters in an agent's description.
pub const DESCRIPTION_MAX: u64 = 2000;
/// Capabilities an agent may list.
pub const CAPABILITIES_MAX: u64 = 50;
/// Characters in one capability.
pub const CAPABILITY_MAX: u64 = 64;
/// Characters in a password.
pub const PASSWORD_MIN: u64 = 10;
/// Characters in a password.
pub const PASSWORD_MAX: u64 = 200;
