//! Votes under load: exact counts, and one vote per voter in every process.

use buildtrack_domain::{
    ids::{MessageId, WorkspaceId},
    votes::VoteError,
    workspaces::{MessageError, WorkspaceError},
};
use buildtrack_store::{Store, VoterView, verification};
use futures_util::future::join_all;
use rstest_reuse::apply;

use crate::{
    both,
    cast::{Refusal, archive, new_actor, open, post, redact, remove_upvote, upvote},
    database::{Kind, TestDatabase},
};

async fn upvotes(store: &Store, track: WorkspaceId, message: MessageId) -> i64 {
    store.workspaces().message(track, message).await.unwrap().unwrap().upvotes
}

async fn voters(store: &Store, message: MessageId) -> Vec<VoterView> {
    store.votes().voters(message.into(), 0, 10_000).await.unwrap()
}

#[apply(both)]
async fn the_count_is_right_at_every_moment_under_48_voters(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, "Push, don't poll").await.unwrap();
    let stores = [store.clone(), database.open().await];
    let (done, reader) = (tokio_util::sync::CancellationToken::new(), database.open().await);
    let reading = tokio::spawn({
        let done = done.clone();
        async move {
            while !done.is_cancelled() {
                // No voter withdraws, so the count lies between the numbers of votes before and after.
                let before = voters(&reader, message).await.len();
                let count = usize::try_from(upvotes(&reader, track, message).await).unwrap();
                let after = voters(&reader, message).await.len();
                assert!((before..=after).contains(&count), "{before} {count} {after}");
            }
        }
    });
    let people: Vec<_> = (0..48).map(|_| new_actor(&store)).collect();
    // Each voter votes twice at the same moment, through two processes.
    let votes = people.iter().flat_map(|voter| stores.each_ref().map(|store| upvote(store, track, voter, message)));
    for voted in join_all(votes).await {
        voted.unwrap();
    }
    done.cancel();
    reading.await.unwrap();
    assert_eq!(upvotes(&store, track, message).await, 48);
    assert_eq!(voters(&store, message).await.len(), 48);
    assert_eq!(store.log().logged(0, 1000).await.unwrap().len(), 2 + 48);
}

#[apply(both)]
async fn withdrawn_votes_leave_no_rows(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, "Push, don't poll").await.unwrap();
    for round in 0..20 {
        let (first, second) = if round % 2 == 0 { (&store, &other) } else { (&other, &store) };
        let (cast, withdrawn) =
            tokio::join!(upvote(first, track, &bob, message), remove_upvote(second, track, &bob, message));
        cast.unwrap();
        withdrawn.unwrap();
        assert_eq!(upvotes(&store, track, message).await, i64::try_from(voters(&store, message).await.len()).unwrap());
    }
    remove_upvote(&store, track, &bob, message).await.unwrap();
    assert_eq!(upvotes(&store, track, message).await, 0);
}

#[apply(both)]
async fn invalid_votes_are_refused_with_the_right_error(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, "Push, don't poll").await.unwrap();
    let own = upvote(&store, track, &ada, message).await;
    assert!(matches!(own, Err(Refusal::Vote(VoteError::OwnWork))), "{own:?}");
    archive(&store, track, ada.id).await.unwrap();
    let closed = upvote(&store, track, &bob, message).await;
    let expected = MessageError::Workspace(WorkspaceError::Archived);
    assert!(matches!(closed, Err(Refusal::Message(error)) if error == expected));
}

#[apply(both)]
async fn a_vote_for_a_message_redacted_meanwhile_is_refused(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    for round in 0..20 {
        let (first, second) = if round % 2 == 0 { (&store, &other) } else { (&other, &store) };
        let message = post(first, track, &ada, "Push, don't poll").await.unwrap();
        let (voted, redacted) =
            tokio::join!(upvote(first, track, &bob, message), redact(second, track, ada.id, message));
        let taken_back = redacted.unwrap().recorded[0].position;
        match voted {
            Ok(done) => assert!(done.recorded[0].position < taken_back),
            Err(Refusal::Message(MessageError::Redacted)) => assert_eq!(upvotes(&store, track, message).await, 0),
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[apply(both)]
async fn votes_for_a_message_redacted_much_later_are_rebuilt(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob, cyd) = (new_actor(&store), new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, "Push, don't poll").await.unwrap();
    upvote(&store, track, &bob, message).await.unwrap();
    upvote(&store, track, &cyd, message).await.unwrap();
    // More events than a rebuild projects in one step: the votes are projected before their target has a row.
    for _ in 0..5 {
        for posted in join_all((0..500).map(|_| post(&store, track, &ada, "…"))).await {
            posted.unwrap();
        }
    }
    redact(&store, track, ada.id, message).await.unwrap();
    remove_upvote(&store, track, &cyd, message).await.unwrap();
    assert_eq!(upvotes(&store, track, message).await, 1);
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
    verification::rebuild(store.log(), |_| ()).await.unwrap();
    assert_eq!(upvotes(&store, track, message).await, 1);
}
