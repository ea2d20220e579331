//! Messages on the socket that are wrong, too large or too many, and those that match no turn.

use buildtrack_tests::{Backend, eventually};
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{
    Message,
    protocol::frame::{
        Frame,
        coding::{Data, OpCode},
    },
};

use super::{Arena, enrolment_of, events_of, socket::response};
use crate::either;

#[apply(either)]
async fn pings_are_answered_with_their_id(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (_, mut scout) = arena.duelist("Scout").await;
    for id in [json!("ping-1"), json!(7), json!(null), json!({ "of": [1, 2] }), json!("ü\"\n")] {
        let pong = scout.ask(json!({ "type": "evalduel.ping", "id": id })).await;
        let expected = json!({ "type": "evalduel.pong", "id": id, "server_time": "2026-03-01T12:00:00.000Z" });
        assert_eq!(pong, expected);
    }
    assert_eq!(scout.ask(json!({ "type": "evalduel.ping" })).await["id"], Value::Null);
    scout.send(json!({ "type": "evalduel.ping", "id": "x".repeat(300) })).await;
    assert_eq!(scout.error().await, "invalid_message");
}

#[apply(either)]
async fn an_agent_reports_its_name_and_model(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (agent, mut scout) = arena.duelist("Scout").await;
    let answer =
        scout.ask(json!({ "type": "evalduel.agent.metadata", "name": "My Arena Agent", "model": "gpt-4.1" })).await;
    let expected = json!({
        "type": "evalduel.agent.metadata.updated", "name": "My Arena Agent", "model": "gpt-4.1",
        "server_time": "2026-03-01T12:00:00.000Z"
    });
    assert_eq!(answer, expected);
    let shown = agent.get(&enrolment_of(&agent)).await.expect_status(200);
    assert_eq!((&shown["reportedName"], &shown["reportedModel"]), (&"My Arena Agent".into(), &"gpt-4.1".into()));
    for name in [" ", &"x".repeat(101), "a\0b"] {
        scout.send(json!({ "type": "evalduel.agent.metadata", "name": name })).await;
        assert_eq!(scout.error().await, "invalid_message");
    }
}

#[apply(either)]
async fn messages_that_are_none_of_the_protocol_are_refused(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (_, mut scout) = arena.duelist("Scout").await;
    let deep = "[".repeat(5000);
    for text in [
        "",
        "{",
        "null",
        "[]",
        "7",
        "\"evalduel.ping\"",
        "{}",
        r#"{"type":7}"#,
        r#"{"type":"evalduel.unknown"}"#,
        r#"{"type":"evalduel.hello"}"#,
        r#"{"type":"evalduel.match.response"}"#,
        r#"{"type":"evalduel.match.response","match_id":7,"turn_id":"turn_1","output":"x"}"#,
        r#"{"type":"evalduel.agent.metadata","name":7}"#,
        r#"{"type":"evalduel.ping","id":1} x"#,
        &deep,
    ] {
        scout.send_frame(Message::text(text.to_owned())).await;
        let refused = scout.expect("evalduel.error").await;
        assert_eq!(refused["code"], "invalid_message", "{text}: {refused}");
        assert!(refused["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
    scout.send_frame(Message::binary(b"{\"type\":\"evalduel.ping\"}".to_vec())).await;
    assert_eq!(scout.error().await, "invalid_message");
    scout.expect_silence().await;
}

#[apply(either)]
async fn a_message_that_is_too_large_ends_the_connection(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (agent, mut scout) = arena.duelist("Scout").await;
    let large = json!({ "type": "evalduel.ping", "id": "x".repeat(300 * 1024) }).to_string();
    scout.send_frame(Message::text(large)).await;
    assert_eq!(scout.error().await, "message_too_large");
    assert_eq!(scout.closed().await, (1009, "message_too_large".to_owned()));
    // A new connection is welcome.
    super::socket::Duelist::connect(&arena, &agent).await.expect_silence().await;
}

#[apply(either)]
async fn a_message_that_is_too_large_in_several_frames_ends_the_connection(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (_, mut scout) = arena.duelist("Scout").await;
    let frame = |kind, text: String, is_last| Message::Frame(Frame::message(text, OpCode::Data(kind), is_last));
    let [begin, end] = [r#"{"type":"evalduel.ping","id":""#, "\"}"].map(str::to_owned);
    scout.send_frame(frame(Data::Text, begin.clone(), false)).await;
    scout.send_frame(frame(Data::Continue, "x".repeat(200), false)).await;
    scout.send_frame(frame(Data::Continue, end, true)).await;
    assert_eq!(scout.expect("evalduel.pong").await["id"], "x".repeat(200));
    scout.send_frame(frame(Data::Text, begin, false)).await;
    for _ in 0..3 {
        scout.send_frame(frame(Data::Continue, "x".repeat(100 * 1024), false)).await;
    }
    assert_eq!(scout.error().await, "message_too_large");
    assert_eq!(scout.closed().await, (1009, "message_too_large".to_owned()));
}

#[apply(either)]
async fn metadata_that_is_no_object_is_ignored(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    for (duelist, metadata) in [(&mut one, json!("It is known.")), (&mut other, json!(["It is known.", 0.5]))] {
        let mut answer = response(&duelist.request().await, "x");
        answer["metadata"] = metadata;
        duelist.send(answer).await;
    }
    eventually(async || events_of(&arena.shown(&match_id).await, "match.answered").len() == 2).await;
    arena.deliver().await;
    let revealed = events_of(&arena.shown(&match_id).await, "match.answer_revealed");
    let said = |field: &str| revealed.iter().filter(|answer| !answer[field].is_null()).count();
    assert_eq!((revealed.len(), said("output"), said("rationale"), said("confidence")), (2, 2, 0, 0), "{revealed:?}");
}

#[apply(either)]
async fn an_agent_that_sends_too_many_messages_loses_its_connection(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (_, mut scout) = arena.duelist("Scout").await;
    for number in 0..61 {
        scout.send(json!({ "type": "evalduel.ping", "id": number })).await;
    }
    for number in 0..60 {
        assert_eq!(scout.expect("evalduel.pong").await["id"], number);
    }
    let refused = scout.expect("evalduel.error").await;
    assert_eq!((&refused["code"], &refused["retry_after_seconds"]), (&"backpressure_busy".into(), &30.into()));
    assert_eq!(scout.closed().await.0, 1008);
}

#[apply(either)]
async fn answers_that_match_no_open_turn_are_refused(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let (_, mut stranger) = arena.duelist("Stranger").await;
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let request = one.request().await;
    other.request().await;
    let with = |field: &str, value: Value| {
        let mut answer = response(&request, "x");
        answer[field] = value;
        answer
    };
    for (answer, code) in [
        (with("match_id", "match_01h2e8kqvbfwea724h75qc655w".into()), "unknown_match"),
        (with("match_id", "match_x".into()), "unknown_match"),
        (with("match_id", scout.id.clone().into()), "unknown_match"),
        (with("turn_id", "turn_2".into()), "wrong_turn"),
        (with("turn_id", "turn_0".into()), "wrong_turn"),
        (with("turn_id", "turn_99999999999".into()), "wrong_turn"),
        (with("turn_id", "1".into()), "wrong_turn"),
        (with("turn_id", "x".repeat(5000).into()), "wrong_turn"),
        (with("output", Value::Null), "invalid_message"),
        (with("output", "a\0b".into()), "invalid_message"),
        (with("output", "x".repeat(65_537).into()), "message_too_large"),
        (with("output", "x".repeat(250_000).into()), "message_too_large"),
    ] {
        let refused = one.ask(answer.clone()).await;
        assert_eq!(refused["code"], code, "{refused}");
        let shortened: String = answer["turn_id"].as_str().unwrap().chars().take(64).collect();
        assert_eq!((&refused["match_id"], &refused["turn_id"]), (&answer["match_id"], &shortened.into()));
    }
    stranger.send(response(&request, "x")).await;
    assert_eq!(stranger.error().await, "not_your_match");
    assert!(events_of(&arena.shown(&match_id).await, "match.answered").is_empty());
    // The first answer counts, of any JSON type.
    one.send(with("output", json!({ "b": 1, "a": [true] }))).await;
    one.respond(&request, "second thoughts").await;
    assert_eq!(one.error().await, "already_answered");
    other.respond(&request, "y").await;
    eventually(async || events_of(&arena.shown(&match_id).await, "match.answered").len() == 2).await;
    one.respond(&request, "third thoughts").await;
    assert_eq!(one.error().await, "already_answered");
    arena.deliver().await;
    one.request().await;
    one.respond(&request, "too late").await;
    assert_eq!(one.error().await, "wrong_turn");
    let revealed = events_of(&arena.shown(&match_id).await, "match.answer_revealed");
    assert_eq!(revealed[0]["output"], r#"{"a":[true],"b":1}"#);
}

#[apply(either)]
async fn answers_to_a_match_that_is_over_are_refused(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    arena.challenge(&[&scout, &ranger]).await;
    let request = one.request().await;
    one.solve(&request, true).await;
    let _working = arena.work();
    tokio::join!(one.play(true), other.play(true));
    one.respond(&request, "x").await;
    assert_eq!(one.error().await, "match_over");
}
