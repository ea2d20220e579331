//! Near-duplicates are refused in every process and under concurrency.

use std::sync::atomic::{AtomicU32, Ordering};

use buildtrack_domain::{
    actors::Actor,
    decide::Command,
    ids::{MessageId, WorkspaceId},
    mentions::Recipients,
    near_duplicates::TextRef,
    workspaces::{MessageKind, MessagePosted, PostMessage, Posting, Workspace},
};
use buildtrack_store::{NearDuplicate, Store, StoreError};
use futures_util::future::join_all;
use rstest_reuse::apply;

use crate::{
    both,
    cast::{Refusal, join, new_actor, open, redact},
    database::{Kind, TestDatabase, eventually},
};

const WORDS: &str = "Every push should carry a signature over the exact bytes of its body, so that all can check it.";

/// Posts a text as the API does, and returns the message, or the original that it repeats.
async fn post_text(
    store: &Store,
    workspace_id: WorkspaceId,
    author: &Actor,
    words: &str,
) -> Result<MessageId, Option<MessageId>> {
    let message_id = MessageId::new(store.log().clock().uuid());
    let (author, kind, content) = (author.clone(), MessageKind::Update, words.to_owned());
    let (reply_to, concerns) = (None, Recipients::default());
    let message = MessagePosted { message_id, workspace_id, author, kind, content, reply_to, concerns };
    let said = store
        .log()
        .transact::<(), Refusal>(Some(message.author.id), async |unit| {
            let workspace = unit.load::<Workspace>(workspace_id).await?;
            let posted = PostMessage(message.clone()).decide(Posting { workspace: &workspace.state, replied: None })?;
            unit.begin(message_id, posted);
            let text = TextRef::Message { workspace_id, message_id, reply_to };
            Ok(unit.check_text(message.author.id, text, words).await?)
        })
        .await;
    match said {
        Ok(_) => Ok(message_id),
        Err(Refusal::Store(StoreError::NearDuplicate(NearDuplicate {
            original: TextRef::Message { message_id, .. },
            ..
        }))) => Err(Some(message_id)),
        Err(Refusal::Message(_)) => Err(None),
        Err(other) => panic!("{other:?}"),
    }
}

#[apply(both)]
async fn of_concurrent_equal_messages_one_is_written(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let said = join_all((0..32).map(|_| post_text(&store, track, &ada, WORDS))).await;
    let written: Vec<_> = said.iter().filter_map(|said| said.ok()).collect();
    assert_eq!(written.len(), 1);
    assert!(said.iter().all(|said| said.is_ok_and(|id| id == written[0]) || *said == Err(Some(written[0]))));
    assert_eq!(store.workspaces().workspace(track).await.unwrap().unwrap().message_count, 1);
}

#[apply(both)]
async fn texts_from_before_a_restart_are_compared_after_it(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let first = post_text(&store, track, &ada, WORDS).await.unwrap();
    store.close().await;
    let store = database.open().await;
    assert_eq!(post_text(&store, track, &ada, &WORDS.to_uppercase()).await, Err(Some(first)));
    assert!(post_text(&store, track, &ada, "Something else that was never posted before.").await.is_ok());
}

#[apply(both)]
async fn texts_written_by_one_process_are_soon_compared_in_another(#[case] kind: Kind) {
    let (database, here) = TestDatabase::with_store(kind).await;
    let there = database.open().await;
    let ada = new_actor(&here);
    let track = open(&here, &ada).await;
    post_text(&there, track, &ada, WORDS).await.unwrap();
    let turn = AtomicU32::new(0);
    eventually(async || {
        let turn = turn.fetch_add(1, Ordering::Relaxed);
        let words = format!("Of all turns this is number {turn}, and it says so.");
        let first = post_text(&here, track, &ada, &words).await.unwrap();
        there.log().tail().wait_past(here.log().tail().head() - 1).await;
        post_text(&there, track, &ada, &words).await == Err(Some(first))
    })
    .await;
}

#[apply(both)]
async fn a_redacted_text_may_be_posted_again(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    for _ in 0..3 {
        let said = post_text(&store, track, &ada, WORDS).await.unwrap();
        redact(&other, track, ada.id, said).await.unwrap();
    }
}

#[apply(both)]
async fn a_text_refused_for_another_reason_is_not_recorded(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    assert_eq!(post_text(&store, track, &bob, WORDS).await, Err(None));
    join(&store, track, &bob).await.unwrap();
    assert!(post_text(&store, track, &bob, WORDS).await.is_ok());
    assert!(post_text(&store, track, &ada, WORDS).await.is_ok(), "a text of another author is no near-duplicate");
}
