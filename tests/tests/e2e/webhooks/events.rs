//! `GET /api/v1/agents/{id}/events`

use std::time::Duration;

use buildtrack_settings::Settings;
use buildtrack_tests::{Agent, Backend, Receiver, Reply, TestApp, eventually};
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio::{task::JoinSet, time::Instant};

use crate::{either, faults};

/// The default of `BUILDTRACK_WAITING`: how many requests may wait at once.
const WAITING: usize = 256;
const BEYOND: usize = 8;

fn path(agent: &Agent) -> String {
    format!("/api/v1/agents/{}/events", agent.id)
}

#[apply(either)]
async fn events_have_the_same_bodies_as_pushes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let receiver = Receiver::start();
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent_at("Scout", &receiver.url).await, ada.agent("Ranger").await);
    let track = ranger.open("Webhooks").await;
    ranger.post_message(&track, "before").await;
    scout.join(&track).await;
    ranger.post_message(&track, "Push, don't \"poll\"\u{1}\u{2028}🤖").await;
    scout.post_message(&track, "own").await;
    ada.join(&track).await;
    let gone = ranger.post_message(&track, "gone").await.text_at("/id");
    ranger.delete(&track.message(&gone)).await.expect_status(204);
    scout.delete(&track.membership()).await.expect_status(204);
    ranger.post_message(&track, "missed").await;
    app.deliver().await;
    let mut pushes = receiver.take();
    pushes.sort_by(|one, other| one.event.cmp(&other.event).reverse());
    let read = scout.get(&path(&scout)).await.expect_status(200);
    assert_eq!(read.each("event"), ["workspace.message", "workspace.join"]);
    assert_eq!(pushes.len(), 2);
    for push in &pushes {
        let bytes = String::from_utf8(push.bytes.clone()).unwrap();
        assert!(read.text.contains(&format!("\"body\":{bytes}")), "{bytes} is not in {}", read.text);
    }
    let listed = scout.get(&format!("/api/v1/agents/{}/deliveries", scout.id)).await;
    let mut sequences = listed.each("sequence");
    sequences.sort_by_key(Value::as_i64);
    assert_eq!(read.each("sequence"), sequences);
    assert_eq!(read["next"], app.store().log().tail().head());
    assert_eq!(ada.get(&path(&scout)).await.json, read.json);
}

#[apply(either)]
async fn a_cursor_continues_at_the_last_event(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = ranger.open("Webhooks").await;
    scout.join(&track).await;
    let (mut after, mut read) = (json!(0), vec![]);
    for number in 0..5 {
        ranger.post_message(&track, &number.to_string()).await;
    }
    for expected in [2, 2, 1, 0] {
        let page = scout.get(&format!("{}?after={after}&limit=2", path(&scout))).await.expect_status(200);
        assert_eq!(page.each("body").len(), expected);
        read.extend(page.each("body").into_iter().map(|body| body["data"]["content"].clone()));
        after = page["next"].clone();
    }
    assert_eq!(read, ["0", "1", "2", "3", "4"]);
    assert_eq!(after, app.store().log().tail().head());
}

#[apply(either)]
async fn a_long_poll_returns_when_an_event_arrives(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = ranger.open("Webhooks").await;
    scout.join(&track).await;
    let begun = Instant::now();
    let waiting = format!("{}?wait=30", path(&scout));
    let (read, ()) = tokio::join!(scout.get(&waiting), async {
        // Events elsewhere do not end the wait.
        ada.open("Elsewhere").await;
        ranger.post_message(&track, "Here it is").await;
    });
    let read = read.expect_status(200);
    assert_eq!(read["items"][0]["body"]["data"]["content"], "Here it is");
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    let nothing = scout.get(&format!("{}?wait=1&after={}", path(&scout), read["next"])).await.expect_status(200);
    assert_eq!((&nothing["items"], &nothing["next"]), (&json!([]), &read["next"]));
}

#[apply(either)]
async fn a_long_poll_does_not_delay_the_shutdown(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let waiting = tokio::spawn({
        let request = scout.get(&format!("{}?wait=30", path(&scout)));
        async move { request.await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let begun = Instant::now();
    let app = app.restart().await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    let answer = waiting.await.unwrap().expect_status(200);
    assert_eq!(answer["items"], json!([]));
    drop(app);
}

#[apply(either)]
async fn only_the_agent_and_its_owner_read_events(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    ada.get(&path(&scout)).await.expect_status(200);
    ranger.get(&path(&scout)).await.expect_problem(404, "not_found");
    app.owner("Bea").await.get(&path(&scout)).await.expect_problem(404, "not_found");
    scout.session(&["write"]).await.get(&path(&scout)).await.expect_problem(403, "missing_scope");
    let refused = scout.get(&format!("{}?after=-1&limit=0&wait=31", path(&scout))).await;
    let wrong = ["after", "limit", "wait"].map(|name| (name, "invalid"));
    assert_eq!(refused.expect_problem(400, "invalid_parameter").faults(), faults(&wrong));
}

/// Permits that one agent may take all capacity.
fn without_shares(settings: &mut Settings) {
    let all = u32::try_from(WAITING).unwrap();
    (settings.waiting_per_network, settings.waiting_per_owner, settings.waiting_per_agent) =
        (2 * all, 2 * all, 2 * all);
}

/// Sends as many requests as may wait; the ones beyond the capacity are refused.
async fn crowd(agent: &Agent) -> JoinSet<Reply> {
    let mut waiting = JoinSet::new();
    for _ in 0..WAITING + BEYOND {
        let request = agent.get(&format!("{}?wait=30", path(agent)));
        waiting.spawn(async move { request.await });
    }
    for _ in 0..BEYOND {
        let refused = waiting.join_next().await.unwrap().unwrap().expect_problem(503, "too_many_waiting");
        assert_eq!((&refused.headers["retry-after"], &refused["retryable"]), (&"5".parse().unwrap(), &json!(true)));
    }
    waiting
}

#[apply(either)]
async fn the_number_of_waiting_requests_is_limited(#[case] backend: Backend) {
    let app = TestApp::with(backend, without_shares).await;
    let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
    let track = ranger.open("Webhooks").await;
    scout.join(&track).await;
    let mut waiting = crowd(&scout).await;
    // A request that does not wait needs no permit.
    assert_eq!(scout.get(&path(&scout)).await.expect_status(200)["items"], json!([]));
    ranger.post_message(&track, "Here it is").await;
    let mut answered = 0;
    while let Some(reply) = waiting.join_next().await {
        let reply = reply.unwrap().expect_status(200);
        assert_eq!(reply["items"][0]["body"]["data"]["content"], "Here it is");
        answered += 1;
    }
    assert_eq!(answered, WAITING);
}

#[apply(either)]
async fn a_disconnected_client_releases_its_permit(#[case] backend: Backend) {
    let app = TestApp::with(backend, without_shares).await;
    let scout = app.agent("Scout").await;
    let waiting = crowd(&scout).await;
    drop(waiting);
    eventually(async || scout.get(&format!("{}?wait=1", path(&scout))).await.status == 200).await;
}
