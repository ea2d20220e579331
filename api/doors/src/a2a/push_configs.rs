//! Parsing of push notification configs (specification, section 4.3). Unknown fields are ignored.

use buildtrack_domain::exchange::tasks::{Authentication, PushConfig};
use buildtrack_http::problem::{FieldError, Problem};
use serde::Deserialize;

use super::messages::{fault, invalid, malformed};

/// The maximum number of characters of a config's id, of its token, and of its scheme and credentials.
const ID_MAX: usize = 128;
const TOKEN_MAX: usize = 1024;
const SCHEME_MAX: usize = 64;
const CREDENTIALS_MAX: usize = 4096;

/// A config as a client gives it: a `TaskPushNotificationConfig` of the protocol.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GivenConfig {
    id: Option<String>,
    task_id: Option<String>,
    url: Option<String>,
    token: Option<String>,
    authentication: Option<GivenAuthentication>,
}

#[derive(Deserialize)]
struct GivenAuthentication {
    scheme: Option<String>,
    credentials: Option<String>,
}

/// A config whose fields are valid, and whose address is not vetted yet.
#[derive(Debug)]
pub(super) struct WantedConfig {
    /// The id that the client chose.
    pub(super) id: Option<String>,
    /// The task that the config names.
    pub(super) task_id: Option<String>,
    pub(super) config: PushConfig,
}

impl WantedConfig {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let given: GivenConfig =
            serde_json::from_slice(bytes).map_err(|error| malformed("TaskPushNotificationConfig", &error))?;
        let mut errors = vec![];
        let wanted = given.check("", &mut errors);
        if errors.is_empty() { Ok(wanted) } else { Err(invalid(errors)) }
    }
}

impl GivenConfig {
    /// Checks the fields. `at` points to the config in the body.
    pub(super) fn check(self, at: &str, errors: &mut Vec<FieldError>) -> WantedConfig {
        let Self { id, task_id, url, token, authentication } = self;
        let [id, task_id, url, token] = [id, task_id, url, token].map(|text| text.filter(|text| !text.is_empty()));
        if url.is_none() {
            errors.push(fault(&format!("{at}/url"), "url is missing", "Give the address of your receiver."));
        }
        if id.as_ref().is_some_and(|id| id.len() > ID_MAX || !id.bytes().all(is_of_id)) {
            let hint = "Use up to 128 letters, digits, and the characters - . _ ~, or omit it.";
            errors.push(fault(&format!("{at}/id"), "id is not valid", hint));
        }
        if token
            .as_ref()
            .is_some_and(|token| token.len() > TOKEN_MAX || !token.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            let hint = "Use up to 1024 visible characters of ASCII: the token is sent in a header.";
            errors.push(fault(&format!("{at}/token"), "token is not valid", hint));
        }
        let authentication = authentication.map(|given| given.check(&format!("{at}/authentication"), errors));
        let config = PushConfig { url: url.unwrap_or_default(), token, authentication };
        WantedConfig { id, task_id, config }
    }
}

impl GivenAuthentication {
    fn check(self, at: &str, errors: &mut Vec<FieldError>) -> Authentication {
        let scheme = self.scheme.unwrap_or_default();
        let credentials = self.credentials.filter(|credentials| !credentials.is_empty());
        if scheme.is_empty() || scheme.len() > SCHEME_MAX || !scheme.bytes().all(is_of_token) {
            let hint = "Name an authentication scheme of HTTP, such as Bearer.";
            errors.push(fault(&format!("{at}/scheme"), "scheme is not valid", hint));
        }
        if credentials.as_ref().is_some_and(|text| text.len() > CREDENTIALS_MAX || !are_credentials(text)) {
            let hint = "Use up to 4096 printable characters of ASCII, without a space at the beginning or the end.";
            errors.push(fault(&format!("{at}/credentials"), "credentials are not valid", hint));
        }
        Authentication { scheme, credentials }
    }
}

/// A character that stands in a path as it is (RFC 3986, section 2.3).
fn is_of_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// A character of a token (RFC 9110, section 5.6.2).
fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn are_credentials(text: &str) -> bool {
    text.trim() == text && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_config_has_an_address_and_what_headers_can_hold() {
        let given = json!({
            "id": "a-1", "taskId": "t", "url": "https://a.example/", "token": "", "unknown": 1,
            "authentication": { "scheme": "Basic", "credentials": "dXNlcjpwYXNz" },
        });
        let wanted = WantedConfig::read(given.to_string().as_bytes()).unwrap();
        assert_eq!((wanted.id.as_deref(), wanted.task_id.as_deref()), (Some("a-1"), Some("t")));
        assert_eq!(wanted.config.headers(), [("Authorization", "Basic dXNlcjpwYXNz".to_owned())]);
    }

    #[test]
    fn every_invalid_field_of_a_config_is_named() {
        let given = json!({
            "id": "a/b", "token": "a\r\nb", "authentication": { "scheme": "Be arer", "credentials": "é" },
        });
        let problem = WantedConfig::read(given.to_string().as_bytes()).unwrap_err();
        let pointers: Vec<_> = problem.errors.iter().filter_map(|error| error.pointer.as_deref()).collect();
        assert_eq!(pointers, ["/url", "/id", "/token", "/authentication/scheme", "/authentication/credentials"]);
        let codes = ["[]", "{", r#"{"url":1}"#].map(|text| WantedConfig::read(text.as_bytes()).unwrap_err().code);
        assert_eq!(codes, ["invalid_params", "malformed_json", "invalid_params"]);
        let long = json!({ "url": "https://a.example/", "id": "a".repeat(129), "token": "t".repeat(1025) });
        assert_eq!(WantedConfig::read(long.to_string().as_bytes()).unwrap_err().errors.len(), 2);
    }
}
