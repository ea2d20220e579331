//! What operations on the own account take and give.

use buildtrack_domain::identity::{PASSWORD_MAX, PASSWORD_MIN};
use buildtrack_store::SessionView;
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
