//! Bounds of stored responses: those stored for idempotent retries, and those of exchange rounds

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::{Map, Value, json};

use super::bodies::bounded;
use crate::either;

/// Maximum bytes of the texts of an exchange round, as JSON.
const ROUND_MAX: usize = 320 * 1024;

#[apply(either)]
async fn a_large_refusal_is_not_stored_for_retries(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let small = json!({ "name": 1 });
    let large = json!((0..1000).map(|index| (format!("{index}{}", "é".repeat(90)), json!(0))).collect::<Map<_, _>>());
    for (key, body, replayed) in [("small", small, "true"), ("large", large, "")] {
        let first = scout.post("/api/v1/workspaces", body.clone()).key(key).await.expect_status(422);
        bounded(&first);
        let again = scout.post("/api/v1/workspaces", body).key(key).await.expect_status(422);
        assert_eq!(again.header("idempotency-replayed"), replayed, "{key}");
        assert_eq!(again["errors"], first["errors"]);
    }
    // A response that is not stored takes no capacity from other requests.
    let right = json!({ "name": "a", "description": "b", "tags": [], "status": "open", "messageCount": 0 });
    scout.post("/api/v1/workspaces", right).key("large").await.expect_status(201);
}

#[apply(either)]
async fn an_agents_response_is_at_most_as_large_as_a_request(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, asker) = (app.agent("Scout").await, app.agent("Asker").await);
    let path = format!("/agora/agents/{}", scout.id);
    let asking = tokio::spawn(async move { asker.post(&path, json!({ "body": "How much?" })).await });
    let waiting = scout.get("/api/v1/me/exchange/requests?wait=30").await.expect_status(200);
    let answer = format!("/api/v1/exchange/requests/{}/answer", waiting.text_at("/items/0/id"));
    let large = scout.post(&answer, json!({ "body": "x".repeat(ROUND_MAX) })).await;
    bounded(&large.expect_problem(413, "body_too_large"));
    // It counts as it was sent: a parser would write four times as many bytes.
    let numbers = format!("{{\"a\":[{}0]}}", "1e15,".repeat(60_000));
    let body = format!("{{\"body\":{numbers}}}");
    scout.send("POST", &answer).body("application/json", body).await.expect_status(200);
    let answered = asking.await.unwrap();
    assert!(answered.text.contains(&numbers) && answered.text.len() <= ROUND_MAX);
}

#[apply(either)]
async fn exchange_requests_have_the_size_limit_of_requests(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let head = app.store().log().tail().head();
    let large = app.anonymous().post("/agora", json!({ "body": "x".repeat(ROUND_MAX) })).await;
    large.expect_problem(413, "body_too_large");
    assert_eq!(app.store().log().tail().head(), head);
    let numbers = format!("{{\"body\":{{\"a\":[{}0]}}}}", "1e15,".repeat(60_000));
    app.anonymous().send("POST", "/agora").body("application/json", numbers).await.expect_success();
}

#[apply(either)]
async fn the_server_responds_with_as_many_messages_as_fit(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, anyone) = (app.agent("Scout").await, app.anonymous());
    let track = scout.open("Long texts").await;
    for letter in ["\u{1}", "\"", "é", "x"] {
        scout.post_message(&track, &format!("{}x", letter.repeat(19_000))).await;
    }
    let found = anyone.get("/api/v1/protocols?name=Buildtrack%20messages").await;
    let hash = found.text_at("/items/0/hash");
    for textual in [false, true] {
        let (mut cursor, mut seen, mut rounds) = (Value::Null, vec![], 0);
        while rounds == 0 || !cursor.is_null() {
            let mut read = json!({ "action": "read", "trackId": track.id, "limit": 50 });
            if !cursor.is_null() {
                read["cursor"] = cursor;
            }
            let body = if textual { json!(read.to_string()) } else { read };
            let answered = anyone.post("/agora", json!({ "protocolHash": hash, "body": body })).await.expect_success();
            assert!(answered.to_string().len() <= ROUND_MAX);
            let shown = answered.as_str().map_or_else(|| answered.clone(), |text| serde_json::from_str(text).unwrap());
            seen.extend(shown["messages"].as_array().unwrap().iter().map(|message| message["id"].clone()));
            cursor = shown["nextCursor"].clone();
            rounds += 1;
        }
        assert!((2..=4).contains(&rounds), "{rounds}");
        assert_eq!(json!(seen), json!(anyone.get(&track.messages()).await.each("id")));
    }
}

#[apply(either)]
async fn transcript_pages_have_a_bounded_size(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let asker = app.agent("Asker").await;
    let begun = asker.post("/agora", json!({ "body": "x".repeat(300_000), "multiround": true })).await;
    let path = format!("/agora/conversations/{}", begun.expect_status(200).text_at("/conversationId"));
    for _ in 0..4 {
        asker.post(&path, json!({ "body": "x".repeat(300_000) })).await.expect_success();
    }
    let exchange = format!("/api/v1/exchanges/{}", asker.get("/api/v1/exchanges").await.text_at("/items/0/id"));
    let (mut cursor, mut seen, mut pages) = (String::new(), 0, 0);
    loop {
        let page = asker.get(&format!("{exchange}?limit=200{cursor}")).await.expect_status(200);
        // An entry contains each text twice: as sent, and as hashed.
        assert!(page.text.len() <= 1024 * 1024, "{} bytes", page.text.len());
        (seen, pages) = (seen + page["items"].as_array().unwrap().len(), pages + 1);
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert!(seen == 11 && (5..=11).contains(&pages), "{seen} entries on {pages} pages");
}
