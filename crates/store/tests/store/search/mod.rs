//! Search: both databases find the same texts.

mod blocks;

use buildtrack_domain::{
    actors::Actor,
    ids::{MessageId, WorkspaceId},
    search::Query,
};
use buildtrack_store::{
    Store, StoreError,
    search::{HitView, SearchFilter, SearchSort},
    verification,
};
use proptest::{
    collection::vec,
    prelude::Strategy,
    test_runner::{Config, TestRunner},
};
use rstest_reuse::apply;
use tokio::runtime::Handle;

use crate::{
    both,
    cast::{edit, new_actor, open, post, redact},
    database::{Kind, TestDatabase},
    forum::cast::{ask, edit_post, redact_post},
};

/// The same for both databases.
const MIGRATION: &str = include_str!("../../../../../migrations/sqlite/0042_words.sql");

pub(crate) fn asked(query: &str) -> SearchFilter {
    SearchFilter {
        query: Query::parse(query).unwrap(),
        document_type: None,
        workspace: None,
        author: None,
        tag: None,
        kind: None,
        since: None,
        sort: SearchSort::Relevance,
        after: None,
        before: None,
        skip: 0,
        limit: 200,
    }
}

pub(crate) async fn hits(store: &Store, filter: &SearchFilter) -> Vec<HitView> {
    store.search().find(filter).await.unwrap().rows
}

async fn found(store: &Store, query: &str) -> Vec<String> {
    hits(store, &asked(query)).await.into_iter().map(|hit| hit.id).collect()
}

async fn index(store: &Store) {
    while store.search().index(1000).await.unwrap().moved {}
}

/// Whether any search table, including the index's own pages, holds a text.
async fn is_indexed(database: &TestDatabase, word: &str) -> bool {
    let pages = match database.kind {
        Kind::Sqlite => {
            let query =
                format!("SELECT hex(block) FROM search_index_data WHERE instr(block, CAST('{word}' AS BLOB)) > 0");
            database.texts(&query).await
        }
        Kind::Postgres => vec![],
    };
    !pages.is_empty() || database.tables_with(word).await.iter().any(|table| table.starts_with("search"))
}

#[apply(both)]
async fn texts_are_found_once_they_are_indexed(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, "Push, don't poll").await.unwrap();
    let question = ask(&store, &ada, "How do I poll?", None).await;
    assert_eq!(found(&store, "poll").await, <[&str; 0]>::default());
    assert_eq!(store.search().indexed_to().await.unwrap(), 0);
    index(&store).await;
    assert_eq!(store.search().indexed_to().await.unwrap(), store.log().head().await.unwrap());
    // Matches in the title come first, then the newer of two equal matches; the last term matches as a prefix.
    assert_eq!(found(&store, "poll").await, [question.to_string(), message.to_string(), track.to_string()]);
    assert_eq!(found(&store, "POLLING wastes").await, [track.to_string()]);
    assert_eq!(found(&store, "poll -push").await, [question.to_string()]);
    assert_eq!(found(&store, "rust").await, [question.to_string()]);
    assert_eq!(found(&store, "pollen").await, <[&str; 0]>::default());
}

#[apply(both)]
async fn no_text_is_left_out_between_two_steps(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    for _ in 0..5 {
        post(&store, track, &ada, "Push").await.unwrap();
    }
    let mut steps = 0;
    while store.search().index(2).await.unwrap().moved {
        steps += 1;
    }
    assert!(steps >= 3, "{steps}");
    assert_eq!(found(&store, "push").await.len(), 5);
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}

#[apply(both)]
async fn an_edit_replaces_the_indexed_text(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let (track, question) = (open(&store, &ada).await, ask(&store, &ada, "Zyxwabc?", None).await);
    index(&store).await;
    assert!(is_indexed(&database, "zyxwabc").await);
    edit(&store, track, ada.id, "서명된 알림", &["λ"]).await.unwrap();
    edit_post(&store, question, &ada, "Vutsdef?").await.unwrap();
    index(&store).await;
    assert_eq!(found(&store, "알림").await, [track.to_string()]);
    assert_eq!(found(&store, "agent webhook events").await, <[&str; 0]>::default());
    assert_eq!(found(&store, "vutsdef").await, [question.to_string()]);
    // The edit changed only the title; the body still contains the phrase.
    assert_eq!(found(&store, "\"zyxwabc in rust\"").await, [question.to_string()]);
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}

#[apply(both)]
async fn a_redacted_text_is_removed_from_the_index(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, "qwertzuiop").await.unwrap();
    let question = ask(&store, &ada, "asdfghjkl", None).await;
    index(&store).await;
    for word in ["qwertzuiop", "asdfghjkl"] {
        assert!(is_indexed(&database, word).await, "{word}");
    }
    redact(&store, track, ada.id, message).await.unwrap();
    redact_post(&store, question, &ada).await.unwrap();
    for word in ["qwertzuiop", "asdfghjkl"] {
        assert!(!is_indexed(&database, word).await, "{word}");
        assert_eq!(found(&store, word).await, <[&str; 0]>::default());
    }
    index(&store).await;
    for word in ["qwertzuiop", "asdfghjkl"] {
        assert!(!is_indexed(&database, word).await, "{word}");
    }
}

#[apply(both)]
async fn a_text_redacted_while_it_is_indexed_is_not_stored(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    for round in 0..20 {
        let word = format!("secret{round}");
        let message = post(&store, track, &ada, &word).await.unwrap();
        let (redacted, indexed) =
            futures_util::future::join(redact(&store, track, ada.id, message), store.search().index(1000)).await;
        redacted.unwrap();
        indexed.unwrap();
        assert!(!is_indexed(&database, &word).await, "{word}");
    }
}

#[apply(both)]
async fn of_two_concurrent_indexers_one_is_refused_and_no_text_is_indexed_twice(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    for _ in 0..10 {
        post(&store, track, &ada, "Push").await.unwrap();
        let both = futures_util::future::join(store.search().index(1000), other.search().index(1000)).await;
        for indexed in [both.0, both.1] {
            assert!(matches!(indexed, Ok(_) | Err(StoreError::Conflict { .. })), "{indexed:?}");
        }
    }
    index(&store).await;
    assert_eq!(found(&store, "push").await.len(), 10);
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}

#[apply(both)]
async fn words_are_found_in_any_case_and_without_optional_marks(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let mut ids = Vec::new();
    for text in ["ΟΔΟΣ", "Die Straße", "שָׁלוֹם", "مُحَمَّد", "Ｃａｆé"] {
        ids.push(post(&store, track, &ada, text).await.unwrap().to_string());
    }
    index(&store).await;
    for (queries, id) in [
        (["οδος", "ὁδός"], 0),
        (["STRASSE", "strasse"], 1),
        (["שלום", "שָׁלוֹם"], 2),
        (["محمد", "محمّد"], 3),
        (["cafe", "CAFÉ"], 4),
    ] {
        for query in queries {
            assert_eq!(found(&store, query).await, [&*ids[id]], "{query}");
        }
    }
}

#[apply(both)]
async fn an_upgrade_folds_the_stored_words_again_while_they_are_found(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, "Straße poll").await.unwrap().to_string();
    index(&store).await;
    // As an earlier version left them.
    database.execute("UPDATE consumers SET name = 'search' WHERE position > 0 AND name LIKE 'search%'").await;
    let earlier = [
        format!("DELETE FROM search_documents WHERE id = '{message}'"),
        format!(
            "INSERT INTO search_documents (position, id, type, workspace_id, author_id, kind, created_at, words) \
             VALUES (2, '{message}', 'message', '{track}', '{}', 'proposal', '2026-01-01T00:00:00Z', ' straße  poll ')",
            ada.id
        ),
    ];
    for statement in earlier {
        database.execute(&statement).await;
    }
    database.execute(MIGRATION).await;
    let store = database.open().await;
    assert_eq!(database.texts("SELECT reason FROM unfilled").await, [""; 0]);
    assert_eq!(found(&store, "poll \"straße\"").await, [""; 0]);
    assert_eq!(found(&store, "\"poll\"").await, std::slice::from_ref(&message));
    index(&store).await;
    assert_eq!(found(&store, "strasse").await, std::slice::from_ref(&message));
    assert_eq!(database.texts("SELECT name FROM consumers WHERE name = 'search'").await, [""; 0]);
    assert_eq!(verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(), [""; 0]);
}

#[apply(both)]
async fn filters_narrow_what_is_found(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let (first, second) = (open(&store, &ada).await, open(&store, &bob).await);
    let one = post(&store, first, &ada, "Push 1").await.unwrap();
    let two = post(&store, second, &bob, "Push 2").await.unwrap();
    let question = ask(&store, &bob, "Push 3", None).await;
    index(&store).await;
    let [one, two, question] = [one.to_string(), two.to_string(), question.to_string()];
    let ids =
        async |filter: SearchFilter| hits(&store, &filter).await.into_iter().map(|hit| hit.id).collect::<Vec<_>>();
    let newest = || SearchFilter { sort: SearchSort::Newest, ..asked("push") };
    assert_eq!(ids(newest()).await, [question.clone(), two.clone(), one.clone()]);
    assert_eq!(
        ids(SearchFilter { sort: SearchSort::Oldest, ..newest() }).await,
        [one.clone(), two.clone(), question.clone()]
    );
    assert_eq!(ids(SearchFilter { workspace: Some(first), ..newest() }).await, std::slice::from_ref(&one));
    assert_eq!(ids(SearchFilter { author: Some(bob.id), ..newest() }).await, [question.clone(), two.clone()]);
    assert_eq!(ids(SearchFilter { document_type: Some("message"), ..newest() }).await, [two.clone(), one.clone()]);
    assert_eq!(ids(SearchFilter { tag: Some("rust".into()), ..newest() }).await, std::slice::from_ref(&question));
    assert_eq!(ids(SearchFilter { tag: Some("build".into()), ..newest() }).await, [two.clone(), one.clone()]);
    let later = store.log().clock().after(std::time::Duration::from_secs(1));
    assert_eq!(ids(SearchFilter { since: Some(later), ..newest() }).await, <[&str; 0]>::default());
    assert_eq!(ids(SearchFilter { limit: 1, skip: 1, ..asked("push") }).await.len(), 1);
    let shown = hits(&store, &SearchFilter { workspace: Some(second), ..asked("push") }).await.remove(0);
    assert_eq!((&*shown.title, &*shown.text, &*shown.author_name), ("Agent Webhook Events", "Push 2", &*bob.name));
    assert_eq!((shown.author_model, shown.kind.as_deref()), (bob.model, Some("proposal")));
}

#[apply(both)]
async fn a_rebuild_fills_the_search_index_again(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, "Push").await.unwrap();
    index(&store).await;
    database.execute("UPDATE search_documents SET kind = 'critique' WHERE type = 'message'").await;
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        ["search_documents"]
    );
    post(&store, track, &ada, "Behind").await.unwrap();
    verification::rebuild(store.log(), |_| ()).await.unwrap();
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
    assert_eq!(store.search().indexed_to().await.unwrap(), store.log().head().await.unwrap());
    assert_eq!(found(&store, "push").await, [message.to_string()]);
    assert_eq!(found(&store, "behind").await.len(), 1);
}

#[tokio::test]
async fn the_index_of_sqlite_agrees_with_the_documents() {
    let (database, store) = TestDatabase::with_store(Kind::Sqlite).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, "Push, don't poll: 에이전트가 알림을 받는다\n…").await.unwrap();
    let question = ask(&store, &ada, "Why?", None).await;
    index(&store).await;
    edit(&store, track, ada.id, "서명된 알림", &["λ"]).await.unwrap();
    edit_post(&store, question, &ada, "…").await.unwrap();
    redact(&store, track, ada.id, message).await.unwrap();
    index(&store).await;
    // With rank 1, it compares the index with the text of each row.
    database.execute("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)").await;
}

/// Two databases with the same messages.
struct Twins {
    stores: Vec<(TestDatabase, Store)>,
}

impl Twins {
    async fn with(texts: &[String]) -> (Self, Vec<Vec<MessageId>>) {
        let (mut stores, mut ids) = (vec![], vec![]);
        for kind in [Kind::Sqlite, Kind::Postgres] {
            let (database, store) = TestDatabase::with_store(kind).await;
            let ada: Actor = new_actor(&store);
            let track: WorkspaceId = open(&store, &ada).await;
            let mut posted = Vec::new();
            for text in texts {
                posted.push(post(&store, track, &ada, text).await.unwrap());
            }
            index(&store).await;
            stores.push((database, store));
            ids.push(posted);
        }
        (Self { stores }, ids)
    }

    /// The messages that a query finds, in order, with their scores; asserts that both databases agree.
    async fn find(&self, ids: &[Vec<MessageId>], query: &Query) -> Vec<(Option<usize>, i64)> {
        let mut answers = Vec::new();
        for ((_, store), ids) in self.stores.iter().zip(ids) {
            let filter = SearchFilter { query: query.clone(), ..asked("x") };
            let found_at = |hit: HitView| (ids.iter().position(|id| id.to_string() == hit.id), hit.score);
            answers.push(hits(store, &filter).await.into_iter().map(found_at).collect::<Vec<_>>());
        }
        assert_eq!(answers[0], answers[1], "{query:?}");
        answers.remove(0)
    }
}

async fn both_find_every_text_by_its_words(texts: &[String]) {
    let (twins, ids) = Twins::with(texts).await;
    for (index, text) in texts.iter().enumerate() {
        for word in text.split_whitespace() {
            let Ok(query) = Query::parse(word) else { continue };
            if !query.unwanted().is_empty() {
                continue;
            }
            let found = twins.find(&ids, &query).await;
            assert!(found.iter().any(|(found_at, _)| *found_at == Some(index)), "{word:?} does not find {text:?}");
        }
    }
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let word = "[a-cé\u{301}\u{fe0f}\u{200d}🚀👩①ﬁ에이전트각\u{1100}\u{1161}\u{11a8}中協作ーバｻﾞ_'\"-]{1,8}|[ -~]{1,8}|\\PC{1,5}|[가-힣]{1,6}|[一-龥]{1,6}";
    vec(vec(word, 1..6).prop_map(|words| words.join(" ").replace('\0', " ")), 1..12)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_text_is_found_by_each_of_its_words_and_both_databases_find_the_same() {
    let config = Config { cases: 6, max_shrink_iters: 20, failure_persistence: None, ..Config::default() };
    let check = |texts: Vec<String>| {
        Handle::current().block_on(both_find_every_text_by_its_words(&texts));
        Ok(())
    };
    tokio::task::block_in_place(|| TestRunner::new(config).run(&texts(), check)).unwrap();
}
