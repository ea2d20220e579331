//! The queue of agents that wait for a match.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    arena::{
        matches::{Channel, Mode},
        tasks::League,
    },
};
use buildtrack_store::{ArenaChange, NewMatch, SocketState, Store};
use chrono::TimeDelta;
use rstest_reuse::apply;

use super::{begin, connect, disconnect, players, queue, queued, seats, see, void, write};
use crate::{
    both,
    cast::{agent_id, new_actor},
    database::{Kind, TestDatabase, noon},
};

#[apply(both)]
async fn agents_wait_in_the_order_in_which_they_came(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = [new_actor(&store), new_actor(&store), new_actor(&store)];
    see(&store, "one", 30).await;
    for (agent, connection) in [(&ada, "a"), (&ben, "b"), (&cleo, "c")] {
        connect(&store, agent, connection, "one").await;
    }
    assert_eq!(
        (queued(&store).await, store.arena().queue_position(agent_id(&ada)).await.unwrap()),
        (vec![], (None, 0))
    );
    queue(&store, &ben, "b", &[League::Trivia, League::Python]).await;
    database.clock.advance(Duration::from_secs(1));
    queue(&store, &ada, "a", &[League::Trivia]).await;
    // Another connection's words change nothing; the same words again keep the place.
    queue(&store, &cleo, "a", &[League::Trivia]).await;
    database.clock.advance(Duration::from_secs(1));
    queue(&store, &ben, "b", &[League::Reasoning]).await;
    let waiting = store.arena().queued_agents(None, 10).await.unwrap();
    let shown: Vec<_> =
        waiting.iter().map(|queued| (queued.agent_id, &*queued.connection_id, queued.queued_at)).collect();
    assert_eq!(shown, [(agent_id(&ben), "b", noon()), (agent_id(&ada), "a", noon() + TimeDelta::seconds(1))]);
    assert_eq!(waiting[0].leagues, [League::Reasoning]);
    assert_eq!(store.arena().queued_agents(None, 1).await.unwrap().len(), 1);
    let position = async |agent: &Actor| store.arena().queue_position(agent_id(agent)).await.unwrap();
    assert_eq!(
        [position(&ben).await, position(&ada).await, position(&cleo).await],
        [(Some(1), 2), (Some(2), 2), (None, 2)]
    );
    assert_eq!(store.arena().sockets_open().await.unwrap(), (3, 2));
    write(&store, [ArenaChange::Unqueued { agent_id: agent_id(&ben) }]).await;
    assert_eq!((queued(&store).await, position(&ada).await), (vec![agent_id(&ada)], (Some(1), 1)));
    disconnect(&store, &ada, "a").await;
    assert_eq!((queued(&store).await, position(&ada).await), (vec![], (None, 0)));
}

#[apply(both)]
async fn agents_that_came_at_once_have_a_position_each(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    see(&store, "one", 30).await;
    let agents: Vec<_> = (0..3).map(|_| new_actor(&store)).collect();
    for agent in &agents {
        let id = agent.id.to_string();
        connect(&store, agent, &id, "one").await;
        queue(&store, agent, &id, &[League::Trivia]).await;
    }
    let order = queued(&store).await;
    let mut after = None;
    for (position, agent_id) in (1..).zip(order) {
        assert_eq!(store.arena().queue_position(agent_id).await.unwrap(), (Some(position), 3));
        let next = store.arena().queued_agents(after, 1).await.unwrap();
        assert_eq!(next[0].agent_id, agent_id);
        after = Some((next[0].queued_at, agent_id));
    }
    assert_eq!(store.arena().queued_agents(after, 1).await.unwrap(), []);
}

#[apply(both)]
async fn a_new_match_takes_its_agents_out_of_the_queue(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    see(&store, "one", 30).await;
    for (agent, connection) in [(&ada, "a"), (&ben, "b"), (&cleo, "c")] {
        connect(&store, agent, connection, "one").await;
        queue(&store, agent, connection, &[League::Trivia]).await;
    }
    begin(&store, &[&ada, &cleo], Channel::Socket).await;
    assert_eq!(queued(&store).await, [agent_id(&ben)]);
    assert_eq!(store.arena().socket_state(agent_id(&ada)).await.unwrap(), SocketState::Open);
}

/// A challenge that the owner of the first agent asks for.
async fn challenge(store: &Store, agents: &[&Actor]) -> NewMatch {
    let seats = seats(store, agents, Channel::Socket).await;
    NewMatch { league: League::Trivia, mode: Mode::Challenge, challenger_id: Some(seats[0].owner_id), seats }
}

#[apply(both)]
async fn an_unrated_match_leaves_its_agents_their_positions(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    see(&store, "one", 600).await;
    for (agent, connection) in [(&ben, "b"), (&ada, "a")] {
        connect(&store, agent, connection, "one").await;
        queue(&store, agent, connection, &[League::Trivia]).await;
        database.clock.advance(Duration::from_secs(1));
    }
    let challenge = store.arena().create_match(challenge(&store, &[&ada, &ben]).await).await.unwrap();
    void(&store, challenge).await.unwrap();
    let waiting = store.arena().queued_agents(None, 10).await.unwrap();
    let since: Vec<_> = waiting.iter().map(|queued| (queued.agent_id, queued.queued_at)).collect();
    assert_eq!(since, [(agent_id(&ben), noon()), (agent_id(&ada), noon() + TimeDelta::seconds(1))]);
    begin(&store, &[&ada, &ben], Channel::Socket).await;
    assert_eq!(queued(&store).await, []);
}

#[apply(both)]
async fn a_challenge_of_another_owner_is_remembered_while_its_agent_waits(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    see(&store, "one", 600).await;
    for (agent, connection) in [(&ada, "a"), (&ben, "b")] {
        connect(&store, agent, connection, "one").await;
        queue(&store, agent, connection, &[League::Trivia]).await;
    }
    let known =
        async |agent: &Actor, since| store.arena().is_queued_and_challenged(agent_id(agent), since).await.unwrap();
    let before = noon() - TimeDelta::seconds(1);
    assert!(!known(&ben, before).await);
    let challenge = store.arena().create_match(challenge(&store, &[&ada, &ben]).await).await.unwrap();
    void(&store, challenge).await.unwrap();
    database.clock.advance(Duration::from_secs(1));
    // The owner of the other agent asked for it itself.
    assert_eq!([known(&ben, before).await, known(&ben, noon()).await, known(&ada, before).await], [true, false, false]);
    write(&store, [ArenaChange::Unqueued { agent_id: agent_id(&ben) }]).await;
    assert!(!known(&ben, before).await);
}
