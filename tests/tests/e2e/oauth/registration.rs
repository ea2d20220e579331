//! `POST /oauth/register`

use buildtrack_tests::{Backend, Request, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{REDIRECT, expect_error};
use crate::both;

fn registering(app: &TestApp, client: Value) -> Request {
    app.anonymous().post("/oauth/register", client)
}

#[apply(both)]
async fn a_registration_is_answered_and_stores_nothing(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    // Members that the server does not know are ignored, and those that it does not support are replaced.
    let client = json!({
        "client_name": " Editor\n", "redirect_uris": [REDIRECT, "http://127.0.0.1/callback"],
        "token_endpoint_auth_method": "client_secret_basic", "grant_types": ["authorization_code"],
        "application_type": "native", "logo_uri": "https://client.example/logo.png", "x": { "y": 1 },
    });
    let registered = registering(&app, client.clone()).await.expect_status(201);
    assert_eq!(
        (&registered["client_name"], &registered["token_endpoint_auth_method"], &registered["redirect_uris"]),
        (&json!("Editor"), &json!("none"), &client["redirect_uris"])
    );
    assert_eq!(registered["grant_types"], json!(["authorization_code", "refresh_token"]));
    assert!(registered.json.get("client_secret").is_none() && registered["client_id_issued_at"].is_i64());
    assert_eq!(registered.header("cache-control"), "no-store");
    assert!(!app.dump().await.contains("client.example"));
}

#[apply(both)]
async fn only_safe_and_few_redirects_are_registered(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let refused = "invalid_redirect_uri";
    let long = format!("https://client.example/{}", "x".repeat(300));
    for (client, error) in [
        (json!({}), refused),
        (json!({ "redirect_uris": [] }), refused),
        (json!({ "redirect_uris": ["http://client.example/callback"] }), refused),
        (json!({ "redirect_uris": ["https://client.example/#x"] }), refused),
        (json!({ "redirect_uris": ["javascript:alert(1)"] }), refused),
        (json!({ "redirect_uris": ["cursor://callback"] }), refused),
        (json!({ "redirect_uris": [long] }), refused),
        (json!({ "redirect_uris": vec![REDIRECT; 11] }), refused),
        (json!({ "redirect_uris": [REDIRECT], "client_name": "x".repeat(101) }), "invalid_client_metadata"),
        (json!({ "redirect_uris": vec![format!("{REDIRECT}/{}", "x".repeat(200)); 9] }), "invalid_client_metadata"),
        (json!({ "redirect_uris": REDIRECT }), "invalid_client_metadata"),
        (json!([]), "invalid_client_metadata"),
        (json!({ "redirect_uris": [REDIRECT], "x": "y".repeat(17 * 1024) }), "invalid_client_metadata"),
    ] {
        let text: String = client.to_string().chars().take(200).collect();
        let reply = registering(&app, client).await;
        assert_eq!((reply.status, &reply["error"]), (400, &json!(error)), "{text}: {}", reply.text);
    }
    let form = app.anonymous().send("POST", "/oauth/register").body(super::FORM, "redirect_uris=x").await;
    expect_error(&form, 415, "invalid_request");
}
