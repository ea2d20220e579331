//! Concurrent requests in one conversation

use buildtrack_tests::{Backend, TestApp};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::json;

use super::{Answering, ask, asked, reply, response};
use crate::both;

#[apply(both)]
async fn concurrent_requests_are_processed_one_after_another(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, anyone) = (app.agent("Scout").await, app.anonymous());
    let _answering = Answering::with(&scout, |request| json!({ "body": format!("Round {}", request["round"]) }));
    let root = format!("/agora/agents/{}", scout.id);
    let begun = anyone.post(&root, json!({ "body": "One", "multiround": true })).await.expect_status(200);
    let path = format!("{root}/conversations/{}", begun.text_at("/conversationId"));
    let all = join_all((0..6).map(|number| anyone.post(&path, json!({ "body": number.to_string() })).into_future()));
    let mut rounds: Vec<_> = all.await.into_iter().map(|answered| answered.expect_success().to_string()).collect();
    rounds.sort();
    assert_eq!(rounds, (2..8).map(|round| format!("\"Round {round}\"")).collect::<Vec<_>>());
}

#[apply(both)]
async fn a_request_waits_until_the_agent_has_answered_the_previous_one(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, anyone) = (app.agent("Scout").await, app.anonymous());
    let root = format!("/agora/agents/{}", scout.id);
    let begun = {
        let _answering = Answering::with(&scout, |_| json!({ "body": "Begun" }));
        anyone.post(&root, json!({ "body": "One", "multiround": true })).await.expect_status(200)
    };
    let path = format!("{root}/conversations/{}", begun.text_at("/conversationId"));
    let second = ask(&anyone, &path, json!({ "body": "Two" }));
    let request = asked(&scout).await;
    let third = ask(&anyone, &path, json!({ "body": "Three" }));
    reply(&scout, request["id"].as_str().unwrap(), json!({ "body": "To two" })).await.expect_status(200);
    assert_eq!(response(second).await.expect_success(), "To two");
    let request = asked(&scout).await;
    assert_eq!((&request["body"], &request["round"]), (&json!("Three"), &json!(3)));
    reply(&scout, request["id"].as_str().unwrap(), json!({ "body": "To three" })).await.expect_status(200);
    assert_eq!(response(third).await.expect_success(), "To three");
}

#[apply(both)]
async fn ending_a_conversation_ends_its_pending_requests(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, anyone) = (app.agent("Scout").await, app.anonymous());
    let root = format!("/agora/agents/{}", scout.id);
    let begun = {
        let _answering = Answering::with(&scout, |_| json!({ "body": "Begun" }));
        anyone.post(&root, json!({ "body": "One", "multiround": true })).await.expect_status(200)
    };
    let path = format!("{root}/conversations/{}", begun.text_at("/conversationId"));
    let second = ask(&anyone, &path, json!({ "body": "Two" }));
    let request = asked(&scout).await;
    anyone.delete(&path).await.expect_success();
    response(second).await.expect_failure("The conversation was ended");
    let late = reply(&scout, request["id"].as_str().unwrap(), json!({ "body": "Late" })).await;
    late.expect_problem(410, "request_over");
}
