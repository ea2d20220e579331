//! Tournaments: their lists, their players, what the worker has to do, the owners' slots, and equality of live and rebuilt tables.

use std::{collections::BTreeMap, time::Duration};

use buildtrack_domain::{
    actors::{Actor, ActorKind},
    arena::{
        matches::{Channel, Match, Mode, Seat, VoidMatch, VoidReason},
        tasks::League,
        tournaments::{
            ABSENCE, BeginMatch, CancelReason, CountMatch, Create, Expire, Forfeit, Join, Leave, PairingResult, Phase,
            Played, REGISTRATION, Start, System, TakeSlot, Tournament, TournamentCreated, TournamentError,
            TournamentEvent, TournamentSlots,
        },
    },
    decide::Command,
    ids::{AgentId, MatchId, OwnerId, TournamentId},
};
use buildtrack_store::{
    ArenaChange, NewConnection, NewMatch, Presence, Store, StoreError, TournamentFilter, append_tournament,
    verification,
};
use futures_util::future::join_all;
use rstest_reuse::apply;

use crate::{
    arena::{enrol, enrolled},
    both,
    cast::{agent, agent_id, new_actor, owner, owner_id},
    database::{Kind, TestDatabase},
};

/// Why a tournament was not created.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Tournament(#[from] TournamentError),
}

async fn create(store: &Store, owner_id: OwnerId, system: System) -> Result<TournamentId, Refused> {
    let tournament_id = TournamentId::new(store.log().clock().uuid());
    let (players_max, league) = (system.players_max(), League::Trivia);
    let created = TournamentCreated { tournament_id, owner_id, league, system, players_max, rounds: None };
    let stream = TournamentSlots::stream(owner_id);
    let begun = store.log().transact::<(), Refused>(None, async |unit| {
        let slots = unit.load::<TournamentSlots>(&stream).await?;
        let taken = TakeSlot { tournament_id, owner_id }.decide(&slots.state)?;
        unit.begin(tournament_id, Create(created.clone()).decide(())?);
        unit.append(&stream, &slots, taken);
        Ok(())
    });
    begun.await.map(|_| tournament_id)
}

async fn decide(
    store: &Store,
    id: TournamentId,
    decide: impl Fn(&Tournament) -> Result<Vec<TournamentEvent>, TournamentError>,
) {
    let decided = store.log().transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Tournament>(id).await?;
        append_tournament(unit, &state, decide(&state.state).unwrap()).await
    });
    decided.await.unwrap();
}

async fn join(store: &Store, id: TournamentId, agents: &[AgentId]) {
    for agent_id in agents {
        let owner_id = OwnerId::new(store.log().clock().uuid());
        decide(store, id, |state| Join { agent_id: *agent_id, owner_id }.decide(state)).await;
    }
}

async fn start(store: &Store, id: TournamentId, owner_id: OwnerId) {
    decide(store, id, |state| Start { owner_id, ratings: BTreeMap::new() }.decide(state)).await;
}

/// Begins the match of a board of the open round, as the worker does.
async fn begin(store: &Store, id: TournamentId, board: u16) -> MatchId {
    let state = store.arena().tournament_state(id).await.unwrap();
    let (round, mut open) = state.open_pairings();
    let players = open.find(|(open, _)| *open == board).unwrap().1.players;
    let owner_id = state.created.as_ref().unwrap().owner_id;
    let seats = players.map(|agent_id| Seat {
        agent: Actor { id: agent_id.into(), name: "Wren".into(), kind: ActorKind::AiAgent, model: None },
        agent_id,
        owner_id,
        channel: Channel::Push,
    });
    let (league, mode, challenger_id) = (League::Trivia, Mode::Tournament, Some(owner_id));
    let planned = NewMatch { league, mode, challenger_id, seats: seats.into() }.plan(store.arena()).unwrap();
    let match_id = planned.created.match_id;
    let begun = store.log().transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Tournament>(id).await?;
        planned.write(unit);
        append_tournament(unit, &state, BeginMatch { round, board, match_id }.decide(&state.state).unwrap()).await
    });
    begun.await.unwrap();
    match_id
}

async fn play(store: &Store, id: TournamentId, board: u16, played: Played) {
    let match_id = begin(store, id, board).await;
    decide(store, id, |state| CountMatch { match_id, played }.decide(state)).await;
}

/// A tournament that was played to its end with a void match and a forfeit, one that is played, and one that was cancelled.
pub(crate) async fn story(store: &Store) {
    let agents = [(); 3].map(|()| agent_id(&new_actor(store)));
    let owner_id = OwnerId::new(store.log().clock().uuid());
    let finished = create(store, owner_id, System::RoundRobin).await.unwrap();
    join(store, finished, &agents).await;
    start(store, finished, owner_id).await;
    play(store, finished, 1, Played::Void { unavailable: [false; 2] }).await;
    play(store, finished, 1, Played::Finished(PairingResult::FirstWon)).await;
    let forfeit = Forfeit { round: 2, board: 1, absent: [true, false], waited: ABSENCE };
    decide(store, finished, |state| forfeit.decide(state)).await;
    play(store, finished, 1, Played::Finished(PairingResult::Drawn)).await;
    let running = create(store, owner_id, System::Swiss).await.unwrap();
    join(store, running, &agents).await;
    decide(store, running, |state| Leave { agent_id: agents[0] }.decide(state)).await;
    start(store, running, owner_id).await;
    begin(store, running, 1).await;
    let expired = create(store, owner_id, System::Swiss).await.unwrap();
    let since = store.log().clock().now();
    decide(store, expired, |state| Expire { since, now: since + REGISTRATION }.decide(state)).await;
}

#[apply(both)]
async fn tournaments_are_listed_and_the_worker_finds_those_with_something_to_do(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (ada, grace) = (OwnerId::new(store.log().clock().uuid()), OwnerId::new(store.log().clock().uuid()));
    let agents = [(); 2].map(|()| agent_id(&new_actor(&store)));
    let id = create(&store, ada, System::RoundRobin).await.unwrap();
    // Ids of the same millisecond have a random order.
    database.clock.advance(Duration::from_millis(1));
    let other = create(&store, grace, System::Swiss).await.unwrap();
    let to_do = async || -> Vec<_> {
        store.arena().tournaments_to_do(None, 10).await.unwrap().into_iter().map(|work| work.id).collect()
    };
    let listed = async |filter: TournamentFilter| -> Vec<_> {
        let filter = TournamentFilter { limit: 10, ..filter };
        store.arena().tournaments(&filter).await.unwrap().into_iter().map(|view| view.id).collect()
    };
    assert!(to_do().await.is_empty());
    assert_eq!(listed(TournamentFilter::default()).await, [other, id]);
    join(&store, id, &agents).await;
    start(&store, id, ada).await;
    let in_phase = |phase| TournamentFilter { phase: Some(phase), ..TournamentFilter::default() };
    assert_eq!(listed(in_phase(Phase::Running)).await, [id]);
    assert_eq!(listed(in_phase(Phase::Registering)).await, [other]);
    let league = |league| TournamentFilter { league: Some(league), ..TournamentFilter::default() };
    assert_eq!(listed(league(League::Trivia)).await, [other, id]);
    assert!(listed(league(League::Reasoning)).await.is_empty());
    let view = store.arena().tournament(id).await.unwrap().unwrap();
    assert_eq!((view.players, view.players_max, view.round, view.rounds), (2, 16, 1, Some(1)));
    let before = TournamentFilter { before: Some(view.position + 1), ..TournamentFilter::default() };
    assert_eq!(listed(before).await, [id]);
    // A pairing waits for its match, then the match is played, then it has ended.
    assert_eq!(to_do().await, [id]);
    let match_id = begin(&store, id, 1).await;
    assert!(to_do().await.is_empty());
    let voided = store.log().transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        let void = VoidMatch { reason: VoidReason::JudgeFailed, evidence: "a test".into() };
        unit.append(match_id, &state, void.decide(&state.state).unwrap());
        Ok(())
    });
    voided.await.unwrap();
    assert_eq!(to_do().await, [id]);
    decide(&store, id, |state| CountMatch { match_id, played: Played::Void { unavailable: [false; 2] } }.decide(state))
        .await;
    assert_eq!(to_do().await, [id], "it is replayed");
    play(&store, id, 1, Played::Finished(PairingResult::SecondWon)).await;
    let view = store.arena().tournament(id).await.unwrap().unwrap();
    let winner = store.arena().tournament_state(id).await.unwrap().rounds[0].pairings[0].players[1];
    assert_eq!((view.phase, view.winner_id), (Phase::Finished, Some(winner)));
    assert!(view.ended_at.is_some() && to_do().await.is_empty());
    // The other one was not started in time.
    database.clock.advance(REGISTRATION.to_std().unwrap());
    let work = store.arena().tournaments_to_do(Some(id), 10).await.unwrap();
    assert_eq!(work.iter().map(|work| work.id).collect::<Vec<_>>(), [other]);
    let (since, now) = (work[0].progress_at, store.log().clock().now());
    decide(&store, other, |state| Expire { since, now }.decide(state)).await;
    let view = store.arena().tournament(other).await.unwrap().unwrap();
    assert_eq!((view.phase, view.reason), (Phase::Cancelled, Some(CancelReason::NotStarted)));
    assert_eq!(store.arena().tournament(TournamentId::new(store.log().clock().uuid())).await.unwrap(), None);
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}

#[apply(both)]
async fn an_owner_has_three_open_tournaments_also_if_it_creates_them_at_once(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = OwnerId::new(store.log().clock().uuid());
    let created = join_all((0..4).map(|_| create(&store, ada, System::Swiss))).await;
    let mut created: Vec<_> = created.into_iter().flatten().collect();
    // Some may have been refused for conflicts with the others.
    assert!(created.len() <= 3, "{created:?}");
    while created.len() < 3 {
        created.push(create(&store, ada, System::Swiss).await.unwrap());
    }
    let refused = async || matches!(create(&store, ada, System::Swiss).await, Err(Refused::Tournament(_)));
    assert!(refused().await);
    let since = store.log().clock().now();
    decide(&store, created[0], |state| Expire { since, now: since + REGISTRATION }.decide(state)).await;
    create(&store, ada, System::Swiss).await.unwrap();
    assert!(refused().await);
}

#[apply(both)]
async fn a_player_is_present_with_an_open_socket_in_the_league(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let one = agent(&store, &ada).await;
    let player = agent_id(&one);
    let id = create(&store, owner_id(&ada), System::Swiss).await.unwrap();
    join(&store, id, &[player]).await;
    let named: Vec<_> =
        store.arena().tournament_players(id).await.unwrap().into_iter().map(|row| row.agent_id).collect();
    assert_eq!(named, [player]);
    assert!(store.arena().tournament_ratings(id, League::Trivia).await.unwrap().is_empty());
    let presence = async || store.arena().tournament_presence(id, League::Trivia).await.unwrap().remove(&player);
    assert_eq!(presence().await, None, "it is not enrolled");
    enrol(&store, enrolled(&one, owner_id(&ada), None)).await;
    assert_eq!(presence().await, None, "it is not connected");
    let (server_id, length) = ("server".to_owned(), Duration::from_secs(15));
    let connection = NewConnection {
        agent_id: player,
        owner_id: owner_id(&ada),
        connection_id: "1".into(),
        server_id: server_id.clone(),
        keeps_position: false,
    };
    let connected = vec![ArenaChange::ServerSeen { server_id, length }, ArenaChange::Connected(Box::new(connection))];
    store.log().write_side(connected).await.unwrap();
    let found = presence().await;
    let is_ready = matches!(&found, Some(Presence::Ready { seat, is_busy: false, is_full: false }) if seat.channel == Channel::Socket);
    assert!(is_ready, "{found:?}");
    assert!(store.arena().tournament_presence(id, League::Reasoning).await.unwrap().is_empty());
    database.clock.advance(length);
    assert_eq!(presence().await, Some(Presence::ServerLost));
}
