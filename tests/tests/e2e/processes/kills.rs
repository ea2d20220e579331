//! `kill -9` under load.

use std::collections::{HashMap, HashSet};

use buildtrack_store::clock::random;
use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::json;

use super::{
    cast::{Agent, Track, agents},
    checks::{assert_complete, assert_in_order},
    load::{Load, Written},
    receiver::{LEASE, Receiver},
    site::Site,
};
use crate::both;

const KILLS: usize = 4;
/// Concurrent attempts at one endpoint (`WORKING` of worker/src/webhooks): the maximum in flight at a kill.
const CONCURRENT_ATTEMPTS: usize = 8;

#[apply(both)]
async fn acknowledged_writes_survive_a_kill(backend: Backend) {
    let site = Site::new(backend).await;
    let mut server = site.serve().await;
    let agent = Agent::new(&server, "Scout").await;
    let track = Track::open(&server, &agent, &[]).await;
    let mut all = Written::default();
    for kill in 1..=KILLS {
        let mut load = Load::on(&server, &agent, &track);
        load.wait_for_messages(60 * kill).await;
        server.process.kill().await;
        let written = load.finish().await;
        assert_eq!(written.refused, [""; 0]);
        all.receipts.extend(written.receipts);
        all.cut += written.cut;
        server = site.serve().await;
        let beyond = assert_complete(&server, &track, &all).await;
        assert!(beyond <= all.cut, "{beyond} messages without a sender");
    }
    server.process.kill().await;
    assert_in_order(&site).await;
}

#[apply(both)]
async fn a_kill_during_a_rebuild_leaves_the_old_tables(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let agent = Agent::new(&server, "Scout").await;
    let track = Track::open(&server, &agent, &[]).await;
    let mut load = Load::on(&server, &agent, &track);
    load.wait_for_messages(300).await;
    let written = load.finish().await;
    let mut rebuilding = site.start(&["rebuild"]);
    rebuilding.stderr.wait_for_text("rebuilding: ").await;
    rebuilding.kill().await;
    assert_eq!(assert_complete(&server, &track, &written).await, 0);
    agent.posts(&server, &track, "Nobody holds a lock").await;
    assert_in_order(&site).await;
}

/// Slow: the attempts in flight at the last kill stay leased for 30 seconds.
#[apply(both)]
async fn every_push_has_one_outcome_after_kills_of_its_server(backend: Backend) {
    let site = Site::new(backend).await;
    let mut server = site.serve().await;
    let [author, ben, cai] = agents(&server, ["Ada", "Ben", "Cai"]).await;
    let track = Track::open(&server, &author, &[&ben, &cai]).await;
    let mut receivers = Vec::new();
    for agent in [&ben, &cai] {
        agent.changes(&server, json!({"webhookEvents": ["workspace.message"]})).await;
        receivers.push(Receiver::of(&server, agent).await);
    }
    let (mut all, mut killed_at) = (Written::default(), Vec::new());
    for _ in 0..KILLS {
        let mut load = Load::on(&server, &author, &track);
        let messages = 10 + usize::from(random::<1>()[0]);
        load.wait_for_messages(messages).await;
        server.process.kill().await;
        let written = load.finish().await;
        assert_eq!(written.refused, [""; 0]);
        all.receipts.extend(written.receipts);
        all.cut += written.cut;
        killed_at.push(all.receipts.len());
        server = site.serve().await;
    }
    assert_complete(&server, &track, &all).await;
    site.wait_until_idle_after(LEASE).await;

    // Some messages may have been written without a response to their sender: they are events like the others.
    let accepted: HashSet<_> = track.read(&server).await.into_iter().map(|(id, _)| id).collect();
    let deliveries = site.database().await.deliveries().await;
    let delivered: HashMap<_, _> =
        deliveries.iter().filter(|(_, status, _)| status == "delivered").map(|(id, _, made)| (&**id, *made)).collect();
    assert_eq!((deliveries.len(), delivered.len()), (accepted.len() * 2, accepted.len() * 2));
    let (mut pushed, mut again) = (0, Vec::new());
    for receiver in receivers {
        let pushes = receiver.end().await;
        let mut received: HashMap<&str, HashSet<&str>> = HashMap::new();
        for push in &pushes {
            assert_eq!(push.status, 200);
            let message = push.body["data"]["messageId"].as_str().unwrap();
            received.entry(message).or_default().insert(push.header("x-araf-delivery"));
        }
        assert!(received.values().all(|deliveries| deliveries.len() == 1), "a push was repeated under another id");
        assert!(received.values().flatten().all(|id| delivered.contains_key(id)));
        assert_eq!(received.len(), accepted.len());
        assert!(received.keys().all(|id| accepted.contains(*id)));
        pushed += pushes.len();
        again.push(pushes.len() - received.len());
    }
    println!(
        "{backend:?}: killed at {killed_at:?} answered messages; {} accepted, {} of them answered; {} deliveries, all \
         delivered; {pushed} pushes, {again:?} of them made again because the answer was not known",
        accepted.len(),
        all.receipts.len(),
        deliveries.len(),
    );
    assert!(again.iter().all(|again| *again <= KILLS * CONCURRENT_ATTEMPTS), "more than were in flight: {again:?}");
}
