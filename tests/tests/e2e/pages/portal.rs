//! The portal: accounts, agents and sessions by forms.

use buildtrack_tests::{Backend, Caller, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use super::{HOSTILE, browser::Browser, person};
use crate::either;

const FORM: &str = "application/x-www-form-urlencoded";
const PASSWORD: &str = "correct horse battery";

pub(crate) async fn start(backend: Backend) -> TestApp {
    // Browsers send cookies of a public address with TLS only with TLS.
    TestApp::with(backend, |settings| {
        settings.public_url = Some("http://127.0.0.1:8080".parse().unwrap());
    })
    .await
}

/// A browser that says that its forms come from the server's own pages.
pub(super) fn own(caller: &Caller) -> Caller {
    caller.with_header("sec-fetch-site", "same-origin")
}

fn encoded(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

pub(crate) async fn send(caller: &Caller, path: &str, fields: &[(&str, &str)]) -> Reply {
    caller.send("POST", path).body(FORM, encoded(fields)).await
}

pub(super) fn form_token(page: &Reply) -> String {
    let rest = page.text.split("name=\"form-token\" value=\"").nth(1).unwrap_or_else(|| panic!("{}", page.text));
    rest.split('"').next().unwrap_or_default().to_owned()
}

/// Opens an account and signs in. Returns the browser with its cookie, and the form token.
pub(crate) async fn signed_in(app: &TestApp, name: &str) -> (Caller, String) {
    let (browser, email) = (own(&person(app)), format!("{}@example.org", name.len()));
    let account = [("displayName", name), ("email", &email), ("password", PASSWORD)];
    let opened = send(&browser, "/portal/sign-up", &account).await.expect_status(303);
    assert_eq!(opened.header("location"), "/portal/sign-in?done=open");
    let entered =
        send(&browser, "/portal/sign-in", &[("email", &email), ("password", PASSWORD)]).await.expect_status(303);
    let cookie = entered.header("set-cookie").to_owned();
    for part in ["; HttpOnly", "; SameSite=Lax", "; Path=/portal", "; Max-Age=86400"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let browser = browser.with_header("cookie", cookie.split(';').next().unwrap_or_default());
    let page = browser.get("/portal").await.expect_status(200);
    (browser, form_token(&page))
}

#[apply(either)]
async fn an_owner_lives_in_the_portal(#[case] backend: Backend) {
    let app = start(backend).await;
    let mut browser = Browser::run("portal.mjs", &[&app.url()]);
    for address in ["/portal/agents", "/portal/agents/"] {
        let signed = browser.step().await;
        assert_eq!(
            signed,
            json!({ "step": "signed in", "kept": "Ada <b>", "heading": "Your agents", "path": "/portal",
                "refused": "The e-mail address and password, or the agent key, do not match an account." })
        );
        let registered = browser.step().await;
        assert!(
            registered["key"].as_str().is_some_and(|key| key.starts_with("araf_") && key.len() == 45),
            "{registered}"
        );
        assert_eq!(registered["empty"], "It has done nothing yet. What it does appears here.");
        assert_eq!(browser.step().await, json!({ "step": "posted", "address": address }));
        assert_eq!(
            browser.step().await,
            json!({ "step": "renewed", "hidden": 0, "model": "claude-opus-4-9", "old": 401, "current": 200 })
        );
        let named = json!({ "step": "named", "listed": "Laptop <b>", "scopes": ["read"], "revoked": 401 });
        assert_eq!(browser.step().await, named);
        assert_eq!(browser.step().await, json!({ "step": "deactivated", "ended": 401, "state": "deactivated" }));
        let changed = "The password is changed. Your other sessions have ended.";
        assert_eq!(browser.step().await, json!({ "step": "account", "sessions": 2, "left": 1, "changed": changed }));
        assert_eq!(
            browser.step().await,
            json!({ "step": "left", "after": "/portal/sign-in?next=%2Fportal%2Faccount", "back": "/portal/account",
                "deleted": "Your account is deleted." })
        );
    }
    assert_eq!(browser.step().await, json!({ "step": "checked", "complaints": [], "findings": [] }));
}

#[apply(either)]
async fn a_form_of_another_site_changes_nothing(#[case] backend: Backend) {
    let app = start(backend).await;
    let (browser, token) = signed_in(&app, "Ada").await;
    let (_, foreign) = signed_in(&app, "Grace").await;
    let agent = [("name", "Scout"), ("model", "m")];
    let with = |token| [agent[0], agent[1], ("form-token", token)];
    for (caller, fields) in [
        (browser.clone(), agent.to_vec()),
        (browser.clone(), with("").to_vec()),
        (browser.clone(), with(&foreign).to_vec()),
        (browser.with_header("sec-fetch-site", "cross-site"), with(&token).to_vec()),
        (browser.with_header("sec-fetch-site", "same-site"), with(&token).to_vec()),
        (browser.with_header("origin", "https://evil.example"), with(&token).to_vec()),
    ] {
        let refused = send(&caller, "/portal/agents", &fields).await.expect_status(403);
        assert!(refused.text.contains("/docs/problems#foreign_form"), "{}", refused.text);
    }
    // Any client can send the headers of proxies.
    let rebound = browser.with_header("origin", "https://evil.example").with_header("x-forwarded-proto", "https");
    for (name, value) in [("x-forwarded-host", "evil.example"), ("forwarded", "host=evil.example;proto=https")] {
        send(&rebound.with_header(name, value), "/portal/agents", &with(&token)).await.expect_status(403);
    }
    let silent = send(&person(&app), "/portal/sign-up", &[("displayName", "Eve")]).await.expect_status(403);
    assert!(silent.text.contains("/docs/problems#foreign_form"), "{}", silent.text);
    assert!(browser.get("/portal").await.text.contains("You have no agent yet."));
    send(&browser, "/portal/agents", &with(&token)).await.expect_status(200);
    assert!(!browser.get("/portal").await.text.contains("You have no agent yet."));
}

#[apply(either)]
async fn the_cookie_opens_the_portal_alone(#[case] backend: Backend) {
    let app = start(backend).await;
    let (browser, _) = signed_in(&app, "Ada").await;
    browser.with_header("accept", "application/json").get("/api/v1/me").await.expect_status(401);
    let gone = own(&person(&app)).with_header("cookie", "buildtrack_session=bts_unknown");
    let sent = gone.get("/portal/account").await.expect_status(303);
    assert_eq!(sent.header("location"), "/portal/sign-in?next=%2Fportal%2Faccount");
    gone.get("/portal/sign-in").await.expect_status(200);
    // An agent's session is none of an owner.
    let scout = app.agent("Scout").await;
    let agent = person(&app).with_header("cookie", &format!("buildtrack_session={}", scout.token));
    agent.get("/portal").await.expect_status(303);
    // The login leads to no other site.
    let account = [("email", "3@example.org"), ("password", PASSWORD)];
    let entered = send(&own(&person(&app)), "/portal/sign-in?next=https%3A%2F%2Fevil.example", &account).await;
    assert_eq!(entered.expect_status(303).header("location"), "/portal");
}

#[apply(either)]
async fn an_owner_changes_the_profile_of_an_agent(#[case] backend: Backend) {
    let app = start(backend).await;
    let (browser, token) = signed_in(&app, "Ada").await;
    let fields = [("name", "Scout"), ("model", "m"), ("description", "Looks ahead."), ("form-token", &*token)];
    send(&browser, "/portal/agents", &fields).await.expect_status(200);
    let id = app.anonymous().get("/api/v1/agents?q=scout").await["items"][0]["id"].as_str().unwrap().to_owned();
    let (page, form) = (format!("/portal/agents/{id}"), format!("/portal/agents/{id}/changes"));
    let shown = browser.get(&page).await.expect_status(200);
    assert!(
        shown.text.contains("Looks ahead.") && shown.text.contains(&format!("action=\"{form}\"")),
        "{}",
        shown.text
    );

    let long = "x".repeat(101);
    let refused = [("name", HOSTILE), ("model", &*long), ("description.removable", HOSTILE), ("form-token", &*token)];
    let refused = send(&browser, &form, &refused).await.expect_status(422);
    assert!(refused.text.contains("id=\"changes-model-errors\""), "{}", refused.text);
    assert!(refused.text.contains(&long) && !refused.text.contains("<img"), "{}", refused.text);
    send(&browser, &form, &[("name", "Ranger")]).await.expect_status(403);
    let changes = [
        ("name", "Ranger"),
        ("model", "claude-opus-4-9"),
        ("description.removable", ""),
        ("capabilities.list", "review\n\ntesting\n"),
        ("form-token", &*token),
    ];
    let changed = send(&browser, &form, &changes).await.expect_status(303);
    assert_eq!(changed.header("location"), format!("{page}?done=changed"));
    let agent = app.anonymous().get(&format!("/api/v1/agents/{id}")).await.expect_status(200);
    assert_eq!(
        (&agent["name"], &agent["model"], &agent["capabilities"]),
        (&json!("Ranger"), &json!("claude-opus-4-9"), &json!(["review", "testing"]))
    );
    assert!(agent["description"].is_null(), "{}", agent.text);
    send(&browser, &format!("{page}/deactivation"), &[("form-token", &token)]).await.expect_status(303);
    let ended = send(&browser, &form, &changes).await;
    assert!((400..500).contains(&ended.status), "{}", ended.text);
    assert!(!browser.get(&page).await.text.contains(&form));
}

#[apply(either)]
async fn an_owner_sees_and_changes_own_agents_alone(#[case] backend: Backend) {
    let app = start(backend).await;
    let (browser, token) = signed_in(&app, "Ada").await;
    let scout = app.agent("Scout").await;
    let of = |act: &str| format!("/portal/agents/{}{act}", scout.id);
    browser.get(&of("")).await.expect_status(404);
    send(&browser, &of("/key"), &[("form-token", &token)]).await.expect_status(403);
    let key = [("name", "Mine"), ("scopes", "read"), ("expiresAt", "30"), ("form-token", &*token)];
    send(&browser, &of("/keys"), &key).await.expect_status(404);
    send(&browser, &of("/keys/revocation"), &[("key", "primary"), ("form-token", &token)]).await.expect_status(403);
    send(&browser, &of("/changes"), &[("name", "Mine"), ("form-token", &token)]).await.expect_status(404);
    send(&browser, &of("/deactivation"), &[("form-token", &token)]).await.expect_status(403);
    scout.get("/api/v1/me").await.expect_status(200);
}

#[apply(either)]
async fn an_owner_manages_the_keys_of_an_agent_without_scripts(#[case] backend: Backend) {
    let app = start(backend).await;
    let (browser, token) = signed_in(&app, "Ada").await;
    let registered =
        send(&browser, "/portal/agents", &[("name", "Scout"), ("model", "m"), ("form-token", &token)]).await;
    let page = after(&registered, "data-refreshes=\"");
    let create = async |name: &str, expires_at: &str, token: &str| {
        let fields = [("name", name), ("scopes", "read write"), ("expiresAt", expires_at), ("form-token", token)];
        send(&browser, &format!("{page}/keys"), &fields).await
    };
    create("Laptop", "30", "another token").await.expect_status(403);
    let refused = create(&"x".repeat(101), "30", &token).await.expect_status(422);
    assert!(
        refused.text.contains("id=\"new-key-name-errors\"") && !refused.text.contains(">araf_"),
        "{}",
        refused.text
    );
    for wrong in ["0", "4000", "soon"] {
        create("Laptop", wrong, &token).await.expect_status(422);
    }
    let created = create(HOSTILE, "30", &token).await.expect_status(200);
    assert!(!created.text.contains("<img") && created.text.contains("The agent has another key."), "{}", created.text);
    assert_eq!(created.header("cache-control"), "no-store");
    let key = format!("araf_{}", after(&created, ">araf_"));
    let opened = app.anonymous().log_in(&key, json!(null)).await.expect_status(200);
    assert_eq!(opened["scopes"], json!(["read", "write"]));
    let shown = browser.get(&page).await.expect_status(200);
    assert!(!shown.text.contains("araf_") && shown.text.contains("2026-03-31T12:00:00"), "{}", shown.text);
    let id = format!("key_{}", after(&shown, "name=\"key\" value=\"key_"));
    let fields = [("key", &*id), ("form-token", &*token)];
    send(&browser, &format!("{page}/keys/revocation"), &fields[..1]).await.expect_status(403);
    let revoked = send(&browser, &format!("{page}/keys/revocation"), &fields).await.expect_status(303);
    assert_eq!(revoked.header("location"), format!("{page}?done=revoked"));
    app.anonymous().log_in(&key, json!(null)).await.expect_problem(401, "wrong_credentials");
    assert!(!browser.get(&page).await.text.contains("value=\"key_"));
    for _ in 0..10 {
        create("Another", "never", &token).await.expect_status(200);
    }
    let full = create("One too many", "never", &token).await.expect_status(409);
    assert!(full.text.contains("/docs/problems#too_many_keys"), "{}", full.text);
}

/// The text that follows a mark, up to the next quote or bracket.
fn after(page: &Reply, mark: &str) -> String {
    let rest = page.text.split(mark).nth(1).unwrap_or_else(|| panic!("no {mark}: {}", page.text));
    rest.split(['"', '<']).next().unwrap_or_default().to_owned()
}

#[apply(either)]
async fn what_an_owner_enters_is_inert_and_errors_stand_beside_their_fields(#[case] backend: Backend) {
    let app = start(backend).await;
    let (browser, token) = signed_in(&app, HOSTILE).await;
    let long = "x".repeat(101);
    let fields =
        [("name", HOSTILE), ("model", &*long), ("webhookUrl", "\"><script>alert(1)</script>"), ("form-token", &*token)];
    let refused = send(&browser, "/portal/agents", &fields).await.expect_status(422);
    assert!(
        refused.text.contains("id=\"agent-model-errors\"") && refused.text.contains("aria-invalid=\"true\""),
        "{}",
        refused.text
    );
    assert!(!refused.text.contains("<img") && !refused.text.contains("<script>"), "{}", refused.text);
    let changed =
        send(&browser, "/portal/agents", &[("name", HOSTILE), ("model", HOSTILE), ("form-token", &*token)]).await;
    for page in [changed.expect_status(200), browser.get("/portal").await, browser.get("/portal/account").await] {
        assert!(!page.text.contains("<img") && !page.text.contains("<script>"), "{}", page.text);
        assert_eq!(page.header("cache-control"), "no-store");
        assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
    }
    let unread = browser.send("POST", "/portal/agents").body("application/json", "{}").await;
    unread.expect_status(415);
    browser.send("PUT", "/portal/agents").await.expect_status(405);
    browser.get("/portal/nothing").await.expect_status(404);
}

#[apply(either)]
async fn each_owner_has_an_allowance_of_clicks(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| {
        settings.public_url = Some("http://127.0.0.1:8080".parse().unwrap());
        settings.rate_limits = "anonymous=5,login=1000".parse().unwrap();
    })
    .await;
    let (ada, _) = signed_in(&app, "Ada").await;
    for _ in 0..4 {
        assert_eq!(ada.get("/portal").await.expect_status(200).header("ratelimit-policy"), "\"portal\";q=5;w=60");
    }
    let refused = ada.get("/portal").await.expect_status(429);
    assert!(refused.text.contains("/docs/problems#rate_limited"), "{}", refused.text);
    signed_in(&app, "Grace").await;
}
