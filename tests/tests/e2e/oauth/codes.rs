//! `POST /oauth/token` with a code

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::json;

use super::{
    Parameters, REDIRECT, Scene, TOKEN, VERIFIER, address, approved, asking, destination, expect_error, form,
    parameter, press, redeeming, registered, with,
};
use crate::both;

#[apply(both)]
async fn a_client_acts_as_the_agent_that_its_owner_chose(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let (app, anyone) = (&scene.app, scene.app.anonymous());
    // The way of a client: challenge, metadata of the resource, metadata of the server.
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "open_track", "arguments": { "name": "Votes", "description": "Count them once." } } });
    let challenge = anyone.post("/mcp", call.clone()).await.expect_status(401).header("www-authenticate").to_owned();
    let path = challenge.split("resource_metadata=\"https://build.example").nth(1).unwrap().split('"').next().unwrap();
    let resource = anyone.get(path).await.expect_status(200);
    assert_eq!(resource["authorization_servers"], json!(["https://build.example"]));
    let server = anyone.get("/.well-known/oauth-authorization-server").await.expect_status(200);
    assert_eq!(server["issuer"], resource["authorization_servers"][0]);
    assert_eq!(server["code_challenge_methods_supported"], json!(["S256"]));
    for (member, path) in [
        ("authorization_endpoint", "/portal/authorize"),
        ("token_endpoint", "/oauth/token"),
        ("revocation_endpoint", "/oauth/revoke"),
        ("registration_endpoint", "/oauth/register"),
    ] {
        assert_eq!(server[member], format!("https://build.example{path}"));
    }

    let fields = [("agent", scene.scout.id.as_str()), ("scope", "read"), ("scope", "write"), ("decision", "approve")];
    let page = press(&scene.browser, &address(&asking(&scene.client)), &fields).await.expect_status(200);
    let to = destination(&page);
    assert!(to.as_str().starts_with(&format!("{REDIRECT}?code=btc_")), "{to}");
    assert_eq!(
        [parameter(&to, "state"), parameter(&to, "iss")],
        [Some("x&y=1".to_owned()), Some("https://build.example".to_owned())]
    );
    let code = parameter(&to, "code").unwrap();
    let tokens = form(app, TOKEN, &redeeming(&scene.client, &code)).await.expect_status(200);
    assert_eq!((tokens.header("cache-control"), tokens.header("pragma")), ("no-store", "no-cache"));
    assert_eq!(
        (&tokens["token_type"], &tokens["expires_in"], &tokens["scope"]),
        (&json!("Bearer"), &json!(86_400), &json!("read write"))
    );
    let client = anyone.with_token(&tokens.text_at("/access_token"));
    let opened = client.post("/mcp", call).await.expect_status(200);
    assert_eq!(opened["result"]["structuredContent"]["ownerId"], *scene.scout.id);
    let me = client.get("/api/v1/me").await.expect_status(200);
    assert_eq!((&me["id"], &me["scopes"]), (&json!(scene.scout.id), &json!(["read", "write"])));
    // The session is one of the agent's.
    assert_eq!(scene.scout.get("/api/v1/me/sessions").await["items"].as_array().map(Vec::len), Some(2));
    let dump = app.dump().await;
    for member in ["/access_token", "/refresh_token"] {
        assert!(!dump.contains(&tokens.text_at(member)), "{member}");
    }
    assert!(!dump.contains(&code) && dump.contains("consent.redeemed"));
}

#[apply(both)]
async fn a_wrong_exchange_is_refused_and_changes_nothing(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let (code, other) = (scene.code().await, registered(&scene.app, "Other").await);
    let exchange = || redeeming(&scene.client, &code);
    let (longer, cut) = (format!("{VERIFIER}0"), &VERIFIER[1..]);
    let long = "x".repeat(129);
    let cases: [(Parameters<'_>, u16, &str); 17] = [
        (with(exchange(), "grant_type", None), 400, "invalid_request"),
        (with(exchange(), "grant_type", Some("password")), 400, "unsupported_grant_type"),
        (with(exchange(), "grant_type", Some("client_credentials")), 400, "unsupported_grant_type"),
        (with(exchange(), "client_id", None), 400, "invalid_request"),
        (with(exchange(), "client_id", Some("client_unknown")), 401, "invalid_client"),
        (with(exchange(), "client_id", Some(&other)), 400, "invalid_grant"),
        (with(exchange(), "code", None), 400, "invalid_request"),
        (with(exchange(), "code", Some("btc_unknown")), 400, "invalid_grant"),
        (with(exchange(), "redirect_uri", Some("https://client.example/other")), 400, "invalid_grant"),
        (with(exchange(), "code_verifier", None), 400, "invalid_request"),
        (with(exchange(), "code_verifier", Some(&longer)), 400, "invalid_grant"),
        (with(exchange(), "code_verifier", Some(cut)), 400, "invalid_request"),
        (with(exchange(), "code_verifier", Some(&long)), 400, "invalid_request"),
        (with(exchange(), "resource", Some("https://other.example/mcp")), 400, "invalid_target"),
        ([exchange(), vec![("resource", "https://other.example/mcp")]].concat(), 400, "invalid_target"),
        ([exchange(), vec![("code", "btc_second")]].concat(), 400, "invalid_request"),
        (vec![], 400, "invalid_request"),
    ];
    for (fields, status, error) in cases {
        let refused = form(&scene.app, TOKEN, &fields).await;
        expect_error(&refused, status, error);
        assert!(refused["error_description"].as_str().is_some_and(str::is_ascii), "{}", refused.text);
    }
    let json = scene.app.anonymous().post(TOKEN, json!({ "grant_type": "authorization_code" })).await;
    expect_error(&json, 415, "invalid_request");
    expect_error(&scene.app.anonymous().get(TOKEN).await, 405, "invalid_request");
    expect_error(&scene.app.anonymous().act("/oauth/nothing").await, 404, "invalid_request");
    // The code is still valid; a client of OAuth 2.1 leaves out what it need not send.
    let short = with(with(exchange(), "redirect_uri", None), "resource", None);
    form(&scene.app, TOKEN, &short).await.expect_status(200);
}

#[apply(both)]
async fn a_code_that_is_used_twice_ends_what_it_led_to(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let code = scene.code().await;
    let first = form(&scene.app, TOKEN, &redeeming(&scene.client, &code)).await.expect_status(200);
    let (access, refresh) = (first.text_at("/access_token"), first.text_at("/refresh_token"));
    assert_eq!(scene.status(&access).await, 200);
    // Another client cannot end it.
    let other = registered(&scene.app, "Other").await;
    expect_error(&form(&scene.app, TOKEN, &redeeming(&other, &code)).await, 400, "invalid_grant");
    assert_eq!(scene.status(&access).await, 200);
    for _ in 0..2 {
        expect_error(&form(&scene.app, TOKEN, &redeeming(&scene.client, &code)).await, 400, "invalid_grant");
        assert_eq!(scene.status(&access).await, 401);
    }
    expect_error(&scene.renew(&refresh).await, 400, "invalid_grant");
    // The agent's own session stays.
    assert_eq!(scene.status(&scene.scout.token).await, 200);
}

#[apply(both)]
async fn of_many_exchanges_of_a_code_at_a_time_one_succeeds_at_most(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let code = scene.code().await;
    let fields = redeeming(&scene.client, &code);
    let replies = join_all((0..8).map(async |_| form(&scene.app, TOKEN, &fields).await)).await;
    let granted: Vec<_> = replies.iter().filter(|reply| reply.status == 200).collect();
    assert_eq!(granted.len(), 1, "{:?}", replies.iter().map(|reply| &reply.text).collect::<Vec<_>>());
    // The others are uses of the same code.
    assert_eq!(scene.status(&granted[0].text_at("/access_token")).await, 401);
}

#[apply(both)]
async fn a_code_expires_after_a_minute(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let (early, late) = (scene.code().await, scene.code().await);
    scene.app.advance(Duration::from_secs(59));
    form(&scene.app, TOKEN, &redeeming(&scene.client, &early)).await.expect_status(200);
    scene.app.advance(Duration::from_secs(1));
    expect_error(&form(&scene.app, TOKEN, &redeeming(&scene.client, &late)).await, 400, "invalid_grant");
}

#[apply(both)]
async fn a_code_is_worth_nothing_without_an_active_agent(#[case] backend: Backend) {
    let scene = Scene::of(TestApp::start(backend).await).await;
    let operator = scene.app.operator("Bea").await;
    let (gone, third) = (scene.ada.agent("Gone").await, scene.ada.agent("Third").await);
    let mut codes = vec![];
    for agent in [&scene.scout, &gone, &third] {
        codes.push(approved(&scene.browser, &scene.client, agent).await);
    }
    let suspend = async |subject: &str| {
        let decision = json!({ "subject": subject, "action": "suspend", "reason": "Why not" });
        operator.post("/api/v1/moderation/actions", decision).await.expect_status(201);
    };
    suspend(&scene.scout.id).await;
    scene.ada.delete(&format!("/api/v1/agents/{}", gone.id)).await.expect_status(204);
    suspend(&scene.ada.id).await;
    for code in codes {
        let refused = form(&scene.app, TOKEN, &redeeming(&scene.client, &code)).await;
        expect_error(&refused, 400, "invalid_grant");
    }
    assert!(!scene.app.dump().await.contains("consent.redeemed"));
}
