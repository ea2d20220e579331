//! Bodies of the settings of notifications.

use buildtrack_domain::notifications::{ChatForm, MailPace};
use buildtrack_http::validation::Input;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

/// The maximum number of characters of an address.
pub const URL_MAX: u64 = 2000;

/// How often mails are sent.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MailNotifications {
    /// The pace.
    pub pace: PaceName,
}

impl Input for MailNotifications {}

/// A pace of mails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaceName {
    /// No mails.
    Off,
    /// At most once a day.
    Daily,
    /// As soon as there is something new, at most every 20 minutes.
    AtOnce,
}

impl PaceName {
    /// The pace; `None` for no mails.
    pub(crate) fn pace(self) -> Option<MailPace> {
        match self {
            Self::Off => None,
            Self::Daily => Some(MailPace::Daily),
            Self::AtOnce => Some(MailPace::AtOnce),
        }
    }
}

/// A chat that receives messages.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatNotifications {
    /// The body that the chat expects.
    pub form: FormName,
    /// The address of the chat's incoming webhook.
    #[validate(length(min = 1, max = URL_MAX))]
    #[schema(min_length = 1, max_length = 2000, example = "https://hooks.chat.example/services/T0/B0/x")]
    pub url: String,
}

impl Input for ChatNotifications {}

/// The body that a chat expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FormName {
    /// `{"text": …}`
    Slack,
    /// `{"content": …}`
    Discord,
}

impl From<FormName> for ChatForm {
    fn from(name: FormName) -> Self {
        match name {
            FormName::Slack => Self::Slack,
            FormName::Discord => Self::Discord,
        }
    }
}
