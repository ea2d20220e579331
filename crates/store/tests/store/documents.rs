//! Protocol documents and supports: lists, order, search and supporting agents.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    decide::Command,
    exchange::documents::{
        DeclareSupport, Document, DocumentHash, ProtocolDocument, RegisterDocument, Supports, WithdrawDocument,
        WithdrawSupport,
    },
    search::{Need, Query},
};
use buildtrack_store::{DocumentFilter, Store, StoreError, verification};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, agent_id, deactivate, owner},
    database::{Kind, TestDatabase},
};

fn text(name: &str, description: &str) -> String {
    format!("name: {name}\ndescription: {description}\nmultiround: false\n---\nSay \u{1}what you like, é\r\n.")
}

/// Registers a document, or lists a withdrawn one again.
pub(crate) async fn register(store: &Store, registrar: &Actor, text: &str) -> DocumentHash {
    let document = ProtocolDocument::parse(text).unwrap();
    let hash = document.hash();
    let command = RegisterDocument { document, registrar: registrar.clone() };
    store
        .log()
        .transact::<(), StoreError>(Some(registrar.id), async |unit| {
            let document = unit.load::<Document>(hash.stream()).await?;
            unit.append(hash.stream(), &document, command.decide(&document.state).unwrap());
            Ok(())
        })
        .await
        .unwrap();
    hash
}

pub(crate) async fn withdraw(store: &Store, registrar: &Actor, hash: DocumentHash) {
    store
        .log()
        .transact::<(), StoreError>(Some(registrar.id), async |unit| {
            let document = unit.load::<Document>(hash.stream()).await?;
            let events = WithdrawDocument { hash, by: registrar.id }.decide(&document.state).unwrap();
            unit.append(hash.stream(), &document, events);
            Ok(())
        })
        .await
        .unwrap();
}

pub(crate) async fn support(store: &Store, agent: &Actor, hash: DocumentHash, declares: bool) {
    let (agent_id, stream) = (agent_id(agent), Supports::stream(agent_id(agent)));
    store
        .log()
        .transact::<(), StoreError>(Some(agent.id), async |unit| {
            let supports = unit.load::<Supports>(&stream).await?;
            let events = if declares {
                DeclareSupport { agent_id, hash, listed: true }.decide(&supports.state).unwrap()
            } else {
                WithdrawSupport { agent_id, hash }.decide(&supports.state).unwrap()
            };
            unit.append(&stream, &supports, events);
            Ok(())
        })
        .await
        .unwrap();
}

/// Two documents with one name, one of them withdrawn, one listed again, and two with supporting agents.
pub(crate) async fn story(store: &Store) {
    let ada = owner(store).await;
    let scout = agent(store, &ada).await;
    let first = register(store, &scout, &text("Weather", "Says how rain comes.")).await;
    let second = register(store, &scout, &text("Weather", "Says how rain comes, and when.")).await;
    let third = register(store, &ada, &text("Tides", "Says when the water comes.")).await;
    support(store, &scout, first, true).await;
    support(store, &scout, second, true).await;
    support(store, &scout, DocumentHash::of("of the server's own"), true).await;
    support(store, &scout, second, false).await;
    withdraw(store, &scout, first).await;
    withdraw(store, &ada, third).await;
    register(store, &ada, &text("Tides", "Says when the water comes.")).await;
}

async fn listed(store: &Store, filter: DocumentFilter) -> Vec<DocumentHash> {
    let filter = DocumentFilter { limit: if filter.limit == 0 { 50 } else { filter.limit }, ..filter };
    store.exchange().listed_documents(&filter).await.unwrap().rows.into_iter().map(|view| view.hash).collect()
}

#[apply(both)]
async fn the_tables_of_documents_are_a_function_of_the_log(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    story(&store).await;
    let verified = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verified.live, verified.rebuilt);
    let rows = |name: &str| verified.live.iter().find(|table| table.table == name).map(|table| table.rows);
    assert_eq!((rows("documents"), rows("supports")), (Some(3), Some(2)));
    for size in [1, 3] {
        assert_eq!(
            verification::rebuild_in_steps(store.log(), size, |_| ()).await.unwrap(),
            verified.live,
            "in steps of {size}"
        );
    }
}

#[apply(both)]
async fn a_document_has_the_text_that_was_hashed(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let scout = agent(&store, &owner(&store).await).await;
    let text = text("Weather", "Says how rain comes.");
    let hash = register(&store, &scout, &text).await;
    assert_eq!(store.exchange().document_text(&hash).await.unwrap().as_deref(), Some(&*text));
    let view = store.exchange().document(&hash).await.unwrap().unwrap();
    assert_eq!((&*view.name, &*view.description, view.multiround), ("Weather", "Says how rain comes.", false));
    assert_eq!((view.registrar_id, &*view.registrar_name), (scout.id, &*scout.name));
    assert_eq!((view.registrar_model, view.withdrawn_at), (scout.model.clone(), None));
    withdraw(&store, &scout, hash).await;
    assert!(store.exchange().document(&hash).await.unwrap().unwrap().withdrawn_at.is_some());
    assert_eq!(store.exchange().document_text(&hash).await.unwrap().as_deref(), Some(&*text));
    assert!(store.exchange().document(&DocumentHash::of("x")).await.unwrap().is_none());
    assert!(store.exchange().document_text(&DocumentHash::of("x")).await.unwrap().is_none());
}

#[apply(both)]
async fn documents_are_filtered_by_query_name_registrar_and_supporter(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let (scout, quill) = (agent(&store, &ada).await, agent(&store, &ada).await);
    let rain = register(&store, &scout, &text("Weather", "Says how rain comes.")).await;
    database.clock.advance(Duration::from_secs(1));
    let sun = register(&store, &scout, &text("Weather", "Says when the sun shines.")).await;
    let gone = register(&store, &scout, &text("Weather", "Says nothing.")).await;
    let tides = register(&store, &ada, &text("潮汐", "Says when the water comes.")).await;
    withdraw(&store, &scout, gone).await;
    support(&store, &quill, sun, true).await;
    support(&store, &quill, gone, true).await;
    let all = DocumentFilter::default;
    assert_eq!(listed(&store, all()).await, [tides, sun, rain]);
    let query = |text: &str| DocumentFilter { query: Some(Query::parse(text).unwrap()), ..all() };
    assert_eq!(listed(&store, query("when -sun")).await, [tides]);
    assert_eq!(listed(&store, query("WEATHER say")).await, [sun, rain]);
    assert_eq!(listed(&store, query("潮")).await, [tides]);
    assert_eq!(listed(&store, query("\"rain comes\"")).await, [rain]);
    assert_eq!(listed(&store, DocumentFilter { name: Some("Weather".into()), ..all() }).await, [sun, rain]);
    assert_eq!(listed(&store, DocumentFilter { name: Some("weather".into()), ..all() }).await, []);
    assert_eq!(listed(&store, DocumentFilter { registrar: Some(ada.id), ..all() }).await, [tides]);
    let supported = DocumentFilter { supported_by: Some(agent_id(&quill)), ..all() };
    assert_eq!(listed(&store, supported).await, [sun]);
    let position = store.exchange().document(&sun).await.unwrap().unwrap().position;
    assert_eq!(listed(&store, DocumentFilter { before: Some(position), ..all() }).await, [rain]);
    assert_eq!(listed(&store, DocumentFilter { limit: 1, ..all() }).await, [tides]);
    let versions = store.exchange().document_versions(scout.id, "Weather", 10).await.unwrap();
    assert_eq!(versions.iter().map(|view| view.hash).collect::<Vec<_>>(), [rain, sun, gone]);
}

/// Copies of a registered document at the positions before it: `copies` of them, each under another hash.
async fn crowd(database: &TestDatabase, hash: DocumentHash, copies: i64) {
    let columns = "sha256, description, multiround, registrar_id, registrar_name, registrar_type, registrar_model, \
                   registered_at, withdrawn_at, hidden, words";
    database
        .execute(&format!(
            "INSERT INTO documents (hash, position, name, {columns}) WITH RECURSIVE numbers (number) AS \
             (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < {copies}) \
             SELECT 'copy' || number, -number, 'Copy', {columns} FROM documents, numbers WHERE hash = '{hash}'"
        ))
        .await;
}

#[apply(both)]
async fn a_list_looks_at_a_bounded_number_of_documents_and_continues_on_the_next_page(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let scout = agent(&store, &owner(&store).await).await;
    let rain = register(&store, &scout, &text("Weather", "Says how rain comes.")).await;
    crowd(&database, rain, 6000).await;
    let (query, registrar) = (Some(Query::parse("sun").unwrap()), Some(owner(&store).await.id));
    for (filter, looked_at) in [
        (DocumentFilter { query, ..DocumentFilter::default() }, 500),
        (DocumentFilter { registrar, ..DocumentFilter::default() }, 5000),
        (DocumentFilter { name: Some("Copy".into()), registrar, ..DocumentFilter::default() }, 5000),
    ] {
        let page = store.exchange().listed_documents(&DocumentFilter { limit: 10, ..filter.clone() }).await.unwrap();
        assert_eq!(page.rows.len(), 0, "{filter:?}");
        let until = page.scanned_to.unwrap();
        assert!((-looked_at..=2 - looked_at).contains(&until), "{filter:?}: {until}");
        let next = DocumentFilter { before: Some(until), limit: 10, ..filter };
        let next = store.exchange().listed_documents(&next).await.unwrap();
        assert!(next.scanned_to.is_none_or(|next| next < until));
    }
}

#[apply(both)]
async fn the_best_match_for_a_need_comes_first(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let scout = agent(&store, &owner(&store).await).await;
    let weather = register(&store, &scout, &text("Weather", "Forecasts for a place.")).await;
    let tides = register(&store, &scout, &text("Tides", "Forecasts of water, by place and day.")).await;
    let travels = register(&store, &scout, &text("Trains", "Goes to places.")).await;
    let gone = register(&store, &scout, &text("Weather forecast", "For a place.")).await;
    withdraw(&store, &scout, gone).await;
    let fitting = async |need: &str, limit| {
        let views = store.exchange().documents_fitting(&Need::of(need), limit).await.unwrap();
        views.into_iter().map(|view| view.hash).collect::<Vec<_>>()
    };
    assert_eq!(
        fitting("What will the weather be? I need forecasts for some places.", 10).await,
        [weather, tides, travels]
    );
    assert_eq!(fitting("the water", 10).await, [tides]);
    assert_eq!(fitting("forecasts", 1).await, [tides]);
    assert_eq!(fitting("How may I help you?", 10).await, []);
    assert_eq!(fitting("' OR 1=1; \\ % _ \" \u{1}", 10).await, []);
}

#[apply(both)]
async fn support_counts_while_the_document_is_listed_and_the_agent_is_active(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let (scout, quill) = (agent(&store, &ada).await, agent(&store, &ada).await);
    let (weather, tides) = (text("Weather", "Says how rain comes."), text("Tides", "Says when."));
    let (rain, own) = (register(&store, &scout, &weather).await, DocumentHash::of("of the server's own"));
    let water = register(&store, &scout, &tides).await;
    for (agent, hash) in [(&scout, rain), (&scout, own), (&quill, rain), (&scout, water)] {
        support(&store, agent, hash, true).await;
    }
    let id = agent_id(&scout);
    let hashes = async || {
        let views = store.exchange().documents_supported(id, i64::MAX, 10).await.unwrap();
        views.into_iter().map(|view| (view.hash, view.name)).collect::<Vec<_>>()
    };
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(hashes().await, [(water, named("Tides")), (own, None), (rain, named("Weather"))]);
    assert_eq!(
        store.exchange().texts_supported(id).await.unwrap(),
        [(rain, Some(weather.clone())), (own, None), (water, Some(tides))]
    );
    let supporters = async || store.exchange().document_supporters(&rain, 10).await.unwrap().len();
    assert_eq!(supporters().await, 2);
    deactivate(&store, &quill, &ada).await.unwrap();
    assert_eq!(supporters().await, 1);
    for hash in [rain, own, water] {
        assert!(store.exchange().document_supported(id, &hash).await.unwrap());
    }
    withdraw(&store, &scout, rain).await;
    support(&store, &scout, water, false).await;
    for (hash, supported) in [(rain, false), (own, true), (water, false)] {
        assert_eq!(store.exchange().document_supported(id, &hash).await.unwrap(), supported);
    }
    assert_eq!(hashes().await, [(own, None)]);
    // Relisting a document restores its supports.
    register(&store, &scout, &weather).await;
    assert!(store.exchange().document_supported(id, &rain).await.unwrap());
    let other = agent(&store, &ada).await;
    assert!(!store.exchange().document_supported(agent_id(&other), &rain).await.unwrap());
}
