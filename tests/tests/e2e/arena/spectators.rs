//! `/v1/stream`, as a spectator: what it is shown, from where, how late, and what it is told if it reads too slowly.

use std::time::Duration;

use buildtrack_store::{ArenaChange, NewReport};
use buildtrack_tests::{Backend, events};
use futures_util::{SinkExt, StreamExt};
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio::{net::TcpSocket, time::timeout};
use tokio_tungstenite::{MaybeTlsStream, client_async, tungstenite::Message};

use super::{
    Arena,
    reports::{Stream, reporting, send_report},
    socket,
};
use crate::either;

/// How long news may take to arrive.
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes that the operating system receives for a spectator that does not read.
const RECEIVED: u32 = 128 * 1024;
/// Reports that the server keeps of an agent, and for a slow spectator.
const OF_AGENT: usize = 200;
const WAITING: usize = 256;
/// Approximate bytes that the server and the operating system hold for a connection beside those.
const SOCKETS: usize = 10 * 1024 * 1024;

/// A client that watches a match.
struct Spectator(Stream);

impl Spectator {
    async fn watch(arena: &Arena, query: &str) -> Self {
        let (socket, url) = (TcpSocket::new_v4().unwrap(), arena.url());
        socket.set_recv_buffer_size(RECEIVED).unwrap();
        let host = url.strip_prefix("http://").unwrap();
        let stream = socket.connect(host.parse().unwrap()).await.unwrap();
        let address = format!("ws://{host}/v1/stream?{query}");
        Self(client_async(address, MaybeTlsStream::Plain(stream)).await.unwrap().0)
    }

    async fn frame(&mut self) -> Message {
        timeout(PATIENCE, self.0.next()).await.expect("news in time").expect("the stream is open").unwrap()
    }

    /// The next message.
    async fn next(&mut self) -> Value {
        loop {
            match self.frame().await {
                Message::Text(text) => {
                    let news = serde_json::from_str(&text).unwrap();
                    events::check_spectated(&news);
                    return news;
                }
                Message::Ping(_) => {}
                other => panic!("no news, but {other:?}"),
            }
        }
    }

    /// The next state of the match that holds.
    async fn state(&mut self, holds: impl Fn(&Value) -> bool) -> Value {
        loop {
            let news = self.next().await;
            if news["type"] == "match.state" && holds(&news) {
                return news;
            }
        }
    }

    /// The next reports.
    async fn reports(&mut self, count: usize) -> Vec<Value> {
        let mut reports = Vec::with_capacity(count);
        while reports.len() < count {
            let news = self.next().await;
            match news["type"].as_str().unwrap() {
                "match.state" => {}
                "stream.gap" | "stream.end" => panic!("no report, but {news}"),
                _ => reports.push(news),
            }
        }
        reports
    }

    /// What comes until the stream ends, which closes the connection properly.
    async fn rest(mut self) -> Vec<Value> {
        let mut news = vec![self.next().await];
        while news.last().is_some_and(|last| last["type"] != "stream.end") {
            news.push(self.next().await);
        }
        let closed = self.frame().await;
        assert!(matches!(&closed, Message::Close(Some(frame)) if u16::from(frame.code) == 1000), "{closed:?}");
        news
    }

    /// Fails if a message waits: the next frame is the answer to a ping.
    async fn expect_silence(&mut self) {
        self.0.send(Message::Ping("silence".into())).await.unwrap();
        let mut frame = self.frame().await;
        while matches!(frame, Message::Ping(_)) {
            frame = self.frame().await;
        }
        assert!(matches!(frame, Message::Pong(_)), "{frame:?}");
    }

    /// How many reports come up to the one with the last number, and how many it is told that it has missed.
    async fn count(&mut self, last: usize) -> (usize, usize) {
        let (mut seen, mut missed) = (0, 0);
        while seen + missed < last {
            let news = self.next().await;
            match news["type"].as_str().unwrap() {
                "match.state" => {}
                "stream.gap" => {
                    assert_eq!(news["seq"], seen + missed, "the last number before the gap");
                    missed += usize::try_from(news["missed"].as_u64().unwrap()).unwrap();
                }
                _ => {
                    seen += 1;
                    assert_eq!(news["seq"], seen + missed);
                }
            }
        }
        (seen, missed)
    }
}

fn numbers(reports: &[Value]) -> Vec<Value> {
    reports.iter().map(|report| report["seq"].clone()).collect()
}

#[apply(either)]
async fn a_spectator_that_returns_gets_the_reports_that_it_has_not_seen(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, _one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let mut reporter = reporting(&arena, &scout.token).await;
    for name in ["x-one", "x-two", "x-three"] {
        send_report(&mut reporter, json!({ "type": name, "note": name })).await;
    }
    let mut first = Spectator::watch(&arena, &format!("match={match_id}")).await;
    let reports = first.reports(2).await;
    let expected = ["x-one", "x-two"].into_iter().zip(1..).map(|(name, number)| {
        json!({
            "type": name, "note": name, "seq": number, "match_id": match_id, "agent_id": scout.id, "round": 1,
            "reported_at": "2026-03-01T12:00:00.000Z"
        })
    });
    assert_eq!(reports, expected.collect::<Vec<_>>());
    drop(first);
    send_report(&mut reporter, json!({ "type": "x-four" })).await;
    for (query, expected) in [("from=2", vec![json!(3), json!(4)]), ("after=3", vec![json!(4)])] {
        let mut again = Spectator::watch(&arena, &format!("match={match_id}&{query}")).await;
        assert_eq!(numbers(&again.reports(expected.len()).await), expected, "{query}");
    }
    for (query, status) in
        [("delay=301", 400), ("from=-1", 400), ("from=1&after=1", 400), ("match=match_01h2e8kqvbfwea724h75qc655w", 404)]
    {
        let query = if status == 404 { query.to_owned() } else { format!("match={match_id}&{query}") };
        arena.anonymous().get(&format!("/v1/stream?{query}")).await.expect_status(status);
    }
    arena.anonymous().get("/v1/stream").await.expect_problem(404, "not_found");
    arena.anonymous().get(&format!("/v1/stream?match={match_id}")).await.expect_problem(426, "upgrade_required");
}

#[apply(either)]
async fn a_spectator_that_asks_for_later_reports_withholds_none_from_others(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, _one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let mut ahead = Spectator::watch(&arena, &format!("match={match_id}&from=4000000000")).await;
    ahead.state(|_| true).await;
    let mut other = Spectator::watch(&arena, &format!("match={match_id}")).await;
    // It knows the state although nothing has changed.
    other.state(|state| state["round"] == 1).await;
    let mut reporter = reporting(&arena, &scout.token).await;
    send_report(&mut reporter, json!({ "type": "thinking" })).await;
    assert_eq!(numbers(&other.reports(1).await), [1]);
}

#[apply(either)]
async fn a_delayed_spectator_sees_reports_states_and_the_end_later(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let mut live = Spectator::watch(&arena, &format!("match={match_id}")).await;
    let mut late = Spectator::watch(&arena, &format!("match={match_id}&delay=60")).await;
    let mut reporter = reporting(&arena, &scout.token).await;
    send_report(&mut reporter, json!({ "type": "thinking" })).await;
    live.reports(1).await;
    let working = arena.work();
    tokio::join!(one.play(true), other.play(false));
    working.stop().await;
    let is_over = |news: &Value| news["status"] == "finished" && news["winner_agent_id"] == scout.id;
    let end = json!({ "type": "stream.end", "match_id": match_id, "seq": 1 });
    let [.., state, last] = &live.rest().await[..] else { panic!("the end alone") };
    assert!(is_over(state) && *last == end, "{state} {last}");

    arena.pass(Duration::from_secs(59)).await;
    late.expect_silence().await;
    arena.pass(Duration::from_secs(2)).await;
    let news = late.rest().await;
    let [.., state, last] = &news[..] else { panic!("{news:?}") };
    assert!(is_over(state) && *last == end, "{news:?}");
    assert_eq!(numbers(&news.iter().filter(|news| news["type"] == "thinking").cloned().collect::<Vec<_>>()), [1]);
    // A spectator that comes later gets the reports, the final state and the end.
    let again = Spectator::watch(&arena, &format!("match={match_id}&delay=60")).await.rest().await;
    let types: Vec<_> = again.iter().map(|news| news["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["thinking", "match.state", "stream.end"]);
    assert!(is_over(&again[1]), "{again:?}");
}

#[apply(either)]
async fn nothing_of_an_answer_is_shown_before_both_are_in(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let requests = [one.request().await, other.request().await];
    let report = json!({
        "type": "answer", "final": true, "value": "a most peculiar answer", "message": "It is most peculiar.",
        "confidence": 0.9
    });
    let mut reporter = reporting(&arena, &scout.token).await;
    send_report(&mut reporter, report.clone()).await;
    let query = format!("match={match_id}");
    let mut spectator = Spectator::watch(&arena, &query).await;
    let added = json!({
        "seq": 1, "match_id": match_id, "agent_id": scout.id, "round": 1, "reported_at": "2026-03-01T12:00:00.000Z"
    });
    let with = |report: &Value| {
        let mut report = report.as_object().unwrap().clone();
        report.extend(added.as_object().unwrap().clone());
        Value::Object(report)
    };
    let sealed = with(&json!({ "type": "answer", "final": true, "sealed": true }));
    assert_eq!(spectator.reports(1).await, std::slice::from_ref(&sealed));
    one.send(socket::response(&requests[0], "a most peculiar answer")).await;
    let answered = spectator.state(|state| state["agents"][0]["answered"] == true).await;
    assert_eq!((&answered["agents"][1]["answered"], &answered["round"]), (&false.into(), &1.into()));
    assert!(!answered.to_string().contains("peculiar"), "{answered}");
    // Neither does a spectator see it that comes now, nor a delayed one.
    assert_eq!(Spectator::watch(&arena, &query).await.reports(1).await, [sealed]);

    other.send(socket::response(&requests[1], "another answer")).await;
    spectator.state(|state| state["agents"][1]["answered"] == true || state["round"] == 2).await;
    arena.deliver().await;
    spectator.state(|state| state["round"] == 2).await;
    assert_eq!(Spectator::watch(&arena, &query).await.reports(1).await, [with(&report)]);
}

#[apply(either)]
async fn a_slow_spectator_learns_how_many_reports_it_has_missed_and_delays_nobody(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (mut agents, mut sockets) = (Vec::new(), Vec::new());
    for name in ["Scout", "Ranger", "Third", "Fourth"] {
        let (agent, socket) = arena.duelist(name).await;
        agents.push(agent);
        sockets.push(socket);
    }
    let match_id = arena.challenge(&agents.iter().collect::<Vec<_>>()).await;
    let query = format!("match={match_id}");
    let (mut slow, mut fast) = (Spectator::watch(&arena, &query).await, Spectator::watch(&arena, &query).await);
    for spectator in [&mut slow, &mut fast] {
        spectator.state(|_| true).await;
    }
    // More than sockets hold, beside the reports that wait.
    let all = agents.len() * OF_AGENT;
    let body = json!({ "type": "thinking", "message": "x".repeat(SOCKETS / (all - WAITING) + 1) }).to_string();
    for agent in &agents {
        let (match_id, agent_id, body) = (match_id.parse().unwrap(), agent.id.parse().unwrap(), body.clone());
        let report = NewReport { match_id, agent_id, turn: 1, body };
        arena.store().log().write_side(vec![ArenaChange::Reported(Box::new(report)); OF_AGENT]).await.unwrap();
    }
    let (seen, missed) = fast.count(all).await;
    assert_eq!(seen + missed, all);
    // Everything was sent by now. The slow one begins to read.
    let (seen, missed) = slow.count(all).await;
    assert!(missed > 0 && seen >= WAITING, "{seen} seen, {missed} missed");
    assert_eq!(seen + missed, all);
}
