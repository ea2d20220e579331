//! Inbox items: which events add them and which remove them.

use buildtrack_domain::{
    actors::Actor,
    ids::{MessageId, WorkspaceId},
    inbox::ItemKind::{Invitation, Mention, Reply, Shipped, Solution},
};
use buildtrack_store::{InboxFilter, Store, verification};
use rstest_reuse::apply;

use super::cast::{all, inbox, kinds, unread};
use crate::{
    both,
    cast::{
        NewMessage, accept, agent, decline, invite, join, join_or_accept, leave, new_actor, open, owner, post,
        post_message, redact, rename, ship, solve, undo, withdraw_invitation,
    },
    database::{Kind, TestDatabase},
    forum::cast::{NewReply, accept as accept_reply, ask, edit_reply, redact_reply, reply, write_reply},
};

/// Scout and Quill, two agents with mentionable names.
async fn two(store: &Store) -> [Actor; 2] {
    let ada = owner(store).await;
    let (scout, mut quill) = (agent(store, &ada).await, agent(store, &ada).await);
    rename(store, &quill, "Quill").await.unwrap();
    quill.name = "Quill".into();
    [scout, quill]
}

async fn answer(store: &Store, track: WorkspaceId, author: &Actor, content: &str, to: MessageId) -> MessageId {
    let new_message = NewMessage { author, content, reply_to: Some(to), ticket: None };
    post_message(store, track, new_message).await.unwrap().value
}

#[apply(both)]
async fn mentions_and_responses_reach_the_recipient_but_not_the_author(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [scout, quill] = two(&store).await;
    let track = open(&store, &scout).await;
    join(&store, track, &quill).await.unwrap();
    let first = post(&store, track, &scout, "@quill and @scout, look").await.unwrap();
    answer(&store, track, &quill, "I do", first).await;
    answer(&store, track, &quill, "I do, @scout", first).await;
    answer(&store, track, &scout, "My own", first).await;
    assert_eq!(kinds(&store, &quill).await, [Mention]);
    assert_eq!(kinds(&store, &scout).await, [Reply, Mention]);
    let view = inbox(&store, &quill).await;
    assert_eq!((view.unread, view.head), (1, store.log().tail().head()));
    assert_eq!((view.items[0].position, view.items[0].read), (8, false));
    assert!(matches!(&view.items[0].event, Some(event) if event.event_type() == "message.posted"));
}

#[apply(both)]
async fn an_empty_inbox_reports_the_head(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let outsider = new_actor(&store);
    assert_eq!(inbox(&store, &outsider).await.head, 0);
    open(&store, &new_actor(&store)).await;
    let view = inbox(&store, &outsider).await;
    assert_eq!((view.head, view.unread, view.items.len()), (1, 0, 0));
}

#[apply(both)]
async fn an_inbox_is_filtered_by_kind_and_paginated(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [scout, quill] = two(&store).await;
    let track = open(&store, &scout).await;
    invite(&store, track, &scout, &quill).await.unwrap();
    for content in ["@quill", "no mention", "@quill again"] {
        post(&store, track, &scout, content).await.unwrap();
    }
    let found = async |filter: InboxFilter| -> Vec<_> {
        store.inbox().items(&filter).await.unwrap().items.into_iter().map(|item| item.kind).collect()
    };
    let filter = all(&quill);
    assert_eq!(found(filter).await, [Invitation, Mention, Mention]);
    assert_eq!(found(InboxFilter { kind: Some(Mention), ..filter }).await, [Mention, Mention]);
    assert_eq!(found(InboxFilter { kind: Some(Reply), unread: true, ..filter }).await, []);
    assert_eq!(found(InboxFilter { limit: 2, ..filter }).await, [Invitation, Mention]);
    let second = inbox(&store, &quill).await.items[1].position;
    assert_eq!(found(InboxFilter { after: second, ..filter }).await, [Mention]);
    // The count covers all unread items, even those that the filter leaves out.
    assert_eq!(store.inbox().items(&InboxFilter { limit: 0, ..filter }).await.unwrap().unread, 3);
}

#[apply(both)]
async fn an_invitation_is_an_item_until_it_is_answered_or_withdrawn(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [scout, quill] = two(&store).await;
    let [track, other] = [open(&store, &scout).await, open(&store, &scout).await];
    invite(&store, other, &scout, &quill).await.unwrap();
    for settle in 0..3 {
        invite(&store, track, &scout, &quill).await.unwrap();
        assert_eq!(kinds(&store, &quill).await, [Invitation, Invitation]);
        match settle {
            0 => withdraw_invitation(&store, track, scout.id, quill.id).await.map(drop).unwrap(),
            1 => decline(&store, track, quill.id).await.map(drop).unwrap(),
            _ => join_or_accept(&store, track, &quill).await.map(drop).unwrap(),
        }
        assert_eq!(kinds(&store, &quill).await, [Invitation]);
    }
}

#[apply(both)]
async fn a_solution_is_an_item_while_it_is_accepted(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [scout, quill] = two(&store).await;
    let track = open(&store, &scout).await;
    join(&store, track, &quill).await.unwrap();
    let solution = solve(&store, track, &quill).await.unwrap();
    accept(&store, track, scout.id, solution).await.unwrap();
    assert_eq!(kinds(&store, &quill).await, [Solution]);
    undo(&store, track, scout.id).await.unwrap();
    assert_eq!(kinds(&store, &quill).await, []);
    let question = ask(&store, &scout, "How?", None).await;
    let so = reply(&store, question, &quill, "So").await;
    accept_reply(&store, (question, so), &scout).await.unwrap();
    assert_eq!(kinds(&store, &quill).await, [Solution]);
    redact_reply(&store, (question, so), &quill).await.unwrap();
    assert_eq!((kinds(&store, &quill).await, kinds(&store, &scout).await), (vec![], vec![]));
}

#[apply(both)]
async fn a_shipment_is_an_item_for_the_members_at_that_time(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [scout, quill] = two(&store).await;
    let (left, late) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &scout).await;
    for member in [&quill, &left] {
        join(&store, track, member).await.unwrap();
    }
    leave(&store, track, &left).await.unwrap();
    let solution = solve(&store, track, &scout).await.unwrap();
    accept(&store, track, scout.id, solution).await.unwrap();
    ship(&store, track, &scout, "It is out").await.unwrap();
    join(&store, track, &late).await.unwrap();
    assert_eq!(kinds(&store, &quill).await, [Shipped]);
    for other in [&scout, &left, &late] {
        assert_eq!(kinds(&store, other).await, []);
    }
    // Leaving the workspace removes no items.
    leave(&store, track, &quill).await.unwrap();
    assert_eq!(kinds(&store, &quill).await, [Shipped]);
}

#[apply(both)]
async fn a_redacted_text_is_removed_from_every_inbox_and_other_items_stay(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [scout, quill] = two(&store).await;
    let track = open(&store, &scout).await;
    let first = post(&store, track, &scout, "Ask @quill about quicksilver").await.unwrap();
    let answered = answer(&store, track, &scout, "again, @quill", first).await;
    assert_eq!(unread(&store, &quill).await.len(), 2);
    redact(&store, track, scout.id, first).await.unwrap();
    let left = inbox(&store, &quill).await;
    assert_eq!((left.items.len(), left.unread), (1, 1));
    assert_eq!(database.tables_with("quicksilver").await, <[&str; 0]>::default());
    // A response to a redacted message keeps its item.
    join(&store, track, &quill).await.unwrap();
    answer(&store, track, &quill, "Which one?", answered).await;
    redact(&store, track, scout.id, answered).await.unwrap();
    assert_eq!((kinds(&store, &quill).await, kinds(&store, &scout).await), (vec![], vec![Reply]));
    assert!(verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing().is_empty());
}

#[apply(both)]
async fn an_edit_notifies_only_newly_mentioned_actors(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [scout, quill] = two(&store).await;
    let asker = new_actor(&store);
    let question = ask(&store, &asker, "How?", None).await;
    let new_reply = NewReply { author: &asker, body: "@quill knows", reply_to: None, ticket: None };
    let so = write_reply(&store, question, new_reply).await.unwrap().value;
    edit_reply(&store, (question, so), &asker, "@quill and @scout know").await.unwrap();
    edit_reply(&store, (question, so), &asker, "@scout knows").await.unwrap();
    edit_reply(&store, (question, so), &asker, "@scout and @quill know").await.unwrap();
    assert_eq!((kinds(&store, &quill).await, kinds(&store, &scout).await), (vec![Mention], vec![Mention]));
    redact_reply(&store, (question, so), &asker).await.unwrap();
    assert_eq!((kinds(&store, &quill).await, kinds(&store, &scout).await), (vec![], vec![]));
}
