//! Moderation: hidden texts are shown nowhere until they are restored, and suspended actors have unusable sessions.

use buildtrack_domain::{
    ids::WorkspaceId,
    moderation::{Action, ModerationError},
};
use buildtrack_store::{CaseFilter, Interest, Scope, Store, verification};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{
        Refusal, agent, all_messages, appeal, file_report, log_in, moderate, new_actor, open, owner, post, redact,
        set_owner_suspended, set_suspended,
    },
    database::{Kind, TestDatabase},
    forum::cast::{ask, edit_post, shown},
    search::{asked, hits},
};

const WORDS: &str = "Buy this";

/// The queries that show the text of a hidden message.
async fn shows(store: &Store, track: WorkspaceId, position: i64) -> Vec<&'static str> {
    let mut shows = Vec::new();
    let mut note = |source, text: String| {
        if text.contains(WORDS) {
            shows.push(source);
        }
    };
    note("messages", format!("{:?}", store.workspaces().messages(&all_messages(track)).await.unwrap()));
    let then = store.workspaces().messages_as_of(&all_messages(track), position).await.unwrap();
    note("messages as of then", format!("{then:?}"));
    note("log", format!("{:?}", store.log().public_log(0, 100).await.unwrap()));
    let part = store.locations().public_part(Interest::Workspace(track), 0, 100, 100).await.unwrap();
    note("part", format!("{part:?}"));
    note("events", format!("{:?}", store.log().events_at(&[position]).await.unwrap()));
    note("event", format!("{:?}", store.log().recorded_at(position).await.unwrap()));
    while store.search().index(100).await.unwrap().moved {}
    note("search", format!("{:?}", hits(store, &asked("buy")).await));
    shows
}

#[apply(both)]
async fn a_hidden_text_is_shown_nowhere_until_it_is_restored(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    // Another process, which did not write the message and has an empty cache.
    let other = database.open().await;
    let ada = agent(&store, &owner(&store).await).await;
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, WORDS).await.unwrap();
    let position = store.log().head().await.unwrap();
    let everywhere = ["messages", "messages as of then", "log", "part", "events", "event", "search"];
    assert_eq!(shows(&store, track, position).await, everywhere);
    moderate(&store, message, Action::Hide, &ada).await.unwrap();
    for store in [&store, &other] {
        assert_eq!(shows(store, track, position).await, <[&str; 0]>::default());
    }
    let hidden = store.workspaces().message(track, message).await.unwrap().unwrap();
    assert_eq!((&*hidden.content, hidden.hidden, hidden.redacted), ("", true, false));
    assert_eq!(database.tables_with(WORDS).await, ["events", "messages"]);
    moderate(&store, message, Action::Restore, &ada).await.unwrap();
    for store in [&store, &other] {
        assert_eq!(shows(store, track, position).await, everywhere);
    }
}

#[apply(both)]
async fn the_history_and_tags_of_a_hidden_post_are_not_shown(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = agent(&store, &owner(&store).await).await;
    let question = ask(&store, &ada, "First", None).await;
    edit_post(&store, question, &ada, "Second").await.unwrap();
    moderate(&store, question, Action::Hide, &ada).await.unwrap();
    let post = shown(&store, question).await;
    assert_eq!((&*post.title, &*post.body, post.tags.0.len(), post.hidden), ("", "", 0, true));
    assert!(store.forum().earlier_versions(question, 0, 10).await.unwrap().is_empty());
    moderate(&store, question, Action::Restore, &ada).await.unwrap();
    assert_eq!(shown(&store, question).await.title, "Second");
    assert_eq!(store.forum().earlier_versions(question, 0, 10).await.unwrap().len(), 1);
}

#[apply(both)]
async fn a_redacted_text_cannot_be_hidden_and_a_hidden_text_can_be_redacted(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = agent(&store, &owner(&store).await).await;
    let track = open(&store, &ada).await;
    let (one, two) = (post(&store, track, &ada, "1").await.unwrap(), post(&store, track, &ada, "2").await.unwrap());
    redact(&store, track, ada.id, one).await.unwrap();
    let refused = moderate(&store, one, Action::Hide, &ada).await;
    assert!(matches!(refused, Err(Refusal::Moderation(ModerationError::Redacted))));
    moderate(&store, two, Action::Hide, &ada).await.unwrap();
    redact(&store, track, ada.id, two).await.unwrap();
    let shown = store.workspaces().message(track, two).await.unwrap().unwrap();
    assert_eq!((shown.hidden, shown.redacted), (false, true));
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}

#[apply(both)]
async fn a_decision_closes_pending_reports_and_appeals(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let bob = owner(&store).await;
    let ada = agent(&store, &bob).await;
    let message = post(&store, open(&store, &ada).await, &ada, WORDS).await.unwrap();
    let reporter = new_actor(&store);
    file_report(&store, message, &reporter).await.unwrap();
    let again = file_report(&store, message, &reporter).await;
    assert!(matches!(again, Err(Refusal::Moderation(ModerationError::AlreadyReported))));
    let open = CaseFilter { open: Some(true), limit: 10, ..CaseFilter::default() };
    assert_eq!(store.moderation().reports(&open).await.unwrap().len(), 1);
    moderate(&store, message, Action::Hide, &ada).await.unwrap();
    let decision = store.log().head().await.unwrap();
    assert!(store.moderation().reports(&open).await.unwrap().is_empty());
    let closed = CaseFilter { open: Some(false), ..open };
    assert_eq!(store.moderation().reports(&closed).await.unwrap()[0].closed_position, Some(decision));
    appeal(&store, message, &bob).await.unwrap();
    assert_eq!(store.moderation().appeals(&open).await.unwrap()[0].statement, "It was none");
    moderate(&store, message, Action::Uphold, &ada).await.unwrap();
    assert!(store.moderation().appeals(&open).await.unwrap().is_empty());
    let actions: Vec<_> = store
        .moderation()
        .decisions(&CaseFilter { open: None, ..open })
        .await
        .unwrap()
        .iter()
        .map(|made| made.action)
        .collect();
    assert_eq!(actions, [Action::Uphold, Action::Hide]);
}

#[apply(both)]
async fn the_session_of_a_suspended_actor_is_suspended(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let bob = owner(&store).await;
    let ada = agent(&store, &bob).await;
    let token = log_in(&store, &ada, &Scope::ALL).await;
    let suspended = async |store: &Store| store.identity().session(&token, false).await.unwrap().unwrap().suspended;
    assert_eq!((suspended(&store).await, suspended(&other).await), (None, None));
    set_suspended(&store, &ada, true).await.unwrap();
    assert_eq!(suspended(&store).await, Some(ada.id));
    crate::database::eventually(async || suspended(&other).await.is_some()).await;
    set_owner_suspended(&store, &bob, true).await.unwrap();
    set_suspended(&store, &ada, false).await.unwrap();
    assert!(matches!(suspended(&store).await, Some(owner) if owner != ada.id));
    set_owner_suspended(&store, &bob, false).await.unwrap();
    assert_eq!(suspended(&store).await, None);
}
