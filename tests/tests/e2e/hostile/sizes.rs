//! No answer exceeds 1 MiB: long matches come in parts, and pages of long texts end early.

use buildtrack_domain::{
    actors::{Actor, ActorKind},
    arena::{
        matches::{
            AnswerRevealed, Channel, Commitment, MatchCreated, MatchEvent, Mode, Seat, TaskRef, TurnAnswered,
            TurnJudged, TurnOpened, TurnResult,
        },
        tasks::League,
    },
    ids::{AgentId, MatchId, MessageId, OwnerId, WorkspaceId},
    mentions::Recipients,
    workspaces::{MessageEvent, MessageKind, MessagePosted},
};
use buildtrack_store::StoreError;
use buildtrack_tests::{Agent, Backend, TestApp};
use rstest_reuse::apply;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    either,
    pages::{expect_page, person},
};

const MIB: usize = 1024 * 1024;
/// The longest answer of an agent.
const ANSWER: usize = 65_000;

/// A match that goes on, with an answer of the maximum length by each seat in each turn but the last, which is open. Only the number of
/// seats and turns and the length of answers bound it, so that it is written without its players.
async fn long_match(app: &TestApp, seats: u16, turns: u16) -> MatchId {
    let clock = app.store().log().clock();
    let match_id = MatchId::new(clock.uuid());
    let seat = |number: u16| {
        let (agent_id, owner_id) = (AgentId::new(clock.uuid()), OwnerId::new(clock.uuid()));
        let name = format!("Player & {number}");
        let agent = Actor { id: agent_id.into(), name, kind: ActorKind::AiAgent, model: None };
        Seat { agent, agent_id, owner_id, channel: Channel::Push }
    };
    let (league, mode, challenger_id) = (League::Trivia, Mode::Challenge, Some(OwnerId::new(clock.uuid())));
    let seats: Vec<_> = (0..seats).map(seat).collect();
    let created = MatchCreated { match_id, league, mode, turn_count: turns, challenger_id, seats: seats.clone() };
    let begun = app.store().log().transact(None, async |unit| {
        let mut events: Vec<MatchEvent> = vec![created.clone().into()];
        for turn in 1..=turns {
            events.extend(turn_of(app, match_id, (turn, turn == turns), &seats));
        }
        unit.begin(match_id, events);
        Ok::<_, StoreError>(())
    });
    begun.await.unwrap();
    match_id
}

fn turn_of(app: &TestApp, match_id: MatchId, (turn, is_open): (u16, bool), seats: &[Seat]) -> Vec<MatchEvent> {
    let now = app.store().log().clock().now();
    let task = TaskRef { id: format!("own-{turn}"), version: 1, hash: "ab".to_owned() };
    let (due_at, sides) = (now + chrono::TimeDelta::minutes(5), vec![]);
    let mut events = vec![TurnOpened { match_id, turn, task, opened_at: now, due_at, sides }.into()];
    if is_open {
        return events;
    }
    let numbers = 0..u16::try_from(seats.len()).unwrap();
    let output = |seat: u16| format!("{turn}/{seat}<{}", "x".repeat(ANSWER));
    let answered = |seat| -> MatchEvent {
        let commitment = Commitment::of(&[7; 16], &output(seat));
        TurnAnswered { match_id, turn, seat, commitment, latency_ms: 5 }.into()
    };
    let revealed = |seat| -> MatchEvent {
        let (salt, output) = (hex::encode([7; 16]), output(seat));
        AnswerRevealed { match_id, turn, seat, output, salt, rationale: None, confidence: None }.into()
    };
    let result = |seat| TurnResult { seat, score: 1000, reason: "correct".to_owned() };
    events.extend(numbers.clone().map(answered).chain(numbers.clone().map(revealed)));
    let results = numbers.map(result).collect();
    events.push(TurnJudged { match_id, turn, results, judge: "test".to_owned() }.into());
    events
}

/// All entries of a list, of whose pages each has at most 1 MiB; and the number of pages.
async fn whole(caller: &Agent, path: &str, list: &str) -> (Vec<Value>, usize) {
    let (mut entries, mut pages, mut cursor) = (vec![], 0, String::new());
    loop {
        let sign = if path.contains('?') { '&' } else { '?' };
        let page = caller.get(&format!("{path}{}", cursor.replace('?', &sign.to_string()))).await.expect_status(200);
        assert!(page.text.len() <= MIB, "{path}{cursor}: {} bytes", page.text.len());
        let more = page[list].as_array().unwrap();
        assert!(!more.is_empty(), "{path}{cursor}");
        entries.extend(more.iter().cloned());
        pages += 1;
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("?cursor={next}"),
            None => return (entries, pages),
        }
    }
}

#[apply(either)]
async fn a_match_with_many_long_answers_comes_in_parts(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let reader = app.agent("Reader").await;
    let match_id = long_match(&app, 50, 5).await;
    let logged = app.store().arena().match_log(match_id).await.unwrap();
    let hashes: Vec<_> = logged.iter().map(|event| event.hash.clone()).collect();
    for path in [format!("/api/v1/arena/matches/{match_id}"), format!("/replays/{match_id}")] {
        let (events, parts) = whole(&reader, &path, "events").await;
        let shown: Vec<_> = events.iter().map(|event| event["hash"].as_str().unwrap()).collect();
        assert_eq!(shown, hashes, "all parts together are the whole");
        assert!(parts > 13, "{parts}");
        let texts = events.iter().filter(|event| event["type"] == "match.answer_revealed");
        assert_eq!(texts.filter(|event| event["data"]["output"].as_str().unwrap().len() > ANSWER).count(), 200);
        // A limit counts events, and the header names the next part.
        let first = reader.get(&format!("{path}?limit=3")).await.expect_status(200);
        assert_eq!(first["events"].as_array().unwrap().len(), 3);
        assert!(first.header("link").contains("rel=\"next\""), "{}", first.header("link"));
        reader.get(&format!("{path}?limit=0")).await.expect_status(400);
        reader.get(&format!("{path}?cursor=x")).await.expect_status(400);
    }
    let (events, _) = whole_log(&reader).await;
    assert!(events > 400, "{events}");
}

/// The number of events on the log, and of the pages.
async fn whole_log(reader: &Agent) -> (usize, usize) {
    let (mut events, mut pages, mut after) = (0, 0, 0);
    loop {
        let page = reader.get(&format!("/api/v1/log?limit=200&after={after}")).await.expect_status(200);
        assert!(page.text.len() <= MIB, "after {after}: {} bytes", page.text.len());
        let items = page["items"].as_array().unwrap();
        let Some(last) = items.last() else { return (events, pages) };
        let first = items[0]["position"].as_i64().unwrap();
        assert_eq!(first, after + 1, "no event is left out");
        (after, events, pages) = (last["position"].as_i64().unwrap(), events + items.len(), pages + 1);
    }
}

#[apply(either)]
async fn the_page_of_a_long_match_shows_some_turns_and_the_beginnings_of_answers(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let match_id = long_match(&app, 100, 5).await;
    for (asked, shown) in [("", 5), ("?turn=2", 2), ("?turn=99", 5), ("?turn=x", 5)] {
        let page = person(&app).get(&format!("/replays/{match_id}{asked}")).await;
        expect_page(&page);
        assert!(page.text.len() <= MIB, "{} bytes", page.text.len());
        assert_eq!(page.text.matches("data-page").count(), 4, "one turn has its answers here");
        assert!(!page.text.contains(&format!("href=\"?turn={shown}#")), "{asked}");
    }
    let page = person(&app).get(&format!("/replays/{match_id}?turn=2")).await;
    assert_eq!(page.text.matches("xxx…").count(), 100);
    // Each shortened answer names the part that has the whole one.
    let rest = page.text.split("/api/v1/arena/matches/").nth(1).unwrap().split('"').next().unwrap();
    let part = app
        .anonymous()
        .get(&format!("/api/v1/arena/matches/{}", rest.replace("&#38;", "&").replace("&amp;", "&")))
        .await;
    let part = part.expect_status(200);
    let data = &part["events"][0]["data"];
    assert_eq!((&data["turn"], &data["seat"], part["events"].as_array().unwrap().len()), (&2.into(), &0.into(), 1));
    assert!(data["output"].as_str().unwrap().len() > ANSWER);
}

#[apply(either)]
async fn pages_of_long_texts_end_early_and_lose_nothing(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Long texts").await;
    let workspace_id: WorkspaceId = track.id.parse().unwrap();
    let agent = app.store().identity().agent(scout.id.parse().unwrap()).await.unwrap().unwrap();
    let author = Actor { id: agent.id.into(), name: agent.name, kind: ActorKind::AiAgent, model: Some(agent.model) };
    let posted = app.store().log().transact(None, async |unit| {
        for _ in 0..60 {
            let (message_id, author) = (MessageId::new(app.store().log().clock().uuid()), author.clone());
            // Longer as JSON, and longer once more within it.
            let (kind, content, reply_to) = (MessageKind::Update, "\"\u{1}".repeat(10_000), None);
            let concerns = Recipients::default();
            let posted = MessagePosted { message_id, workspace_id, author, kind, content, reply_to, concerns };
            unit.begin(posted.message_id, [MessageEvent::from(posted)]);
        }
        Ok::<_, StoreError>(())
    });
    posted.await.unwrap();
    for order in ["asc", "desc"] {
        let (messages, pages) = whole(&scout, &format!("{}?limit=200&order={order}", track.messages()), "items").await;
        let ids: std::collections::BTreeSet<_> = messages.iter().map(|message| message["id"].to_string()).collect();
        assert_eq!((messages.len(), ids.len()), (60, 60));
        assert!((9..=20).contains(&pages), "{pages}");
    }
    let (events, pages) = whole_log(&scout).await;
    assert!(events > 60 && pages > 10, "{events} events on {pages} pages");
}

#[apply(either)]
async fn the_seal_of_a_replay_covers_the_events_of_all_parts(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let reader = app.agent("Reader").await;
    let match_id = long_match(&app, 20, 3).await;
    end(&app, match_id).await;
    let (events, parts) = whole(&reader, &format!("/replays/{match_id}"), "events").await;
    assert!(parts > 3, "{parts}");
    let lines: String = events.iter().flat_map(|event| [event["hash"].as_str().unwrap(), "\n"]).collect();
    let seal = hex::encode(Sha256::digest(lines));
    for path in [format!("/replays/{match_id}"), format!("/replays/{match_id}?limit=1")] {
        assert_eq!(reader.get(&path).await.expect_status(200)["seal"], seal, "each part has the seal of the whole");
    }
}

/// An operator ends the match.
async fn end(app: &TestApp, match_id: MatchId) {
    use buildtrack_domain::{
        arena::matches::{Match, VoidMatch, VoidReason},
        decide::Command,
    };
    let ended = app.store().log().transact(None, async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        let void = VoidMatch { reason: VoidReason::Operator, evidence: "test".to_owned() };
        unit.append(match_id, &state, void.decide(&state.state).unwrap());
        Ok::<_, StoreError>(())
    });
    ended.await.unwrap();
}
