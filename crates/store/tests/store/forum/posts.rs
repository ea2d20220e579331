//! Posts: filters, orders, redaction and earlier versions.

use buildtrack_domain::{
    actors::Actor,
    event::Event,
    forum::{ForumError, PostEvent},
    ids::PostId,
};
use buildtrack_store::{PostFilter, Sort, Store, Ticket, sha256_hex};
use futures_util::future::join_all;
use rstest_reuse::apply;

use super::cast::{ask, edit_post, listed, redact_post, shown};
use crate::{
    both,
    cast::{Refusal, new_actor},
    database::{Kind, TestDatabase},
};

const NEEDLE: &str = "the e-mail address of another person";

/// Three posts of Ada's; the second has a different text and different tags.
async fn asked(store: &Store) -> ([PostId; 3], Actor) {
    let ada = new_actor(store);
    let mut posts = Vec::new();
    for title in ["Verify a push?", "Something", "Rotate a secret?"] {
        posts.push(ask(store, &ada, title, None).await);
    }
    edit_post(store, posts[1], &ada, "100 % \\ Näher_dran").await.unwrap();
    (posts.try_into().unwrap(), ada)
}

#[apply(both)]
async fn posts_are_filtered_by_tag_author_and_text(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ([first, second, third], ada) = asked(&store).await;
    let all = PostFilter::default;
    assert_eq!(listed(&store, all()).await, [third, second, first]);
    assert_eq!(listed(&store, PostFilter { tag: Some("webhooks".into()), ..all() }).await, [third, first]);
    assert_eq!(listed(&store, PostFilter { tag: Some("λ".into()), ..all() }).await, [second]);
    assert_eq!(listed(&store, PostFilter { author: Some(ada.id), ..all() }).await, [third, second, first]);
    assert_eq!(listed(&store, PostFilter { author: Some(new_actor(&store).id), ..all() }).await, []);
    for text in ["100 %", "% \\ n", "NÄHER_", "SOMETHING, in"] {
        assert_eq!(listed(&store, PostFilter { text: Some(text.into()), ..all() }).await, [second], "{text}");
    }
    assert_eq!(listed(&store, PostFilter { text: Some("100_%".into()), ..all() }).await, []);
}

#[apply(both)]
async fn posts_are_paginated_in_every_order(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ([first, second, third], _) = asked(&store).await;
    for (sort, order) in [(Sort::Newest, [third, second, first]), (Sort::Oldest, [first, second, third])] {
        let page = |from| PostFilter { sort, from, limit: 2, ..PostFilter::default() };
        let beginning = store.forum().posts(&page(None)).await.unwrap().rows;
        let rest = listed(&store, page(beginning.last().map(|post| post.position))).await;
        let all: Vec<_> = beginning.iter().map(|post| post.id).chain(rest).collect();
        assert_eq!(all, order, "{sort:?}");
    }
}

#[apply(both)]
async fn a_text_filter_scans_a_bounded_number_of_posts_and_continues_on_the_next_page(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let oldest = ask(&store, &ada, NEEDLE, None).await;
    join_all((0..505).map(|_| ask(&store, &ada, "Hay", None))).await;
    let filter = PostFilter { text: Some(NEEDLE.into()), limit: 50, ..PostFilter::default() };
    let first = store.forum().posts(&filter).await.unwrap();
    assert!(first.rows.is_empty());
    let rest = store.forum().posts(&PostFilter { from: first.scanned_to, ..filter }).await.unwrap();
    assert_eq!(rest.rows.iter().map(|post| post.id).collect::<Vec<_>>(), [oldest]);
    assert_eq!(rest.scanned_to, None);
}

#[apply(both)]
async fn a_redacted_text_is_deleted_everywhere(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let ticket = Ticket { scope: sha256_hex("a request"), fingerprint: sha256_hex("its body") };
    let post = ask(&store, &ada, NEEDLE, Some(ticket.clone())).await;
    edit_post(&store, post, &ada, "Other words").await.unwrap();
    // The current body holds the text; the earlier title is only on the log.
    assert_eq!(database.tables_with(NEEDLE).await, ["answers", "events", "posts"]);
    assert_eq!(database.tables_with("λ").await, ["events", "post_tags", "posts"]);

    redact_post(&store, post, &ada).await.unwrap();
    for words in [NEEDLE, "Other words", "λ", "webhooks"] {
        assert_eq!(database.tables_with(words).await, <[&str; 0]>::default(), "{words}");
    }
    let log = store.log().logged(0, 10).await.unwrap();
    let redacted: Vec<_> = log.iter().map(|event| (event.data.is_some(), event.redacted_by)).collect();
    assert_eq!(redacted, [(false, Some(3)), (false, Some(3)), (true, None)]);
    assert_eq!(store.forum().earlier_versions(post, 0, 10).await.unwrap().len(), 0);
    assert_eq!(store.log().stored_answer(&ticket).await.unwrap().unwrap().body, None);
    let view = shown(&store, post).await;
    assert_eq!((view.redacted, view.position, view.version, view.edited_at), (true, 1, 3, None));
    assert_eq!((&*view.title, &*view.body, view.tags.0, view.editor_model), ("", "", vec![], None));
}

#[apply(both)]
async fn the_author_redacts_a_post_once_despite_another_replicas_cache(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (other, ada) = (database.open().await, new_actor(&store));
    let post = ask(&store, &ada, NEEDLE, None).await;
    edit_post(&other, post, &ada, "Other words").await.unwrap();
    assert_eq!(redact_post(&store, post, &ada).await.unwrap().recorded.len(), 1);
    assert_eq!(redact_post(&other, post, &ada).await.unwrap().recorded.len(), 0);
    let refused = edit_post(&other, post, &ada, "Once more").await;
    assert!(matches!(refused, Err(Refusal::Forum(ForumError::Redacted))), "{refused:?}");
}

#[apply(both)]
async fn the_history_has_every_earlier_version_but_not_the_current_one(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let mut ada = new_actor(&store);
    let post = ask(&store, &ada, "One", None).await;
    assert_eq!(store.forum().earlier_versions(post, 0, 10).await.unwrap().len(), 0);
    for (title, model) in [("Two", "claude-opus-5"), ("Three", "claude-opus-6")] {
        ada.model = Some(model.into());
        edit_post(&store, post, &ada, title).await.unwrap();
    }
    assert_eq!(shown(&store, post).await.editor_model.as_deref(), Some("claude-opus-6"));
    let version = |event: Option<Event>| match event {
        Some(Event::Post(PostEvent::Written(data))) => (data.title, data.author.model.unwrap()),
        Some(Event::Post(PostEvent::Edited(data))) => (data.title, data.editor.model.unwrap()),
        other => panic!("{other:?}"),
    };
    let earlier = store.forum().earlier_versions(post, 0, 10).await.unwrap();
    let earlier: Vec<_> = earlier.into_iter().map(|recorded| version(recorded.event)).collect();
    let expected = [("One", "claude-opus-4-8"), ("Two", "claude-opus-5")];
    assert_eq!(earlier, expected.map(|(title, model)| (title.to_owned(), model.to_owned())));
    assert_eq!(store.forum().earlier_versions(post, 1, 10).await.unwrap().len(), 1);
    assert_eq!(store.forum().earlier_versions(post, 0, 1).await.unwrap().len(), 1);
}
