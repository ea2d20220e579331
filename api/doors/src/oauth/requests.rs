//! Authorization requests (RFC 6749, section 4.1.1): what a client asks an owner for, in the address to which it sends the browser.

use actix_web::http::StatusCode;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_accounts::identity::consents::scopes_in;
use buildtrack_http::{addresses::host_of, app::App, problem::Problem};
use buildtrack_store::{Scope, sha256_hex};
use url::Url;

use super::{
    clients::Client,
    dialect::{error_of, plain},
    fields::{Fields, invalid},
    redirects,
};

/// The maximum number of characters of a client's state.
const STATE_MAX: usize = 2000;
/// The scopes of a request that names none.
const DEFAULT_SCOPES: [Scope; 2] = [Scope::Read, Scope::Write];

/// A valid request.
#[derive(Debug)]
pub struct AuthorizationRequest {
    /// The client that asks.
    pub back: Back,
    /// SHA-256 of the client's id, in hex.
    pub client_hash: String,
    /// SHA-256 of the client's verifier, in hex.
    pub challenge: String,
    /// The scopes that the client asks for; one at least.
    pub scopes: Vec<Scope>,
}

/// The client that a browser may be sent back to.
#[derive(Debug, Clone)]
pub struct Back {
    /// The name that the client gave itself.
    pub name: String,
    /// The client's address.
    pub redirect_uri: String,
    state: Option<String>,
    issuer: String,
}

/// Why a request is refused.
#[derive(Debug)]
pub struct Refused {
    /// The reason.
    pub problem: Problem,
    /// `None` if the request names no known client with a registered address.
    pub back: Option<Back>,
}

impl AuthorizationRequest {
    /// Reads the query of an address.
    pub fn of(app: &App, query: &str) -> Result<Self, Box<Refused>> {
        let lost = |problem| Box::new(Refused { problem, back: None });
        let fields = Fields::parse(query.as_bytes()).map_err(lost)?;
        let (client_hash, back) = Back::of(app, &fields).map_err(lost)?;
        match Self::asked(app, &fields) {
            Ok((challenge, scopes)) => Ok(Self { back, client_hash, challenge, scopes }),
            Err(problem) => Err(Box::new(Refused { problem, back: Some(back) })),
        }
    }

    fn asked(app: &App, fields: &Fields) -> Result<(String, Vec<Scope>), Problem> {
        if fields.needed("response_type")? != "code" {
            let (detail, hint) = ("The response_type is not supported.", "Use code.");
            return Err(Problem::new(StatusCode::BAD_REQUEST, "unsupported_response_type", detail, hint));
        }
        if fields.text("code_challenge_method") != Some("S256") {
            return Err(invalid("The code_challenge_method is not S256.", "Use S256 (RFC 7636)."));
        }
        let challenge = challenge_of(fields.needed("code_challenge")?).ok_or_else(|| {
            invalid("The code_challenge is malformed.", "Send the SHA-256 of the verifier in base64url.")
        })?;
        fields.check_resource(app)?;
        let scopes = fields.text("scope").map_or_else(|| DEFAULT_SCOPES.to_vec(), scopes_in);
        if scopes.is_empty() {
            let (detail, hint) = ("The scope has no name that this server knows.", "Use read, write or webhooks.");
            return Err(Problem::new(StatusCode::BAD_REQUEST, "invalid_scope", detail, hint));
        }
        Ok((challenge, scopes))
    }
}

/// A challenge in hex: 32 bytes in base64url.
fn challenge_of(text: &str) -> Option<String> {
    let bytes: [u8; 32] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
    Some(hex::encode(bytes))
}

impl Back {
    fn of(app: &App, fields: &Fields) -> Result<(String, Self), Problem> {
        let id = fields.needed("client_id")?;
        let client = Client::of(app.store.log().secret(), id).ok_or_else(unknown_client)?;
        let redirect_uri = fields.needed("redirect_uri")?;
        if !client.permits(redirect_uri) {
            return Err(not_registered());
        }
        let state = fields.text("state").map(ToOwned::to_owned);
        if state.as_ref().is_some_and(|state| state.chars().count() > STATE_MAX) {
            return Err(invalid("The state has more than 2000 characters.", "Send a shorter one."));
        }
        let back =
            Self { name: client.name, redirect_uri: redirect_uri.to_owned(), state, issuer: app.public_url.clone() };
        Ok((sha256_hex(id), back))
    }

    /// The client's host, with its port.
    pub fn host(&self) -> String {
        host_of(&self.redirect_uri)
    }

    /// Whether the client is a program on the browser's own machine.
    pub fn is_local(&self) -> bool {
        redirects::is_local(&self.redirect_uri)
    }

    /// The address that tells the client its code.
    pub fn with_code(&self, code: &str) -> String {
        self.address(&[("code", code)])
    }

    /// The address that tells the client that the owner denied.
    pub fn denied(&self) -> String {
        self.address(&[("error", "access_denied"), ("error_description", "The owner denied the request.")])
    }

    /// The address that tells the client why its request was refused.
    pub fn refused(&self, problem: &Problem) -> String {
        self.address(&[("error", error_of(problem)), ("error_description", &plain(&problem.detail))])
    }

    /// The client's address with these parameters, the client's state and the server's name (RFC 9207).
    fn address(&self, parameters: &[(&str, &str)]) -> String {
        // It was parsed when the client registered it.
        let Ok(mut address) = Url::parse(&self.redirect_uri) else { return self.redirect_uri.clone() };
        let state = self.state.as_deref().map(|state| ("state", state));
        let issuer = ("iss", self.issuer.as_str());
        address.query_pairs_mut().extend_pairs(parameters.iter().copied().chain(state).chain([issuer]));
        address.into()
    }
}

fn unknown_client() -> Problem {
    let detail = "The link names a client that this server does not know.";
    let hint = "Connect the client again, so that it registers here.";
    Problem::new(StatusCode::BAD_REQUEST, "unknown_client", detail, hint)
}

fn not_registered() -> Problem {
    let detail = "The client has not registered the address to which the link would send the browser.";
    let hint = "Close the page, and connect the client again.";
    Problem::new(StatusCode::BAD_REQUEST, "redirect_not_registered", detail, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_a_hash() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        assert_eq!(challenge_of(challenge), Some(sha256_hex(verifier)));
        for text in ["", "short", &challenge[1..], "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM="] {
            assert_eq!(challenge_of(text), None, "{text}");
        }
    }

    #[test]
    fn the_answer_keeps_the_query_of_the_client_and_names_the_server() {
        let back = Back {
            name: "Editor".into(),
            redirect_uri: "https://client.example/callback?from=a%20b".into(),
            state: Some("x&y=1".into()),
            issuer: "https://build.example".into(),
        };
        let address =
            "https://client.example/callback?from=a%20b&code=btc_1&state=x%26y%3D1&iss=https%3A%2F%2Fbuild.example";
        assert_eq!(back.with_code("btc_1"), address);
        assert!(back.denied().contains("error=access_denied&"), "{}", back.denied());
        assert_eq!((back.host().as_str(), back.is_local()), ("client.example", false));
    }
}
