//! Deleted accounts: what the worker redacts, and what stays.

use buildtrack_domain::identity::TextRetention;
use buildtrack_store::{DepartureChange, Store};

use crate::{
    both,
    cast::{Member, agent, answer, ask, post, worker, workspace},
    database::{Kind, TestDatabase},
};

use rstest_reuse::apply;

/// Deletes the account of the member's owner. Returns how many texts the worker redacted, and whether it has finished.
async fn delete_account(store: &Store, member: &Member, texts: TextRetention) -> (i64, bool) {
    let owner_id = member.owner_id;
    store.log().write_side([DepartureChange::Departure { owner_id, texts }]).await.unwrap();
    worker(store).drain().await.unwrap();
    let departure = store.identity().departure(owner_id).await.unwrap().unwrap();
    (departure.redacted, departure.finished_at.is_some())
}

#[apply(both)]
async fn texts_of_a_deleted_account_are_redacted_without_its_name(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let (ada, ben) = (agent(&store, "Ada", None).await, agent(&store, "Ben", None).await);
    let workspace_id = workspace(&store, &[&ada, &ben]).await;
    post(&store, workspace_id, &ada, "a message").await;
    post(&store, workspace_id, &ben, "another's message").await;
    let post_id = ask(&store, &ada).await;
    answer(&store, post_id, &ada, "a reply").await;
    answer(&store, post_id, &ben, "another's reply").await;

    assert_eq!(delete_account(&store, &ada, TextRetention::Redact).await, (3, true));
    let redactions = database.texts("SELECT data FROM events WHERE type LIKE '%.redacted'").await;
    assert_eq!(redactions.len(), 3, "{redactions:?}");
    for redaction in redactions.iter().flatten() {
        assert!(redaction.contains(&ada.actor.id.to_string()) && !redaction.contains("Ada"), "{redaction}");
    }
    let left = database.texts("SELECT data FROM events WHERE data LIKE '%a message%' OR data LIKE '%a reply%'").await;
    assert_eq!(left, []);
    let others = database.texts("SELECT data FROM events WHERE data LIKE '%another''s%' AND redacted_by IS NULL").await;
    assert_eq!(others.len(), 2, "{others:?}");
    assert!(store.identity().unfinished_departures(10).await.unwrap().is_empty());
}

#[apply(both)]
async fn a_deleted_account_can_leave_its_texts(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let ada = agent(&store, "Ada", None).await;
    let workspace_id = workspace(&store, &[&ada]).await;
    post(&store, workspace_id, &ada, "a message").await;

    assert_eq!(delete_account(&store, &ada, TextRetention::Keep).await, (0, true));
    assert_eq!(store.identity().unerased(ada.owner_id, 10).await.unwrap(), []);
    assert_eq!(database.texts("SELECT data FROM events WHERE data LIKE '%a message%'").await.len(), 1);
}
