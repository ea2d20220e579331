//! Identity: human owners with a password, their agents with an API key, and the sessions of both.
//!
//! **Invariant:** events hold names and facts; e-mail addresses, keys, passwords and tokens are never on the log.

mod access;
mod account;
mod agent;
mod consents;
mod departure;
mod email_address;
mod invites;
mod limit_requests;
mod meaning;
mod operations;
mod owner;
mod sessions;

pub use access::{Access, AccessKind};
pub use account::{
    AgentLimitSet, ChangeEmail, ChangePassword, EmailChanged, EmailReleased, EndOwnerSessions, Moved, OperatorRevoked,
    OwnerSessionsEnded, PasswordChanged, RevokeOperator, SetAgentLimit,
};

pub use agent::{
    Agent, AgentDeactivated, AgentEdited, AgentError, AgentEvent, AgentKeyCreated, AgentKeyRevoked, AgentKeyRotated,
    AgentProfile, AgentRegistered, AgentReinstated, AgentSessionsEnded, AgentSuspended, AgentTierSet, CreateKey,
    DeactivateAgent, EditAgent, EndAgentSessions, KEY_LIFETIME_MAX, KEYS_MAX, Keys, RegisterAgent, Registrations,
    RevokeKey, RotateKey, SetAgentSuspended, SetTier,
};
pub use consents::{
    Consent, ConsentError, ConsentEvent, ConsentGiven, ConsentRedeemed, ConsentRenewed, ConsentWithdrawn, GiveConsent,
    RedeemConsent, RenewConsent, WithdrawConsent,
};
pub use departure::{AgentErased, DeleteOwner, EraseAgent, OwnerDeleted, TextRetention};
pub use email_address::{EMAIL_MAX, EmailAddress, EmailAddressError};
pub use invites::{Invite, InviteError, InviteEvent, InviteIssued, InviteUsed, UseInvite};
pub use limit_requests::{
    AGENTS_ASKED_MAX, AskedLimit, DecideLimitRequest, FileLimitRequest, FilingLimitRequest, LIMIT_REASON_MAX,
    LimitRequestDecided, LimitRequestError, LimitRequestEvent, LimitRequestFiled, LimitRequests,
};
pub use operations::{ACT_REASON_MAX, Act, OperationDone, OperationEvent};
pub use owner::{
    Email, EmailClaimed, EmailEvent, GrantOperator, OperatorGranted, Owner, OwnerError, OwnerEvent, OwnerRegistered,
    OwnerReinstated, OwnerRenamed, OwnerSuspended, PasswordReset, RegisterOwner, ResetPassword, SetOwnerSuspended,
};
pub use sessions::{Session, SessionEnded, SessionEvent};

/// The maximum number of characters in a display name, an agent's name or a model's name.
pub const NAME_MAX: u64 = 100;
/// The maximum number of characters in an agent's description.
pub const DESCRIPTION_MAX: u64 = 2000;
/// The maximum number of capabilities of an agent.
pub const CAPABILITIES_MAX: u64 = 50;
/// The maximum number of characters in one capability.
pub const CAPABILITY_MAX: u64 = 64;
/// The minimum number of characters in a password.
pub const PASSWORD_MIN: u64 = 10;
/// The maximum number of characters in a password.
pub const PASSWORD_MAX: u64 = 200;
