//! Configs by which the updates of a task are pushed (specification 1.0, section 4.3).

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// How long a config is kept after the end of its task: so long a client can still read it.
pub const RETENTION: Duration = Duration::from_mins(10);
/// How long a config is kept at least after it was set or pushed to, in case that its task ends before the next push.
pub const RETENTION_PENDING: Duration = Duration::from_hours(24);

/// The header with a config's token, as the protocol's libraries send and read it.
const TOKEN_HEADER: &str = "X-A2A-Notification-Token";

/// Where updates are pushed, and how the receiver knows that they come from this server. The address may hold a secret, too.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushConfig {
    /// The address.
    pub url: String,
    /// The token that each push repeats.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub token: Option<String>,
    /// The content of the `Authorization` header.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub authentication: Option<Authentication>,
}

/// An authentication scheme of HTTP, with its credentials.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authentication {
    /// The scheme, such as `Bearer`.
    pub scheme: String,
    /// The credentials, in the form of the scheme.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub credentials: Option<String>,
}

impl fmt::Debug for PushConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PushConfig(…)")
    }
}

impl fmt::Debug for Authentication {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Authentication(…)")
    }
}

impl PushConfig {
    /// The headers that authorize a push.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let token = self.token.as_ref().map(|token| (TOKEN_HEADER, token.clone()));
        let authorization = self.authentication.as_ref().map(|Authentication { scheme, credentials }| {
            let value = credentials.as_ref().map_or_else(|| scheme.clone(), |text| format!("{scheme} {text}"));
            ("Authorization", value)
        });
        token.into_iter().chain(authorization).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_authorizes_its_pushes_and_hides_its_secrets() {
        let text =
            r#"{"url":"https://a.example/","token":"t1","authentication":{"scheme":"Bearer","credentials":"c1"}}"#;
        let config: PushConfig = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&config).unwrap(), text);
        let headers = [("X-A2A-Notification-Token", "t1".to_owned()), ("Authorization", "Bearer c1".to_owned())];
        assert_eq!(config.headers(), headers);
        assert_eq!(format!("{config:?}"), "PushConfig(…)");
        let bare: PushConfig = serde_json::from_str(r#"{"url":"https://a.example/"}"#).unwrap();
        assert!(bare.headers().is_empty());
    }
}
