//! Replies: counts under load and after redactions, lists, and solutions.

use buildtrack_domain::forum::ForumError;
use buildtrack_store::{PostFilter, ReplyFilter, Sort, Ticket, sha256_hex, verification};
use futures_util::future::{join, join_all};
use rstest_reuse::apply;

use super::cast::{
    Judged, NewReply, accept, ask, edit_reply, every_reply, listed, redact_post, redact_reply, replies, reply, shown,
    vote_helpful, write_reply,
};
use crate::{
    both,
    cast::{Refusal, new_actor},
    database::{Kind, TestDatabase},
};

const NEEDLE: &str = "the e-mail address of another person";

#[apply(both)]
async fn counts_and_last_activity_are_right_at_every_moment_under_32_writers(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let post = ask(&store, &ada, "How?", None).await;
    let stores = [store.clone(), database.open().await];
    let reader = database.open().await;
    let reading = tokio::spawn(async move {
        let mut seen = 0;
        while seen < 160 {
            // Replies are written concurrently, so the count lies between the numbers of replies before and after.
            let before = replies(&reader, post).await;
            let view = shown(&reader, post).await;
            let after = replies(&reader, post).await;
            let counted = usize::try_from(view.reply_count).unwrap();
            assert!((before.len()..=after.len()).contains(&counted));
            let last = after.get(counted.wrapping_sub(1)).map_or(view.position, |reply| reply.position);
            assert_eq!(view.active_position, last);
            seen = counted;
        }
    });
    let writers = (0..32_usize).map(|number| {
        let (store, author) = (&stores[number % 2], if number.is_multiple_of(4) { &ada } else { &bob });
        async move {
            for _ in 0..5 {
                let written = reply(store, post, author, "So.").await;
                if number % 4 == 1 {
                    redact_reply(store, (post, written), author).await.unwrap();
                }
            }
        }
    });
    join_all(writers).await;
    reading.await.unwrap();
    let view = shown(&store, post).await;
    assert_eq!((view.reply_count, view.answer_count), (160, 80));
    let verified = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verified.live, verified.rebuilt);
}

#[apply(both)]
async fn replies_are_filtered_by_author_and_parent(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let (post, other) = (ask(&store, &ada, "How?", None).await, ask(&store, &ada, "Why?", None).await);
    let first = reply(&store, post, &bob, "1").await;
    let new_reply = NewReply { author: &ada, body: "2", reply_to: Some(first), ticket: None };
    let second = write_reply(&store, post, new_reply).await.unwrap().value;
    reply(&store, other, &bob, "elsewhere").await;
    let found = async |filter: ReplyFilter| {
        store.forum().replies(&filter).await.unwrap().rows.into_iter().map(|reply| reply.id).collect::<Vec<_>>()
    };
    assert_eq!(found(every_reply(post)).await, [first, second]);
    assert_eq!(found(ReplyFilter { descending: true, ..every_reply(post) }).await, [second, first]);
    assert_eq!(found(ReplyFilter { author: Some(bob.id), ..every_reply(post) }).await, [first]);
    assert_eq!(found(ReplyFilter { reply_to: Some(first), ..every_reply(post) }).await, [second]);
    assert_eq!(found(ReplyFilter { after: Some(3), ..every_reply(post) }).await, [second]);
    assert_eq!(found(ReplyFilter { before: Some(4), ..every_reply(post) }).await, [first]);
    assert!(store.forum().reply(other, first).await.unwrap().is_none());
    let active = PostFilter { sort: Sort::Active, ..PostFilter::default() };
    assert_eq!(listed(&store, active).await, [other, post]);
}

#[apply(both)]
async fn a_redacted_text_is_deleted_everywhere(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let post = ask(&store, &ada, "How?", None).await;
    let ticket = Ticket { scope: sha256_hex("a request"), fingerprint: sha256_hex("its body") };
    let new_reply = NewReply { author: &bob, body: NEEDLE, reply_to: None, ticket: Some(ticket.clone()) };
    let written = write_reply(&store, post, new_reply).await.unwrap().value;
    edit_reply(&store, (post, written), &bob, &format!("{NEEDLE}!")).await.unwrap();
    assert_eq!(database.tables_with(NEEDLE).await, ["answers", "events", "replies"]);
    accept(&store, (post, written), &ada).await.unwrap();
    redact_reply(&store, (post, written), &bob).await.unwrap();
    assert_eq!(database.tables_with(NEEDLE).await, <[&str; 0]>::default());
    assert_eq!(store.forum().earlier_versions(written, 0, 10).await.unwrap().len(), 0);
    let view = shown(&store, post).await;
    assert_eq!((view.reply_count, view.answer_count, view.solution_id), (1, 0, None));
    let verified = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verified.live, verified.rebuilt);
}

#[apply(both)]
async fn a_redacted_post_keeps_its_counts_in_a_rebuild(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let post = ask(&store, &ada, "How?", None).await;
    let gone = reply(&store, post, &bob, "1").await;
    let stays = reply(&store, post, &bob, "2").await;
    reply(&store, post, &ada, "3").await;
    accept(&store, (post, stays), &ada).await.unwrap();
    for judged in [Judged::Post(post), Judged::Reply(post, gone)] {
        vote_helpful(&store, judged, &new_actor(&store)).await.unwrap();
    }
    redact_post(&store, post, &ada).await.unwrap();
    let late = reply(&store, post, &bob, "4").await;
    for reply in [gone, late] {
        redact_reply(&store, (post, reply), &bob).await.unwrap();
    }
    let before = shown(&store, post).await;
    assert_eq!((before.reply_count, before.answer_count, before.active_position), (4, 1, 9));
    assert_eq!((before.helpful, replies(&store, post).await[0].helpful), (1, 1));
    assert_eq!(before.solution_id, Some(stays.to_string()));
    let verified = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verified.live, verified.rebuilt);
}

#[apply(both)]
async fn a_redacted_reply_is_no_longer_the_solution(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let other = database.open().await;
    let (mut accepted_first, mut taken_first) = (0, 0);
    for round in 0..24 {
        let post = ask(&store, &ada, "How?", None).await;
        let written = reply(&store, post, &bob, "So.").await;
        let (here, there) = if round % 2 == 0 { (&store, &other) } else { (&other, &store) };
        let (accepted, taken) =
            join(accept(here, (post, written), &ada), redact_reply(there, (post, written), &bob)).await;
        taken.unwrap();
        match accepted {
            Ok(_) => accepted_first += 1,
            Err(Refusal::Forum(ForumError::Redacted)) => taken_first += 1,
            Err(other) => panic!("{other:?}"),
        }
        assert_eq!(shown(&store, post).await.solution_id, None);
    }
    assert_eq!(accepted_first + taken_first, 24);
}

#[apply(both)]
async fn a_filter_scans_a_bounded_number_of_replies_and_continues_on_the_next_page(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (ada, ben) = (new_actor(&store), new_actor(&store));
    let post = ask(&store, &ada, "How?", None).await;
    let first = reply(&store, post, &ada, "So").await;
    database
        .execute(
            "INSERT INTO replies (id, position, post_id, author_id, author_name, author_type, body, helpful, redacted, hidden, version, \
             created_at) WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 5010) \
             SELECT 'copy ' || number, position + number, post_id, author_id, author_name, author_type, body, helpful, redacted, hidden, \
             version, created_at FROM replies CROSS JOIN numbers",
        )
        .await;
    let filter = ReplyFilter { author: Some(ben.id), ..every_reply(post) };
    let page = store.forum().replies(&filter).await.unwrap();
    assert!(page.rows.is_empty() && page.scanned_to.is_some());
    let rest = store.forum().replies(&ReplyFilter { after: page.scanned_to, ..filter.clone() }).await.unwrap();
    assert!(rest.rows.is_empty() && rest.scanned_to.is_none());
    // From the end, the first page of the other author's replies does not reach the first one.
    let newest = ReplyFilter { reply_to: Some(first), descending: true, ..every_reply(post) };
    assert!(store.forum().replies(&newest).await.unwrap().scanned_to.is_some());
}
