//! OAuth 2.1 for clients that people connect: `/.well-known/oauth-authorization-server`, `/portal/authorize`, `/oauth/register`,
//! `/oauth/token`, `/oauth/revoke`

mod bounds;
mod client;
mod codes;
mod consents;
mod registration;
mod tokens;

use buildtrack_tests::{Agent, Caller, Owner, Reply, Request, TestApp};
use serde_json::json;
use url::Url;

use crate::pages::person;

const AUTHORIZE: &str = "/portal/authorize";
pub(crate) const TOKEN: &str = "/oauth/token";
const FORM: &str = "application/x-www-form-urlencoded";
const REDIRECT: &str = "https://client.example/callback";
/// RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

type Parameters<'p> = Vec<(&'p str, &'p str)>;

fn encoded(parameters: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish()
}

/// Registers a client and returns its id.
pub(crate) async fn registered(app: &TestApp, name: &str) -> String {
    let client = json!({ "client_name": name, "redirect_uris": [REDIRECT] });
    app.anonymous().post("/oauth/register", client).await.expect_status(201).text_at("/client_id")
}

/// A valid request of a client.
fn asking(client: &str) -> Parameters<'_> {
    vec![
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", REDIRECT),
        ("state", "x&y=1"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("resource", "https://build.example/mcp"),
        ("scope", "read write"),
    ]
}

/// The parameters with another value for one of them, or without it.
fn with<'p>(mut parameters: Parameters<'p>, name: &'p str, value: Option<&'p str>) -> Parameters<'p> {
    parameters.retain(|(known, _)| *known != name);
    parameters.extend(value.map(|value| (name, value)));
    parameters
}

/// The address to which a client sends the browser.
fn address(parameters: &[(&str, &str)]) -> String {
    format!("{AUTHORIZE}?{}", encoded(parameters))
}

/// The browser of an owner who is signed in to the portal.
pub(crate) fn browser(app: &TestApp, owner: &Owner) -> Caller {
    let cookie = format!("buildtrack_session={}", owner.token);
    person(app).with_header("sec-fetch-site", "same-origin").with_header("cookie", &cookie)
}

fn form_token(page: &Reply) -> String {
    let rest = page.text.split("name=\"form-token\" value=\"").nth(1).unwrap_or_else(|| panic!("{}", page.text));
    rest.split('"').next().unwrap_or_default().to_owned()
}

/// Sends the form of the page at an address with these fields.
async fn press(browser: &Caller, address: &str, fields: &[(&str, &str)]) -> Reply {
    press_on(browser, (address, address), fields).await
}

/// Sends a form of a page with these fields to an address.
pub(crate) async fn press_on(browser: &Caller, (page, address): (&str, &str), fields: &[(&str, &str)]) -> Reply {
    let token = form_token(&browser.get(page).await.expect_status(200));
    let fields: Vec<_> = [("form-token", token.as_str())].into_iter().chain(fields.iter().copied()).collect();
    browser.send("POST", address).body(FORM, encoded(&fields)).await
}

/// Where a page sends the browser by itself.
fn destination(page: &Reply) -> Url {
    let rest = page.text.split("content=\"0;url=").nth(1).unwrap_or_else(|| panic!("{}", page.text));
    let address = rest.split('"').next().unwrap_or_default().replace("&#38;", "&").replace("&amp;", "&");
    address.parse().unwrap()
}

/// A parameter of the address to which the browser is sent.
fn parameter(address: &Url, name: &str) -> Option<String> {
    address.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

/// The owner approves. Returns the code.
pub(crate) async fn approved(browser: &Caller, client: &str, agent: &Agent) -> String {
    approved_for(browser, client, agent, &["read", "write"]).await
}

/// The owner approves these scopes. Returns the code.
pub(crate) async fn approved_for(browser: &Caller, client: &str, agent: &Agent, scopes: &[&str]) -> String {
    let (asked, mut fields) = (scopes.join(" "), vec![("agent", agent.id.as_str()), ("decision", "approve")]);
    fields.extend(scopes.iter().map(|scope| ("scope", *scope)));
    let asking = with(asking(client), "scope", Some(&asked));
    let page = press(browser, &address(&asking), &fields).await.expect_status(200);
    parameter(&destination(&page), "code").unwrap_or_else(|| panic!("{}", page.text))
}

/// A form for the server, as a client sends it.
pub(crate) fn form(app: &TestApp, path: &str, fields: &[(&str, &str)]) -> Request {
    app.anonymous().send("POST", path).body(FORM, encoded(fields))
}

/// The exchange of a code.
pub(crate) fn redeeming<'p>(client: &'p str, code: &'p str) -> Parameters<'p> {
    vec![
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
        ("resource", "https://build.example/mcp"),
    ]
}

/// The exchange of a refresh token.
pub(crate) fn renewing<'p>(client: &'p str, refresh_token: &'p str) -> Parameters<'p> {
    vec![("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", refresh_token)]
}

/// An owner with an agent and a registered client.
struct Scene {
    app: TestApp,
    ada: Owner,
    scout: Agent,
    browser: Caller,
    client: String,
}

impl Scene {
    async fn of(app: TestApp) -> Self {
        let ada = app.owner("Ada").await;
        let (scout, client) = (ada.agent("Scout").await, registered(&app, "Editor").await);
        let browser = browser(&app, &ada);
        Self { app, ada, scout, browser, client }
    }

    /// The owner approves. Returns the code.
    async fn code(&self) -> String {
        approved(&self.browser, &self.client, &self.scout).await
    }

    /// The client's access token and refresh token.
    async fn tokens(&self) -> (String, String) {
        let code = self.code().await;
        let reply = form(&self.app, TOKEN, &redeeming(&self.client, &code)).await.expect_status(200);
        (reply.text_at("/access_token"), reply.text_at("/refresh_token"))
    }

    /// Exchanges a refresh token.
    fn renew(&self, refresh_token: &str) -> Request {
        form(&self.app, TOKEN, &renewing(&self.client, refresh_token))
    }

    /// The status of a request with an access token.
    async fn status(&self, token: &str) -> u16 {
        self.app.anonymous().with_token(token).get("/api/v1/me").await.status
    }
}

/// Fails unless the reply is this error of OAuth.
#[track_caller]
fn expect_error(reply: &Reply, status: u16, error: &str) {
    assert_eq!((reply.status, &reply["error"]), (status, &json!(error)), "{}: {}", reply.line, reply.text);
    assert_eq!(reply.header("content-type"), "application/json", "{}", reply.line);
}
