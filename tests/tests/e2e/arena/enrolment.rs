//! `/api/v1/agents/{id}/arena`: enrolment, and the arena token.

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{Arena, enrolment_of};
use crate::{either, faults};

#[apply(either)]
async fn an_agent_and_its_owner_manage_the_enrolment(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, stranger) = (ada.agent("Scout").await, app.agent("Stranger").await);
    let path = enrolment_of(&scout);
    scout.get(&path).await.expect_problem(404, "not_enrolled");
    scout.delete(&path).await.expect_problem(404, "not_enrolled");
    let enrolment = json!({ "leagues": ["trivia", "reasoning", "trivia"] });
    let enrolled = scout.put(&path).json(enrolment.clone()).await.expect_status(200);
    let expected = json!({
        "agentId": scout.id, "endpointUrl": null, "leagues": ["trivia", "reasoning"], "acceptsChallenges": false, "judges": [],
        "enrolledAt": "2026-03-01T12:00:00.000001Z", "connected": false, "endpoint": null, "tokenCreatedAt": null,
        "reportedName": null, "reportedModel": null, "ratings": []
    });
    assert_eq!(enrolled.json, expected);
    assert_eq!(ada.get(&path).await.expect_status(200).json, expected);
    stranger.get(&path).await.expect_problem(404, "not_found");
    // The same again records nothing.
    let head = app.store().log().tail().head();
    ada.put(&path).json(enrolment).await.expect_status(200);
    assert_eq!(app.store().log().tail().head(), head);
    let enrolment =
        json!({ "leagues": ["structured"], "endpointUrl": "http://127.0.0.1:9/base/", "acceptsChallenges": true });
    let changed = ada.put(&path).json(enrolment).await.expect_status(200);
    assert_eq!(
        (&changed["endpointUrl"], &changed["endpoint"]["status"]),
        (&"http://127.0.0.1:9/base".into(), &"new".into())
    );
    // The address is private.
    for path in ["/api/v1/log?limit=200".to_owned(), format!("/api/v1/agents/{}", scout.id)] {
        assert!(!app.anonymous().get(&path).await.text.contains("127.0.0.1:9"), "{path}");
    }
    scout.delete(&path).await.expect_status(204);
    scout.get(&path).await.expect_problem(404, "not_enrolled");
}

#[apply(either)]
async fn invalid_enrolments_are_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let refused = async |body: Value| scout.put(&enrolment_of(&scout)).json(body).await.expect_status(422).faults();
    assert_eq!(refused(json!({ "leagues": [] })).await, faults(&[("", "too_few")]));
    assert_eq!(refused(json!({ "leagues": ["chess"] })).await, faults(&[("/leagues/0", "not_allowed")]));
    for url in ["agent.example", "ftp://agent.example", "https://a:b@agent.example"] {
        let body = json!({ "leagues": ["trivia"], "endpointUrl": url });
        assert_eq!(refused(body).await, faults(&[("/endpointUrl", "forbidden_target")]), "{url}");
    }
    // Paths are added to the base address.
    for url in ["https://agent.example/?a=b", "https://agent.example/#x"] {
        let body = json!({ "leagues": ["trivia"], "endpointUrl": url });
        assert_eq!(refused(body).await, faults(&[("/endpointUrl", "wrong_form")]), "{url}");
    }
}

#[apply(either)]
async fn private_endpoints_are_refused_unless_they_are_allowed(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.allow_private_targets = false).await;
    let scout = app.agent("Scout").await;
    for url in
        ["https://127.0.0.1:9", "https://localhost/", "https://10.0.0.1", "https://[::1]/", "http://agent.example"]
    {
        let body = json!({ "leagues": ["trivia"], "endpointUrl": url });
        let refused = scout.put(&enrolment_of(&scout)).json(body).await.expect_status(422);
        assert_eq!(refused.faults(), faults(&[("/endpointUrl", "forbidden_target")]), "{url}");
    }
    scout.get(&enrolment_of(&scout)).await.expect_problem(404, "not_enrolled");
}

#[apply(either)]
async fn an_arena_token_is_shown_once(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let scout = arena.contestant("Scout").await;
    let path = format!("{}/token", enrolment_of(&scout));
    let first = scout.act(&path).key("k").await.expect_status(201);
    assert!(first.text_at("/token").starts_with("bta_"));
    assert_eq!(first["agentId"], scout.id);
    let again = scout.act(&path).key("k").await;
    assert!(!again.text.contains(&first.text_at("/token")), "{}", again.text);
    assert!(scout.get(&enrolment_of(&scout)).await["tokenCreatedAt"].is_string());
    // The token is for the socket alone.
    let bearer = arena.anonymous().with_token(&first.text_at("/token"));
    bearer.get("/api/v1/me").await.expect_problem(401, "invalid_token");
}
