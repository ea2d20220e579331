//! Read tables of the relay: polls, threads and refusals, and equality of live and rebuilt tables.

use std::time::Duration;

use agora_envelope::MessageType;
use buildtrack_domain::{
    decide::Command,
    relay::{
        Did, EnvelopeAccepted, EnvelopeEvent, EnvelopeId, Payload, Phase, RelayError, Sealed, SendEnvelope, Step,
        Submitted, Thread, ThreadId, Timeouts,
    },
};
use buildtrack_store::{EnvelopeFilter, NewRefusal, RelayChange, Store, StoreError, Ties, verification};
use chrono::{DateTime, TimeDelta, Utc};
use rstest_reuse::apply;
use serde_json::json;

use crate::{
    both,
    database::{Kind, TestDatabase, noon},
};

/// Appends a verified envelope, as the relay does.
async fn send(store: &Store, kind: MessageType, (sender, recipient): (&str, Option<&str>), thread: &str) -> EnvelopeId {
    send_at(store, kind, (sender, recipient), thread, store.log().clock().now()).await
}

async fn send_at(
    store: &Store,
    kind: MessageType,
    (sender, recipient): (&str, Option<&str>),
    thread: &str,
    ts: DateTime<Utc>,
) -> EnvelopeId {
    let id: EnvelopeId = store.log().clock().uuid().to_string().parse().unwrap();
    let mut envelope = json!({ "id": id, "ts": ts.to_rfc3339(), "type": kind.as_str(), "sender": { "id": sender } });
    if let Some(recipient) = recipient {
        envelope["recipient"] = json!({ "id": recipient });
    }
    let thread_id: ThreadId = thread.parse().unwrap();
    let payload = Payload {
        intent: (kind == MessageType::Request).then(|| "translation.en_zh".into()),
        status: (kind == MessageType::Result).then(|| "success".into()),
        ..Payload::default()
    };
    let step = Step {
        envelope_id: id.clone(),
        thread_id: thread_id.clone(),
        kind,
        sender: sender.parse::<Did>().unwrap(),
        recipient: recipient.map(|did| did.parse().unwrap()),
        payload,
        ttl: None,
    };
    let timeouts = Timeouts { offer: TimeDelta::minutes(5), result: TimeDelta::hours(1) };
    let send = SendEnvelope { step, now: store.log().clock().now(), timeouts };
    let accepted = EnvelopeAccepted { envelope_id: id.clone(), thread_id, envelope: Sealed::new(envelope.to_string()) };
    store
        .log()
        .transact::<(), Failure>(None, async |unit| {
            let thread = unit.load::<Thread>(accepted.thread_id.stream()).await?;
            let events = send.decide(&thread.state)?;
            unit.append(accepted.thread_id.stream(), &thread, events);
            unit.begin(accepted.envelope_id.stream(), [EnvelopeEvent::from(accepted.clone())]);
            Ok(())
        })
        .await
        .unwrap();
    id
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Relay(#[from] RelayError),
}

/// One completed thread, one failed, one open, and one offer that is not accepted.
pub(crate) async fn story(store: &Store) {
    for thread in ["done", "cancelled", "open"] {
        send(store, MessageType::Request, ("client", None), thread).await;
        send(store, MessageType::Offer, ("agent", Some("client")), thread).await;
    }
    send(store, MessageType::Offer, ("other", None), "open").await;
    for thread in ["done", "cancelled"] {
        send(store, MessageType::Accept, ("client", Some("agent")), thread).await;
    }
    send(store, MessageType::Result, ("agent", Some("client")), "done").await;
    send(store, MessageType::Cancel, ("client", Some("agent")), "cancelled").await;
}

#[apply(both)]
async fn the_relays_tables_are_a_function_of_the_log(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    story(&store).await;
    let verified = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verified.live, verified.rebuilt);
    assert_eq!(verification::rebuild(store.log(), |_| ()).await.unwrap(), verified.live);
}

#[apply(both)]
async fn threads_have_the_phase_of_their_last_event(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    story(&store).await;
    let thread = async |id: &str| store.relay().thread(&id.parse().unwrap()).await.unwrap().unwrap();
    let done = thread("done").await;
    assert_eq!((done.phase, done.agent.as_deref(), done.due_at), (Phase::Completed, Some("agent"), None));
    let cancelled = thread("cancelled").await;
    assert_eq!((cancelled.phase, cancelled.reason.as_deref()), (Phase::Error, Some("cancelled")));
    assert_eq!(thread("open").await.phase, Phase::Pending);
    let record = store.relay().record("agent").await.unwrap();
    assert_eq!((record.since, record.completed, record.failed), (Some(noon()), 1, 1));
    assert_eq!(store.relay().threads_of_request("open", ("client", None), 10).await.unwrap(), [thread("open").await]);
    assert_eq!(store.relay().transcript("done", 0, 10).await.unwrap().len(), 4);
}

#[apply(both)]
async fn threads_are_due_after_their_deadline(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    send(&store, MessageType::Request, ("client", None), "waits").await;
    send(&store, MessageType::Request, ("client", None), "offered").await;
    send(&store, MessageType::Offer, ("agent", None), "offered").await;
    assert!(store.relay().threads_due(None, 10).await.unwrap().is_empty());
    store.log().clock().advance(Duration::from_mins(5));
    let due = store.relay().threads_due(None, 10).await.unwrap();
    assert_eq!(due.iter().map(|due| &*due.key).collect::<Vec<_>>(), ["waits"]);
    assert!(store.relay().threads_due(Some(due[0].cursor()), 10).await.unwrap().is_empty());
}

#[apply(both)]
async fn envelopes_are_polled_by_every_filter(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    story(&store).await;
    let all = EnvelopeFilter::default;
    let found = async |filter: EnvelopeFilter| store.relay().polled(&filter, 0, 100).await.unwrap().len();
    assert_eq!(found(all()).await, 11);
    assert_eq!(found(EnvelopeFilter { recipient: Some("agent".into()), ..all() }).await, 3);
    assert_eq!(found(EnvelopeFilter { sender: Some("other".into()), ..all() }).await, 1);
    let offers = EnvelopeFilter { kind: Some(MessageType::Offer), thread: Some("open".into()), ..all() };
    assert_eq!(found(offers.clone()).await, 2);
    let headers = store.relay().envelope_headers(0, store.log().tail().head(), 100).await.unwrap();
    assert_eq!(headers.iter().filter(|header| header.fits(&offers)).count(), 2);
    store.log().clock().advance(Duration::from_mins(5));
    assert_eq!(found(all()).await, 0);
}

#[apply(both)]
async fn a_poll_reads_no_more_than_its_positions_and_bytes_allow(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    story(&store).await;
    let to_agent = EnvelopeFilter { recipient: Some("agent".into()), ..EnvelopeFilter::default() };
    let all = store.relay().polled(&to_agent, 0, 100).await.unwrap();
    let [first, second, third] = &all[..] else { panic!("three envelopes are for the agent") };
    let within = async |after: i64, until: i64, limit: i64, bytes: usize| {
        let found = store.relay().polled_within(&to_agent, (after, until), limit, bytes).await.unwrap();
        found.into_iter().map(|view| view.position).collect::<Vec<_>>()
    };
    assert_eq!(within(0, third.position, 100, usize::MAX).await, [first, second, third].map(|view| view.position));
    assert_eq!(within(first.position, second.position, 100, usize::MAX).await, [second.position]);
    assert_eq!(within(0, third.position, 1, usize::MAX).await, [first.position]);
    assert_eq!(within(0, third.position, 100, 0).await, [first.position, second.position]);
    // The bytes are those of the envelopes' texts alone.
    let two = [first, second].map(|view| view.accepted.envelope.as_str().len()).iter().sum();
    assert_eq!(within(0, third.position, 100, two).await.len(), 3);
    assert_eq!(within(0, third.position, 100, two - 1).await.len(), 2);
    store.log().clock().advance(Duration::from_mins(5));
    assert_eq!(within(0, third.position, 100, usize::MAX).await, <[i64; 0]>::default());
}

#[apply(both)]
async fn envelopes_with_one_sender_timestamp_are_ties(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let at = |seconds| noon() + TimeDelta::seconds(seconds);
    for (thread, seconds) in [("a", 5), ("b", -60), ("c", 5)] {
        send_at(&store, MessageType::Request, ("client", None), thread, at(seconds)).await;
    }
    let ties = async |seconds| store.relay().ties(&EnvelopeFilter::default(), at(seconds)).await.unwrap();
    let position = async |id: &str| store.relay().transcript(id, 0, 1).await.unwrap()[0].position;
    assert_eq!(ties(5).await, Some(Ties { first: position("a").await, last: position("c").await }));
    assert_eq!(ties(6).await, None);
    assert_eq!(store.relay().before_time(noon()).await.unwrap(), position("a").await - 1);
    assert_eq!(store.relay().before_time(at(1)).await.unwrap(), store.log().tail().head());
}

#[apply(both)]
async fn a_receipt_is_of_the_envelopes_own_event(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let id = send(&store, MessageType::Request, ("client", None), "t").await;
    let receipt = store.relay().receipt(&id).await.unwrap().unwrap();
    assert_eq!(receipt.event.stream, id.stream());
    assert_eq!(Some(receipt.signer), store.relay().did().await.ok());
    let known = store.relay().envelope(&id).await.unwrap().unwrap();
    assert_eq!((known.position, &known.accepted.envelope_id), (receipt.event.position, &id));
    assert!(store.relay().receipt(&"unknown".parse().unwrap()).await.unwrap().is_none());
    let loaded = store.log().transact::<bool, StoreError>(None, async |unit| {
        Ok(unit.load::<Submitted>(id.stream()).await?.state.accepted.is_some())
    });
    assert!(loaded.await.unwrap().value);
}

#[apply(both)]
async fn refusals_are_stored_for_a_day(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let id: EnvelopeId = "msg_1".parse().unwrap();
    let refuse = async |reason: &str| {
        let (reason, error, message) = (reason.to_owned(), "INVALID_REQUEST".to_owned(), "No.".to_owned());
        store
            .log()
            .write_side(vec![RelayChange::Refused(Box::new(NewRefusal {
                envelope_id: id.clone(),
                reason,
                error,
                message,
            }))])
            .await
    };
    refuse("too_deep").await.unwrap();
    store.log().clock().advance(Duration::from_hours(12));
    refuse("too_large").await.unwrap();
    refuse("too_large").await.unwrap();
    let reasons = async || {
        let refusals = store.relay().refusals(&id).await.unwrap();
        refusals.into_iter().map(|refusal| refusal.reason).collect::<Vec<_>>()
    };
    assert_eq!(reasons().await, ["too_large", "too_deep"]);
    store.log().clock().advance(Duration::from_hours(12));
    assert_eq!(reasons().await, ["too_large"]);
    assert!(store.log().prune(100, Duration::from_hours(1)).await.unwrap());
    assert!(!store.log().prune(100, Duration::from_hours(1)).await.unwrap());
    assert_eq!(reasons().await, ["too_large"]);
}
