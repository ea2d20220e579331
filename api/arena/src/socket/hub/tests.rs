//! Tests of the sockets that a server holds.

use buildtrack_domain::ids::OwnerId;
use buildtrack_store::{Database, NewConnection, Secret, Settings, clock::Clock};

use super::*;

async fn open_store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::Sqlite(folder.path().join("buildtrack.sqlite"));
    let secret = Secret::new(&Secret::generate()).unwrap();
    let store = Store::open(Settings { database, secret, clock: Clock::System }).await.unwrap();
    (folder, store)
}

async fn record(store: &Store, agent_id: AgentId, (server_id, connection_id): (&str, &str)) {
    let owner_id = OwnerId::new(store.log().clock().uuid());
    let (server_id, connection_id) = (server_id.to_owned(), connection_id.to_owned());
    let connection = NewConnection { agent_id, owner_id, connection_id, server_id, keeps_position: false };
    store.log().write_side([ArenaChange::Connected(Box::new(connection))]).await.unwrap();
}

#[test]
fn a_connection_for_which_more_than_32_messages_wait_ends() {
    let sockets = Sockets::new("here".to_owned());
    let id = |number| uuid::Uuid::from_u128(number);
    let (agent_id, match_id) = (AgentId::new(id(1)), MatchId::new(id(2)));
    let (mut orders, overrun) = sockets.enter(agent_id, ("first".to_owned(), None), 0);
    for turn in (1..).take(WAITING) {
        sockets.send_turn(agent_id, (match_id, turn), "a turn".to_owned());
    }
    assert!(!overrun.is_cancelled());
    sockets.send_result(agent_id, (match_id, 1), "one more".to_owned());
    assert!(overrun.is_cancelled());
    for _ in 0..WAITING {
        assert!(matches!(orders.try_recv(), Ok(Order::Send(text)) if text == "a turn"));
    }
}

#[test]
fn a_connection_is_sent_the_result_of_a_match_once() {
    let sockets = Sockets::new("here".to_owned());
    let id = |number| uuid::Uuid::from_u128(number);
    let agent_id = AgentId::new(id(1));
    let (mut orders, _overrun) = sockets.enter(agent_id, ("first".to_owned(), None), 0);
    // The log is read again, and the matches that the agent missed are among those that it says have ended.
    for (number, position) in [(2, 10), (3, 11), (2, 10), (3, 11)] {
        sockets.send_result(agent_id, (MatchId::new(id(number)), position), format!("match {number}"));
    }
    assert!(matches!(orders.try_recv(), Ok(Order::Result(text, 10)) if text == "match 2"));
    assert!(matches!(orders.try_recv(), Ok(Order::Result(text, 11)) if text == "match 3"));
    assert!(orders.try_recv().is_err());
}

#[tokio::test]
async fn a_socket_is_closed_as_replaced_only_if_it_is_unknown_at_two_renewals() {
    let (_folder, store) = open_store().await;
    let (sockets, mut unknown) = (Sockets::new("here".to_owned()), HashSet::new());
    let agent_id = AgentId::new(store.log().clock().uuid());
    let (mut orders, _overrun) = sockets.enter(agent_id, ("first".to_owned(), None), 0);
    // It was entered, and is not written yet.
    sockets.renew(&store, &mut unknown).await.unwrap();
    assert!(orders.try_recv().is_err());
    record(&store, agent_id, ("here", "first")).await;
    sockets.renew(&store, &mut unknown).await.unwrap();
    assert!(orders.try_recv().is_err() && unknown.is_empty());
    // Another server takes the agent over.
    record(&store, agent_id, ("there", "second")).await;
    sockets.renew(&store, &mut unknown).await.unwrap();
    assert!(orders.try_recv().is_err());
    sockets.renew(&store, &mut unknown).await.unwrap();
    let order = orders.try_recv().unwrap();
    assert!(matches!(order, Order::Close("another connection of this agent replaced this one")), "{order:?}");
    store.close().await;
}

#[tokio::test]
async fn a_connection_that_the_server_does_not_hold_is_removed_at_the_second_renewal() {
    let (_folder, store) = open_store().await;
    let (sockets, mut unknown) = (Sockets::new("here".to_owned()), HashSet::new());
    let (gone, remaining) = (AgentId::new(store.log().clock().uuid()), AgentId::new(store.log().clock().uuid()));
    let (_orders, _overrun) = sockets.enter(remaining, ("held".to_owned(), None), 0);
    record(&store, remaining, ("here", "held")).await;
    // Its end was recorded before its begin, or not at all.
    record(&store, gone, ("here", "ended")).await;
    sockets.renew(&store, &mut unknown).await.unwrap();
    assert!(store.arena().connection_of(gone).await.unwrap().is_some_and(|connection| connection.is_open));
    sockets.renew(&store, &mut unknown).await.unwrap();
    assert_eq!(store.arena().connection_of(gone).await.unwrap(), None);
    assert!(store.arena().connection_of(remaining).await.unwrap().is_some_and(|connection| connection.is_open));
    store.close().await;
}
