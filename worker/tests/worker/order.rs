//! Ordered delivery and batches.

use buildtrack_store::WebhookView;
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::{
    attempts::Posted,
    both,
    cast::{agent, changes, post, redact, worker, workspace},
    database::{Kind, TestDatabase},
    receiver::{PATIENCE, Reaction, Received, Receiver},
};

use rstest_reuse::apply;

async fn ordered(kind: Kind, plan: Vec<Reaction>, batch: i64) -> Posted {
    let posted = Posted::to(kind, plan).await;
    changes(&posted.store, &posted.reader, |webhook| WebhookView { ordered: true, batch, ..webhook }).await;
    for content in ["two", "three"] {
        post(&posted.store, posted.workspace_id, &posted.author, content).await;
    }
    posted
}

fn sequence(pushes: &[Received]) -> Vec<String> {
    pushes.iter().map(Received::said).collect()
}

const FIRST: &str = "What if it fails?";

#[apply(both)]
async fn an_ordered_endpoint_waits_for_a_failed_delivery(kind: Kind) {
    let mut posted = ordered(kind, vec![Reaction::Status(500), Reaction::Status(500), Reaction::Status(200)], 1).await;
    posted.drain().await;
    posted.drain().await;
    assert_eq!(sequence(&posted.receiver.rest()), [FIRST]);
    post(&posted.store, posted.workspace_id, &posted.author, "four").await;
    posted.drain().await;
    assert_eq!(posted.receiver.rest(), []);
    posted.drain_later().await;
    assert_eq!(sequence(&posted.receiver.rest()), [FIRST]);
    posted.drain_later().await;
    assert_eq!(sequence(&posted.receiver.rest()), [FIRST, "two", "three", "four"]);
}

#[apply(both)]
async fn a_redacted_delivery_does_not_block_the_next_ones(kind: Kind) {
    let mut posted = ordered(kind, vec![Reaction::Status(500), Reaction::Status(200)], 1).await;
    posted.drain().await;
    redact(&posted.store, posted.message_id).await;
    posted.drain_later().await;
    assert_eq!(sequence(&posted.receiver.rest()), [FIRST, "two", "three"]);
}

#[apply(both)]
async fn an_ordered_endpoint_waits_for_the_lease_of_another_process(kind: Kind) {
    let mut posted = ordered(kind, vec![Reaction::Status(500), Reaction::Status(200)], 1).await;
    posted.drain().await;
    posted.receiver.rest();
    posted.database.clock.advance(crate::cast::RETRY);
    // Another process leases the first delivery for half a minute and dies.
    let other = posted.database.open().await;
    assert_eq!(other.webhooks().claim_due(std::time::Duration::from_secs(30), 1).await.unwrap().len(), 1);
    posted.drain().await;
    assert_eq!(posted.receiver.rest(), []);
    posted.database.clock.advance(std::time::Duration::from_secs(30));
    worker(&posted.store).drain().await.unwrap();
    assert_eq!(sequence(&posted.receiver.rest()), [FIRST, "two", "three"]);
}

async fn batch(kind: Kind, plan: Vec<Reaction>) -> Posted {
    let posted = Posted::to(kind, plan).await;
    changes(&posted.store, &posted.reader, |webhook| WebhookView { batch: 3, ..webhook }).await;
    posted
}

fn contents(push: &Received) -> Vec<String> {
    let body = push.json();
    let events = body["data"]["events"].as_array().unwrap();
    events.iter().map(|event| event["data"]["content"].as_str().unwrap().to_owned()).collect()
}

#[apply(both)]
async fn waiting_deliveries_share_a_push(kind: Kind) {
    let mut posted = batch(kind, vec![Reaction::Responds(500, "", "no".into()), Reaction::Status(200)]).await;
    for content in ["two", "three", "four"] {
        post(&posted.store, posted.workspace_id, &posted.author, content).await;
    }
    posted.drain().await;
    let [push, alone] = posted.receiver.rest().try_into().unwrap();
    assert_eq!((push.header("x-araf-event"), alone.header("x-araf-event")), ("batch", "workspace.message"));
    assert_eq!((contents(&push), alone.said()), (vec![FIRST.into(), "two".into(), "three".into()], "four".into()));
    let body = push.json();
    assert_eq!(
        (&body["event"], &body["agentId"]),
        (&Value::from("batch"), &Value::from(posted.reader.agent_id.to_string()))
    );
    let last = &body["data"]["events"][2];
    assert_eq!(
        (push.header("x-araf-previous-sequence"), push.header("x-araf-sequence")),
        ("", last["sequence"].as_str().unwrap())
    );
    assert_eq!(alone.header("x-araf-previous-sequence"), push.header("x-araf-sequence"));
    assert_eq!(last["event"], "workspace.message");
    assert!(last["deliveryId"].as_str().unwrap().starts_with("dlv_"));

    // All deliveries have the same outcome, and the same push is repeated.
    let attempts = "SELECT deliveries.status || ' ' || number || ' ' || status_code || ' ' || coalesce(response, '-') \
                    FROM deliveries JOIN attempts ON delivery_id = id ORDER BY position, number";
    let rows = posted.database.texts(attempts).await;
    assert_eq!(
        rows.iter().flatten().collect::<Vec<_>>(),
        ["pending 1 500 -", "pending 1 500 -", "pending 1 500 -", "delivered 1 200 {}"]
    );
    posted.drain_later().await;
    posted.drain_later().await;
    let again = posted.receiver.rest();
    assert!(again.iter().all(|push| push.is_signed_with(&posted.reader.secret)));
    let repeated: std::collections::BTreeSet<_> = again
        .iter()
        .flat_map(|push| {
            let events = push.json()["data"]["events"].as_array().cloned();
            events.map_or_else(|| vec![push.said()], |_| contents(push))
        })
        .collect();
    assert_eq!(repeated, [FIRST, "three", "two"].map(str::to_owned).into());
    assert!(
        again.iter().all(|again| again.body != push.body || again.header("webhook-id") == push.header("webhook-id"))
    );
}

#[apply(both)]
async fn a_body_stays_below_the_size_limit(kind: Kind) {
    let mut posted = batch(kind, vec![Reaction::Status(200)]).await;
    posted.drain().await;
    posted.receiver.rest();
    for unit in ["é", "🤖", "\u{1}", "x"] {
        post(&posted.store, posted.workspace_id, &posted.author, &unit.repeat(20_000)).await;
    }
    posted.drain().await;
    let pushes = posted.receiver.rest();
    assert!(pushes.iter().all(|push| push.body.len() < 100_000));
    // The first two do not fit together, and the third must be truncated.
    let events: Vec<_> = pushes.iter().map(|push| push.header("x-araf-event").to_owned()).collect();
    assert_eq!(events, ["workspace.message"; 4]);
    assert_eq!(pushes.iter().filter(|push| push.json()["data"]["contentTruncated"] == true).count(), 1);
}

#[apply(both)]
async fn a_retried_batch_omits_a_redacted_message(kind: Kind) {
    let mut posted = batch(kind, vec![Reaction::Status(500), Reaction::Status(200)]).await;
    let two = post(&posted.store, posted.workspace_id, &posted.author, "two").await;
    post(&posted.store, posted.workspace_id, &posted.author, "three").await;
    posted.drain().await;
    posted.receiver.rest();
    redact(&posted.store, two).await;
    posted.drain_later().await;
    let body =
        posted.receiver.rest().iter().map(|push| String::from_utf8(push.body.clone()).unwrap()).collect::<String>();
    assert!(body.contains(FIRST) && body.contains("three") && !body.contains("two"), "{body}");
}

/// Of two workers one may commit the deliveries of a later event first: the event before it is damaged here until then.
#[apply(both)]
async fn an_event_that_is_yet_to_be_enqueued_is_waited_for(kind: Kind) {
    let (database, mut ben) = tokio::join!(TestDatabase::now(kind), Receiver::friendly());
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    changes(&store, &reader, |webhook| WebhookView { ordered: true, ..webhook }).await;
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    post(&store, workspace_id, &author, "one").await;
    database.texts("UPDATE events SET data = data || '}' WHERE type = 'message.posted' RETURNING type").await;
    post(&store, workspace_id, &author, "two").await;
    // One that remembers nothing.
    let elsewhere = database.open().await;
    let (worker, stop) = (worker(&elsewhere), CancellationToken::new());
    let running = tokio::spawn(worker.run(stop.clone()));
    let enqueued = async { while database.deliveries().await.is_empty() {} };
    timeout(PATIENCE, enqueued).await.expect("the second is enqueued");
    let mend = "UPDATE events SET data = substr(data, 1, length(data) - 1) \
        WHERE type = 'message.posted' AND data LIKE '%\"}}' RETURNING type";
    assert_eq!(database.texts(mend).await.len(), 1);
    assert_eq!([ben.next().await.said(), ben.next().await.said()], ["one", "two"]);
    stop.cancel();
    running.await.unwrap();
}
