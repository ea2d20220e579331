//! Who may join, start and cancel a tournament, and how many an owner has.

use chrono::{DateTime, TimeDelta};
use uuid::Uuid;

use super::*;
use crate::{
    arena::tournaments::{
        Cancel, Expire, FreeSlot, Leave, OPEN_MAX, OWNER_PLAYERS_MAX, Phase, REGISTRATION, TakeSlot, TournamentSlots,
    },
    decide::testing::given,
};

fn join(number: u128) -> Join {
    Join { agent_id: agent(number), owner_id: owner(number) }
}

#[test]
fn the_numbers_of_players_and_rounds_have_bounds() {
    let swiss = || TournamentCreated { players_max: 8, rounds: Some(4), ..created(System::Swiss) };
    assert_eq!(Create(swiss()).decide(()), Ok(vec![swiss().into()]));
    let refused = |created: TournamentCreated| Create(created).decide(()).unwrap_err();
    for rounds in [0, 5] {
        assert_eq!(refused(TournamentCreated { rounds: Some(rounds), ..swiss() }), TournamentError::Rounds);
    }
    let large = TournamentCreated { players_max: 64, rounds: Some(12), ..swiss() };
    assert_eq!(refused(large), TournamentError::Rounds);
    let round_robin = created(System::RoundRobin);
    assert_eq!(refused(TournamentCreated { rounds: Some(1), ..round_robin.clone() }), TournamentError::Rounds);
    for players_max in [0, 1, 17] {
        assert_eq!(refused(TournamentCreated { players_max, ..round_robin.clone() }), TournamentError::Players);
    }
    assert_eq!(refused(TournamentCreated { players_max: 65, ..swiss() }), TournamentError::Players);
}

#[test]
fn agents_join_and_leave_until_it_is_full_or_starts() {
    let mut world = World::of(TournamentCreated { players_max: 2, ..created(System::RoundRobin) });
    world.take(&join(1)).unwrap();
    assert_eq!(join(1).decide(&world.state), Ok(vec![]), "it has joined already");
    world.take(&join(2)).unwrap();
    assert_eq!(join(3).decide(&world.state), Err(TournamentError::Full));
    world.take(&Leave { agent_id: agent(1) }).unwrap();
    assert_eq!(Leave { agent_id: agent(1) }.decide(&world.state), Ok(vec![]), "it has left already");
    world.take(&join(3)).unwrap();
    world.take(&Start { owner_id: OWNER, ratings: BTreeMap::new() }).unwrap();
    assert_eq!(join(4).decide(&world.state), Err(TournamentError::RegistrationClosed));
    assert_eq!(Leave { agent_id: agent(3) }.decide(&world.state), Err(TournamentError::RegistrationClosed));
    assert_eq!(join(1).decide(&Tournament::default()), Err(TournamentError::NotFound));
}

#[test]
fn another_owner_has_at_most_four_players() {
    let mut world = World::of(created(System::Swiss));
    for number in 1..=6 {
        world.take(&Join { agent_id: agent(number), owner_id: OWNER }).unwrap();
    }
    let stranger = |number| Join { agent_id: agent(number), owner_id: owner(9) };
    for number in 0..OWNER_PLAYERS_MAX as u128 {
        world.take(&stranger(10 + number)).unwrap();
    }
    assert_eq!(stranger(20).decide(&world.state), Err(TournamentError::OwnerFull));
    world.take(&join(7)).unwrap();
}

#[test]
fn its_owner_alone_starts_it_and_ratings_seed_the_players() {
    let mut world = World::of(created(System::Swiss));
    let start = |owner_id, ratings: &[(u128, i64)]| {
        let ratings = ratings.iter().map(|(number, rating)| (agent(*number), *rating)).collect();
        Start { owner_id, ratings }
    };
    world.take(&join(1)).unwrap();
    assert_eq!(start(OWNER, &[]).decide(&world.state), Err(TournamentError::TooFew));
    assert_eq!(start(OWNER, &[]).decide(&Tournament::default()), Err(TournamentError::NotFound));
    for number in 2..=4 {
        world.take(&join(number)).unwrap();
    }
    assert_eq!(start(owner(1), &[]).decide(&world.state), Err(TournamentError::NotYours));
    world.take(&start(OWNER, &[(2, 1_499_000), (3, 1_600_000)])).unwrap();
    let seeds: Vec<_> = world.state.players.iter().map(|player| player.agent_id).collect();
    assert_eq!(seeds, [3, 1, 4, 2].map(agent), "unrated players have the first rating, and stand as they joined");
    assert_eq!(start(OWNER, &[]).decide(&world.state), Err(TournamentError::RegistrationClosed));
}

#[test]
fn the_number_of_rounds_follows_from_the_players() {
    let rounds = |system, asked, players| {
        World::started(TournamentCreated { rounds: asked, ..created(system) }, players).state.round_count
    };
    assert_eq!([2, 3, 4, 5, 16].map(|players| rounds(System::RoundRobin, None, players)), [1, 3, 3, 5, 15]);
    assert_eq!([2, 3, 4, 5, 8, 9, 64].map(|players| rounds(System::Swiss, None, players)), [1, 2, 2, 3, 3, 4, 6]);
    assert_eq!([4, 40].map(|players| rounds(System::Swiss, Some(11), players)), [2, 11]);
}

#[test]
fn its_owner_cancels_it_before_and_after_the_start_and_once() {
    let cancel = |owner_id| Cancel { owner_id };
    for mut world in [World::of(created(System::Swiss)), World::started(created(System::Swiss), 4)] {
        assert_eq!(cancel(owner(1)).decide(&world.state), Err(TournamentError::NotYours));
        world.take(&cancel(OWNER)).unwrap();
        assert_eq!(world.state.phase(), Phase::Cancelled);
        assert_eq!(cancel(OWNER).decide(&world.state), Err(TournamentError::Over));
        assert_eq!(join(1).decide(&world.state), Err(TournamentError::RegistrationClosed));
    }
    assert_eq!(cancel(OWNER).decide(&Tournament::default()), Err(TournamentError::NotFound));
}

#[test]
fn a_tournament_that_is_not_started_in_a_week_is_cancelled() {
    let mut world = World::of(created(System::Swiss));
    let since = DateTime::UNIX_EPOCH;
    let expire = |waited| Expire { since, now: since + waited };
    assert_eq!(expire(REGISTRATION - TimeDelta::seconds(1)).decide(&world.state), Err(TournamentError::NotDue));
    world.take(&expire(REGISTRATION)).unwrap();
    let reason = CancelReason::NotStarted;
    assert_eq!(world.history.last(), Some(&TournamentCancelled { tournament_id: ID, reason }.into()));
    let started = World::started(created(System::Swiss), 2);
    assert_eq!(expire(REGISTRATION).decide(&started.state), Err(TournamentError::RegistrationClosed));
}

#[test]
fn an_owner_has_three_open_tournaments() {
    let tournament = |number| TournamentId::new(Uuid::from_u128(number));
    let take = |number| TakeSlot { tournament_id: tournament(number), owner_id: OWNER };
    let free = |number| FreeSlot { tournament_id: tournament(number), owner_id: OWNER };
    let mut slots: TournamentSlots = given([]);
    for number in 0..OPEN_MAX as u128 {
        slots = take(number).decide(&slots).unwrap().iter().fold(slots, State::apply);
    }
    assert_eq!(take(9).decide(&slots), Err(TournamentError::TooMany));
    assert_eq!(free(9).decide(&slots), Ok(vec![]));
    let slots = free(1).decide(&slots).unwrap().iter().fold(slots, State::apply);
    assert_eq!(take(9).decide(&slots).unwrap().len(), 1);
    assert_eq!(
        meanings([take(9).decide(&slots).unwrap(), free(0).decide(&slots).unwrap()].concat()),
        ["tournament.slot_taken: tournament slot taken", "tournament.slot_freed: tournament slot freed"]
    );
}
