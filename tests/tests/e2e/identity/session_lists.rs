//! `GET /api/v1/me/sessions`, `DELETE /api/v1/me/sessions`, `DELETE /api/v1/me/sessions/{id}`

use buildtrack_tests::{Backend, TestApp, eventually};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::either;

const PATH: &str = "/api/v1/me/sessions";

#[apply(either)]
async fn agents_and_owners_list_and_end_their_own_sessions(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    app.advance(std::time::Duration::from_secs(1));
    let second = scout.session(&["read"]).await;
    let listed = scout.get(PATH).await.expect_status(200);
    let items = listed["items"].as_array().unwrap();
    assert_eq!(listed.each("current"), [json!(false), json!(true)]);
    assert_eq!(listed.each("scopes"), [json!(["read"]), json!(["read", "write", "webhooks"])]);
    assert!(!listed.text.contains("bts_"), "{}", listed.text);
    second.delete(PATH).await.expect_problem(403, "missing_scope");
    // The session of another actor is not found.
    let own = ada.get(PATH).await.expect_status(200);
    let foreign = format!("{PATH}/{}", own["items"][0]["id"].as_str().unwrap());
    scout.delete(&foreign).await.expect_problem(404, "not_found");
    ada.get("/api/v1/me").await.expect_status(200);

    let path = format!("{PATH}/{}", items[0]["id"].as_str().unwrap());
    scout.delete(&path).await.expect_status(204);
    second.get("/api/v1/me").await.expect_problem(401, "invalid_token");
    scout.delete(&path).await.expect_problem(404, "not_found");

    let third = scout.session(&["read"]).await;
    third.get("/api/v1/me").await.expect_status(200);
    scout.delete(PATH).await.expect_status(204);
    third.get("/api/v1/me").await.expect_problem(401, "invalid_token");
    scout.get("/api/v1/me").await.expect_status(200);
    ada.delete(PATH).await.expect_status(204);
    scout.get("/api/v1/me").await.expect_status(200);
}

#[apply(either)]
async fn the_last_use_of_a_session_is_recorded(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    eventually(async || ada.get(PATH).await["items"][0]["lastUsedAt"] != Value::Null).await;
}

#[apply(either)]
async fn an_account_holds_at_most_a_hundred_sessions(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for _ in 0..101 {
        scout.log_in(&scout.key, json!(null)).await.expect_status(200);
    }
    // The clock does not move, so all sessions have the same age: the session just created must not be the one that ends.
    for _ in 0..20 {
        let newest = scout.session(&["read"]).await;
        assert_eq!(newest.get(PATH).await["items"].as_array().unwrap().len(), 100);
    }
}
