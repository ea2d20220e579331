//! What comes into an inbox, and what goes again.

use buildtrack_domain::{
    actors::Actor,
    ids::{MessageId, WorkspaceId},
    inbox::ItemKind::{Invitation, Mention, Reply, Shipped, Solution},
};
use buildtrack_store::{InboxFilter, Store};
use rstest_reuse::apply;

use super::cast::{all, inbox, kinds, unread};
use crate::{
    both,
    cast::{
        Words, accept, agent, come, decline, invite, join, leave, open, owner, post, redact, rename, say, ship, solve,
        somebody, undo, uninvite,
    },
    database::{Kind, TestDatabase},
    forum::cast::{Reaction, accept as accept_reply, ask, react, reply, reword_reply, take_reply_back},
};

/// Scout and Quill, who can be mentioned.
async fn two(store: &Store) -> [Actor; 2] {
    let ada = owner(store).await;
    let (scout, mut quill) = (agent(store, &ada).await, agent(store, &ada).await);
    rename(store, &quill, "Quill").await.unwrap();
    quill.name = "Quill".into();
    [scout, quill]
}

async fn answer(store: &Store, track: WorkspaceId, author: &Actor, content: &str, to: MessageId) -> MessageId {
    let words = Words { author, content, reply_to: Some(to), ticket: None };
    say(store, track, words).await.unwrap().value
}

#[apply(both)]
async fn who_is_mentioned_or_answered_finds_it_and_nobody_their_own(#[case] kind: Kind) {
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
    assert_eq!((view.unread, view.head), (1, store.tail().head()));
    assert_eq!((view.items[0].position, view.items[0].read), (8, false));
    assert!(matches!(&view.items[0].event, Some(event) if event.event_type() == "message.posted"));
}

#[apply(both)]
async fn an_empty_inbox_tells_up_to_where_it_is_empty(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let stranger = somebody(&store);
    assert_eq!(inbox(&store, &stranger).await.head, 0);
    open(&store, &somebody(&store)).await;
    let view = inbox(&store, &stranger).await;
    assert_eq!((view.head, view.unread, view.items.len()), (1, 0, 0));
}

#[apply(both)]
async fn it_is_listed_by_kind_and_page_by_page(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [scout, quill] = two(&store).await;
    let track = open(&store, &scout).await;
    invite(&store, track, &scout, &quill).await.unwrap();
    for content in ["@quill", "nobody", "@quill again"] {
        post(&store, track, &scout, content).await.unwrap();
    }
    let found = async |filter: InboxFilter| -> Vec<_> {
        store.inbox(&filter).await.unwrap().items.into_iter().map(|item| item.kind).collect()
    };
    let filter = all(&quill);
    assert_eq!(found(filter).await, [Invitation, Mention, Mention]);
    assert_eq!(found(InboxFilter { kind: Some(Mention), ..filter }).await, [Mention, Mention]);
    assert_eq!(found(InboxFilter { kind: Some(Reply), unread: true, ..filter }).await, []);
    assert_eq!(found(InboxFilter { limit: 2, ..filter }).await, [Invitation, Mention]);
    let second = inbox(&store, &quill).await.items[1].position;
    assert_eq!(found(InboxFilter { after: second, ..filter }).await, [Mention]);
    // What is counted is everything that is unread, whatever is listed.
    assert_eq!(store.inbox(&InboxFilter { limit: 0, ..filter }).await.unwrap().unread, 3);
}

#[apply(both)]
async fn an_invitation_is_there_until_it_is_answered_or_taken_back(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [scout, quill] = two(&store).await;
    let [kept, other] = [open(&store, &scout).await, open(&store, &scout).await];
    invite(&store, other, &scout, &quill).await.unwrap();
    for settle in 0..3 {
        invite(&store, kept, &scout, &quill).await.unwrap();
        assert_eq!(kinds(&store, &quill).await, [Invitation, Invitation]);
        match settle {
            0 => uninvite(&store, kept, scout.id, quill.id).await.map(drop).unwrap(),
            1 => decline(&store, kept, quill.id).await.map(drop).unwrap(),
            _ => come(&store, kept, &quill).await.map(drop).unwrap(),
        }
        assert_eq!(kinds(&store, &quill).await, [Invitation]);
    }
}

#[apply(both)]
async fn a_solution_is_there_while_it_is_accepted(#[case] kind: Kind) {
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
    take_reply_back(&store, (question, so), &quill).await.unwrap();
    assert_eq!((kinds(&store, &quill).await, kinds(&store, &scout).await), (vec![], vec![]));
}

#[apply(both)]
async fn what_was_shipped_is_told_to_who_was_a_member_then(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [scout, quill] = two(&store).await;
    let (left, late) = (somebody(&store), somebody(&store));
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
    // Leaving takes nothing away: it was said to them.
    leave(&store, track, &quill).await.unwrap();
    assert_eq!(kinds(&store, &quill).await, [Shipped]);
}

#[apply(both)]
async fn a_text_that_is_taken_back_leaves_every_inbox_and_nothing_else_does(#[case] kind: Kind) {
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
    // An answer to what was taken back stands.
    join(&store, track, &quill).await.unwrap();
    answer(&store, track, &quill, "what was it?", answered).await;
    redact(&store, track, scout.id, answered).await.unwrap();
    assert_eq!((kinds(&store, &quill).await, kinds(&store, &scout).await), (vec![], vec![Reply]));
    assert!(store.verify(|_| ()).await.unwrap().differing().is_empty());
}

#[apply(both)]
async fn an_edit_tells_only_who_was_not_mentioned_before(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [scout, quill] = two(&store).await;
    let asker = somebody(&store);
    let question = ask(&store, &asker, "How?", None).await;
    let reaction = Reaction { author: &asker, body: "@quill knows", reply_to: None, ticket: None };
    let so = react(&store, question, reaction).await.unwrap().value;
    reword_reply(&store, (question, so), &asker, "@quill and @scout know").await.unwrap();
    reword_reply(&store, (question, so), &asker, "@scout knows").await.unwrap();
    reword_reply(&store, (question, so), &asker, "@scout and @quill know").await.unwrap();
    assert_eq!((kinds(&store, &quill).await, kinds(&store, &scout).await), (vec![Mention], vec![Mention]));
    take_reply_back(&store, (question, so), &asker).await.unwrap();
    assert_eq!((kinds(&store, &quill).await, kinds(&store, &scout).await), (vec![], vec![]));
}
