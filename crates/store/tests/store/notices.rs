//! Notices from the server to owners.

use std::time::Duration;

use buildtrack_domain::ids::{NoticeId, OwnerId};
use buildtrack_store::{NewNotice, NoticeFilter, NoticeKind, Store, WebhookChange};
use rstest_reuse::apply;

use crate::{
    both,
    database::{Kind, TestDatabase, noon},
};

/// Writes a notice to the owner, a minute after the previous one.
async fn write_notice(store: &Store, owner_id: OwnerId, detail: &str) -> NoticeId {
    store.log().clock().advance(Duration::from_mins(1));
    let id = NoticeId::new(store.log().clock().uuid());
    let (kind, subject, detail) = (NoticeKind::WebhookDisabled, "wh_1".to_owned(), detail.to_owned());
    store
        .log()
        .write_side(vec![WebhookChange::Notice(NewNotice { id, owner_id, kind, subject, detail })])
        .await
        .unwrap();
    id
}

async fn listed(store: &Store, owner_id: OwnerId, filter: NoticeFilter) -> Vec<NoticeId> {
    store.webhooks().notices(owner_id, filter).await.unwrap().into_iter().map(|notice| notice.id).collect()
}

#[apply(both)]
async fn notices_are_listed_newest_first_for_their_owner_only(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, bob] = [(); 2].map(|()| OwnerId::new(store.log().clock().uuid()));
    let all = NoticeFilter { limit: 10, ..NoticeFilter::default() };
    let (first, second) = (write_notice(&store, ada, "one").await, write_notice(&store, ada, "two").await);
    let bobs = write_notice(&store, bob, "three").await;
    assert_eq!(listed(&store, ada, all).await, [second, first]);
    assert_eq!(listed(&store, ada, NoticeFilter { limit: 1, ..all }).await, [second]);
    assert_eq!(listed(&store, ada, NoticeFilter { before: Some(second), ..all }).await, [first]);
    assert_eq!(store.webhooks().notice(ada, bobs).await.unwrap(), None);
    let notice = store.webhooks().notice(ada, second).await.unwrap().unwrap();
    assert_eq!((notice.kind, &*notice.subject, &*notice.detail), (NoticeKind::WebhookDisabled, "wh_1", "two"));
    assert_eq!(NoticeKind::WebhookDisabled.as_str(), "webhook.disabled");
    assert_eq!((notice.created_at, notice.read_at), (noon() + Duration::from_mins(2), None));
}

#[apply(both)]
async fn a_notice_is_read_once(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = OwnerId::new(store.log().clock().uuid());
    let (first, second) = (write_notice(&store, ada, "one").await, write_notice(&store, ada, "two").await);
    let read_at = store.log().clock().now();
    for _ in 0..2 {
        store.log().write_side(vec![WebhookChange::NoticeRead { id: first }]).await.unwrap();
        store.log().clock().advance(Duration::from_mins(1));
    }
    assert_eq!(store.webhooks().notice(ada, first).await.unwrap().unwrap().read_at, Some(read_at));
    assert_eq!(
        listed(&store, ada, NoticeFilter { unread: true, limit: 10, ..NoticeFilter::default() }).await,
        [second]
    );
}
