//! Outcomes beyond success and failure: Retry-After, 410 Gone, and disabled endpoints.

use std::time::Duration;

use buildtrack_domain::webhooks::{FAILING_MAX, UNVERIFIED_MAX};

use crate::{
    attempts::{Posted, outcome},
    both,
    cast::{RETRY, post},
    database::Kind,
    receiver::Reaction,
};

use rstest_reuse::apply;

async fn disabled_reason(posted: &Posted) -> Option<String> {
    let webhook = posted.store.webhooks().webhook(posted.reader.webhook_id).await.unwrap().unwrap();
    webhook.disabled_reason.map(|reason| format!("{reason:?}").trim_matches('"').to_lowercase())
}

#[apply(both)]
async fn a_receiver_can_postpone_the_retry(kind: Kind) {
    let plan = vec![Reaction::Responds(503, "Retry-After: 600\r\n", String::new()), Reaction::Status(200)];
    let mut posted = Posted::to(kind, plan).await;
    posted.drain().await;
    posted.drain_later().await;
    assert_eq!(posted.receiver.rest().len(), 1);
    posted.database.clock.advance(Duration::from_mins(10));
    posted.drain().await;
    assert_eq!(posted.delivery().await, outcome("delivered", &["503", "200"]));
}

#[apply(both)]
async fn a_410_disables_the_endpoint(kind: Kind) {
    let mut posted = Posted::to(kind, vec![Reaction::Status(410)]).await;
    posted.drain().await;
    assert_eq!(posted.delivery().await, outcome("failed", &["410"]));
    assert_eq!(disabled_reason(&posted).await.as_deref(), Some("gone"));
    post(&posted.store, posted.workspace_id, &posted.author, "hello?").await;
    posted.drain_later().await;
    assert_eq!(posted.receiver.rest().len(), 1);
}

#[apply(both)]
async fn pending_deliveries_of_a_disabled_endpoint_are_cancelled(kind: Kind) {
    let mut posted = Posted::to(kind, vec![Reaction::Status(500), Reaction::Status(410)]).await;
    posted.drain().await;
    post(&posted.store, posted.workspace_id, &posted.author, "you are gone").await;
    posted.drain().await;
    posted.drain_later().await;
    let statuses = posted.database.texts("SELECT status || ' ' || attempts FROM deliveries ORDER BY position").await;
    assert_eq!(statuses, [Some("cancelled 1".into()), Some("failed 1".into())]);
    // A cancelled delivery records no attempt.
    let attempts = posted.database.texts("SELECT CAST(number AS TEXT) FROM attempts").await;
    assert_eq!(attempts, [Some("1".into()), Some("1".into())]);
    assert_eq!(posted.receiver.rest().len(), 2);
}

#[apply(both)]
async fn an_endpoint_that_fails_for_days_is_disabled(kind: Kind) {
    const SINCE: &str = "SELECT CAST(failing_since AS TEXT) FROM webhook_progress";
    let plan = vec![Reaction::Status(500), Reaction::Status(200), Reaction::Status(500)];
    let posted = Posted::to(kind, plan).await;
    posted.drain().await;
    assert!(posted.database.texts(SINCE).await[0].is_some());
    posted.drain_later().await;
    assert_eq!(posted.database.texts(SINCE).await, [None]);
    // The period starts with the first failure after the success.
    for (wait, disabled) in [
        (Duration::ZERO, None),
        (FAILING_MAX.saturating_sub(Duration::from_secs(1)), None),
        (FAILING_MAX, Some("failing")),
    ] {
        posted.database.clock.advance(wait);
        post(&posted.store, posted.workspace_id, &posted.author, "are you there?").await;
        posted.drain().await;
        assert_eq!(disabled_reason(&posted).await.as_deref(), disabled);
    }
}

#[apply(both)]
async fn an_endpoint_that_never_answers_is_disabled_after_a_day(kind: Kind) {
    let posted = Posted::to(kind, vec![Reaction::Status(500)]).await;
    posted.drain().await;
    for (wait, disabled) in [(UNVERIFIED_MAX.saturating_sub(Duration::from_secs(1)), None), (RETRY, Some("failing"))] {
        posted.database.clock.advance(wait);
        post(&posted.store, posted.workspace_id, &posted.author, "are you there?").await;
        posted.drain().await;
        assert_eq!(disabled_reason(&posted).await.as_deref(), disabled);
    }
}

#[apply(both)]
async fn the_beginning_of_a_response_is_stored(kind: Kind) {
    let said = format!("{}\0é{}", "x".repeat(1000), "é".repeat(10_000));
    let posted = Posted::to(kind, vec![Reaction::Responds(500, "", said.clone()), Reaction::Status(200)]).await;
    posted.drain().await;
    posted.drain_later().await;
    let responses = posted.database.texts("SELECT response FROM attempts ORDER BY number").await;
    let beginning = responses[0].as_deref().unwrap();
    assert!(beginning.len() <= 16 * 1024 && beginning.len() > 16 * 1024 - 4, "{}", beginning.len());
    assert!(said.replace('\0', "").starts_with(beginning.trim_end_matches('\u{fffd}')));
    assert_eq!(responses[1].as_deref(), Some("{}"));
}
