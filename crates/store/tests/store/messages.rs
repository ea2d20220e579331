//! Messages under load: exact counts, and posts only by members of open workspaces.

use buildtrack_domain::{
    actors::Actor,
    event::Event,
    ids::{MessageId, WorkspaceId},
    workspaces::{MessageError, MessageEvent, WorkspaceError, WorkspaceEvent},
};
use buildtrack_store::{MessageFilter, Store};
use futures_util::future::{join, join_all};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{Refusal, all_messages, archive, join as join_workspace, leave, new_actor, open, post, reopen},
    database::{Kind, TestDatabase},
};

async fn messages(store: &Store, workspace_id: WorkspaceId) -> i64 {
    i64::try_from(store.workspaces().messages(&all_messages(workspace_id)).await.unwrap().rows.len()).unwrap()
}

/// PostgreSQL chooses other plans once it has statistics.
#[tokio::test]
async fn a_snapshot_of_a_page_does_not_read_the_whole_log() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    for _ in 0..20 {
        join_all((0..100).map(|_| post(&store, track, &ada, "Push, don't poll"))).await;
    }
    let head = store.log().head().await.unwrap();
    database.execute("ANALYZE").await;
    store.close().await;
    let before = database.rows_read("events").await;
    let store = database.open().await;
    let filter = MessageFilter { descending: true, limit: 5, ..all_messages(track) };
    assert_eq!(store.workspaces().messages_as_of(&filter, head - 1000).await.unwrap().rows.len(), 5);
    store.close().await;
    let read = database.rows_read("events").await - before;
    assert!((5..200).contains(&read), "{read}");
}

#[apply(both)]
async fn the_count_is_right_at_every_moment_under_64_writers(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let stores = [store.clone(), database.open().await];
    let reader = database.open().await;
    let reading = tokio::spawn(async move {
        let mut seen = 0;
        while seen < 640 {
            // Messages are posted concurrently, so the count lies between the numbers of messages before and after.
            let before = messages(&reader, track).await;
            let count = reader.workspaces().workspace(track).await.unwrap().unwrap().message_count;
            let after = messages(&reader, track).await;
            assert!((before..=after).contains(&count), "{before} {count} {after}");
            seen = count;
        }
    });
    let writers = (0..64).map(|number| {
        let (store, ada) = (&stores[number % 2], &ada);
        async move {
            for _ in 0..10 {
                post(store, track, ada, "Push, don't poll").await.unwrap();
            }
        }
    });
    join_all(writers).await;
    reading.await.unwrap();
}

/// Outcomes of the races: how often each side committed first.
#[derive(Debug, Default)]
struct Races {
    posted: u32,
    refused: u32,
}

impl Races {
    fn note(&mut self, posts: &[Result<MessageId, Refusal>], refusal: WorkspaceError) {
        for posted in posts {
            match posted {
                Ok(_) => self.posted += 1,
                Err(Refusal::Message(MessageError::Workspace(error))) if *error == refusal => self.refused += 1,
                Err(other) => panic!("{other:?}"),
            }
        }
    }
}

/// Reads the log and asserts that every message's author was a member of an open workspace.
async fn assert_members_posted(store: &Store) {
    let (mut members, mut archived) = (Vec::<Actor>::new(), false);
    for recorded in store.log().recorded(0, 10_000).await.unwrap() {
        match recorded.event.unwrap() {
            Event::Workspace(WorkspaceEvent::Opened(opened)) => members.push(opened.owner),
            Event::Workspace(WorkspaceEvent::Joined(joined)) => members.push(joined.member),
            Event::Workspace(WorkspaceEvent::Left(left)) => members.retain(|member| member.id != left.member_id),
            Event::Workspace(WorkspaceEvent::Archived(_)) => archived = true,
            Event::Workspace(WorkspaceEvent::Reopened(_)) => archived = false,
            Event::Message(MessageEvent::Posted(posted)) => {
                assert!(!archived, "posted into an archived workspace at {}", recorded.position);
                let is_member = members.iter().any(|member| member.id == posted.author.id);
                assert!(is_member, "posted by a non-member at {}", recorded.position);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[apply(both)]
async fn a_message_after_leaving_is_rejected(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    let mut races = Races::default();
    for round in 0..60 {
        let (first, second) = if round % 2 == 0 { (&store, &other) } else { (&other, &store) };
        join_workspace(first, track, &bob).await.unwrap();
        let posts = join_all((0..4).map(|_| post(first, track, &bob, "before I go")));
        let leaving = leave(if round % 3 == 0 { first } else { second }, track, &bob);
        let (posted, left) = join(posts, leaving).await;
        left.unwrap();
        races.note(&posted, WorkspaceError::NotMember);
    }
    assert_members_posted(&store).await;
    assert_eq!(messages(&store, track).await, i64::from(races.posted));
    assert!(races.posted > 0 && races.refused > 0, "no race was run: {races:?}");
}

#[apply(both)]
async fn an_archived_workspace_rejects_messages(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let mut races = Races::default();
    for round in 0..60 {
        let (first, second) = if round % 2 == 0 { (&store, &other) } else { (&other, &store) };
        let posts = join_all((0..4).map(|_| post(first, track, &ada, "before it closes")));
        let archiving = archive(if round % 3 == 0 { first } else { second }, track, ada.id);
        let (posted, archived) = join(posts, archiving).await;
        archived.unwrap();
        races.note(&posted, WorkspaceError::Archived);
        reopen(&store, track, ada.id).await.unwrap();
    }
    assert_members_posted(&store).await;
    assert!(races.posted > 0 && races.refused > 0, "no race was run: {races:?}");
}
