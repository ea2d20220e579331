//! Head-to-head tests and tournaments, whose matches the worker begins and counts.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

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
    ids::{HeadToHeadId, TournamentId},
};
use buildtrack_store::{Store, append_tournament};
use buildtrack_worker::WorkerSettings;
use rstest_reuse::apply;
use tokio::time::sleep;

use super::{Terms, ended, enrol, good, matches, panels::judge, player_of};
use crate::{
    both,
    cast::{Member, agent_of, commit, owner, settings},
    database::{Kind, TestDatabase},
    process::{Running, eventually},
    receiver::{Reaction, Receiver},
};

#[apply(both)]
async fn a_head_to_head_test_is_played_to_its_last_match(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let owner_id = owner(&store).await;
    let endpoints = [Receiver::with_plan(vec![good()]).await, Receiver::with_plan(vec![good()]).await];
    let mut agents = Vec::new();
    for endpoint in &endpoints {
        agents.push(player_of(&store, owner_id, "Ada", endpoint).await.agent_id);
    }
    let id = HeadToHeadId::new(store.log().clock().uuid());
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
        let state = store.arena().head_to_head_state(id).await.unwrap();
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
async fn tournament(store: &Store, league: League, players: &[Member]) -> TournamentId {
    let (tournament_id, system, owner_id) =
        (TournamentId::new(store.log().clock().uuid()), System::RoundRobin, owner(store).await);
    let players_max = system.players_max();
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

/// Players with endpoints, which react as these plans say.
async fn players(store: &Store, plans: Vec<Vec<Reaction>>) -> (Vec<Member>, Vec<Receiver>) {
    let (mut players, mut endpoints) = (vec![], vec![]);
    for plan in plans {
        let endpoint = Receiver::with_plan(plan).await;
        let agent = agent_of(store, owner(store).await, "Player").await;
        let leagues = [League::Trivia, League::Debate].into();
        enrol(store, &agent, endpoint.base(), Terms { leagues, judges: BTreeSet::new(), is_well: true }).await;
        players.push(agent);
        endpoints.push(endpoint);
    }
    (players, endpoints)
}

/// Waits until the tournament is finished. Returns the points of the players in the order in which they joined, in halves.
async fn points(store: &Store, id: TournamentId) -> Vec<u32> {
    let state = eventually(async || {
        let state = store.arena().tournament_state(id).await.unwrap();
        (state.phase() == Phase::Finished).then_some(state)
    })
    .await;
    let mut standings = state.standings();
    standings.sort_by_key(|row| row.player);
    standings.iter().map(|row| row.halves).collect()
}

#[apply(both)]
async fn each_pair_of_a_tournament_plays_once(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let (players, _endpoints) = players(&store, vec![vec![good()]; 3]).await;
    let id = tournament(&store, League::Trivia, &players).await;
    let running = Running::new(&store);
    assert_eq!(points(&store, id).await, [2, 2, 2], "two draws each");
    running.stop().await;
    let (played, void): (Vec<_>, Vec<_>) =
        matches(&store).await.into_iter().partition(|found| found.phase == "finished");
    assert_eq!(played.len(), 3, "{played:?}");
    assert!(played.iter().all(|found| found.mode == Mode::Tournament), "{played:?}");
    // On a busy machine, a check before a match may be too late. The match is then void, and its pair gets another one.
    assert!(void.iter().all(|found| found.phase == "void"), "{void:?}");
}

#[apply(both)]
async fn the_winner_of_each_match_gets_its_point(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let mut judges = Vec::new();
    for _ in 0..3 {
        let endpoint = Receiver::with_plan(vec![good()]).await;
        judges.push((judge(&store, &endpoint).await, endpoint));
    }
    // Well at the check before each match, and without an argument in its turns.
    let mut silent = vec![good()];
    silent.extend(vec![Reaction::Status(404); 4]);
    let silent = [silent.clone(), silent].concat();
    let (players, _endpoints) = players(&store, vec![vec![good()], silent.clone(), silent]).await;
    let id = tournament(&store, League::Debate, &players).await;
    let running = Running::new(&store);
    let points = points(&store, id).await;
    running.stop().await;
    assert_eq!(points[0], 4, "{points:?}");
    assert_eq!(points.iter().sum::<u32>(), 6, "{points:?}");
}

#[apply(both)]
async fn a_tournament_waits_while_the_matches_of_the_day_are_used_up(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let (players, _endpoints) = players(&store, vec![vec![good()]; 3]).await;
    let id = tournament(&store, League::Trivia, &players).await;
    let limits = WorkerSettings { arena_limits: "matches=1".parse().unwrap(), ..settings() };
    let running = Running::with(&store, limits);
    let first = eventually(async || matches(&store).await.pop()).await;
    ended(&store, first.id).await;
    // Two polls.
    sleep(Duration::from_millis(1100)).await;
    assert_eq!(matches(&store).await.len(), 1);
    running.stop().await;
    let running = Running::new(&store);
    points(&store, id).await;
    running.stop().await;
}
