//! `/api/v1/exchanges`: access to transcripts, publication and redaction

use std::time::Duration;

use buildtrack_tests::{Agent, Backend, Owner, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Answering, ask, asked, reply, response};
use crate::both;

/// Two agents of two owners, and an exchange that the first one requested from the second.
struct Pair {
    app: TestApp,
    owners: [Owner; 2],
    asker: Agent,
    answerer: Agent,
    path: String,
}

impl Pair {
    async fn start(backend: Backend) -> Self {
        let app = TestApp::start(backend).await;
        let owners = [app.owner("Ada").await, app.owner("Ben").await];
        let (asker, answerer) = (owners[0].agent("Asker").await, owners[1].agent("Answerer").await);
        let _answering = Answering::with(&answerer, |_| json!({ "body": "It was me in the library." }));
        let question = json!({ "body": "Who was it in the kitchen?" });
        asker.post(&format!("/agora/agents/{}", answerer.id), question).await.expect_success();
        let listed = asker.get("/api/v1/exchanges").await.expect_status(200);
        let path = format!("/api/v1/exchanges/{}", listed.text_at("/items/0/id"));
        Self { app, owners, asker, answerer, path }
    }
}

#[apply(both)]
async fn only_both_parties_and_their_owners_read_a_transcript(#[case] backend: Backend) {
    let pair = Pair::start(backend).await;
    let stranger = pair.app.agent("Stranger").await;
    for caller in [&*pair.asker, &*pair.answerer, &*pair.owners[0], &*pair.owners[1]] {
        let seen = caller.get(&pair.path).await.expect_status(200);
        assert_eq!(seen.each("type"), ["exchange.opened", "exchange.asked", "exchange.answered"]);
        assert_eq!(seen["items"][2]["body"], "It was me in the library.");
        assert_eq!(seen["exchange"]["status"], "done");
    }
    for caller in [&*stranger, &pair.app.anonymous()] {
        caller.get(&pair.path).await.expect_problem(404, "not_found");
    }
    stranger.act(&format!("{}/publication", pair.path)).await.expect_problem(404, "not_found");
    stranger.delete(&format!("{}/words", pair.path)).await.expect_problem(404, "not_found");
}

#[apply(both)]
async fn a_transcript_can_be_verified_against_hashes_on_the_log(#[case] backend: Backend) {
    let pair = Pair::start(backend).await;
    let log = pair.app.anonymous().get("/api/v1/log?limit=200").await.expect_status(200);
    assert!(!log.text.contains("kitchen") && !log.text.contains("library"));
    let seen = pair.asker.get(&pair.path).await.expect_status(200);
    for entry in seen["items"].as_array().unwrap() {
        let logged =
            log["items"].as_array().unwrap().iter().find(|event| event["position"] == entry["position"]).unwrap();
        let salt = hex::decode(entry["salt"].as_str().unwrap()).unwrap();
        let hash = Sha256::new().chain_update(salt).chain_update(entry["data"].as_str().unwrap()).finalize();
        assert_eq!(logged["dataHash"], hex::encode(hash));
        assert_eq!((&logged["type"], &logged["visibility"]), (&json!("private"), &json!("private")));
        // The log does not show the parties either.
        assert_eq!((&logged["data"], &logged["metadata"]), (&Value::Null, &json!("{}")));
    }
}

#[apply(both)]
async fn lists_are_filtered(#[case] backend: Backend) {
    let pair = Pair::start(backend).await;
    pair.asker.post("/agora", json!({ "body": "Hello", "multiround": true })).await.expect_success();
    let second = pair.owners[0].agent("Second").await;
    let refusing = pair.app.agent("Refusing").await;
    let _answering = Answering::with(&refusing, |_| json!({ "failure": "Refused" }));
    let question = json!({ "body": "Is anybody there?" });
    second.post(&format!("/agora/agents/{}", refusing.id), question).await.expect_failure("Refused");
    let count = async |caller: &buildtrack_tests::Caller, query: &str| {
        caller.get(&format!("/api/v1/exchanges?{query}")).await.expect_status(200).each("id").len()
    };
    let [ada, ben] = &pair.owners;
    assert_eq!((count(ada, "").await, count(ben, "").await), (3, 1));
    assert_eq!((count(&pair.asker, "").await, count(&pair.answerer, "").await), (2, 1));
    assert_eq!(count(ada, &format!("agent={}", second.id)).await, 1);
    // A filter for other parties shows no private exchanges.
    assert_eq!(count(ben, &format!("agent={}", second.id)).await, 0);
    assert_eq!((count(ada, "role=asker").await, count(ada, "role=answerer").await), (3, 0));
    assert_eq!((count(ben, "role=asker").await, count(ben, "role=answerer").await), (0, 1));
    let statuses = async |status: &str| count(ada, &format!("status={status}")).await;
    assert_eq!((statuses("open").await, statuses("done").await, statuses("failed").await), (1, 1, 1));
    assert_eq!((statuses("expired").await, statuses("waiting").await, statuses("closed").await), (0, 0, 0));
    pair.app.advance(Duration::from_mins(5));
    assert_eq!((statuses("open").await, statuses("expired").await), (0, 1));
    assert_eq!(count(ada, "document=a9993e364706816aba3e25717850c26c9cd0d89d").await, 0);
    let first = ada.get("/api/v1/exchanges?limit=2").await.expect_status(200);
    let rest = ada.get(&format!("/api/v1/exchanges?limit=2&cursor={}", first.text_at("/nextCursor"))).await;
    assert_eq!((rest.each("id").len(), &rest["nextCursor"]), (1, &Value::Null));
    let wrong = ada.get("/api/v1/exchanges?agent=x&role=both&status=new&document=y").await;
    assert_eq!(wrong.expect_problem(400, "invalid_parameter").faults().len(), 4);
}

#[apply(both)]
async fn a_transcript_is_public_after_both_sides_published_it(#[case] backend: Backend) {
    let pair = Pair::start(backend).await;
    let publication = format!("{}/publication", pair.path);
    let anyone = pair.app.anonymous();
    let published = pair.asker.act(&publication).await.expect_status(200);
    assert_eq!((&published["publishedBy"], &published["public"]), (&json!(["asker"]), &json!(false)));
    pair.asker.act(&publication).await.expect_status(200);
    anyone.get(&pair.path).await.expect_problem(404, "not_found");
    let published = pair.owners[1].act(&publication).await.expect_status(200);
    assert_eq!(published["public"], true);
    let seen = anyone.get(&pair.path).await.expect_status(200);
    assert_eq!(seen["items"][1]["body"], "Who was it in the kitchen?");
    assert_eq!(seen.each("side")[3..], [json!("asker"), json!("answerer")]);
    let stranger = pair.app.agent("Stranger").await;
    stranger.act(&publication).await.expect_problem(403, "not_your_exchange");
    // Either side can redact its texts.
    pair.answerer.delete(&format!("{}/words", pair.path)).await.expect_status(204);
    anyone.get(&pair.path).await.expect_problem(404, "not_found");
    pair.asker.act(&publication).await.expect_problem(409, "redacted");
}

#[apply(both)]
async fn the_requester_alone_publishes_an_exchange_with_the_server(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let begun = scout.post("/agora", json!({ "body": "Hello", "multiround": true })).await.expect_status(200);
    let id = scout.get("/api/v1/exchanges").await.text_at("/items/0/id");
    let publication = format!("/api/v1/exchanges/{id}/publication");
    scout.act(&publication).await.expect_problem(409, "exchange_open");
    scout.delete(&format!("/agora/conversations/{}", begun.text_at("/conversationId"))).await.expect_success();
    assert_eq!(scout.act(&publication).await.expect_status(200)["public"], true);
    let seen = app.anonymous().get(&format!("/api/v1/exchanges/{id}")).await.expect_status(200);
    assert_eq!(seen.each("type").last(), Some(&json!("exchange.published")));
    // The conversation id grants access to the conversation: the public transcript does not contain it.
    assert!(!seen.text.contains(&begun.text_at("/conversationId")));
}

#[apply(both)]
async fn redacted_texts_are_in_no_response_and_no_table(#[case] backend: Backend) {
    let pair = Pair::start(backend).await;
    let words = format!("{}/words", pair.path);
    pair.owners[0].delete(&words).await.expect_status(204);
    pair.owners[0].delete(&words).await.expect_status(204);
    let dump = pair.app.dump().await;
    assert!(!dump.contains("kitchen") && !dump.contains("library"));
    let seen = pair.answerer.get(&pair.path).await.expect_status(200);
    assert_eq!(seen.each("type"), ["exchange.redacted"]);
    assert_eq!((&seen["exchange"]["redacted"], &seen["exchange"]["status"]), (&json!(true), &json!("done")));
    assert_eq!(seen["exchange"]["askerName"], "Asker");
}

#[apply(both)]
async fn redaction_ends_a_conversation(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, anyone) = (app.agent("Scout").await, app.agent("Asker").await);
    let root = format!("/agora/agents/{}", scout.id);
    let begun = {
        let _answering = Answering::with(&scout, |_| json!({ "body": "Begun" }));
        anyone.post(&root, json!({ "body": "One", "multiround": true })).await.expect_status(200)
    };
    let path = format!("{root}/conversations/{}", begun.text_at("/conversationId"));
    let second = ask(&anyone, &path, json!({ "body": "Two" }));
    let request = asked(&scout).await;
    let transcript = format!("/api/v1/exchanges/{}", request["exchangeId"].as_str().unwrap());
    scout.delete(&format!("{transcript}/words")).await.expect_status(204);
    response(second).await.expect_failure("The conversation was ended");
    let late = reply(&scout, request["id"].as_str().unwrap(), json!({ "body": "Late" })).await;
    late.expect_problem(404, "not_found");
    anyone.post(&path, json!({ "body": "Three" })).await.expect_problem(404, "not_found");
    assert_eq!(anyone.get(&transcript).await.expect_status(200)["exchange"]["status"], "closed");
}

#[apply(both)]
async fn an_expired_conversation_is_reported_as_expired_after_redaction(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let begun = scout.post("/agora", json!({ "body": "Hello", "multiround": true })).await.expect_status(200);
    let id = scout.get("/api/v1/exchanges").await.text_at("/items/0/id");
    app.advance(Duration::from_mins(5));
    scout.delete(&format!("/api/v1/exchanges/{id}/words")).await.expect_status(204);
    let path = format!("/agora/conversations/{}", begun.text_at("/conversationId"));
    scout.post(&path, json!({ "body": "Two" })).await.expect_failure("Conversation expired");
}
