//! Head-to-head tests and tournaments, whose matches the worker begins and counts.

use std::collections::BTreeMap;

use buildtrack_domain::{
    arena::{
        head_to_head::{HeadToHeadEvent, Started},
        matches::Mode,
        tasks::League,
        tournaments::{
            Create, Join, Phase, Start, System, TakeSlot, Tournament, TournamentCreated, TournamentError,
            TournamentEvent, TournamentSlots,
        },
    },
    decide::Command,
    ids::{HeadToHeadId, OwnerId, TournamentId},
};
use buildtrack_store::{Store, TournamentFilter, append_tournament};
use rstest_reuse::apply;

use super::{enrolled_of, good, is_well, matches, player};
use crate::{
    both,
    cast::{Member, commit, owner},
    database::{Kind, TestDatabase},
    process::{Running, eventually},
    receiver::Receiver,
};

#[apply(both)]
async fn a_head_to_head_test_is_played_to_its_last_match(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let owner_id = owner(&store).await;
    let endpoints = [Receiver::with_plan(vec![good()]).await, Receiver::with_plan(vec![good()]).await];
    let mut agents = Vec::new();
    for endpoint in &endpoints {
        let agent = enrolled_of(&store, owner_id, "Ada", endpoint.base()).await;
        is_well(&store, &agent, endpoint.base()).await;
        agents.push(agent.agent_id);
    }
    let id = HeadToHeadId::new(store.clock().uuid());
    let started = Started {
        head_to_head_id: id,
        owner_id,
        league: League::Trivia,
        first: agents[0],
        second: agents[1],
        elo0: 0,
        elo1: 30,
        alpha: 500,
        beta: 500,
        max_matches: 2,
    };
    commit(&store, None, async |unit| {
        unit.begin(id, [HeadToHeadEvent::from(started.clone())]);
        Ok(())
    })
    .await;
    let running = Running::new(&store);
    let state = eventually(async || {
        let state = store.head_to_head_state(id).await.unwrap();
        state.running().is_err().then_some(state)
    })
    .await;
    running.stop().await;

    assert_eq!(state.playing, None);
    let played = matches(&store).await;
    assert_eq!(played.len(), 2);
    assert!(played.iter().all(|found| found.mode == Mode::HeadToHead && found.phase == "finished"), "{played:?}");
    let begins: Vec<_> = played.iter().map(|found| found.seats[0].agent_id).collect();
    assert_ne!(begins[0], begins[1], "the agents take turns to sit first");
}

async fn decide(
    store: &Store,
    id: TournamentId,
    decide: impl Fn(&Tournament) -> Result<Vec<TournamentEvent>, TournamentError>,
) {
    commit(store, None, async |unit| {
        let state = unit.load::<Tournament>(id).await?;
        append_tournament(unit, &state, decide(&state.state).unwrap()).await
    })
    .await;
}

/// Starts a round-robin of these players.
async fn tournament(store: &Store, owner_id: OwnerId, players: &[&Member]) -> TournamentId {
    let (tournament_id, system) = (TournamentId::new(store.clock().uuid()), System::RoundRobin);
    let (players_max, league) = (system.players_max(), League::Trivia);
    let created = TournamentCreated { tournament_id, owner_id, league, system, players_max, rounds: None };
    let stream = TournamentSlots::stream(owner_id);
    commit(store, None, async |unit| {
        let slots = unit.load::<TournamentSlots>(&stream).await?;
        unit.begin(tournament_id, Create(created.clone()).decide(()).unwrap());
        unit.append(&stream, &slots, TakeSlot { tournament_id, owner_id }.decide(&slots.state).unwrap());
        Ok(())
    })
    .await;
    for player in players {
        let (agent_id, owner_id) = (player.agent_id, player.owner_id);
        decide(store, tournament_id, |state| Join { agent_id, owner_id }.decide(state)).await;
    }
    decide(store, tournament_id, |state| Start { owner_id, ratings: BTreeMap::new() }.decide(state)).await;
    tournament_id
}

#[apply(both)]
async fn a_tournament_is_played_to_its_end(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let (mut endpoints, mut players) = (vec![], vec![]);
    for name in ["Ada", "Ben", "Cai"] {
        let endpoint = Receiver::with_plan(vec![good()]).await;
        players.push(player(&store, name, &endpoint).await);
        endpoints.push(endpoint);
    }
    let id = tournament(&store, owner(&store).await, &players.iter().collect::<Vec<_>>()).await;
    let running = Running::new(&store);
    eventually(async || (store.tournament_state(id).await.unwrap().phase() == Phase::Finished).then_some(())).await;
    running.stop().await;
    let played = matches(&store).await;
    assert_eq!(played.len(), 3, "each pair plays once");
    assert!(played.iter().all(|found| found.mode == Mode::Tournament && found.phase == "finished"), "{played:?}");
    let [finished] =
        &store.tournaments(&TournamentFilter { limit: 10, ..TournamentFilter::default() }).await.unwrap()[..]
    else {
        panic!("one tournament")
    };
    assert_eq!(finished.id, id);
}
