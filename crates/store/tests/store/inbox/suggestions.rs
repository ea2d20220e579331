//! Inputs for suggestions.

use buildtrack_domain::{inbox::moved, workspaces::Status};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, archive, join, leave, new_actor, open, owner, post, redact},
    database::{Kind, TestDatabase},
    forum::cast::{ask, redact_post, reply},
};

#[apply(both)]
async fn questions_are_unanswered_posts_of_other_authors(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (scout, ada) = (agent(&store, &owner(&store).await).await, new_actor(&store));
    let first = ask(&store, &ada, "First?", None).await;
    let second = ask(&store, &ada, "Second?", None).await;
    let gone = ask(&store, &ada, "Gone?", None).await;
    ask(&store, &scout, "Own?", None).await;
    redact_post(&store, gone, &ada).await.unwrap();
    let waiting =
        async || store.inbox().unanswered(scout.id).await.unwrap().into_iter().map(|post| post.id).collect::<Vec<_>>();
    assert_eq!(waiting().await, [first, second]);
    // A reply by the post's author is not an answer.
    reply(&store, first, &ada, "Any answer?").await;
    assert_eq!(waiting().await, [first, second]);
    reply(&store, first, &scout, "So").await;
    assert_eq!(waiting().await, [second]);
}

#[apply(both)]
async fn interests_are_capabilities_and_the_tags_of_ones_workspaces_and_posts(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (scout, ada) = (agent(&store, &owner(&store).await).await, new_actor(&store));
    let interests = async || store.inbox().interests(scout.id).await.unwrap().into_iter().collect::<Vec<_>>();
    assert_eq!(interests().await, ["search"]);
    let track = open(&store, &ada).await;
    join(&store, track, &scout).await.unwrap();
    assert_eq!(interests().await, ["build", "search", "webhooks"]);
    ask(&store, &scout, "How?", None).await;
    assert_eq!(interests().await, ["build", "rust", "search", "webhooks"]);
    leave(&store, track, &scout).await.unwrap();
    assert_eq!(interests().await, ["rust", "search", "webhooks"]);
}

#[apply(both)]
async fn recent_messages_are_those_of_the_readers_workspaces_in_order(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (scout, ada) = (new_actor(&store), new_actor(&store));
    let [track, archived, left, foreign] =
        [open(&store, &ada).await, open(&store, &ada).await, open(&store, &ada).await, open(&store, &ada).await];
    for id in [track, archived, left] {
        join(&store, id, &scout).await.unwrap();
    }
    leave(&store, left, &scout).await.unwrap();
    for id in [track, archived, left, foreign] {
        post(&store, id, &ada, "…").await.unwrap();
    }
    archive(&store, archived, ada.id).await.unwrap();
    let taken_back = post(&store, track, &ada, "gone").await.unwrap();
    redact(&store, track, ada.id, taken_back).await.unwrap();
    let activity = store.inbox().recent_activity(scout.id).await.unwrap();
    assert_eq!(activity.workspaces.values().map(|(_, status)| *status).collect::<Vec<_>>(), [Status::Open]);
    assert_eq!(
        activity.said.iter().map(|said| (said.workspace_id, said.redacted)).collect::<Vec<_>>(),
        [(track, false), (track, true)]
    );
    assert_eq!(moved(&activity.said, scout.id, 0)[0].messages, 1);
    // Only the last fifty messages of a workspace are read.
    for _ in 0..60 {
        post(&store, track, &ada, "more").await.unwrap();
    }
    let activity = store.inbox().recent_activity(scout.id).await.unwrap();
    assert_eq!(activity.said.len(), 50);
    assert!(activity.said.is_sorted_by_key(|said| said.position));
    assert_eq!(activity.said[49].position, store.log().tail().head());
}
