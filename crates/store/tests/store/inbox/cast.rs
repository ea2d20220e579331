//! Inbox commands of these tests, as the API runs them.

use buildtrack_domain::{
    actors::Actor,
    decide::Command,
    inbox::{Acknowledge, Inbox, ItemKind},
};
use buildtrack_store::{InboxFilter, InboxView, Store};

use crate::cast::{Outcome, change};

pub(crate) fn all(recipient: &Actor) -> InboxFilter {
    InboxFilter { recipient: recipient.id, unread: false, kind: None, after: 0, limit: 1000 }
}

pub(crate) async fn inbox(store: &Store, recipient: &Actor) -> InboxView {
    store.inbox().items(&all(recipient)).await.unwrap()
}

/// The kinds of an inbox's items, in order.
pub(crate) async fn kinds(store: &Store, recipient: &Actor) -> Vec<ItemKind> {
    inbox(store, recipient).await.items.iter().map(|item| item.kind).collect()
}

/// The positions of the unread items, in order. Asserts that their number equals the unread count.
pub(crate) async fn unread(store: &Store, recipient: &Actor) -> Vec<i64> {
    let view = store.inbox().items(&InboxFilter { unread: true, ..all(recipient) }).await.unwrap();
    assert_eq!(usize::try_from(view.unread).unwrap(), view.items.len());
    view.items.iter().map(|item| item.position).collect()
}

pub(crate) async fn acknowledge(store: &Store, reader: &Actor, up_to: Option<i64>, positions: &[i64]) -> Outcome {
    let stream = Inbox::stream(reader.id);
    change(store, reader.id, &*stream, async |_, inbox: &Inbox| {
        let up_to = match up_to {
            Some(up_to) if store.inbox().has_news(reader.id, inbox.up_to, up_to).await? => Some(up_to),
            _ => None,
        };
        let positions = store.inbox().unread_among(reader.id, positions).await?;
        let Ok(events) = Acknowledge { reader_id: reader.id, up_to, positions }.decide(inbox);
        Ok(events)
    })
    .await
}
