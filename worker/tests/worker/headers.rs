//! Headers of pushes: sequence numbers, expiry, and signatures.

use buildtrack_store::{Purpose, WebhookView};
use chrono::TimeDelta;

use crate::{
    attempts::Posted,
    both,
    cast::{changes, post},
    database::Kind,
    receiver::Reaction,
};

use rstest_reuse::apply;

#[apply(both)]
async fn sequence_headers_reveal_gaps(kind: Kind) {
    let mut posted = Posted::to(kind, vec![Reaction::Status(200)]).await;
    posted.drain().await;
    // Two in one batch, and one in another.
    for content in ["two", "three"] {
        post(&posted.store, posted.workspace_id, &posted.author, content).await;
    }
    posted.drain().await;
    post(&posted.store, posted.workspace_id, &posted.author, "four").await;
    posted.drain().await;
    let mut previous = String::new();
    for push in posted.receiver.rest() {
        let sequence = push.header("x-araf-sequence").to_owned();
        assert!(sequence.parse::<i64>().is_ok_and(|sequence| sequence > previous.parse().unwrap_or(0)), "{sequence}");
        assert_eq!(push.header("x-araf-previous-sequence"), previous);
        previous = sequence;
    }
    let chain = "SELECT CAST(previous AS TEXT) FROM deliveries ORDER BY position";
    let chain = posted.database.texts(chain).await;
    assert_eq!((chain.len(), chain[0].clone(), chain.contains(&Some(previous))), (4, None, false));
}

#[apply(both)]
async fn a_retry_has_its_own_timestamp_and_the_end_of_the_retries(kind: Kind) {
    let plan = vec![Reaction::Status(500), Reaction::Status(500), Reaction::Status(200)];
    let mut posted = Posted::to(kind, plan).await;
    posted.drain().await;
    posted.drain_later().await;
    posted.drain_later().await;
    let pushes = posted.receiver.rest();
    let number =
        |name: &'static str| pushes.iter().map(|push| push.header(name).parse::<i64>().unwrap()).collect::<Vec<_>>();
    let first = 1_772_366_400;
    assert_eq!(number("webhook-timestamp"), [first, first + 12, first + 24]);
    assert_eq!(number("x-araf-expires"), [first + 33; 3]);
    let ids: Vec<_> = pushes.iter().map(|push| push.header("webhook-id")).collect();
    assert!(ids.iter().all(|id| id.starts_with("dlv_") && *id == pushes[0].header("x-araf-delivery")), "{ids:?}");
    assert!(pushes.iter().all(|push| push.is_signed_with(&posted.reader.secret)));
}

#[apply(both)]
async fn both_secrets_sign_during_a_rotation(kind: Kind) {
    let mut posted = Posted::to(kind, vec![Reaction::Status(200)]).await;
    let next = "whsec_bmV4dG5leHRuZXh0bmV4dG5leHRuZXh0";
    let sealed = posted.store.log().secret().seal(Purpose::WebhookSecret, next).unwrap();
    let overlap_ends_at = Some(posted.store.log().clock().now() + TimeDelta::seconds(1));
    changes(&posted.store, &posted.reader, |webhook| WebhookView {
        next_secret_sealed: Some(sealed.clone()),
        overlap_ends_at,
        ..webhook
    })
    .await;
    posted.drain().await;
    let [push] = posted.receiver.rest().try_into().unwrap();
    assert!(push.is_signed_with(&posted.reader.secret));
    let signatures: Vec<_> = push.header("webhook-signature").split(' ').collect();
    assert_eq!(signatures, [push.standard_signature(&posted.reader.secret), push.standard_signature(next)]);

    posted.drain_later().await;
    post(&posted.store, posted.workspace_id, &posted.author, "after the overlap").await;
    posted.drain().await;
    let [push] = posted.receiver.rest().try_into().unwrap();
    assert!(push.is_signed_with(next));
    assert!(!push.header("webhook-signature").contains(' '));
}
