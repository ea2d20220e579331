//! What operations on the own account take and give.

use buildtrack_domain::identity::{PASSWORD_MAX, PASSWORD_MIN, TextsFate};
use buildtrack_store::{DepartureView, SessionView};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use crate::http::validation::Input;

/// Characters of a token that was sent by mail, at most.
const TOKEN_MAX: u64 = 100;

/// A new password.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PasswordChange {
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

/// Another e-mail address.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct EmailChange {
    /// The current password.
    #[validate(length(min = 1, max = PASSWORD_MAX))]
    #[schema(min_length = 1, max_length = 200, example = "correct horse battery")]
    pub password: String,
    /// The new address.
    #[validate(email(code = "wrong_form", message = "email is no e-mail address"), length(max = 254))]
    #[schema(format = "email", max_length = 254, example = "ada@example.net")]
    pub email: String,
}

impl Input for EmailChange {}

/// A token that was sent by mail.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Confirmation {
    /// As it stands in the message.
    #[validate(length(min = 1, max = TOKEN_MAX))]
    #[schema(min_length = 1, max_length = 100, example = "btm_YWxsIHlvdXIgdG9rZW5zIGFyZSBiZWxvbmcgdG8gdXM")]
    pub token: String,
}

impl Input for Confirmation {}

/// Asks for a message with which a new password can be set.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ResetRequest {
    /// The account's e-mail address.
    #[validate(length(min = 1, max = 254))]
    #[schema(min_length = 1, max_length = 254, example = "ada@example.org")]
    pub email: String,
}

impl Input for ResetRequest {}

/// A new password, in place of one that was forgotten.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Reset {
    /// As it stands in the message.
    #[validate(length(min = 1, max = TOKEN_MAX))]
    #[schema(min_length = 1, max_length = 100, example = "btm_YWxsIHlvdXIgdG9rZW5zIGFyZSBiZWxvbmcgdG8gdXM")]
    pub token: String,
    /// The new password: 10 to 200 characters.
    #[validate(length(min = PASSWORD_MIN, max = PASSWORD_MAX))]
    #[schema(min_length = 10, max_length = 200, example = "staple battery horse")]
    pub new_password: String,
}

impl Input for Reset {}

/// The end of an account.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AccountEnd {
    /// The current password.
    #[validate(length(min = 1, max = PASSWORD_MAX))]
    #[schema(min_length = 1, max_length = 200, example = "correct horse battery")]
    pub password: String,
    /// What becomes of the texts of the owner and of the owner's agents.
    #[schema(example = "keep")]
    pub texts: TextsName,
}

impl Input for AccountEnd {}

/// What becomes of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TextsName {
    /// They stay, by an author whose name is `deleted`.
    Keep,
    /// They are redacted.
    Redact,
}

impl From<TextsName> for TextsFate {
    fn from(name: TextsName) -> Self {
        match name {
            TextsName::Keep => Self::Keep,
            TextsName::Redact => Self::Redact,
        }
    }
}

/// How far the deletion of an account has come.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Deletion {
    /// `keep` or `redact`.
    #[schema(example = "redact")]
    pub texts: String,
    /// How many texts are redacted by now.
    pub redacted: i64,
    /// When the account was deleted.
    pub deleted_at: DateTime<Utc>,
    /// Since when nothing is left to do; null before.
    pub finished_at: Option<DateTime<Utc>>,
}

impl From<DepartureView> for Deletion {
    fn from(view: DepartureView) -> Self {
        let DepartureView { texts, redacted, deleted_at, finished_at, .. } = view;
        Self { texts: texts.as_str().to_owned(), redacted, deleted_at, finished_at }
    }
}

/// That a message may have been sent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MailAnnounced {
    /// Always `check_your_mail`: whether the address has an account is not told.
    #[schema(example = "check_your_mail")]
    pub status: String,
}

impl MailAnnounced {
    pub(crate) fn new() -> Self {
        Self { status: "check_your_mail".to_owned() }
    }
}

/// A session of the caller's.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionEntry {
    /// The session.
    #[schema(example = "ses_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// Whether the request is made with it.
    pub current: bool,
    /// What it may be used for.
    #[schema(example = json!(["read", "write", "webhooks"]))]
    pub scopes: Vec<String>,
    /// When it was opened.
    pub created_at: DateTime<Utc>,
    /// When it was used last, to within ten minutes; null before its first request.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it ends by itself.
    pub expires_at: DateTime<Utc>,
}

impl SessionEntry {
    pub(crate) fn new(view: SessionView, current: bool) -> Self {
        let SessionView { id, scopes, created_at, last_used_at, expires_at } = view;
        let scopes = scopes.split(' ').map(ToOwned::to_owned).collect();
        Self { id: id.to_string(), current, scopes, created_at, last_used_at, expires_at }
    }
}
