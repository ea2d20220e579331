//! A search walks the log in blocks of positions and examines a bounded number of texts.

use buildtrack_domain::ids::MessageId;
use buildtrack_store::{
    Listed,
    search::{HitView, SearchFilter, SearchSort, WORK_MAX},
};
use rstest_reuse::apply;

use super::{asked, hits};
use crate::{
    both,
    cast::{new_actor, open, post},
    database::{Kind, TestDatabase},
};

/// Puts the document of a message at this position.
async fn put(database: &TestDatabase, position: i64, message: MessageId, words: &str) {
    let statement = format!(
        "INSERT INTO search_documents (position, id, type, author_id, kind, created_at, words) \
         VALUES ({position}, '{message}', 'message', 'ag_1', 'update', '2026-01-01T00:00:00Z', '{words}')"
    );
    database.execute(&statement).await;
}

#[apply(both)]
async fn texts_anywhere_on_a_long_log_are_found_in_order(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    // At the borders of the index's blocks, and with empty blocks between them.
    let positions = [16_383, 16_384, 16_385, 500_000, 9_999_999];
    let mut messages = Vec::new();
    for (number, position) in positions.into_iter().enumerate() {
        let message = post(&store, track, &ada, "Push").await.unwrap();
        put(&database, position, message, &format!(" push  number{number} ")).await;
        messages.push(message.to_string());
    }
    let ids =
        async |filter: SearchFilter| hits(&store, &filter).await.into_iter().map(|hit| hit.id).collect::<Vec<_>>();
    let oldest = || SearchFilter { sort: SearchSort::Oldest, ..asked("push") };
    let newest = || SearchFilter { sort: SearchSort::Newest, ..asked("push") };
    assert_eq!(ids(oldest()).await, messages);
    assert_eq!(ids(SearchFilter { after: Some(16_384), before: Some(9_999_999), ..oldest() }).await, messages[2..4]);
    assert_eq!(ids(SearchFilter { limit: 2, ..oldest() }).await, messages[..2]);
    // No bound makes the search walk further than the log.
    assert_eq!(ids(SearchFilter { after: Some(i64::MIN), ..oldest() }).await, messages);
    for (after, before) in [(Some(i64::MAX), None), (None, Some(i64::MIN)), (Some(9_999_999), Some(1))] {
        for search in [oldest(), newest()] {
            assert_eq!(ids(SearchFilter { after, before, ..search }).await, [""; 0]);
        }
    }
    messages.reverse();
    assert_eq!(ids(SearchFilter { after: Some(i64::MIN), ..newest() }).await, messages);
    assert_eq!(ids(newest()).await, messages);
    assert_eq!(ids(asked("push")).await, messages);
    assert_eq!(ids(SearchFilter { before: Some(16_384), ..newest() }).await, messages[4..]);
    assert_eq!(ids(SearchFilter { limit: 2, ..newest() }).await, messages[..2]);
    assert_eq!(ids(asked("push number3")).await, messages[1..2]);
    assert_eq!(ids(asked("push num")).await, messages);
}

#[apply(both)]
async fn a_search_examines_a_bounded_number_of_texts_and_goes_on(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let mut messages = Vec::new();
    for position in [1, 900_000] {
        let message = post(&store, track, &ada, "Push poll").await.unwrap();
        put(&database, position, message, " push  poll ").await;
        messages.push(message.to_string());
    }
    // Their words match, and the phrase does not.
    let others = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2500) \
         INSERT INTO search_documents (position, id, type, author_id, kind, created_at, words) \
         SELECT 100000 + n, 'msg_' || n, 'message', 'ag_1', 'update', '2026-01-01T00:00:00Z', ' poll  push ' FROM numbers";
    database.execute(others).await;
    let phrase = |sort| SearchFilter { sort, ..asked("\"push poll\"") };
    let ids = |rows: Vec<HitView>| rows.into_iter().map(|hit| hit.id).collect::<Vec<_>>();
    let Listed { rows, scanned_to } = store.search().find(&phrase(SearchSort::Newest)).await.unwrap();
    assert_eq!((ids(rows), scanned_to), (vec![messages[1].clone()], Some(100_002)));
    let next = SearchFilter { before: scanned_to, ..phrase(SearchSort::Newest) };
    let Listed { rows, scanned_to } = store.search().find(&next).await.unwrap();
    assert_eq!((ids(rows), scanned_to), (vec![messages[0].clone()], None));
    let Listed { rows, scanned_to } = store.search().find(&phrase(SearchSort::Oldest)).await.unwrap();
    assert_eq!((ids(rows), scanned_to), (vec![messages[0].clone()], Some(102_499)));
    let next = SearchFilter { after: scanned_to, ..phrase(SearchSort::Oldest) };
    let Listed { rows, scanned_to } = store.search().find(&next).await.unwrap();
    assert_eq!((ids(rows), scanned_to), (vec![messages[1].clone()], None));
    // More texts of a block have the first word than are read to look for the prefix.
    let Listed { rows, .. } = store.search().find(&asked("-\"poll push\" poll pu")).await.unwrap();
    assert_eq!(ids(rows), [messages[1].clone()]);
    // Without a phrase every text that the index finds is a hit.
    let none_of_them = SearchFilter { author: Some(ada.id), ..asked("push") };
    let Listed { rows, scanned_to } = store.search().find(&none_of_them).await.unwrap();
    assert_eq!((rows.len(), scanned_to), (0, None));
}

/// How many texts of so many bytes a query of one term reads.
fn affordable(bytes: usize) -> usize {
    usize::try_from(WORK_MAX).unwrap() / (5 * bytes)
}

#[apply(both)]
async fn a_search_reads_a_bounded_number_of_bytes(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let words = format!(" rare {} ", " push ".repeat(20_000));
    let (texts, read) = (60, affordable(words.len()));
    assert!((1..texts).contains(&read), "{read}");
    let mut messages = Vec::new();
    for position in 1..=60 {
        let message = post(&store, track, &ada, "Push").await.unwrap();
        put(&database, position, message, &words).await;
        messages.push(message.to_string());
    }
    messages.reverse();
    let ids = |rows: &[HitView]| rows.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>();
    // The index knows all hits of a single word: those beyond the bound follow, the newest first, without a score.
    for sort in [SearchSort::Relevance, SearchSort::Newest] {
        let Listed { rows, scanned_to } =
            store.search().find(&SearchFilter { sort, ..asked("\"rare\"") }).await.unwrap();
        assert_eq!((ids(&rows), scanned_to), (messages.clone(), None));
        assert_eq!(rows.iter().filter(|hit| hit.score > 0).count(), read);
        assert!(rows[..read].iter().all(|hit| hit.score > 0));
    }
    // A phrase is found in what was read.
    let phrase = || SearchFilter { sort: SearchSort::Newest, ..asked("\"rare push\"") };
    let Listed { rows, scanned_to } = store.search().find(&phrase()).await.unwrap();
    assert_eq!((ids(&rows), scanned_to), (messages[..read].to_vec(), rows.last().map(|hit| hit.position)));
    let Listed { rows, .. } = store.search().find(&SearchFilter { before: scanned_to, ..phrase() }).await.unwrap();
    assert_eq!(ids(&rows), messages[read..(2 * read).min(texts)]);
    // More terms cost more, repeats cost nothing.
    let scored = async |query: &str| {
        let hits = hits(&store, &asked(query)).await;
        hits.into_iter().filter(|hit| hit.score > 0).count()
    };
    assert_eq!(scored(&"\"rare\" ".repeat(16)).await, read);
    assert!(scored("rare \"push\"").await < read);
}
