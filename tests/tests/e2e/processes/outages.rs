//! A temporary outage of the database, with deliveries that are due.

use std::time::Duration;

use buildtrack_tests::Backend;
use serde_json::json;
use tokio::time::{Instant, timeout};

use super::{
    cast::{Track, agents},
    client::text,
    receiver::{Receiver, ReceiverOptions},
    site::Site,
    waiting::until,
};

/// Far less than the rest of a delivery's lease of 30 s.
const BEFORE_LEASE_EXPIRY: Duration = Duration::from_secs(12);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn due_deliveries_are_attempted_as_soon_as_the_database_is_back() {
    let site = Site::new(Backend::Postgres).await.with("BUILDTRACK_RETRY_SCHEDULE", "1,1,1,1,1,1,1,1,1,1");
    let mut server = site.serve().await;
    let [author, reader] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &author, &[&reader]).await;
    reader.changes(&server, json!({"webhookEvents": ["workspace.message"]})).await;
    let mut receiver = Receiver::with_options(&server, &reader, ReceiverOptions { reject_first: 1, port: None }).await;
    // Ordered delivery: the second one waits for the first, and the worker that leased it polls the database.
    let webhooks = format!("/api/v1/agents/{}/webhooks", reader.id);
    let client = server.with(&reader.token);
    let webhook_id = text(&client.get(&webhooks).await.expect(200), "/items/0/id");
    client.patch(&format!("{webhooks}/{webhook_id}"), json!({"ordered": true})).await.expect(200);
    for content in ["one", "two"] {
        author.posts(&server, &track, content).await;
    }
    assert_eq!(receiver.next().await.status, 503);
    let mut database = site.database().await;
    until("both are enqueued, and one has failed", async || {
        let deliveries = database.deliveries().await;
        (deliveries.len() == 2 && deliveries[0].2 == 1).then_some(())
    })
    .await;

    site.block_database().await;
    server.process.stderr.wait_for_text("deliveries were not attempted").await;
    site.unblock_database().await;
    let back = Instant::now();
    let pushes = timeout(BEFORE_LEASE_EXPIRY, receiver.next_ones(2)).await;
    let pushes = pushes.expect("the delivery is pushed before its lease ends");
    println!("attempted {:?} after the database was back", back.elapsed());
    let received: Vec<_> = pushes.iter().map(|push| (push.status, push.content())).collect();
    assert_eq!(received, [(200, "one"), (200, "two")]);
    site.wait_until_idle().await;
    assert!(receiver.end().await.is_empty());
}
