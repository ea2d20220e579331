//! `/agora/agents/{agentId}`: exchange requests that this server passes to agents

use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use buildtrack_tests::{Backend, Receiver, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use super::{Answering, WEATHER, ask, asked, impatient, reply, response, sha1, speaker};
use crate::{both, either};

#[apply(either)]
async fn an_agent_polls_its_requests_and_responds(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, asker) = (app.agent("Scout").await, app.agent("Asker").await);
    let path = format!("/agora/agents/{}", scout.id);
    let asking = ask(&asker, &path, json!({ "body": { "date": "2026-03-02", "degrees": 1.5 } }));
    let request = asked(&scout).await;
    assert_eq!((&request["askerId"], &request["askerName"]), (&json!(asker.id), &json!("Asker")));
    assert_eq!((&request["body"]["degrees"], &request["protocolHash"]), (&json!(1.5), &json!(null)));
    let answered = reply(&scout, request["id"].as_str().unwrap(), json!({ "body": { "weather": "fair" } })).await;
    assert_eq!(answered.expect_status(200)["status"], "answered");
    assert_eq!(response(asking).await.expect_success(), json!({ "weather": "fair" }));
    // No request is pending any more.
    let waiting = scout.get("/api/v1/me/exchange/requests").await.expect_status(200);
    assert_eq!(waiting["items"], json!([]));
}

#[apply(either)]
async fn a_conversation_with_an_agent_has_several_rounds(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = speaker(&app, "Scout", &[WEATHER]).await;
    let answers = |request: &serde_json::Value| json!({ "body": format!("Round {}", request["round"]) });
    let _answering = Answering::with(&scout, answers);
    let (anyone, root) = (app.anonymous(), format!("/agora/agents/{}", scout.id));
    let hash = sha1(WEATHER);
    let begun = json!({ "protocolHash": hash, "body": "2026-03-02", "multiround": true });
    let begun = anyone.post(&root, begun).await.expect_status(200);
    assert_eq!((&begun["status"], &begun["body"]), (&json!("success"), &json!("Round 1")));
    let id = begun.text_at("/conversationId");
    let path = format!("{root}/conversations/{id}");
    let base64 = STANDARD.encode(hex::decode(&hash).unwrap());
    for name in [json!(null), json!(hash), json!(hash.to_uppercase()), json!(base64)] {
        anyone.post(&path, json!({ "protocolHash": name, "body": "2026-03-03" })).await.expect_success();
    }
    // The conversation belongs to this agent and to no other.
    let elsewhere = format!("/agora/conversations/{id}");
    anyone.post(&elsewhere, json!({ "body": "a" })).await.expect_problem(404, "not_found");
    let other = app.agent("Other").await;
    let elsewhere = format!("/agora/agents/{}/conversations/{id}", other.id);
    anyone.delete(&elsewhere).await.expect_problem(404, "not_found");
    anyone.delete(&path).await.expect_success();
    anyone.post(&path, json!({ "body": "a" })).await.expect_problem(404, "not_found");
}

#[apply(either)]
async fn an_agent_receives_requests_by_its_supported_documents(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = speaker(&app, "Scout", &[WEATHER]).await;
    let _answering = Answering::with(&scout, |_| json!({ "body": "fair" }));
    let (anyone, path) = (app.anonymous(), format!("/agora/agents/{}", scout.id));
    let asked = |hash: &str, source: &str| json!({ "protocolHash": hash, "protocolSources": [source], "body": "a" });
    let whole = format!("data:text/plain;charset=utf-8;base64,{}", STANDARD.encode(WEATHER));
    anyone.post(&path, asked(&sha1(WEATHER), &whole)).await.expect_success();
    anyone.post(&path, asked(&sha1(WEATHER), "https://example.org/weather.txt")).await.expect_success();
    let wrong = "A protocol source is not the document of protocolHash";
    anyone.post(&path, asked(&sha1(WEATHER), "data:text/plain,Weather")).await.expect_failure(wrong);
    anyone.post(&path, asked(&sha1("other"), "data:text/plain,other")).await.expect_failure("Unsupported protocol");
}

#[apply(either)]
async fn requests_to_missing_agents_fail_with_a_reason(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (anyone, owner) = (app.anonymous(), app.owner("Ada").await);
    let body = json!({ "body": "a" });
    for id in ["ag_01h2e8kqvbfwea724h75qc655w", "nobody"] {
        anyone.post(&format!("/agora/agents/{id}"), body.clone()).await.expect_problem(404, "not_found");
    }
    let gone = owner.agent("Gone").await;
    owner.delete(&format!("/api/v1/agents/{}", gone.id)).await.expect_status(204);
    let path = format!("/agora/agents/{}", gone.id);
    anyone.post(&path, body.clone()).await.expect_failure("The agent is not available");
    let suspended = owner.agent("Kept").await;
    let decision = json!({ "action": "suspend", "subject": suspended.id, "reason": "Spam" });
    app.operator("Op").await.post("/api/v1/moderation/actions", decision).await.expect_status(201);
    let path = format!("/agora/agents/{}", suspended.id);
    anyone.post(&path, body).await.expect_failure("The agent is not available");
}

#[apply(either)]
async fn an_agent_may_refuse_a_request_with_a_reason(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asking =
        ask(&app.anonymous(), &format!("/agora/agents/{}", scout.id), json!({ "body": "a", "multiround": true }));
    let request = asked(&scout).await;
    let id = request["id"].as_str().unwrap();
    for (answer, pointer) in [
        (json!({}), ""),
        (json!({ "body": "a", "failure": "b" }), ""),
        (json!({ "body": 1 }), "/body"),
        (json!({ "body": format!("My key is {}", scout.key) }), "/body"),
        (json!({ "failure": " " }), "/failure"),
    ] {
        let refused = reply(&scout, id, answer.clone()).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults()[0].0, pointer, "{answer}");
    }
    let failed = reply(&scout, id, json!({ "failure": "Ask me tomorrow" })).await.expect_status(200);
    assert_eq!(failed["status"], "failed");
    assert_eq!(response(asking).await.expect_failure("Ask me tomorrow")["conversationId"], json!(null));
}

#[apply(both)]
async fn the_first_of_two_responses_counts(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, other) = (app.agent("Scout").await, app.agent("Other").await);
    let asking = ask(&app.anonymous(), &format!("/agora/agents/{}", scout.id), json!({ "body": "a" }));
    let request = asked(&scout).await;
    let id = request["id"].as_str().unwrap();
    reply(&other, id, json!({ "body": "Mine" })).await.expect_problem(404, "not_found");
    let path = format!("/api/v1/exchange/requests/{id}/answer");
    let answer = json!({ "body": "First" });
    scout.post(&path, answer.clone()).key("k").await.expect_status(200);
    let again = scout.post(&path, answer).key("k").await.expect_status(200);
    assert_eq!(again.header("idempotency-replayed"), "true");
    reply(&scout, id, json!({ "body": "Second" })).await.expect_problem(409, "already_answered");
    assert_eq!(response(asking).await.expect_success(), "First");
}

#[apply(either)]
async fn a_response_after_the_deadline_is_refused(#[case] backend: Backend) {
    let app = impatient(backend).await;
    let scout = app.agent("Scout").await;
    let asking = ask(&app.anonymous(), &format!("/agora/agents/{}", scout.id), json!({ "body": "a" }));
    let request = asked(&scout).await;
    response(asking).await.expect_failure("The agent did not answer in time");
    let late = reply(&scout, request["id"].as_str().unwrap(), json!({ "body": "Late" })).await;
    late.expect_problem(410, "request_over");
}

#[apply(either)]
async fn a_request_ends_after_its_requester_has_disconnected(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asking = ask(&app.anonymous(), &format!("/agora/agents/{}", scout.id), json!({ "body": "a" }));
    let request = asked(&scout).await;
    asking.abort();
    app.advance(Duration::from_secs(20));
    // The request has expired, before any process has recorded that.
    let late = reply(&scout, request["id"].as_str().unwrap(), json!({ "body": "Late" })).await;
    late.expect_problem(410, "request_over");
    app.deliver().await;
    let seen = scout.get(&format!("/api/v1/exchanges/{}", request["exchangeId"].as_str().unwrap())).await;
    let seen = seen.expect_status(200);
    assert_eq!(seen["exchange"]["status"], "failed");
    assert_eq!(seen.each("reason").last(), Some(&json!("timed_out")));
}

#[apply(either)]
async fn exchange_requests_are_pushed_to_the_agent(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let receiver = Receiver::start();
    let scout = app.owner("Ada").await.agent_at("Scout", &receiver.url).await;
    let path = format!("/agora/agents/{}", scout.id);
    let asking = ask(&app.anonymous(), &path, json!({ "body": { "degrees": 1.5 }, "protocolHash": "negotiation" }));
    let waiting = asked(&scout).await;
    app.deliver().await;
    let pushes = receiver.take();
    let push = pushes.iter().find(|push| push.event == "exchange.request").expect("it was pushed");
    assert!(push.is_signed_with(&scout.webhook_secret));
    let data = push.json()["data"].clone();
    assert_eq!((&data["requestId"], &data["exchangeId"]), (&waiting["id"], &waiting["exchangeId"]));
    assert_eq!((&data["content"], &data["contentType"]), (&json!("{\"degrees\":1.5}"), &json!("application/json")));
    assert_eq!((&data["negotiation"], &data["round"]), (&json!(true), &json!(1)));
    let answer_url = data["answerUrl"].as_str().unwrap().replace("https://build.example", "");
    scout.post(&answer_url, json!({ "body": "Let us see." })).await.expect_status(200);
    assert_eq!(response(asking).await.expect_success(), "Let us see.");
    // An agent that receives a push also finds the event in its own list.
    let events = scout.get(&format!("/api/v1/agents/{}/events", scout.id)).await.expect_status(200);
    assert!(events["items"].to_string().contains("exchange.request"));
}

#[rstest::rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_at_another_replica_reaches_the_requester() {
    let app = TestApp::start(Backend::Postgres).await;
    let replica = app.replica().await;
    let scout = app.agent("Scout").await;
    let asking = ask(&app.anonymous().at(&replica), &format!("/agora/agents/{}", scout.id), json!({ "body": "a" }));
    let request = asked(&scout).await;
    reply(&scout, request["id"].as_str().unwrap(), json!({ "body": "b" })).await.expect_status(200);
    assert_eq!(response(asking).await.expect_success(), "b");
}

#[apply(either)]
async fn only_agents_receive_exchange_requests(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let owner = app.owner("Ada").await;
    owner.get("/api/v1/me/exchange/requests").await.expect_problem(403, "agent_required");
    let answer = json!({ "body": "a" });
    reply(&owner, "req_01h2e8kqvbfwea724h75qc655w", answer.clone()).await.expect_problem(403, "agent_required");
    let scout = owner.agent("Scout").await;
    reply(&scout, "req_01h2e8kqvbfwea724h75qc655w", answer.clone()).await.expect_problem(404, "not_found");
    reply(&scout, "nothing", answer).await.expect_problem(404, "not_found");
    let wrong = scout.get("/api/v1/me/exchange/requests?after=-1&limit=0&wait=31&x=1").await;
    let wrong = wrong.expect_problem(400, "invalid_parameter");
    assert_eq!(wrong.faults().len(), 4);
}
