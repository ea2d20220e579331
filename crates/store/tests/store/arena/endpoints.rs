//! Endpoints: due checks, pauses, and rounds at once.

use std::{collections::BTreeSet, time::Duration};

use buildtrack_domain::{
    actors::Actor,
    arena::{
        matches::{Channel, Mode},
        tasks::League,
    },
};
use buildtrack_store::{ArenaChange, EndpointReadiness, EndpointState, IdleContestant, NewMatch, PauseReason};
use chrono::TimeDelta;
use rstest_reuse::apply;

use super::{begin, checked, enrol, enrolled, healthy, paused, play_short, player, seats, void, withdraw, write};
use crate::{
    both,
    cast::{agent, agent_id, owner, owner_id, set_suspended},
    database::{Kind, TestDatabase, noon},
};

#[apply(both)]
async fn endpoints_are_due_when_they_are_added_and_after_each_check(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (ada_owner, ben_owner) = (owner(&store).await, owner(&store).await);
    let (ada, ben) = (agent(&store, &ada_owner).await, agent(&store, &ben_owner).await);
    let (by_ada, by_ben) = (agent_id(&ada), agent_id(&ben));
    enrol(&store, enrolled(&ada, owner_id(&ada_owner), Some("https://ada.example"))).await;
    enrol(&store, enrolled(&ben, owner_id(&ben_owner), None)).await;
    write(&store, [ArenaChange::EndpointAdded { agent_id: by_ada }, ArenaChange::EndpointAdded { agent_id: by_ben }])
        .await;
    let due = async || {
        let due = store.arena().endpoints_due(10).await.unwrap();
        due.into_iter().map(|(agent_id, url, _)| (agent_id, url)).collect::<Vec<_>>()
    };
    // An agent without an address is never checked.
    assert_eq!(due().await, [(by_ada, "https://ada.example".to_owned())]);
    assert_eq!(store.arena().endpoints_due(0).await.unwrap(), []);
    checked(&store, by_ada, healthy(&store)).await;
    assert_eq!((due().await, store.arena().endpoint(by_ada).await.unwrap()), (vec![], Some(healthy(&store))));
    let was = healthy(&store);
    database.clock.advance(Duration::from_secs(30));
    assert_eq!(due().await.len(), 1);
    // A check that must wait keeps no other one from its turn, and changes nothing else.
    let until = store.log().clock().after(Duration::from_secs(1));
    write(&store, [ArenaChange::EndpointPostponed { agent_id: by_ada, until }]).await;
    assert_eq!(due().await, []);
    let postponed = EndpointState { check_at: until, ..was };
    assert_eq!(store.arena().endpoint(by_ada).await.unwrap(), Some(postponed));
    database.clock.advance(Duration::from_secs(1));
    assert_eq!(due().await.len(), 1);
    let failed = EndpointState { misses: 3, is_healthy: false, reason: Some("health".into()), ..healthy(&store) };
    checked(&store, by_ada, failed.clone()).await;
    assert_eq!(store.arena().endpoint(by_ada).await.unwrap(), Some(failed));
    // A new address is checked at once, and is not healthy before.
    write(&store, [ArenaChange::EndpointAdded { agent_id: by_ada }]).await;
    let added = EndpointState { check_at: store.log().clock().now(), ..EndpointState::default() };
    let (until, reason) = (store.log().clock().after(Duration::from_mins(5)), PauseReason::RateLimited);
    assert_eq!((store.arena().endpoint(by_ada).await.unwrap(), due().await.len()), (Some(added.clone()), 1));
    // A pause ends with its address, and the answer of another address says nothing.
    write(
        &store,
        [
            ArenaChange::EndpointPaused { agent_id: by_ada, endpoint_url: "https://ada.example".into(), until, reason },
            ArenaChange::EndpointAdded { agent_id: by_ada },
            ArenaChange::EndpointPaused { agent_id: by_ada, endpoint_url: "https://old.example".into(), until, reason },
            ArenaChange::EndpointChecked {
                agent_id: by_ada,
                endpoint_url: "https://old.example".into(),
                state: Box::new(healthy(&store)),
            },
        ],
    )
    .await;
    assert_eq!(store.arena().endpoint(by_ada).await.unwrap(), Some(added));
    withdraw(&store, by_ada).await;
    assert_eq!(due().await, []);
    write(&store, [ArenaChange::EndpointRemoved { agent_id: by_ada }]).await;
    assert_eq!(store.arena().endpoint(by_ada).await.unwrap(), None);
    checked(&store, by_ada, healthy(&store)).await;
    assert_eq!(store.arena().endpoint(by_ada).await.unwrap(), None);
}

#[apply(both)]
async fn a_pause_is_lengthened_never_shortened_and_outlasts_checks(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada_owner = owner(&store).await;
    let ada = agent(&store, &ada_owner).await;
    let id = agent_id(&ada);
    enrol(&store, enrolled(&ada, owner_id(&ada_owner), Some("https://ada.example"))).await;
    write(&store, [ArenaChange::EndpointAdded { agent_id: id }]).await;
    let reachable = async || store.arena().contestant(id).await.unwrap().unwrap().endpoint == EndpointReadiness::Ready;
    assert!(!reachable().await, "it was never checked");
    checked(&store, id, healthy(&store)).await;
    assert!(reachable().await);
    let pause = async |seconds| {
        let (until, reason) = (store.log().clock().after(Duration::from_secs(seconds)), PauseReason::RateLimited);
        paused(&store, id, until, reason).await;
    };
    let state = async || store.arena().endpoint(id).await.unwrap().unwrap();
    pause(60).await;
    pause(30).await;
    let until = Some(noon() + TimeDelta::seconds(60));
    assert_eq!((state().await.paused_until, state().await.reason.as_deref()), (until, Some("rate_limited")));
    assert!(!reachable().await);
    checked(&store, id, EndpointState { reason: Some("status 500".into()), ..healthy(&store) }).await;
    assert_eq!((state().await.paused_until, state().await.reason.as_deref()), (until, Some("rate_limited")));
    database.clock.advance(Duration::from_mins(1) - Duration::from_micros(1));
    assert!(!reachable().await);
    database.clock.advance(Duration::from_micros(1));
    assert!(reachable().await);
    checked(&store, id, healthy(&store)).await;
    assert_eq!((state().await.paused_until, state().await.reason), (None, None));
}

#[apply(both)]
async fn an_endpoint_gets_no_more_rounds_at_once_than_it_says(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada_owner, ben) = (owner(&store).await, player(&store).await);
    let ada = agent(&store, &ada_owner).await;
    let id = agent_id(&ada);
    enrol(&store, enrolled(&ada, owner_id(&ada_owner), Some("https://ada.example"))).await;
    write(&store, [ArenaChange::EndpointAdded { agent_id: id }]).await;
    let says = async |max_concurrent| checked(&store, id, EndpointState { max_concurrent, ..healthy(&store) }).await;
    let found = async || store.arena().contestant(id).await.unwrap().unwrap().endpoint;
    let (reachable, full) = (EndpointReadiness::Ready, EndpointReadiness::Full);
    says(Some(1)).await;
    assert_eq!(found().await, reachable);
    let playing = begin(&store, &[&ada, &ben], Channel::Push).await;
    assert_eq!(found().await, full);
    says(Some(2)).await;
    assert_eq!(found().await, reachable);
    says(None).await;
    assert_eq!(found().await, reachable);
    says(Some(1)).await;
    void(&store, playing).await.unwrap();
    assert_eq!(found().await, reachable);
    // A match over its socket takes no room of its endpoint.
    let playing = begin(&store, &[&ada, &ben], Channel::Socket).await;
    assert_eq!(found().await, reachable);
    void(&store, playing).await.unwrap();
    assert_eq!(store.arena().idle_contestants(store.log().clock().now(), None, 10).await.unwrap().len(), 1);
    says(Some(0)).await;
    assert_eq!(found().await, full);
    assert_eq!(store.arena().idle_contestants(store.log().clock().now(), None, 10).await.unwrap(), []);
    checked(&store, id, EndpointState { is_healthy: false, ..healthy(&store) }).await;
    assert_eq!(found().await, EndpointReadiness::Unavailable);
}

#[apply(both)]
async fn idle_agents_are_those_that_can_play_and_have_waited(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let mut agents = vec![];
    for _ in 0..5 {
        let owner = owner(&store).await;
        let agent = agent(&store, &owner).await;
        enrol(&store, enrolled(&agent, owner_id(&owner), Some("https://agent.example"))).await;
        write(&store, [ArenaChange::EndpointAdded { agent_id: agent_id(&agent) }]).await;
        checked(&store, agent_id(&agent), healthy(&store)).await;
        agents.push(agent);
    }
    let [ada, ben, cleo, dan, eve] = <[Actor; 5]>::try_from(agents).unwrap();
    play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    database.clock.advance(Duration::from_mins(1));
    let idle =
        async |since| {
            let found = store.arena().idle_contestants(since, None, 10).await.unwrap();
            let found: Vec<_> = found.into_iter().map(|found| found.contestant).collect();
            assert!(found.iter().all(|found| found.endpoint == EndpointReadiness::Ready
                && !found.is_playing
                && found.leagues.len() == 2));
            found.into_iter().map(|found| found.agent_id).collect::<Vec<_>>()
        };
    let all = idle(noon()).await;
    // Those that have never played come first.
    assert_eq!(all.len(), 5);
    assert_eq!(all[3..].iter().collect::<BTreeSet<_>>(), [&agent_id(&ada), &agent_id(&ben)].into());
    assert_eq!(idle(noon() - TimeDelta::seconds(1)).await.len(), 3);
    begin(&store, &[&ada, &cleo], Channel::Push).await;
    assert!(store.arena().contestant(agent_id(&cleo)).await.unwrap().unwrap().is_playing);
    set_suspended(&store, &dan, true).await.unwrap();
    assert_eq!(store.arena().contestant(agent_id(&dan)).await.unwrap(), None);
    let left = idle(store.log().clock().now()).await;
    assert_eq!(left, [agent_id(&eve), agent_id(&ben)]);
    let unwell = EndpointState { is_healthy: false, ..healthy(&store) };
    checked(&store, agent_id(&ben), unwell).await;
    assert_eq!(idle(store.log().clock().now()).await, [agent_id(&eve)]);
}

#[apply(both)]
async fn a_challenge_of_another_owner_keeps_an_endpoint_with_room_idle(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (ada, ben) = (player(&store).await, player(&store).await);
    let mut owners = vec![];
    for agent in [&ada, &ben] {
        let owner_id = store.arena().contestant(agent_id(agent)).await.unwrap().unwrap().owner_id;
        owners.push(owner_id);
        enrol(&store, enrolled(agent, owner_id, Some("https://agent.example"))).await;
        write(&store, [ArenaChange::EndpointAdded { agent_id: agent_id(agent) }]).await;
        checked(&store, agent_id(agent), healthy(&store)).await;
    }
    let pair = seats(&store, &[&ada, &ben], Channel::Push).await;
    let (league, mode, challenger_id) = (League::Trivia, Mode::Challenge, Some(owners[0]));
    store.arena().create_match(NewMatch { league, mode, challenger_id, seats: pair }).await.unwrap();
    database.clock.advance(Duration::from_secs(1));
    let idle = async |after, limit| {
        let idle = store.arena().idle_contestants(noon(), after, limit).await.unwrap();
        idle.into_iter().map(|idle| idle.contestant.agent_id).collect::<Vec<_>>()
    };
    // The one whose owner asked for the match plays it.
    assert_eq!(idle(None, 10).await, [agent_id(&ben)]);
    let state = EndpointState { max_concurrent: Some(1), ..healthy(&store) };
    checked(&store, agent_id(&ben), state).await;
    assert_eq!(idle(None, 10).await, []);
}

#[apply(both)]
async fn idle_agents_are_read_page_by_page(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    for _ in 0..5 {
        let owner = owner(&store).await;
        let agent = agent(&store, &owner).await;
        enrol(&store, enrolled(&agent, owner_id(&owner), Some("https://agent.example"))).await;
        write(&store, [ArenaChange::EndpointAdded { agent_id: agent_id(&agent) }]).await;
        checked(&store, agent_id(&agent), healthy(&store)).await;
    }
    let all = store.arena().idle_contestants(store.log().clock().now(), None, 10).await.unwrap();
    let mut read = vec![];
    for _ in 0..3 {
        let after = read.last().map(|last: &IdleContestant| (last.last_ranked, last.contestant.agent_id));
        read.extend(store.arena().idle_contestants(store.log().clock().now(), after, 2).await.unwrap());
    }
    assert_eq!((read.len(), read), (5, all));
}
