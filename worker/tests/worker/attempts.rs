//! Retries, cancellations and failures of pushes.

use std::time::Duration;

use crate::{
    both,
    cast::{Member, RETRY, agent, deactivate, local_bus, moves, post, redact, settings, worker, workspace},
    database::{DeliveryRow, Kind, TestDatabase},
    receiver::{Reaction, Receiver},
};

use buildtrack_domain::ids::{MessageId, WorkspaceId};
use buildtrack_store::Store;
use buildtrack_worker::Worker;
use rstest_reuse::apply;

/// Two members: one has posted, and the other receives the message at a receiver with a plan.
pub(crate) struct Posted {
    pub(crate) database: TestDatabase,
    pub(crate) store: Store,
    pub(crate) receiver: Receiver,
    pub(crate) author: Member,
    pub(crate) reader: Member,
    pub(crate) workspace_id: WorkspaceId,
    pub(crate) message_id: MessageId,
}

impl Posted {
    pub(crate) async fn to(kind: Kind, plan: Vec<Reaction>) -> Self {
        let (database, receiver) = tokio::join!(TestDatabase::at_noon(kind), Receiver::with_plan(plan));
        let store = database.open().await;
        let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(receiver.url())).await);
        let workspace_id = workspace(&store, &[&author, &reader]).await;
        let message_id = post(&store, workspace_id, &author, "What if it fails?").await;
        Self { database, store, receiver, author, reader, workspace_id, message_id }
    }

    pub(crate) async fn drain(&self) {
        worker(&self.store).drain().await.unwrap();
    }

    pub(crate) async fn drain_later(&self) {
        self.database.clock.advance(RETRY);
        self.drain().await;
    }

    /// The only delivery.
    pub(crate) async fn delivery(&self) -> (String, Vec<String>) {
        let [(_, status, answers)] = <[DeliveryRow; 1]>::try_from(self.database.deliveries().await).unwrap();
        (status, answers)
    }
}

pub(crate) fn outcome(status: &str, answers: &[&str]) -> (String, Vec<String>) {
    (status.into(), answers.iter().map(|answer| (*answer).to_owned()).collect())
}

#[apply(both)]
async fn a_receiver_that_fails_twice_gets_the_same_bytes_again(kind: Kind) {
    let plan = vec![Reaction::Status(500), Reaction::Status(404), Reaction::Status(204)];
    let mut posted = Posted::to(kind, plan).await;
    posted.drain().await;
    assert_eq!(posted.delivery().await, outcome("pending", &["500"]));
    // Too early for the retry.
    posted.drain().await;
    posted.drain_later().await;
    posted.drain_later().await;
    assert_eq!(posted.delivery().await, outcome("delivered", &["500", "404", "204"]));
    posted.drain_later().await;

    let pushes = posted.receiver.rest();
    let attempts: Vec<_> = pushes.iter().map(|push| push.header("x-araf-attempt")).collect();
    assert_eq!(attempts, ["1", "2", "3"]);
    assert!(pushes.iter().all(|push| push.body == pushes[0].body));
    assert!(pushes.iter().all(|push| push.header("x-araf-delivery") == pushes[0].header("x-araf-delivery")));
    assert!(pushes.iter().all(|push| push.is_signed_with(&posted.reader.secret)));
}

#[apply(both)]
async fn a_delivery_fails_after_the_last_retry(kind: Kind) {
    let posted = Posted::to(kind, vec![Reaction::Status(503)]).await;
    posted.drain().await;
    for _ in 0..5 {
        posted.drain_later().await;
    }
    assert_eq!(posted.delivery().await, outcome("failed", &["503", "503", "503", "503"]));
}

#[apply(both)]
async fn a_redacted_message_is_not_pushed_again(kind: Kind) {
    let mut posted = Posted::to(kind, vec![Reaction::Status(500), Reaction::Status(200)]).await;
    posted.drain().await;
    redact(&posted.store, posted.message_id).await;
    posted.drain_later().await;
    assert_eq!(posted.delivery().await, outcome("cancelled", &["500"]));
    assert_eq!(posted.receiver.rest().len(), 1);
}

#[apply(both)]
async fn a_deactivated_agent_gets_no_retry(kind: Kind) {
    let mut posted = Posted::to(kind, vec![Reaction::Status(500), Reaction::Status(200)]).await;
    posted.drain().await;
    deactivate(&posted.store, &posted.reader).await;
    posted.drain_later().await;
    assert_eq!(posted.delivery().await, outcome("cancelled", &["500"]));
    assert_eq!(posted.receiver.rest().len(), 1);
}

#[apply(both)]
async fn an_endpoint_with_a_new_address_gets_pending_retries(kind: Kind) {
    let mut posted = Posted::to(kind, vec![Reaction::Status(500)]).await;
    posted.drain().await;
    let mut elsewhere = Receiver::friendly().await;
    moves(&posted.store, &posted.reader, Some(elsewhere.url())).await;
    posted.drain_later().await;
    assert_eq!(posted.delivery().await, outcome("delivered", &["500", "200"]));
    assert_eq!((posted.receiver.rest().len(), elsewhere.rest().len()), (1, 1));
}

#[apply(both)]
async fn an_endpoint_without_an_address_gets_no_retry(kind: Kind) {
    let mut posted = Posted::to(kind, vec![Reaction::Status(500), Reaction::Status(200)]).await;
    posted.drain().await;
    moves(&posted.store, &posted.reader, None).await;
    posted.drain_later().await;
    assert_eq!(posted.delivery().await, outcome("cancelled", &["500"]));
    assert_eq!(posted.receiver.rest().len(), 1);
}

#[apply(both)]
async fn a_redirect_is_not_followed(kind: Kind) {
    let mut elsewhere = Receiver::friendly().await;
    let posted = Posted::to(kind, vec![Reaction::Redirect(elsewhere.url())]).await;
    posted.drain().await;
    assert_eq!(posted.delivery().await, outcome("pending", &["307"]));
    assert_eq!(elsewhere.rest(), []);
}

#[apply(both)]
async fn a_timeout_and_a_broken_connection_are_failures(kind: Kind) {
    let posted = Posted::to(kind, vec![Reaction::Silence, Reaction::HangsUp, Reaction::Status(200)]).await;
    posted.drain().await;
    assert_eq!(posted.delivery().await, outcome("pending", &["no answer in time"]));
    posted.drain_later().await;
    let (status, answers) = posted.delivery().await;
    assert_eq!(status, "pending");
    assert!(answers[1].starts_with("no valid answer: "), "{answers:?}");
    assert!(!answers[1].contains("token"), "{answers:?}");
}

#[apply(both)]
async fn a_closed_port_is_a_failure(kind: Kind) {
    let Posted { database, store, receiver, .. } = Posted::to(kind, vec![Reaction::Status(200)]).await;
    drop(receiver);
    worker(&store).drain().await.unwrap();
    let (_, status, answers) = &database.deliveries().await[0];
    assert_eq!(status, "pending");
    assert!(answers[0].starts_with("no connection: "), "{answers:?}");
}

#[apply(both)]
async fn the_status_counts_even_if_the_body_stalls_or_never_ends(kind: Kind) {
    for reaction in [Reaction::Stalls, Reaction::Endless, Reaction::Drips] {
        let posted = Posted::to(kind, vec![reaction]).await;
        posted.drain().await;
        assert_eq!(posted.delivery().await, outcome("delivered", &["200"]));
    }
}

#[apply(both)]
async fn a_connection_is_reused(kind: Kind) {
    let mut posted = Posted::to(kind, vec![Reaction::Status(200)]).await;
    let worker = worker(&posted.store);
    worker.drain().await.unwrap();
    post(&posted.store, posted.workspace_id, &posted.author, "and again").await;
    worker.drain().await.unwrap();
    let connections: Vec<_> = posted.receiver.rest().iter().map(|push| push.connection).collect();
    assert_eq!(connections, [1, 1]);
}

#[apply(both)]
async fn a_delivery_of_a_dead_worker_is_attempted_when_its_lease_has_expired(kind: Kind) {
    let mut posted = Posted::to(kind, vec![Reaction::Status(500), Reaction::Status(200)]).await;
    posted.drain().await;
    posted.database.clock.advance(RETRY);
    assert_eq!(posted.store.webhooks().claim_due(Duration::from_secs(30), 10).await.unwrap().len(), 1);
    posted.store.close().await;

    let store = posted.database.open().await;
    let worker = Worker::new(store, local_bus(), settings()).unwrap();
    worker.drain().await.unwrap();
    assert_eq!(posted.receiver.rest().len(), 1);
    posted.database.clock.advance(Duration::from_secs(30));
    worker.drain().await.unwrap();
    assert_eq!(posted.receiver.rest().len(), 1);
}
