//! The arena's pages: the same addresses as its documents, for browsers.

use buildtrack_domain::arena::tasks::Bank;
use buildtrack_tests::{Agent, Backend};
use futures_util::SinkExt;
use rstest_reuse::apply;
use serde_json::json;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message};

use super::{Arena, socket::Duelist};
use crate::{
    either,
    pages::{BROWSER, HOSTILE, browser::Browser, expect_page, person, public::reads},
};

const LISTS: [&str; 5] = ["/leaderboard", "/battles/live", "/replays", "/tasks.json", "/status.json"];

#[apply(either)]
async fn an_address_answers_browsers_with_a_page_and_programs_with_json(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    for path in LISTS {
        let page = person(&arena).get(path).await;
        expect_page(&page);
        for accept in ["*/*", "application/json", "application/json, text/html;q=0.9"] {
            let data = arena.anonymous().with_header("accept", accept).get(path).await.expect_status(200);
            assert_eq!(data.header("content-type"), "application/json", "{path} {accept}");
            assert_eq!(data.header("vary"), "authorization, accept");
            assert_ne!(data.header("etag"), page.header("etag"));
        }
        // The state names the time, which the clock of tests holds still.
        let known = person(&arena).with_header("if-none-match", page.header("etag"));
        assert_eq!(known.get(path).await.status, 304, "{path}");
    }
}

#[apply(either)]
async fn an_empty_arena_has_pages_that_say_what_to_do(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    for (path, words) in [
        ("/leaderboard?league=reasoning", "No agent has a rating in"),
        ("/battles/live", "No battle is played now."),
        ("/replays?league=trivia", "No battle has finished yet."),
    ] {
        let page = person(&arena).get(path).await;
        expect_page(&page);
        assert!(
            page.text.contains(words) && page.text.contains("/docs/guide/arena-playing#quick-start"),
            "{}",
            page.text
        );
    }
}

#[apply(either)]
async fn the_catalogue_shows_no_answer(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let page = person(&arena).get("/tasks.json?league=trivia").await;
    expect_page(&page);
    assert!(page.text.contains("trivia") && !page.text.contains("accepts"));
    let all = person(&arena).get("/tasks.json").await;
    assert_eq!(all.text.matches("<details").count(), Bank::bundled().iter().count());
}

#[apply(either)]
async fn an_error_is_a_page_that_helps(#[case] backend: Backend) {
    let arena = Arena::with(backend, |settings| settings.rate_limits = "anonymous=3".parse().unwrap()).await;
    let missing = person(&arena).get("/replays/match_01h2e8kqvbfwea724h75qc655w").await;
    assert_eq!((missing.status, missing.header("content-type")), (404, "text/html; charset=utf-8"));
    assert!(missing.text.contains("There is no such match.") && missing.text.contains("href=\"/leaderboard\""));
    assert!(missing.text.contains(missing.header("x-request-id")), "{}", missing.text);
    assert!(missing.header("content-security-policy").starts_with("default-src 'none'"));
    let hostile = person(&arena).get("/%3Cscript%3Ealert(1)%3C%2Fscript%3E").await;
    assert!(hostile.status == 404 && !hostile.text.contains("<script>"), "{}", hostile.text);
    let invalid = person(&arena).get("/leaderboard?league=%3Cb%3E").await;
    assert!(invalid.status == 400 && !invalid.text.contains("<b>"), "{}", invalid.text);
    let refused = person(&arena).get("/leaderboard").await;
    assert_eq!((refused.status, refused.header("content-type")), (429, "text/html; charset=utf-8"));
    assert!(!refused.header("retry-after").is_empty() && refused.text.contains("Try again in"), "{}", refused.text);
    // The API answers programs alone.
    let native = arena.anonymous().with_header("accept", BROWSER).get("/api/v1/nothing").await;
    assert_eq!(native.header("content-type"), "application/problem+json");
}

#[apply(either)]
async fn names_and_answers_of_agents_are_shown_as_text(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (mut one, mut other) = (arena.duelist(HOSTILE).await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&one.0, &other.0]).await;
    let _working = arena.work();
    let request = one.1.request().await;
    one.1.respond(&request, "<script>alert(1)</script>").await;
    other.1.play_turn(1, true).await;
    let address = format!("/replays/{match_id}");
    let second = one.1.request().await;
    assert_eq!(second["turn_number"], 2);
    for path in [&*address, "/battles/live"] {
        let page = person(&arena).get(path).await;
        expect_page(&page);
        assert!(!page.text.contains("<img") && page.text.contains("&#60;img src=x"), "{}", page.text);
        assert!(!page.text.contains("<script>alert"), "{}", page.text);
    }
    let page = person(&arena).get(&address).await;
    assert!(page.text.contains("&#60;script&#62;alert(1)"), "{}", page.text);
}

#[apply(either)]
async fn an_answer_is_not_on_the_page_before_its_turn_closes(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (mut one, mut other) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&one.0, &other.0]).await;
    let _working = arena.work();
    let request = one.1.request().await;
    one.1.respond(&request, "a secret answer").await;
    let address = format!("/replays/{match_id}");
    buildtrack_tests::eventually(async || {
        let page = person(&arena).get(&address).await;
        assert!(!page.text.contains("a secret answer"), "{}", page.text);
        page.text.contains("Sealed until the turn closes") && page.text.contains("data-commitment=\"1-0\"")
    })
    .await;
    other.1.play_turn(1, true).await;
    buildtrack_tests::eventually(async || person(&arena).get(&address).await.text.contains("a secret answer")).await;
}

#[apply(either)]
async fn an_unchanged_battle_is_answered_before_it_is_read(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let reader = person(&arena);
    let home = reader.get("/").await.expect_status(200);
    let (mut one, mut other) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    // Agents that connect are not on the log.
    reader.get("/").header("if-none-match", home.header("etag")).await.expect_status(200);
    let match_id = arena.challenge(&[&one.0, &other.0]).await;
    let _working = arena.work();
    let request = one.1.request().await;
    let address = format!("/replays/{match_id}");
    let page = reader.get(&address).await.expect_status(200);
    let unchanged = reader.get(&address).header("if-none-match", page.header("etag")).await.expect_status(304);
    assert!(reads(&unchanged) <= 2 && reads(&page) > 2, "{} and {} reads", reads(&unchanged), reads(&page));
    // Nor are reports.
    let mut reports = reporting(&arena, &one.0, &match_id).await;
    reports.send(Message::text(json!({ "type": "thinking", "message": "Hm" }).to_string())).await.unwrap();
    let changed = async || reader.get(&address).header("if-none-match", page.header("etag")).await.status == 200;
    buildtrack_tests::eventually(changed).await;
    let reported = reader.get(&address).await.expect_status(200);
    assert!(reported.text.contains("message: Hm"), "{}", reported.text);
    one.1.respond(&request, "An answer").await;
    other.1.play_turn(1, true).await;
    let changed = async || reader.get(&address).header("if-none-match", reported.header("etag")).await.status == 200;
    buildtrack_tests::eventually(changed).await;
}

/// Reports of an agent on a match.
async fn reporting(
    arena: &Arena,
    agent: &Agent,
    match_id: &str,
) -> WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>> {
    let address = format!("{}/v1/stream?match={match_id}&token={}", arena.url().replacen("http", "ws", 1), agent.token);
    connect_async(address).await.unwrap().0
}

#[apply(either)]
async fn a_browser_follows_a_battle_live_and_verifies_it(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)): ((Agent, Duelist), (Agent, Duelist)) =
        (arena.duelist(HOSTILE).await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let _working = arena.work();
    let mut browser = Browser::run("battle.mjs", &[&arena.url(), &match_id]);
    assert_eq!(browser.step().await, json!({ "step": "open", "status": "playing", "turns": 1 }));
    let mut reports = reporting(&arena, &scout, &match_id).await;
    let report = json!({ "type": "thinking", "message": "<img src=x onerror=document.title=1> live" });
    reports.send(Message::text(report.to_string())).await.unwrap();
    let seen = browser.step().await;
    assert_eq!(
        (&seen["step"], &seen["report"]),
        (&"report".into(), &"message: <img src=x onerror=document.title=1> live".into())
    );
    tokio::join!(one.play(true), other.play(false));
    let ended = browser.step().await;
    assert_eq!((&ended["step"], &ended["status"], &ended["turns"]), (&"end".into(), &"finished".into(), &10.into()));
    let scrubbed = browser.step().await;
    assert_eq!(scrubbed, json!({ "step": "scrub", "shown": [9], "hash": "#turn-9", "first": [1], "all": 10 }));
    let verified = browser.step().await;
    assert_eq!(verified["verdict"], "✓ 20 of 20 answers match their commitments; the seal holds.", "{verified}");
    assert_eq!(verified["matching"], 20);
    let checked = browser.step().await;
    assert_eq!(
        checked,
        json!({ "step": "checked", "complaints": [], "hosts": 1, "title": true, "findings": [], "plain": 10 })
    );
}
