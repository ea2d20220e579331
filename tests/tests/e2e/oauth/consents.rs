//! The page on which owners approve and deny, and the page that ends access

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use super::{
    AUTHORIZE, FORM, REDIRECT, Scene, address, approved, asking, browser, destination, encoded, form_token, parameter,
    press, registered, with,
};
use crate::{
    both,
    pages::{HOSTILE, browser::Browser, person},
};

#[apply(both)]
async fn an_owner_signs_in_and_comes_back_to_the_request(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let address = address(&asking(&scene.client));
    let sent = person(&scene.app).get(&address).await.expect_status(303);
    let sign_in = sent.header("location").to_owned();
    assert!(sign_in.starts_with("/portal/sign-in?next=%2Fportal%2Fauthorize%3F"), "{sign_in}");
    let anyone = person(&scene.app).with_header("sec-fetch-site", "same-origin");
    let page = anyone.get(&sign_in).await.expect_status(200);
    assert!(page.text.contains(&format!("action=\"{sign_in}\"")), "{}", page.text);
    let login = encoded(&[("email", scene.ada.email.as_str()), ("password", scene.ada.password.as_str())]);
    let entered = anyone.send("POST", &sign_in).body(FORM, login).await.expect_status(303);
    assert_eq!(entered.header("location"), address);
    // An agent's session is none of an owner.
    let cookie = format!("buildtrack_session={}", scene.scout.token);
    person(&scene.app).with_header("cookie", &cookie).get(&address).await.expect_status(303);
}

#[apply(both)]
async fn the_page_shows_who_asks_for_what_and_cannot_be_framed(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let page = scene.browser.get(&address(&asking(&scene.client))).await.expect_status(200);
    let nothing_chosen = "required>\n<option value=\"\">Choose an agent</option>";
    for text in [
        "<bdi>Editor</bdi>",
        "<bdi>client.example</bdi>",
        "Scout (",
        "value=\"read\"",
        "value=\"write\"",
        nothing_chosen,
    ] {
        assert!(page.text.contains(text), "{text}: {}", page.text);
    }
    assert!(!page.text.contains("value=\"webhooks\""), "{}", page.text);
    assert!(page.header("content-security-policy").contains("frame-ancestors 'none'"));
    assert_eq!(page.header("cache-control"), "no-store");
    let client = json!({ "client_name": HOSTILE, "redirect_uris": ["http://localhost/callback"] });
    let hostile = scene.app.anonymous().post("/oauth/register", client).await.expect_status(201).text_at("/client_id");
    let local = with(asking(&hostile), "redirect_uri", Some("http://localhost:50123/callback"));
    let page = scene.browser.get(&address(&local)).await.expect_status(200);
    assert!(!page.text.contains("<img") && page.text.contains("a program on your own computer"), "{}", page.text);
    assert!(page.text.contains("<bdi>localhost:50123</bdi>"), "{}", page.text);
}

#[apply(both)]
async fn an_owner_denies(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let denied =
        press(&scene.browser, &address(&asking(&scene.client)), &[("decision", "deny")]).await.expect_status(200);
    let to = destination(&denied);
    assert!(to.as_str().starts_with(&format!("{REDIRECT}?error=access_denied&")), "{to}");
    assert_eq!(
        [parameter(&to, "state"), parameter(&to, "iss"), parameter(&to, "code")],
        [Some("x&y=1".to_owned()), Some("https://build.example".to_owned()), None]
    );
    assert!(!scene.app.dump().await.contains("consent.given"));
}

#[apply(both)]
async fn a_browser_is_sent_to_registered_addresses_alone(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let ask = || asking(&scene.client);
    let forged = format!("{}0", scene.client);
    for (parameters, code) in [
        (with(ask(), "client_id", Some(&forged)), "unknown_client"),
        (with(ask(), "client_id", Some("client_")), "unknown_client"),
        (with(ask(), "client_id", None), "invalid_request"),
        (with(ask(), "redirect_uri", Some("https://evil.example/callback")), "redirect_not_registered"),
        (with(ask(), "redirect_uri", Some("https://client.example/callback/")), "redirect_not_registered"),
        (with(ask(), "redirect_uri", None), "invalid_request"),
    ] {
        let page = scene.browser.get(&address(&parameters)).await.expect_status(400);
        assert!(page.text.contains(&format!("/docs/problems#{code}")), "{code}: {}", page.text);
        assert!(!page.text.contains("href=\"https://evil.example") && !page.text.contains("0;url="), "{}", page.text);
    }
    let twice = [ask(), vec![("redirect_uri", "https://evil.example/")]].concat();
    scene.browser.get(&address(&twice)).await.expect_status(400);
    scene.browser.get(AUTHORIZE).await.expect_status(400);
}

#[apply(both)]
async fn a_wrong_request_is_explained_and_leads_back_only_by_a_link(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let ask = || asking(&scene.client);
    for (parameters, error) in [
        (with(ask(), "response_type", Some("token")), "unsupported_response_type"),
        (with(ask(), "response_type", None), "invalid_request"),
        (with(ask(), "code_challenge", None), "invalid_request"),
        (with(ask(), "code_challenge", Some("short")), "invalid_request"),
        (with(ask(), "code_challenge_method", Some("plain")), "invalid_request"),
        (with(ask(), "code_challenge_method", None), "invalid_request"),
        (with(ask(), "scope", Some("admin")), "invalid_scope"),
        (with(ask(), "resource", Some("https://other.example/mcp")), "invalid_target"),
    ] {
        let page = scene.browser.get(&address(&parameters)).await.expect_status(400);
        let link = format!("href=\"{REDIRECT}?error={error}&#38;");
        assert!(page.text.contains(&link) && !page.text.contains("0;url="), "{error}: {}", page.text);
        assert!(page.text.contains(&format!("/docs/problems#{error}")), "{error}: {}", page.text);
    }
}

#[apply(both)]
async fn an_owner_chooses_an_own_active_agent_and_the_scopes(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let (grace, gone) = (scene.app.owner("Grace").await, scene.ada.agent("Gone").await);
    let foreign = grace.agent("Foreign").await;
    scene.ada.delete(&format!("/api/v1/agents/{}", gone.id)).await.expect_status(204);
    let address = address(&asking(&scene.client));
    let approve = |agent| [("agent", agent), ("scope", "read"), ("decision", "approve")];
    for (fields, status) in [
        (approve(foreign.id.as_str()).to_vec(), 403),
        (approve(gone.id.as_str()).to_vec(), 409),
        (approve("ag_1").to_vec(), 404),
        // The page chooses no agent, so that one click does not approve.
        (approve("").to_vec(), 422),
        (vec![("agent", scene.scout.id.as_str()), ("decision", "approve")], 422),
        // A scope that the client has not asked for.
        (vec![("agent", scene.scout.id.as_str()), ("scope", "webhooks"), ("decision", "approve")], 422),
        (vec![("agent", scene.scout.id.as_str()), ("scope", "read")], 422),
    ] {
        let refused = press(&scene.browser, &address, &fields).await.expect_status(status);
        assert!(!refused.text.contains("0;url="), "{}", refused.text);
    }
    // A form of another site, and one of another session.
    let cross = scene.browser.with_header("sec-fetch-site", "cross-site");
    press(&cross, &address, &approve(scene.scout.id.as_str())).await.expect_status(403);
    let token = form_token(&browser(&scene.app, &grace).get(&address).await.expect_status(200));
    let fields = [vec![("form-token", token.as_str())], approve(scene.scout.id.as_str()).to_vec()].concat();
    scene.browser.send("POST", &address).body(FORM, encoded(&fields)).await.expect_status(403);
    assert!(!scene.app.dump().await.contains("consent.given"));
    assert!(approved(&scene.browser, &scene.client, &scene.scout).await.starts_with("btc_"));
}

#[apply(both)]
async fn an_owner_sees_and_ends_the_access_of_a_client(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let page = format!("/portal/agents/{}", scene.scout.id);
    assert!(!scene.browser.get(&page).await.text.contains("Programs that act"));
    let (access, refresh) = scene.tokens().await;
    let shown = scene.browser.get(&page).await.expect_status(200);
    assert!(shown.text.contains("<bdi>Editor</bdi>") && shown.text.contains("read write"), "{}", shown.text);
    let consent = shown.text.split("name=\"consent\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    // Another owner does not.
    let grace = scene.app.owner("Grace").await;
    let other = grace.agent("Other").await;
    let foreign = browser(&scene.app, &grace);
    let token = form_token(&foreign.get(&format!("/portal/agents/{}", other.id)).await);
    let fields = encoded(&[("form-token", token.as_str()), ("consent", consent)]);
    foreign.send("POST", &format!("{page}/consents")).body(FORM, fields).await.expect_status(404);
    assert_eq!(scene.status(&access).await, 200);

    let fields = encoded(&[("form-token", form_token(&shown).as_str()), ("consent", consent)]);
    let ended = scene.browser.send("POST", &format!("{page}/consents")).body(FORM, fields).await.expect_status(303);
    assert_eq!(ended.header("location"), format!("{page}?done=consent"));
    assert_eq!(scene.status(&access).await, 401);
    scene.renew(&refresh).await.expect_status(400);
    assert!(!scene.browser.get(&page).await.text.contains("Programs that act"));
}

#[apply(both)]
async fn each_client_has_its_own_consent(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let (access, _) = scene.tokens().await;
    let other = registered(&scene.app, "Terminal").await;
    approved(&scene.browser, &other, &scene.scout).await;
    assert_eq!(scene.status(&access).await, 200);
    // A code that waits for its client is no access yet.
    let page = scene.browser.get(&format!("/portal/agents/{}", scene.scout.id)).await.expect_status(200);
    assert!(page.text.contains("<bdi>Editor</bdi>") && !page.text.contains("<bdi>Terminal</bdi>"), "{}", page.text);
}

#[apply(both)]
async fn a_browser_returns_to_the_program_that_sent_it(#[case] backend: Backend) {
    // Browsers send cookies of a public address with TLS only with TLS.
    let public = "http://127.0.0.1:8080";
    let app = TestApp::with(backend, |settings| settings.public_url = Some(public.parse().unwrap())).await;
    let ada = app.owner("Ada").await;
    ada.agent("Scout").await;
    let client = json!({ "client_name": "Editor <b>", "redirect_uris": ["http://127.0.0.1/callback"] });
    let client = app.anonymous().post("/oauth/register", client).await.expect_status(201).text_at("/client_id");
    let mut browser = Browser::run("consent.mjs", &[&app.url(), &client, &ada.email, &ada.password]);
    let answered = json!({ "error": null, "state": "x&y=1", "iss": public });
    let mut approved = answered.clone();
    (approved["step"], approved["code"]) = ("approved".into(), "btc_".into());
    approved["heading"] = "Let a program act as your agent?".into();
    assert_eq!(browser.step().await, approved);
    let mut denied = answered;
    (denied["step"], denied["error"]) = ("denied".into(), "access_denied".into());
    assert_eq!(browser.step().await, denied);
    assert_eq!(browser.step().await, json!({ "step": "checked", "complaints": [], "findings": [] }));
}
