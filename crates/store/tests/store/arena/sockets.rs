//! Sockets of agents, and the servers that hold them.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    arena::{matches::Channel, tasks::League},
    ids::{MatchId, OwnerId},
};
use buildtrack_store::{ArenaChange, NewConnection, SocketState, Store};
use rstest_reuse::apply;

use super::{begin, connect, disconnect, players, queue, queued, see, view, void, write};
use crate::{
    both,
    cast::{agent_id, new_actor},
    database::{Kind, TestDatabase},
};

#[apply(both)]
async fn a_socket_is_lost_with_its_server_and_comes_back_with_it(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = [new_actor(&store), new_actor(&store)];
    let state = async |agent: &Actor| store.arena().socket_state(agent_id(agent)).await.unwrap();
    assert_eq!(state(&ada).await, SocketState::Closed);
    see(&store, "one", 30).await;
    see(&store, "two", 60).await;
    connect(&store, &ada, "a", "one").await;
    connect(&store, &ben, "b", "two").await;
    queue(&store, &ada, "a", &[League::Trivia]).await;
    queue(&store, &ben, "b", &[League::Trivia]).await;
    assert_eq!((state(&ada).await, state(&ben).await), (SocketState::Open, SocketState::Open));
    assert_eq!(store.arena().connections_of("one").await.unwrap(), [(agent_id(&ada), "a".to_owned())]);
    database.clock.advance(Duration::from_secs(30) - Duration::from_micros(1));
    assert_eq!(state(&ada).await, SocketState::Open);
    database.clock.advance(Duration::from_micros(1));
    assert_eq!((state(&ada).await, state(&ben).await), (SocketState::ServerLost, SocketState::Open));
    assert_eq!(queued(&store).await, [agent_id(&ben)]);
    // It was only slow.
    see(&store, "one", 30).await;
    assert_eq!((state(&ada).await, queued(&store).await.len()), (SocketState::Open, 2));
    // A server that stops has lost its sockets at once, and no one else's: its agents may come back, as after a crash.
    write(&store, [ArenaChange::ServerGone { server_id: "one".into() }]).await;
    assert_eq!((state(&ada).await, state(&ben).await), (SocketState::ServerLost, SocketState::Open));
    assert_eq!(queued(&store).await, [agent_id(&ben)]);
    connect(&store, &ada, "c", "two").await;
    assert_eq!((state(&ada).await, store.arena().connections_of("one").await.unwrap()), (SocketState::Open, vec![]));
    // Its end does not lengthen a lease that has expired.
    write(&store, [ArenaChange::ServerGone { server_id: "one".into() }]).await;
    database.clock.advance(Duration::from_mins(10) - Duration::from_micros(1));
    while store.log().prune(10, Duration::from_secs(1)).await.unwrap() {}
    assert_eq!(database.texts("SELECT id FROM arena_servers WHERE id = 'one'").await, ["one"]);
    write(&store, [ArenaChange::ServerGone { server_id: "one".into() }]).await;
    database.clock.advance(Duration::from_micros(1));
    while store.log().prune(10, Duration::from_secs(1)).await.unwrap() {}
    assert_eq!(database.texts("SELECT id FROM arena_servers WHERE id = 'one'").await, [""; 0]);
}

#[apply(both)]
async fn the_connections_of_a_lost_server_remain_for_ten_minutes(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = [new_actor(&store), new_actor(&store)];
    see(&store, "one", 30).await;
    see(&store, "two", 10_000).await;
    connect(&store, &ada, "a", "one").await;
    connect(&store, &ben, "b", "two").await;
    database.clock.advance(Duration::from_secs(30 + 600) - Duration::from_micros(1));
    while store.log().prune(10, Duration::from_secs(1)).await.unwrap() {}
    assert_eq!(store.arena().socket_state(agent_id(&ada)).await.unwrap(), SocketState::ServerLost);
    database.clock.advance(Duration::from_micros(1));
    while store.log().prune(10, Duration::from_secs(1)).await.unwrap() {}
    assert_eq!(store.arena().socket_state(agent_id(&ada)).await.unwrap(), SocketState::Closed);
    assert_eq!(store.arena().socket_state(agent_id(&ben)).await.unwrap(), SocketState::Open);
    assert_eq!(database.texts("SELECT id FROM arena_servers").await, ["two"]);
}

#[apply(both)]
async fn a_new_socket_replaces_the_old_one_whose_end_changes_nothing(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    see(&store, "one", 30).await;
    see(&store, "two", 30).await;
    connect(&store, &ada, "old", "one").await;
    queue(&store, &ada, "old", &[League::Trivia]).await;
    connect(&store, &ada, "new", "two").await;
    assert_eq!(queued(&store).await, []);
    assert_eq!(store.arena().connections_of("one").await.unwrap(), []);
    queue(&store, &ada, "old", &[League::Trivia]).await;
    assert_eq!(queued(&store).await, []);
    queue(&store, &ada, "new", &[League::Trivia]).await;
    disconnect(&store, &ada, "old").await;
    assert_eq!((queued(&store).await, store.arena().sockets_open().await.unwrap()), (vec![agent_id(&ada)], (1, 1)));
    // The end of the old server neither.
    write(&store, [ArenaChange::ServerGone { server_id: "one".into() }]).await;
    assert_eq!(store.arena().socket_state(agent_id(&ada)).await.unwrap(), SocketState::Open);
    disconnect(&store, &ada, "new").await;
    assert_eq!(store.arena().socket_state(agent_id(&ada)).await.unwrap(), SocketState::Closed);
}

#[apply(both)]
async fn a_connection_that_another_server_takes_over_keeps_its_position_if_it_says_so(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    see(&store, "one", 30).await;
    see(&store, "two", 30).await;
    connect(&store, &ada, "old", "one").await;
    queue(&store, &ada, "old", &[League::Trivia]).await;
    // Two calls may record it.
    connect(&store, &ada, "old", "one").await;
    assert!(store.arena().is_queued(agent_id(&ada)).await.unwrap());
    let (agent_id, owner_id) = (agent_id(&ada), OwnerId::new(store.log().clock().uuid()));
    let (connection_id, server_id) = ("new".to_owned(), "two".to_owned());
    let connection = NewConnection { agent_id, owner_id, connection_id, server_id, keeps_position: true };
    write(&store, [ArenaChange::Connected(Box::new(connection))]).await;
    assert_eq!(queued(&store).await, [agent_id]);
    let known = store.arena().connection_of(agent_id).await.unwrap().unwrap();
    assert_eq!((&*known.connection_id, known.is_open), ("new", true));
    connect(&store, &ada, "newer", "one").await;
    assert_eq!((queued(&store).await, store.arena().is_queued(agent_id).await.unwrap()), (vec![], false));
}

/// Records that an agent is sent the result of a match; or that it could not be sent.
async fn result_sent(store: &Store, agent: &Actor, id: MatchId, is_sent: bool) {
    let (agent_id, position) = (agent_id(agent), view(store, id).await.ended_position.unwrap());
    let sent = ArenaChange::ResultSent { agent_id, position };
    write(store, [if is_sent { sent } else { ArenaChange::ResultReturned { agent_id, position } }]).await;
}

#[apply(both)]
async fn an_agent_that_comes_back_learns_of_the_matches_whose_results_it_was_not_sent(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let missed = async |agent: &Actor| store.arena().matches_missed(agent_id(agent), 10).await.unwrap();
    let before = begin(&store, &[&ada, &ben], Channel::Socket).await;
    void(&store, before).await.unwrap();
    // Agents that were never connected have missed nothing, nor have they when they connect.
    assert_eq!((missed(&ada).await, missed(&ben).await), (vec![], vec![]));
    see(&store, "one", 3600).await;
    see(&store, "two", 30).await;
    connect(&store, &ada, "a", "one").await;
    connect(&store, &ben, "b", "two").await;
    let seen = begin(&store, &[&ada, &ben], Channel::Socket).await;
    assert_eq!((missed(&ada).await, missed(&ben).await), (vec![], vec![]));
    void(&store, seen).await.unwrap();
    result_sent(&store, &ada, seen, true).await;
    // The server of the other agent was lost before it had sent the result; the clock says nothing of this.
    assert_eq!((missed(&ada).await, missed(&ben).await), (vec![], vec![seen]));
    let [first, second] =
        [begin(&store, &[&ada, &ben], Channel::Socket).await, begin(&store, &[&ada, &ben], Channel::Socket).await];
    by_push(&store, &ada, &ben).await;
    disconnect(&store, &ada, "a").await;
    void(&store, second).await.unwrap();
    void(&store, first).await.unwrap();
    assert_eq!((missed(&ada).await, missed(&ben).await), (vec![second, first], vec![seen, second, first]));
    assert_eq!(store.arena().matches_missed(agent_id(&ben), 1).await.unwrap(), [second]);
    // A connection alone changes nothing, also if it replaces one that was open.
    connect(&store, &ada, "c", "one").await;
    connect(&store, &ada, "d", "one").await;
    assert_eq!(missed(&ada).await, [second, first]);
    result_sent(&store, &ada, second, true).await;
    assert_eq!(missed(&ada).await, [first]);
    result_sent(&store, &ada, first, true).await;
    result_sent(&store, &ada, second, true).await;
    assert_eq!(missed(&ada).await, []);
    // The last result did not leave the server; an earlier one that was sent is not repeated.
    result_sent(&store, &ada, second, false).await;
    assert_eq!(missed(&ada).await, []);
    result_sent(&store, &ada, first, false).await;
    assert_eq!(missed(&ada).await, [first]);
}

/// A match by push, which no socket misses.
async fn by_push(store: &Store, ada: &Actor, ben: &Actor) {
    let id = begin(store, &[ada, ben], Channel::Push).await;
    void(store, id).await.unwrap();
}
