//! Resuming live streams without loss or duplicates: after a restart, on another replica, and after broken
//! connections.

use buildtrack_settings::Settings;
use buildtrack_store::clock::random;
use buildtrack_tests::{Agent, Backend, Caller, TestApp, Track, message};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::live;
use crate::both;

fn contents(events: &[Value]) -> Vec<String> {
    let content = |event: &Value| {
        let data: Value = serde_json::from_str(event["data"].as_str().unwrap()).unwrap();
        data["content"].as_str().unwrap_or_default().to_owned()
    };
    events.iter().map(content).collect()
}

#[apply(both)]
async fn after_a_restart(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let mut following = app.anonymous().follow(&live(&track)).await;
    scout.post_message(&track, "one").await;
    assert_eq!(contents(&following.take(1).await), ["one"]);
    let last = following.last_id.unwrap();
    scout.post_message(&track, "two").await;
    drop(following);
    let app = app.restart().await;
    let scout = scout.at(&app);
    scout.post_message(&track, "three").await;
    let mut again = scout.resume(&live(&track), last).await;
    assert_eq!(contents(&again.take(2).await), ["two", "three"]);
    scout.post_message(&track, "four").await;
    assert_eq!(contents(&again.take(1).await), ["four"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_another_replica() {
    let here = TestApp::start(Backend::Postgres).await;
    let there = here.replica().await;
    let scout = here.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let (mut near, mut far) = (scout.follow(&live(&track)).await, scout.at(&there).follow(&live(&track)).await);
    let mut expected = Vec::new();
    for number in 0..20 {
        let writer = if number % 2 == 0 { scout.at(&here) } else { scout.at(&there) };
        writer.post_message(&track, &number.to_string()).await;
        expected.push(number.to_string());
        // Each stream resumes at the other replica, as soon as that may be behind.
        let (seen_near, seen_far) = (near.take(1).await, far.take(1).await);
        assert_eq!(contents(&[seen_near, seen_far].concat()), [number.to_string(), number.to_string()]);
        let (last_near, last_far) = (near.last_id.unwrap(), far.last_id.unwrap());
        near = scout.at(&there).resume(&live(&track), last_near).await;
        far = scout.at(&here).resume(&live(&track), last_far).await;
    }
}

/// Follows until `last`, with disconnects at random, and resumes at any of the servers.
async fn unsteady(callers: &[Caller], path: &str, after: i64, last: i64) -> Vec<i64> {
    let (mut seen, mut cursor) = (Vec::new(), after);
    while cursor < last {
        let [choice, patience] = random::<2>();
        let mut following = callers[usize::from(choice) % callers.len()].resume(path, cursor).await;
        for _ in 0..=patience % 24 {
            let event = following.event().await.expect("the stream stays open");
            assert_ne!(event.event, "gap");
            seen.push(event.id.unwrap());
            if event.id >= Some(last) {
                break;
            }
        }
        cursor = following.last_id.unwrap();
    }
    seen
}

/// Repeats a message if concurrent writes were faster, several times in a row.
async fn insist(agent: &Agent, track: &Track, content: &str) {
    while agent.post(&track.messages(), message(content)).await["code"] == "conflict" {}
}

/// Three concurrent writers in two workspaces, one of which joins and leaves; returns the position of the last message.
async fn write_concurrently(agents: &[Agent; 3], tracks: &[Track; 2]) -> i64 {
    let busy = async |agent: &Agent, track: &Track| {
        for number in 0..40 {
            insist(agent, track, &number.to_string()).await;
        }
    };
    let restless = async {
        for number in 0..12 {
            agents[2].join(&tracks[0]).await;
            insist(&agents[2], &tracks[0], &format!("I am here, {number}")).await;
            agents[2].delete(&tracks[0].membership()).await.expect_status(204);
        }
    };
    tokio::join!(busy(&agents[0], &tracks[0]), busy(&agents[1], &tracks[1]), restless);
    // All of them receive the last message.
    agents[2].join(&tracks[1]).await;
    agents[2].join(&tracks[0]).await;
    agents[2].post_message(&tracks[0], "The end").await["position"].as_i64().unwrap()
}

/// The positions that a stream must send, computed from the public log.
async fn expected(caller: &Caller, after: i64, shows: impl Fn(&Value, &Value, i64) -> bool) -> Vec<i64> {
    let (mut positions, mut cursor) = (Vec::new(), after);
    loop {
        let page = caller.get(&format!("/api/v1/log?limit=200&after={cursor}")).await.expect_status(200);
        let items = page["items"].as_array().unwrap();
        let Some(last) = items.last() else { return positions };
        cursor = last["position"].as_i64().unwrap();
        for item in items {
            let data = item["data"].as_str().map(|data| serde_json::from_str(data).unwrap()).unwrap_or_default();
            let position = item["position"].as_i64().unwrap();
            if shows(item, &data, position) {
                positions.push(position);
            }
        }
    }
}

async fn assert_no_loss_and_no_duplicates(apps: &[&TestApp]) {
    let ada = apps[0].owner("Ada").await;
    let agents = [ada.agent("Scout").await, ada.agent("Ranger").await, ada.agent("Rover").await];
    let tracks = [agents[0].open("Webhooks").await, agents[1].open("Elsewhere").await];
    let after = apps[0].store().log().tail().head();
    let callers: Vec<_> = apps.iter().map(|app| app.anonymous().at(app)).collect();
    let writing = write_concurrently(&agents, &tracks);
    // The last position is unknown until it is written: the readers continue until they receive it.
    let (announce, waiting) = tokio::sync::watch::channel(i64::MAX);
    let rover = format!("/api/v1/agents/{}/live", agents[2].id);
    let paths = ["/api/v1/live".to_owned(), live(&tracks[0]), rover];
    let following = paths.iter().map(async |path| {
        let mut last = waiting.clone();
        let (mut seen, mut cursor) = (Vec::new(), after);
        while cursor < *last.borrow_and_update() {
            let [choice, patience] = random::<2>();
            let mut stream = callers[usize::from(choice) % callers.len()].resume(path, cursor).await;
            for _ in 0..=patience % 24 {
                let event = stream.event().await.expect("the stream stays open");
                assert_ne!(event.event, "gap");
                seen.push(event.id.unwrap());
                if event.id >= Some(*last.borrow()) || event.data.contains("The end") {
                    last.wait_for(|last| *last < i64::MAX).await.unwrap();
                    break;
                }
            }
            cursor = stream.last_id.unwrap();
        }
        seen
    });
    let (last, seen) = tokio::join!(
        async {
            let last = writing.await;
            announce.send_replace(last);
            last
        },
        join_all(following)
    );
    check(&callers[0], (&agents, &tracks), (after, last), seen).await;
    // Again for a reader that was not connected meanwhile.
    let again = join_all(paths.iter().map(async |path| unsteady(&callers, path, after, last).await)).await;
    check(&callers[0], (&agents, &tracks), (after, last), again).await;
}

async fn check(
    caller: &Caller,
    (agents, tracks): (&[Agent; 3], &[Track; 2]),
    (after, last): (i64, i64),
    seen: Vec<Vec<i64>>,
) {
    let [everything, workspace, rover] = seen.try_into().unwrap();
    assert_eq!(everything, (after + 1..=last).collect::<Vec<_>>());
    let in_track = expected(caller, after, |_, data, position| position <= last && data["workspaceId"] == tracks[0].id);
    assert_eq!(workspace, in_track.await);
    let rooms = std::cell::RefCell::new(std::collections::BTreeSet::<String>::new());
    let of_rover = expected(caller, after, |item, data, position| {
        let mut rooms = rooms.borrow_mut();
        let room = data["workspaceId"].as_str().unwrap_or_default().to_owned();
        let own = data["member"]["id"] == agents[2].id || data["memberId"] == agents[2].id;
        if own && item["type"] == "workspace.joined" {
            rooms.insert(room.clone());
        }
        let shown = rooms.contains(&room);
        if own && item["type"] == "workspace.left" {
            rooms.remove(&room);
        }
        shown && position <= last
    });
    assert_eq!(rover, of_rover.await);
}

#[apply(both)]
async fn after_broken_connections(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    assert_no_loss_and_no_duplicates(&[&app]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_broken_connections_between_replicas() {
    let here = TestApp::start(Backend::Postgres).await;
    let there = here.replica().await;
    assert_no_loss_and_no_duplicates(&[&here, &there]).await;
}

#[apply(both)]
async fn resuming_beyond_the_limit_sends_a_gap(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.live_reach = 3).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for number in 0..5 {
        scout.post_message(&track, &number.to_string()).await;
    }
    let head = app.store().log().tail().head();
    let mut following = app.anonymous().follow(&format!("/api/v1/live?after={}", head - 5)).await;
    let gap = following.event().await.unwrap();
    assert_eq!((&*gap.event, gap.id), ("gap", Some(head - 3)));
    let data = serde_json::json!({ "reason": "too_far_behind", "after": head - 5, "upTo": head - 3 });
    assert_eq!(gap.json(), data);
    assert_eq!(contents(&following.take(3).await), ["2", "3", "4"]);
    // Exactly the limit is within the limit.
    let mut near = app.anonymous().follow(&format!("/api/v1/live?after={}", head - 3)).await;
    assert_eq!(contents(&near.take(3).await), ["2", "3", "4"]);
}

#[apply(both)]
async fn a_stream_at_its_maximum_age_ends_with_a_resume_position(#[case] backend: Backend) {
    let configure = |settings: &mut Settings| {
        settings.live_keep_alive = 1.try_into().unwrap();
        settings.live_age = 1.try_into().unwrap();
    };
    let app = TestApp::with(backend, configure).await;
    let scout = app.agent("Scout").await;
    let mut live = app.anonymous().follow("/api/v1/live?types=workspace.*").await;
    let end = live.event().await.unwrap();
    let head = app.store().log().tail().head();
    assert_eq!((&*end.event, end.id), ("end", Some(head)));
    assert_eq!(end.json(), json!({ "reason": "max_age", "lastEventId": head.to_string() }));
    assert_eq!(live.event().await, None);
    let track = scout.open("Webhooks").await;
    let missed = app.anonymous().resume("/api/v1/live", head).await.take(1).await;
    assert_eq!(missed[0]["stream"], track.id);
}
