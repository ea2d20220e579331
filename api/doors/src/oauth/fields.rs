//! The parameters of requests: of forms, and of addresses (RFC 6749, section 3).

use std::{future::Future, pin::Pin};

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    http::{StatusCode, header::CONTENT_TYPE},
};
use buildtrack_http::{app::App, body, problem::Problem};

use super::clients::Client;

/// The number of parameters that are read.
const PARAMETERS_MAX: usize = 50;
/// A parameter that may be repeated (RFC 8707, section 2).
const RESOURCE: &str = "resource";

/// Parameters by name. A parameter without a value is left out.
#[derive(Debug)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads parameters. Only `resource` may occur twice.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Problem> {
        let pairs = url::form_urlencoded::parse(bytes).filter(|(_, value)| !value.is_empty());
        let pairs: Vec<(String, String)> =
            pairs.take(PARAMETERS_MAX + 1).map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        if pairs.len() > PARAMETERS_MAX {
            return Err(invalid("The request has too many parameters.", "Send only those of the operation."));
        }
        let is_repeated = |(index, (name, _)): (usize, &(String, String))| {
            name != RESOURCE && pairs[..index].iter().any(|(earlier, _)| earlier == name)
        };
        if pairs.iter().enumerate().any(is_repeated) {
            return Err(invalid("A parameter occurs twice.", "Send each parameter once."));
        }
        Ok(Self(pairs))
    }

    /// The value of a parameter.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value of a required parameter.
    pub(super) fn needed(&self, name: &str) -> Result<&str, Problem> {
        self.text(name).ok_or_else(|| invalid(&format!("The parameter {name} is missing."), "Add it."))
    }

    /// The client that the request names, which has no secret.
    pub(super) fn client(&self, app: &App) -> Result<&str, Problem> {
        let id = self.needed("client_id")?;
        if Client::of(app.store.log().secret(), id).is_some() {
            return Ok(id);
        }
        let detail = "The client_id is none that this server gave out.";
        let hint = "Register the client: POST /oauth/register.";
        Err(Problem::new(StatusCode::UNAUTHORIZED, "invalid_client", detail, hint))
    }

    /// Refuses a token for another resource than this server's endpoint.
    pub(super) fn check_resource(&self, app: &App) -> Result<(), Problem> {
        let mut named = self.0.iter().filter(|(name, _)| name == RESOURCE);
        if named.all(|(_, value)| is_resource(value, &app.public_url)) {
            return Ok(());
        }
        let detail = "The resource is not this server's.";
        let hint = format!("Leave it out, or send {}/mcp.", app.public_url);
        Err(Problem::new(StatusCode::BAD_REQUEST, "invalid_target", detail, hint))
    }
}

/// Whether an address is that of the endpoint, or of the server that has it. Case of the host and a last slash say nothing.
fn is_resource(text: &str, public_url: &str) -> bool {
    let canonical = |text: &str| url::Url::parse(text).map(|url| url.as_str().trim_end_matches('/').to_owned());
    let Ok(named) = canonical(text) else { return false };
    [public_url.to_owned(), format!("{public_url}/mcp")]
        .iter()
        .any(|own| canonical(own.as_str()).as_ref() == Ok(&named))
}

/// 400: a parameter is missing or malformed.
pub(super) fn invalid(detail: &str, hint: &str) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "invalid_request", detail, hint)
}

impl FromRequest for Fields {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, actix_web::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
            if !kind.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded") {
                let detail = format!("The Content-Type is {kind:?}.");
                let hint = "Send a form: application/x-www-form-urlencoded.";
                let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
                return Err(Problem::new(status, "unsupported_media_type", detail, hint).into());
            }
            Ok(Self::parse(&body::read(payload).await?)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_occurs_once() {
        let fields = Fields::parse(b"code=a+b&empty=&resource=x&resource=y").unwrap();
        assert_eq!((fields.text("code"), fields.text("empty")), (Some("a b"), None));
        assert_eq!(fields.needed("empty").unwrap_err().code, "invalid_request");
        assert_eq!(Fields::parse(b"code=a&code=b").unwrap_err().code, "invalid_request");
        let many: Vec<_> = (0..=PARAMETERS_MAX).map(|number| format!("p{number}=x")).collect();
        assert_eq!(Fields::parse(many.join("&").as_bytes()).unwrap_err().code, "invalid_request");
    }

    #[test]
    fn a_token_is_for_this_server_alone() {
        let is_own = |text| is_resource(text, "https://build.example");
        for text in [
            "https://build.example/mcp",
            "HTTPS://Build.Example/mcp/",
            "https://build.example",
            "https://build.example/",
        ] {
            assert!(is_own(text), "{text}");
        }
        for text in [
            "https://build.example/other",
            "http://build.example/mcp",
            "https://build.example:8443/mcp",
            "https://build.example.evil.example/mcp",
            "https://build.example/mcp#x",
            "https://build.example/mcp?x=1",
            "mcp",
            "",
        ] {
            assert!(!is_own(text), "{text}");
        }
    }
}
