//! Requests and answers of the operations on the caller's own account.

use buildtrack_domain::identity::{PASSWORD_MAX, PASSWORD_MIN, TextRetention};
use buildtrack_http::{fields::email_address, validation::Input};
use buildtrack_store::{DepartureView, SessionView};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

/// The maximum number of characters of a token from a mail.
const TOKEN_MAX: u64 = 100;

/// A change of the caller's password.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PasswordChange {
    /// The current password.
    #[validate(length(min = 1, max = PASSWORD_MAX))]
    #[schema(min_length = 1, max_length = 200, example = "correct horse battery")]
    pub password: String,
    /// The new password: 10 to 200 characters.
    #[validate(length(min = PASSWORD_MIN, max = PASSWORD_MAX))]
    #[schema(min_length = 10, max_length = 200, example = "staple battery horse")]
    pub new_password: String,
}

impl Input for PasswordChange {}

/// A change of the caller's e-mail address.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EmailChange {
    /// The current password.
    #[validate(length(min = 1, max = PASSWORD_MAX))]
    #[schema(min_length = 1, max_length = 200, example = "correct horse battery")]
    pub password: String,
    /// The new address.
    #[validate(custom(function = email_address))]
    #[schema(format = "email", max_length = 254, example = "ada@example.net")]
    pub email: String,
}

impl Input for EmailChange {}

/// A token from a mail.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Confirmation {
    /// The token from the mail.
    #[validate(length(min = 1, max = TOKEN_MAX))]
    #[schema(min_length = 1, max_length = 100, example = "btm_YWxsIHlvdXIgdG9rZW5zIGFyZSBiZWxvbmcgdG8gdXM")]
    pub token: String,
}

impl Input for Confirmation {}

/// A request for a mail with a token for a new password.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResetRequest {
    /// The account's e-mail address.
    #[validate(length(min = 1, max = 254))]
    #[schema(min_length = 1, max_length = 254, example = "ada@example.org")]
    pub email: String,
}

impl Input for ResetRequest {}

/// A new password for an account whose password was forgotten.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reset {
    /// The token from the mail.
    #[validate(length(min = 1, max = TOKEN_MAX))]
    #[schema(min_length = 1, max_length = 100, example = "btm_YWxsIHlvdXIgdG9rZW5zIGFyZSBiZWxvbmcgdG8gdXM")]
    pub token: String,
    /// The new password: 10 to 200 characters.
    #[validate(length(min = PASSWORD_MIN, max = PASSWORD_MAX))]
    #[schema(min_length = 10, max_length = 200, example = "staple battery horse")]
    pub new_password: String,
}

impl Input for Reset {}

/// The deletion of the caller's account.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccountEnd {
    /// The current password.
    #[validate(length(min = 1, max = PASSWORD_MAX))]
    #[schema(min_length = 1, max_length = 200, example = "correct horse battery")]
    pub password: String,
    /// Whether the texts of the owner and of the owner's agents are kept or redacted.
    #[schema(example = "keep")]
    pub texts: TextsName,
}

impl Input for AccountEnd {}

/// The treatment of texts when an account is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TextsName {
    /// The texts are kept. Their author's name becomes `deleted`.
    Keep,
    /// The texts are redacted.
    Redact,
}

impl From<TextsName> for TextRetention {
    fn from(name: TextsName) -> Self {
        match name {
            TextsName::Keep => Self::Keep,
            TextsName::Redact => Self::Redact,
        }
    }
}

/// The progress of an account's deletion.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Deletion {
    /// `keep` or `redact`.
    #[schema(example = "redact")]
    pub texts: String,
    /// The number of texts redacted so far.
    pub redacted: i64,
    /// The time of the deletion of the account.
    pub deleted_at: DateTime<Utc>,
    /// The time at which the deletion was complete; null before.
    pub finished_at: Option<DateTime<Utc>>,
}

impl From<DepartureView> for Deletion {
    fn from(view: DepartureView) -> Self {
        let DepartureView { texts, redacted, deleted_at, finished_at, .. } = view;
        Self { texts: texts.as_str().to_owned(), redacted, deleted_at, finished_at }
    }
}

/// The answer to a request that may have sent a mail.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MailAnnounced {
    /// Always `check_your_mail`, whether or not the address has an account.
    #[schema(example = "check_your_mail")]
    pub status: String,
}

impl MailAnnounced {
    pub(crate) fn new() -> Self {
        Self { status: "check_your_mail".to_owned() }
    }
}

/// A session of the caller.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionEntry {
    /// The session's id.
    #[schema(example = "ses_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// Whether this request uses the session.
    pub current: bool,
    /// The scopes of the session.
    #[schema(example = json!(["read", "write", "webhooks"]))]
    pub scopes: Vec<String>,
    /// The time of the login.
    pub created_at: DateTime<Utc>,
    /// The time of the last request with the session, accurate to ten minutes; null before the first request.
    pub last_used_at: Option<DateTime<Utc>>,
    /// The time at which the session expires.
    pub expires_at: DateTime<Utc>,
}

impl SessionEntry {
    pub(crate) fn new(view: SessionView, current: bool) -> Self {
        let SessionView { id, scopes, created_at, last_used_at, expires_at } = view;
        let scopes = scopes.split(' ').map(ToOwned::to_owned).collect();
        Self { id: id.to_string(), current, scopes, created_at, last_used_at, expires_at }
    }
}
