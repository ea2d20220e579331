//! Responses that arrive after the endpoint or the message has changed.

use std::{sync::Arc, time::Duration};

use buildtrack_store::WebhookChange;
use buildtrack_worker::{Worker, WorkerSettings};
use rstest_reuse::apply;
use tokio::sync::Notify;

use crate::{
    attempts::{Posted, outcome},
    both,
    cast::{local_bus, moves, redact, settings},
    database::Kind,
    receiver::{Reaction, Receiver},
};

const RESPONSES: &str = "SELECT response FROM attempts ORDER BY number";

/// A push whose receiver reacts when it is notified.
async fn held(kind: Kind, reaction: Reaction) -> (Posted, Arc<Notify>) {
    let answer = Arc::new(Notify::new());
    let plan = vec![Reaction::Waits(answer.clone(), Box::new(reaction))];
    (Posted::to(kind, plan).await, answer)
}

/// Pushes, and awaits `meanwhile` between the push and its response.
async fn push(posted: &mut Posted, answer: &Notify, meanwhile: impl Future<Output = ()>) {
    let patient = WorkerSettings { call_timeout: Duration::from_secs(15), ..settings() };
    let worker = Worker::new(posted.store.clone(), local_bus(), patient).unwrap();
    let receiver = &mut posted.receiver;
    let (drained, ()) = tokio::join!(worker.drain(), async {
        receiver.next().await;
        meanwhile.await;
        answer.notify_one();
    });
    drained.unwrap();
}

#[apply(both)]
async fn a_410_of_the_old_address_does_not_disable_the_new_one(kind: Kind) {
    let (mut posted, answer) = held(kind, Reaction::Status(410)).await;
    let mut elsewhere = Receiver::friendly().await;
    let (store, reader, url) = (posted.store.clone(), posted.reader.clone(), elsewhere.url());
    push(&mut posted, &answer, moves(&store, &reader, Some(url))).await;
    let webhook = store.webhooks().webhook(reader.webhook_id).await.unwrap().unwrap();
    assert_eq!(webhook.disabled_reason, None);
    assert_eq!(posted.delivery().await, outcome("pending", &["410"]));
    posted.drain_later().await;
    assert_eq!(posted.delivery().await, outcome("delivered", &["410", "200"]));
    assert_eq!(elsewhere.rest().len(), 1);
}

#[apply(both)]
async fn a_410_disables_an_endpoint_whose_address_was_set_back(kind: Kind) {
    let (mut posted, answer) = held(kind, Reaction::Status(410)).await;
    let (store, reader, url) = (posted.store.clone(), posted.reader.clone(), posted.receiver.url());
    let there_and_back = async {
        moves(&store, &reader, None).await;
        moves(&store, &reader, Some(url)).await;
    };
    push(&mut posted, &answer, there_and_back).await;
    let webhook = store.webhooks().webhook(reader.webhook_id).await.unwrap().unwrap();
    assert!(webhook.disabled_reason.is_some());
    assert_eq!(posted.delivery().await, outcome("failed", &["410"]));
}

#[apply(both)]
async fn a_response_that_echoes_a_redacted_message_is_not_stored(kind: Kind) {
    for status in [200, 500] {
        let (mut posted, answer) = held(kind, Reaction::Responds(status, "", "What if it fails?".into())).await;
        let (store, message_id) = (posted.store.clone(), posted.message_id);
        push(&mut posted, &answer, redact(&store, message_id)).await;
        assert_eq!(posted.delivery().await, outcome("cancelled", &[&status.to_string()]));
        assert_eq!(posted.database.texts(RESPONSES).await, [None]);
    }
}

#[apply(both)]
async fn a_response_that_echoes_a_redacted_message_is_not_stored_after_a_resend(kind: Kind) {
    for status in [200, 500] {
        let (mut posted, answer) = held(kind, Reaction::Responds(status, "", "What if it fails?".into())).await;
        let (store, message_id) = (posted.store.clone(), posted.message_id);
        let webhook_id = posted.reader.webhook_id;
        let resend = async {
            let id = store.webhooks().first_pending(webhook_id, 1).await.unwrap()[0].id;
            redact(&store, message_id).await;
            store.log().write_side(vec![WebhookChange::Resent { id }]).await.unwrap();
        };
        push(&mut posted, &answer, resend).await;
        assert_eq!(posted.database.texts(RESPONSES).await, [None]);
        // There is nothing left to send.
        posted.drain_later().await;
        assert!(posted.receiver.rest().is_empty());
    }
}
