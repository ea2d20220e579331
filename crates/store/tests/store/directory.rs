//! Read tables of the directory: entries, presence, records of threads, and links between dids and agents.

use std::time::Duration;

use buildtrack_domain::relay::{
    Did, Sealed,
    directory::{
        Availability, DidLinked, DirectoryEvent, Entry, Link, LinkEvent, Linking, PartyRecord, PartyRegistered,
        PartyWithdrawn,
    },
};
use buildtrack_store::{NewPresence, Store, StoreError, verification};
use chrono::TimeDelta;
use rstest_reuse::apply;
use serde_json::json;

use crate::{
    both,
    cast::{agent, agent_id, owner},
    database::{Kind, TestDatabase},
    relay,
};

fn did(text: &str) -> Did {
    text.parse().unwrap()
}

async fn declare(store: &Store, who: &str, event: impl Into<DirectoryEvent>) {
    let (stream, event) = (did(who).directory_stream(), event.into());
    store
        .log()
        .transact::<(), StoreError>(None, async |unit| {
            let entry = unit.load::<Entry>(&stream).await?;
            unit.append(&stream, &entry, vec![event.clone()]);
            Ok(())
        })
        .await
        .unwrap();
}

async fn register(store: &Store, who: &str, intents: &[&str]) {
    let capability = json!({ "id": "cap", "name": "\u{0}", "intents": intents, "pricing": { "model": "free" } });
    let text = json!({ "agent": { "id": who, "name": "Poly\u{0}" }, "capabilities": [capability] }).to_string();
    let registered =
        PartyRegistered { did: did(who), signed_at: store.log().clock().now(), registration: Sealed::new(text) };
    declare(store, who, registered).await;
}

async fn withdraw(store: &Store, who: &str) {
    let withdrawal = Sealed::new("{}");
    declare(store, who, PartyWithdrawn { did: did(who), signed_at: store.log().clock().now(), withdrawal }).await;
}

/// Two entries, one of them registered twice, a withdrawn one, and a did linked to an agent.
pub(crate) async fn story(store: &Store) {
    register(store, "agent", &["translation.en_zh"]).await;
    register(store, "agent", &["translation.*", "summary.a_b"]).await;
    register(store, "gone", &["summary.text"]).await;
    register(store, "other", &["summary.text"]).await;
    withdraw(store, "gone").await;
    let scout = agent(store, &owner(store).await).await;
    let (did, agent_id) = (did("agent"), agent_id(&scout));
    let event = LinkEvent::from(DidLinked { did: did.clone(), agent_id });
    store
        .log()
        .transact::<(), StoreError>(None, async |unit| {
            let (link, slot) = (unit.load::<Link>(did.link_stream()).await?, Linking::stream(agent_id));
            let linking = unit.load::<Linking>(&slot).await?;
            unit.append(&slot, &linking, vec![event.other_side()]);
            unit.append(did.link_stream(), &link, vec![event.clone()]);
            Ok(())
        })
        .await
        .unwrap();
}

#[apply(both)]
async fn the_directorys_tables_are_a_function_of_the_log(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    relay::story(&store).await;
    story(&store).await;
    let verified = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verified.live, verified.rebuilt);
    assert_eq!(verification::rebuild(store.log(), |_| ()).await.unwrap(), verified.live);
}

#[apply(both)]
async fn an_entry_shows_the_last_registration(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    story(&store).await;
    let all = store.relay().parties(i64::MAX, 10).await.unwrap();
    let dids: Vec<_> = all.iter().map(|party| party.did.as_str()).collect();
    assert_eq!(dids, ["other", "agent"]);
    let party = store.relay().party(&did("agent")).await.unwrap().unwrap();
    assert_eq!(
        (party.listing.name.as_deref(), party.listing.intents()),
        (Some("Poly\u{0}"), vec!["summary.a_b", "translation.*"])
    );
    let linked = party.linked.unwrap();
    assert_eq!(store.relay().did_of(linked.id).await.unwrap().unwrap().did, party.did);
    assert!(store.relay().party(&did("gone")).await.unwrap().is_none());
    assert_eq!(store.relay().parties(all[0].position, 10).await.unwrap().len(), 1);
    assert_eq!(store.relay().parties_of(&[did("gone"), did("other")]).await.unwrap().len(), 1);
    assert_eq!(store.relay().parties_of(&[]).await.unwrap().len(), 0);
}

#[apply(both)]
async fn candidates_match_an_intent_its_parents_and_its_children(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    story(&store).await;
    let found = async |intent: &str| {
        let intent = intent.parse().unwrap();
        let found = store.relay().candidates(Some(&intent), 10).await.unwrap();
        found.into_iter().map(|one| one.did.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found("translation.medical.en").await, ["agent"]);
    assert_eq!(found("translation.medical.*").await, ["agent"]);
    assert_eq!(found("translation").await, [""; 0]);
    assert_eq!(found("summary.text").await, ["other"]);
    assert_eq!(found("summary.*").await, ["other", "agent"]);
    assert_eq!(found("summary.a_b.*").await, [""; 0]);
    assert_eq!(store.relay().candidates(None, 10).await.unwrap().len(), 2);
    assert_eq!(store.relay().candidates(None, 1).await.unwrap().len(), 1);
}

#[apply(both)]
async fn records_count_only_the_agents_own_failures(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    relay::story(&store).await;
    let records = store.relay().party_records(&[did("agent"), did("other")]).await.unwrap();
    // One thread was completed; the cancellation of the other does not count against the agent.
    assert_eq!(records[&did("agent")], PartyRecord { completed: 1, ..PartyRecord::default() });
    assert_eq!(records.len(), 1);
    assert!(store.relay().party_records(&[]).await.unwrap().is_empty());
}

#[apply(both)]
async fn presence_is_the_last_status_and_is_written_rarely(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    register(&store, "agent", &["a"]).await;
    let begin = store.log().clock().now();
    let announce = async |availability, second| {
        let signed_at = begin + TimeDelta::seconds(second);
        store.relay().seen(NewPresence { did: did("agent"), availability, signed_at }).await.unwrap()
    };
    let shown = async || {
        let party = store.relay().party(&did("agent")).await.unwrap().unwrap();
        (party.availability, party.seen_at.map(|at| (at - begin).num_seconds()))
    };
    assert_eq!(shown().await, (Availability::Offline, None));
    assert!(announce(Availability::Online, 0).await);
    assert_eq!(shown().await, (Availability::Online, Some(0)));
    assert!(!announce(Availability::Offline, 0).await);
    store.log().clock().advance(Duration::from_secs(5));
    assert!(announce(Availability::Online, 5).await);
    assert_eq!(shown().await, (Availability::Online, Some(0)));
    assert!(announce(Availability::Busy, 6).await);
    assert_eq!(shown().await, (Availability::Busy, Some(5)));
    assert!(!announce(Availability::Online, 4).await);
    store.log().clock().advance(Duration::from_mins(6));
    assert_eq!(shown().await, (Availability::Offline, Some(5)));
    assert_eq!(store.log().tail().head(), 1);
}
