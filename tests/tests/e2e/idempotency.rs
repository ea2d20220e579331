//! `Idempotency-Key` on every POST: retries are safe.

use buildtrack_store::{Purpose, sha256_hex};
use buildtrack_tests::{Backend, TestApp, message};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

const WORKSPACES: &str = "/api/v1/workspaces";

fn workspace(name: &str) -> Value {
    json!({ "name": name, "description": "Push", "tags": ["build"], "status": "open", "messageCount": 0 })
}

#[apply(both)]
async fn the_same_key_and_body_return_the_first_response(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for (path, body) in [(WORKSPACES.to_owned(), workspace("Votes")), (track.messages(), message("Once"))] {
        let first = scout.post(&path, body.clone()).key("one").await.expect_status(201);
        let head = app.store().log().tail().head();
        let again = scout.post(&path, body).key("one").await.expect_status(201);
        assert_eq!((&again.json, again.header("location")), (&first.json, first.header("location")));
        assert_eq!((first.header("idempotency-replayed"), again.header("idempotency-replayed")), ("", "true"));
        assert_eq!(app.store().log().tail().head(), head);
    }
    assert_eq!(scout.get(&track.path()).await["messageCount"], 1);
}

#[apply(both)]
async fn a_response_that_an_earlier_version_stored_is_repeated_for_its_body_alone(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let first = scout.post(WORKSPACES, workspace("Votes")).key("one").await.expect_status(201);
    let hash = sha256_hex(workspace("Votes").to_string());
    let earlier = app.store().log().secret().earlier_mac(Purpose::RequestBody, &hash);
    app.tamper(&format!("UPDATE answers SET fingerprint = '{earlier}'")).await;
    let app = app.restart().await;
    let scout = scout.at(&app);
    let again = scout.post(WORKSPACES, workspace("Votes")).key("one").await.expect_status(201);
    assert_eq!((&again.json, again.header("idempotency-replayed")), (&first.json, "true"));
    let other = scout.post(WORKSPACES, workspace("Other")).key("one").await;
    other.expect_problem(422, "idempotency_key_reused");
}

#[apply(both)]
async fn retries_of_join_archive_and_reopen_return_the_first_response(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    for (caller, path) in [
        (&ranger, track.members()),
        (&scout, format!("{}/archive", track.path())),
        (&scout, format!("{}/reopen", track.path())),
    ] {
        let first = caller.act(&path).key("one").await.expect_status(200);
        scout.patch(&track.path(), json!({ "name": path })).await;
        let again = caller.act(&path).key("one").await.expect_status(200);
        assert_eq!((&again.json, again.header("idempotency-replayed")), (&first.json, "true"));
        assert_eq!(again.header("etag"), first.header("etag"));
    }
}

#[apply(both)]
async fn another_body_under_the_same_key_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    scout.post(WORKSPACES, workspace("Webhooks")).key("one").await.expect_status(201);
    scout.post(WORKSPACES, workspace("Votes")).key("one").await.expect_problem(422, "idempotency_key_reused");
    scout.post(WORKSPACES, workspace("Webhooks")).key("one").await.expect_status(201);
    assert_eq!(scout.get("/build").await.each("name"), ["Webhooks"]);
}

#[apply(both)]
async fn a_key_is_scoped_to_one_caller_and_one_path(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let (track, other) = (scout.open("Webhooks").await, scout.open("Votes").await);
    let mut ids = Vec::new();
    for path in [track.messages(), other.messages()] {
        ids.push(scout.post(&path, message("Hello")).key("one").await.expect_status(201).text_at("/id"));
    }
    for caller in [&*scout, &*ranger, &*ada] {
        ids.push(caller.post(WORKSPACES, workspace("Mine")).key("one").await.expect_status(201).text_at("/id"));
    }
    // Another session of the same agent is the same caller.
    let session = scout.session(&["write"]).await;
    assert_eq!(session.post(WORKSPACES, workspace("Mine")).key("one").await.expect_status(201)["id"], ids[2].as_str());
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5);
}

#[apply(both)]
async fn one_of_many_concurrent_retries_has_an_effect(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for key in ["one", "two", "three"] {
        let posts = join_all((0..12).map(async |_| scout.post(&track.messages(), message(key)).key(key).await)).await;
        let mut ids: Vec<_> =
            posts.iter().filter(|reply| reply.status == 201).map(|reply| reply.text_at("/id")).collect();
        ids.dedup();
        assert_eq!(ids.len(), 1, "{key}");
        for waiting in posts.into_iter().filter(|reply| reply.status != 201) {
            let waiting = waiting.expect_problem(409, "idempotency_key_in_use");
            assert_eq!((&waiting["retryable"], waiting.header("retry-after")), (&json!(true), "1"));
        }
        scout.post(&track.messages(), message(key)).key(key).await.expect_status(201);
    }
    assert_eq!(scout.get(&track.path()).await["messageCount"], 3);
}

#[apply(both)]
async fn a_refusal_is_returned_again(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    let stranger = || ranger.post(&track.messages(), message("Hello")).key("one");
    let first = stranger().await.expect_problem(403, "not_a_member");
    ranger.join(&track).await;
    let again = stranger().await.expect_problem(403, "not_a_member");
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!((&again["hint"], &again["detail"]), (&first["hint"], &first["detail"]));
    let wrong = || scout.post(WORKSPACES, json!({})).key("one");
    assert_eq!(
        wrong().await.expect_status(422).faults(),
        wrong().await.expect_problem(422, "validation_failed").faults()
    );
}

#[apply(both)]
async fn refusals_that_a_login_or_time_can_change_are_not_stored(#[case] backend: Backend) {
    let app =
        TestApp::with(backend, |settings| settings.rate_limits = "free=5,anonymous=1000,login=1000".parse().unwrap())
            .await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let anyone = app.anonymous();
    anyone.post(WORKSPACES, workspace("Webhooks")).key("one").await.expect_problem(401, "unauthenticated");
    let login = |key: &str| anyone.post("/agent-login", json!({ "key": key })).key("two");
    login("araf_0123456789abcdef0123456789abcdef01234567").await.expect_problem(401, "wrong_credentials");
    login(&scout.key).await.expect_status(200);
    for _ in 0..5 {
        scout.get("/build").await.expect_status(200);
    }
    let open = || scout.post(WORKSPACES, workspace("Webhooks")).key("one");
    open().await.expect_problem(429, "rate_limited");
    app.advance(std::time::Duration::from_mins(1));
    let opened = open().await.expect_status(201);
    assert_eq!(opened.header("idempotency-replayed"), "");
}

#[apply(both)]
async fn a_response_with_a_secret_is_not_stored_and_the_hint_names_the_resource(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let register = || ada.post("/api/v1/agents", json!({ "name": "Scout", "model": "m" })).key("one");
    let agent_id = register().await.expect_status(201).text_at("/agent/id");
    let again = register().await.expect_problem(409, "answer_not_stored");
    let hint = again.text_at("/hint");
    assert!(hint.contains(&agent_id) && hint.contains(&format!("POST /api/v1/agents/{agent_id}/keys")), "{hint}");
    assert_eq!(ada.get("/api/v1/agents?owner=me").await.each("id"), [json!(agent_id)]);
    let rotate = || ada.act(&format!("/api/v1/agents/{agent_id}/keys")).key("one");
    let key = rotate().await.expect_status(201).text_at("/key");
    rotate().await.expect_problem(409, "answer_not_stored");
    let log_in = || app.anonymous().post("/agent-login", json!({ "key": key })).key("one");
    log_in().await.expect_status(200);
    log_in().await.expect_problem(409, "answer_not_stored");
    let session =
        || app.anonymous().post("/api/v1/sessions", json!({ "email": ada.email, "password": ada.password })).key("one");
    session().await.expect_status(201);
    session().await.expect_problem(409, "answer_not_stored");
}

#[apply(both)]
async fn an_account_is_created_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let body = json!({ "email": "ada@example.org", "password": "correct horse", "displayName": "Ada" });
    let open = || app.anonymous().post("/api/v1/accounts", body.clone()).key("one");
    let first = open().await.expect_status(201);
    assert_eq!(open().await.expect_status(201).json, first.json);
}

#[apply(both)]
async fn stored_responses_survive_a_restart(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let first = scout.post(WORKSPACES, workspace("Webhooks")).key("one").await.expect_status(201);
    let refused = scout.post(WORKSPACES, json!({})).key("two").await.expect_status(422);
    let app = app.restart().await;
    let again = scout.at(&app).post(WORKSPACES, workspace("Webhooks")).key("one").await.expect_status(201);
    assert_eq!((again.json, again.headers["idempotency-replayed"].to_str().unwrap()), (first.json, "true"));
    let again = scout.at(&app).post(WORKSPACES, json!({})).key("two").await.expect_status(422);
    assert_eq!(again.faults(), refused.faults());
}

#[apply(both)]
async fn responses_are_stored_for_24_hours(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let first = ada.post(WORKSPACES, workspace("Webhooks")).key("one").await.expect_status(201);
    app.advance(std::time::Duration::from_hours(24));
    let login = json!({ "email": ada.email, "password": ada.password });
    let token = app.anonymous().post("/api/v1/sessions", login).await.text_at("/token");
    let later =
        app.anonymous().with_token(&token).post(WORKSPACES, workspace("Webhooks")).key("one").await.expect_status(201);
    assert_ne!(later["id"], first["id"]);
}

#[apply(both)]
async fn a_response_with_a_redacted_text_is_not_returned_again(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let post = || scout.post(&track.messages(), message("What nobody should read")).key("one");
    let posted = post().await.expect_status(201);
    scout.delete(posted.header("location")).await.expect_status(204);
    let again = post().await.expect_problem(409, "answer_redacted");
    assert!(!again.text.contains("What nobody should read"));
    assert_eq!(scout.get(&track.path()).await["messageCount"], 1);
}

#[apply(both)]
async fn a_key_has_1_to_255_printable_characters(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for key in ["", &"x".repeat(256), "ü", "a\tb"] {
        let refused = scout.with_header("idempotency-key", key).post(WORKSPACES, workspace("Webhooks")).await;
        let refused = refused.expect_problem(400, "invalid_parameter");
        assert_eq!(refused.faults(), [("Idempotency-Key".to_owned(), "invalid".to_owned())]);
    }
    scout.post(WORKSPACES, workspace("Webhooks")).key(&"~".repeat(255)).await.expect_status(201);
}
