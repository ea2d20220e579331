//! Erased events and private events: what remains public, verified by the hash chain.

use buildtrack_domain::{
    event::{Visibility, types, visibility},
    log::{SEALED, Salt, chain, data_hash},
    moderation::{Action, LogPosition, SubjectId},
};
use buildtrack_store::{
    ROUNDS_BYTES_MAX, Store,
    verification::{self, VerifyError},
};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, agent_id, file_report, moderate, open, owner, post},
    database::{Kind, TestDatabase},
    documents::register,
    exchange::{NEEDLE, answer, begin},
};

fn blob(kind: Kind, bytes: &[u8]) -> String {
    match kind {
        Kind::Sqlite => format!("X'{}'", hex::encode(bytes)),
        Kind::Postgres => format!("decode('{}', 'hex')", hex::encode(bytes)),
    }
}

async fn data(store: &Store) -> Vec<String> {
    store.log().logged(0, 100).await.unwrap().into_iter().filter_map(|event| event.data).collect()
}

#[apply(both)]
async fn every_private_event_shows_only_position_time_and_hashes(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    owner(&store).await;
    let head = store.log().head().await.unwrap();
    for (position, event_type) in (head + 1..).zip(types()) {
        let statement = format!(
            "INSERT INTO events (position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
             redacted_by, sealed) SELECT {position}, 'secret_{position}', 7, '{event_type}', '{{\"secret\":1}}', salt, \
             data_hash, '{{\"actor\":\"secret\"}}', recorded_at, hash, NULL, sealed FROM events WHERE position = 1"
        );
        database.execute(&statement).await;
    }
    let first = store.log().logged(0, 1).await.unwrap().remove(0);
    let shown = store.log().public_log(head, 1000).await.unwrap();
    assert_eq!(shown.len(), types().count());
    for (shown, event_type) in shown.iter().zip(types()) {
        let event = &shown.event;
        if visibility(event_type) == Visibility::Public {
            assert_eq!(event.event_type, event_type);
            continue;
        }
        assert!(!format!("{shown:?}").contains("secret"), "{shown:?}");
        let own = (&*event.stream, event.version, &*event.event_type, &*event.metadata, event.redacted_by);
        assert_eq!(own, (SEALED, 0, SEALED, "{}", None), "{event_type}");
        assert_eq!((&event.data, &event.salt), (&None, &None), "{event_type}");
        assert_eq!((&event.data_hash, &event.hash), (&first.data_hash, &first.hash), "{event_type}");
        assert_eq!(event.recorded_at, first.recorded_at, "{event_type}");
    }
}

#[apply(both)]
async fn a_private_event_from_before_sealed_headers_still_verifies(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let scout = agent(&store, &owner(&store).await).await;
    let track = open(&store, &scout).await;
    file_report(&store, track, &scout).await.unwrap();
    let last = store.log().head().await.unwrap();
    let events = store.log().logged(last - 2, 2).await.unwrap();
    let (before, report) = (&events[0], &events[1]);
    assert_eq!((&*report.event_type, report.sealed), ("report.filed", true));
    let salt: Salt = report.salt.clone().unwrap().try_into().unwrap();
    let data_hash = data_hash(&salt, report.data.as_deref().unwrap());
    let hash = chain(&before.hash.clone().try_into().unwrap(), &report.header(), &data_hash);
    let sealed = if kind == Kind::Sqlite { "0" } else { "FALSE" };
    let (data_hash, hash) = (blob(kind, &data_hash), blob(kind, &hash));
    let statement =
        format!("UPDATE events SET sealed = {sealed}, data_hash = {data_hash}, hash = {hash} WHERE position = {last}");
    database.execute(&statement).await;
    database.execute(&format!("UPDATE log_head SET hash = {hash}")).await;
    verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    let shown = store.log().public_log(last - 1, 1).await.unwrap().remove(0);
    assert_eq!((&*shown.event.stream, shown.event.sealed), (SEALED, false));
}

#[apply(both)]
async fn a_changed_stream_of_a_private_event_is_detected(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let scout = agent(&store, &owner(&store).await).await;
    let track = open(&store, &scout).await;
    file_report(&store, track, &scout).await.unwrap();
    let last = store.log().head().await.unwrap();
    database.execute(&format!("UPDATE events SET stream = 'report:other' WHERE position = {last}")).await;
    let error =
        verification::verify(store.log(), store.reputation(), |_| ()).await.expect_err("its stream was changed");
    assert!(matches!(error, VerifyError::Data { position } if position == last), "{error:?}");
}

#[apply(both)]
async fn a_name_is_erased_from_every_event_and_the_remainders_verify(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    let track = open(&store, &scout).await;
    post(&store, track, &scout, "one").await.unwrap();
    let named = format!("\"name\":\"{}\"", scout.name);
    assert!(data(&store).await.iter().filter(|data| data.contains(&named)).count() >= 3);
    let subject = SubjectId::from(agent_id(&scout));
    let erased = store.moderation().erase(ada.id, subject).await.unwrap();
    assert!(erased >= 3, "{erased}");
    let left = data(&store).await;
    assert!(
        !left.iter().any(|data| data.contains(&named)) && left.iter().any(|data| data.contains("\"content\":\"one\""))
    );
    let verification = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verification.redactions.iter().filter(|redaction| redaction.remainder.is_some()).count(), erased);
    // A second erasure finds nothing.
    assert_eq!(store.moderation().erase(ada.id, subject).await.unwrap(), 0);

    let position = verification.redactions[0].position;
    database
        .execute(&format!("UPDATE events SET data = replace(data, '[erased]', 'Scout') WHERE position = {position}"))
        .await;
    let error =
        verification::verify(store.log(), store.reputation(), |_| ()).await.expect_err("its remainder was changed");
    assert!(matches!(error, VerifyError::Unaccounted { position: found, .. } if found == position), "{error:?}");
}

#[apply(both)]
async fn a_rebuild_in_any_batch_size_hides_hidden_texts(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    let track = open(&store, &scout).await;
    post(&store, track, &scout, "one").await.unwrap();
    // The document's read table holds its registrar's name.
    let document = "---\nname: Sums\ndescription: Adds numbers.\nmultiround: false\n---\nSend numbers.";
    register(&store, &scout, document).await;
    moderate(&store, agent_id(&scout), Action::Hide, &scout).await.unwrap();
    post(&store, track, &scout, "two").await.unwrap();
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        [] as [&str; 0]
    );
    let hidden = verification::rebuild(store.log(), |_| ()).await.unwrap();
    for size in [1, 2, 3, 7] {
        assert_eq!(verification::rebuild_in_steps(store.log(), size, |_| ()).await.unwrap(), hidden, "{size}");
    }
    moderate(&store, agent_id(&scout), Action::Restore, &scout).await.unwrap();
    let verification = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verification.differing(), [] as [&str; 0]);
    for size in [1, 3] {
        assert_eq!(
            verification::rebuild_in_steps(store.log(), size, |_| ()).await.unwrap(),
            verification.live,
            "{size}"
        );
    }
}

#[apply(both)]
async fn a_transcript_goes_on_after_a_long_text_that_is_hidden(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent_id(&agent(&store, &ada).await);
    let (id, request_id) = begin(&store, Some(&ada), Some(scout), true).await;
    answer(&store, id, request_id, scout).await.unwrap();
    let mut events = store.log().logged(0, 100).await.unwrap();
    events.retain(|event| event.stream == id.to_string());
    let positions: Vec<_> = events.iter().map(|event| event.position).collect();
    let asked = events.iter().find(|event| event.event_type == "exchange.asked").unwrap().position;
    moderate(&store, LogPosition(asked), Action::Hide, &ada).await.unwrap();
    let long = "x".repeat(ROUNDS_BYTES_MAX);
    let statement = format!("UPDATE events SET data = replace(data, '{NEEDLE}', '{long}') WHERE position = {asked}");
    database.execute(&statement).await;

    let (mut after, mut shown, mut pages) = (Some(0), vec![], 0);
    while let Some(position) = after {
        let page = store.exchange().transcript_page(id, position, 10).await.unwrap();
        assert!(page.rows.iter().all(|row| row.data.len() < 10_000), "the text is hidden");
        shown.extend(page.rows.iter().map(|row| row.position));
        (after, pages) = (page.scanned_to, pages + 1);
    }
    assert_eq!(shown, positions);
    assert!(pages > 1, "a page ends at a long text, even if it is hidden");
}
