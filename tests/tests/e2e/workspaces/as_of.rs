//! `GET /api/v1/workspaces/{id}?asOf=`, `GET /api/v1/workspaces/{id}/messages?asOf=`

use std::time::Duration;

use buildtrack_tests::{Backend, Caller, TestApp, Track};
use chrono::{DateTime, SecondsFormat, Utc};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, faults};

/// The responses at one moment.
struct Moment {
    position: i64,
    time: DateTime<Utc>,
    workspace: Value,
    messages: Value,
    newest: Value,
}

const NEWEST: &str = "order=desc&limit=2";

async fn look(app: &TestApp, caller: &Caller, track: &Track) -> Moment {
    let shown = async |path: String| caller.get(&path).await.expect_status(200).json;
    let moment = Moment {
        position: app.store().log().tail().head(),
        time: app.store().log().clock().now(),
        workspace: shown(track.path()).await,
        messages: shown(track.messages()).await,
        newest: shown(format!("{}?{NEWEST}", track.messages())).await,
    };
    app.advance(Duration::from_secs(1));
    moment
}

/// A series of changes, and the responses after each.
async fn changes(app: &TestApp) -> (Caller, Track, Vec<Moment>) {
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    let anyone = app.anonymous();
    let mut moments = vec![look(app, &anyone, &track).await];
    macro_rules! then {
        ($step:expr) => {
            let _ = $step;
            moments.push(look(app, &anyone, &track).await);
        };
    }
    then!(ranger.join(&track).await);
    then!(ranger.post_message(&track, "one").await);
    then!(scout.patch(&track.path(), json!({ "name": "Pushes", "goal": "No polling", "tags": ["λ"] })).await);
    then!(ada.join(&track).await);
    let two = ada.post_message(&track, "two").await;
    moments.push(look(app, &anyone, &track).await);
    let three = scout.post_message(&track, "three").await;
    moments.push(look(app, &anyone, &track).await);
    let upvote = format!("{}/upvote", three.header("location"));
    then!(ranger.put(&upvote).await.expect_status(200));
    then!(ada.put(&upvote).await.expect_status(200));
    then!(ranger.delete(&upvote).await.expect_status(204));
    let solution = ranger.solve(&track).await;
    then!(scout.accept(&track, &solution).await.expect_status(200));
    let shipment = json!({ "note": "Pushes are signed." });
    then!(scout.post(&format!("{}/ship", track.path()), shipment).await.expect_status(200));
    then!(ranger.delete(&track.membership()).await.expect_status(204));
    then!(scout.open("Elsewhere").await);
    then!(ranger.join(&track).await);
    then!(scout.act(&format!("{}/archive", track.path())).await.expect_status(200));
    then!(ada.delete(two.header("location")).await.expect_status(204));
    then!(scout.act(&format!("{}/reopen", track.path())).await.expect_status(200));
    then!(scout.post_message(&track, "four").await);
    (anyone, track, moments)
}

/// The messages without the text that was redacted later: it is missing at every position.
fn without_redacted_text(messages: &Value) -> Value {
    let mut messages = messages.clone();
    for message in messages["items"].as_array_mut().unwrap() {
        if message["content"] == "two" {
            (message["content"], message["redacted"]) = (json!(""), json!(true));
        }
    }
    messages
}

#[apply(both)]
async fn as_of_returns_the_earlier_state(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (anyone, track, moments) = changes(&app).await;
    for Moment { position, time, workspace, messages, newest } in &moments {
        let mut expected = workspace.clone();
        expected["asOf"] = json!(position);
        let time = time.to_rfc3339_opts(SecondsFormat::Micros, true);
        for point in [position.to_string(), time] {
            let shown = anyone.get(&format!("{}?asOf={point}", track.path())).await.expect_status(200);
            assert_eq!(shown.json, expected, "{point}");
            let shown = anyone.get(&format!("{}?asOf={point}", track.messages())).await.expect_status(200);
            let mut expected = without_redacted_text(messages);
            expected["asOf"] = json!(position);
            assert_eq!(shown.json, expected, "{point}");
            let shown = anyone.get(&format!("{}?{NEWEST}&asOf={point}", track.messages())).await.expect_status(200);
            assert_eq!(shown["items"], without_redacted_text(newest)["items"], "{point}");
        }
    }
}

#[apply(both)]
async fn the_response_names_the_position_of_a_time(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    scout.post_message(&track, "one").await;
    let now = app.store().log().clock().now().to_rfc3339_opts(SecondsFormat::Micros, true);
    let then = scout.get(&format!("{}?asOf={now}", track.messages())).await.expect_status(200);
    assert_eq!((then.each("content"), &then["asOf"]), (vec![json!("one")], &json!(app.store().log().tail().head())));
    // The clock does not move, so the next event has the requested time.
    scout.post_message(&track, "two").await;
    assert_eq!(scout.get(&format!("{}?asOf={now}", track.messages())).await.each("content"), ["one", "two"]);
    let again = scout.get(&format!("{}?asOf={}", track.messages(), then["asOf"])).await;
    assert_eq!(again.json, then.json);
    assert_eq!(scout.get(&track.messages()).await.json.get("asOf"), None);
}

#[apply(both)]
async fn snapshot_pages_are_complete_during_concurrent_writes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for number in 0..5 {
        scout.post_message(&track, &number.to_string()).await;
    }
    let position = app.store().log().tail().head();
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    for _ in 0..3 {
        let page = scout.get(&format!("{}?asOf={position}&limit=2{cursor}", track.messages())).await.expect_status(200);
        seen.extend(page.each("content"));
        scout.post_message(&track, "later").await;
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, ["0", "1", "2", "3", "4"]);
    let narrowed =
        scout.get(&format!("{}?asOf={position}&author=me&kind=proposal&after={}", track.messages(), position - 1));
    assert_eq!(narrowed.await.each("content"), ["4"]);
}

#[apply(both)]
async fn a_workspace_is_not_found_before_it_was_opened(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let opened = app.store().log().tail().head();
    for point in [(opened - 1).to_string(), "0".to_owned(), "2020-01-01T00:00:00Z".to_owned()] {
        for path in [track.path(), track.messages()] {
            scout.get(&format!("{path}?asOf={point}")).await.expect_problem(404, "not_found");
        }
    }
    scout.get(&format!("{}?asOf={opened}", track.path())).await.expect_status(200);
    scout.get("/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w?asOf=1").await.expect_problem(404, "not_found");
}

#[apply(both)]
async fn positions_and_times_in_the_future_are_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let head = app.store().log().tail().head();
    for point in [&*(head + 1).to_string(), "-1", "yesterday", "2026-03-01", "2999-01-01T00:00:00Z"] {
        for path in [track.path(), track.messages()] {
            let refused = scout.get(&format!("{path}?asOf={point}")).await.expect_problem(400, "invalid_parameter");
            assert_eq!(refused.faults(), faults(&[("asOf", "invalid")]), "{point}");
        }
    }
}
