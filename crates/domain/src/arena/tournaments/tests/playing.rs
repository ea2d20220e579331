//! Matches, results, forfeits, and the end of a tournament.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta};
use proptest::{collection::vec, prelude::*, sample::select};
use uuid::Uuid;

use super::*;
use crate::arena::tournaments::{ABSENCE, Abandon, Forfeit, PATIENCE, PairingResult, Phase};

const VOID: Played = Played::Void { unavailable: [false; 2] };

fn won_by(world: &World, board: u16, winner: AgentId) -> Played {
    let pairing = &world.state.rounds.last().unwrap().pairings[usize::from(board) - 1];
    let first = pairing.players[0] == winner;
    Played::Finished(if first { PairingResult::FirstWon } else { PairingResult::SecondWon })
}

#[test]
fn a_round_robin_ends_with_the_places_of_all_players() {
    let mut world = World::started(created(System::RoundRobin), 3);
    while world.state.phase() == Phase::Running {
        for board in world.open() {
            let players = world.state.rounds.last().unwrap().pairings[usize::from(board) - 1].players;
            // The agent with the lower number wins.
            let played = won_by(&world, board, players[0].min(players[1]));
            world.play(board, played);
        }
    }
    assert_eq!(world.state.rounds.len(), 3);
    assert_eq!(world.places(), [(agent(1), 1), (agent(2), 2), (agent(3), 3)]);
    let finished = TournamentFinished { tournament_id: ID, winner: Some(agent(1)) };
    assert_eq!(world.history.last(), Some(&finished.into()));
    assert_eq!(world.begin(1), Err(TournamentError::Over));
}

#[test]
fn the_next_round_opens_with_the_last_result() {
    let mut world = World::started(created(System::Swiss), 4);
    assert_eq!(world.open(), [1, 2]);
    world.play(2, Played::Finished(PairingResult::FirstWon));
    assert_eq!((world.state.rounds.len(), world.open()), (1, vec![1]));
    world.play(1, Played::Finished(PairingResult::FirstWon));
    assert_eq!((world.state.rounds.len(), world.open()), (2, vec![1, 2]));
    let winners = world.state.rounds[1].pairings[0].players;
    assert_eq!(BTreeSet::from(winners), BTreeSet::from([agent(1), agent(2)]), "winners meet");
}

#[test]
fn players_that_nothing_tells_apart_share_the_first_place() {
    let mut world = World::started(created(System::RoundRobin), 2);
    world.play(1, Played::Finished(PairingResult::Drawn));
    assert_eq!(world.places(), [(agent(1), 1), (agent(2), 1)]);
    assert_eq!(world.history.last(), Some(&TournamentFinished { tournament_id: ID, winner: None }.into()));
}

#[test]
fn a_bye_is_a_point_in_a_swiss_tournament() {
    let world = World::started(created(System::Swiss), 3);
    assert_eq!(world.state.rounds[0].bye, Some(agent(3)));
    let standings = world.state.standings();
    assert_eq!((standings[0].player, standings[0].halves), (2, 2));
    let world = World::started(created(System::RoundRobin), 3);
    assert!(world.state.rounds[0].bye.is_some());
    assert!(world.state.standings().iter().all(|standing| standing.halves == 0));
}

#[test]
fn a_pairing_has_one_match_at_a_time_and_one_result() {
    let mut world = World::started(created(System::Swiss), 4);
    let match_id = world.begin(1).unwrap();
    assert_eq!(world.begin(1), Err(TournamentError::NotWaiting));
    assert_eq!(world.begin(3), Err(TournamentError::NotWaiting));
    let count = CountMatch { match_id, played: Played::Finished(PairingResult::Drawn) };
    let other = CountMatch { match_id: MatchId::new(Uuid::from_u128(9)), ..count };
    assert_eq!(other.decide(&world.state), Err(TournamentError::OtherMatch));
    world.take(&count).unwrap();
    assert_eq!(count.decide(&world.state), Err(TournamentError::OtherMatch));
    assert_eq!(world.begin(1), Err(TournamentError::NotWaiting));
    let elsewhere = BeginMatch { round: 2, board: 2, match_id };
    assert_eq!(elsewhere.decide(&world.state), Err(TournamentError::NotWaiting));
    let waiting = World::of(created(System::Swiss));
    assert_eq!(count.decide(&waiting.state), Err(TournamentError::NotStarted));
}

#[test]
fn a_void_match_is_replayed_once_and_then_each_player_has_half_a_point() {
    let mut world = World::started(created(System::RoundRobin), 2);
    world.play(1, VOID);
    assert_eq!((world.open(), world.places()), (vec![1], vec![]));
    world.play(1, VOID);
    let pairing = &world.state.rounds[0].pairings[0];
    assert_eq!((pairing.result, pairing.matches.len()), (Some(PairingResult::NoResult), 2));
    assert_eq!(world.places(), [(agent(1), 1), (agent(2), 1)]);
}

#[test]
fn a_player_that_says_twice_that_it_is_unavailable_forfeits() {
    for (unavailable, result) in [
        ([true, false], PairingResult::FirstAbsent),
        ([false, true], PairingResult::SecondAbsent),
        ([true, true], PairingResult::BothAbsent),
    ] {
        let mut world = World::started(created(System::RoundRobin), 2);
        world.play(1, VOID);
        world.play(1, Played::Void { unavailable });
        assert_eq!(world.state.rounds[0].pairings[0].result, Some(result));
    }
}

#[test]
fn a_player_that_cannot_be_reached_forfeits_after_ten_minutes() {
    let mut world = World::started(created(System::Swiss), 4);
    let forfeit = |absent, waited| Forfeit { round: 1, board: 1, absent, waited };
    let early = forfeit([true, false], ABSENCE - TimeDelta::seconds(1));
    assert_eq!(early.decide(&world.state), Err(TournamentError::NotDue));
    assert_eq!(forfeit([false; 2], ABSENCE).decide(&world.state), Err(TournamentError::NotDue));
    world.take(&forfeit([true, false], ABSENCE)).unwrap();
    assert_eq!(world.state.rounds[0].pairings[0].result, Some(PairingResult::FirstAbsent));
    assert_eq!(forfeit([true, false], ABSENCE).decide(&world.state), Err(TournamentError::NotWaiting));
    world.begin(2).unwrap();
    let playing = Forfeit { board: 2, ..forfeit([true, false], ABSENCE) };
    assert_eq!(playing.decide(&world.state), Err(TournamentError::NotWaiting));
    assert_eq!([PairingResult::SecondAbsent, PairingResult::BothAbsent].map(PairingResult::halves), [(2, 0), (0, 0)]);
}

#[test]
fn a_tournament_without_progress_is_cancelled_after_two_days() {
    let mut world = World::started(created(System::Swiss), 4);
    let since = DateTime::UNIX_EPOCH;
    let abandon = |waited| Abandon { since, now: since + waited };
    assert_eq!(abandon(PATIENCE - TimeDelta::seconds(1)).decide(&world.state), Err(TournamentError::NotDue));
    world.take(&abandon(PATIENCE)).unwrap();
    assert_eq!((world.state.phase(), world.places()), (Phase::Cancelled, vec![]));
    assert_eq!(abandon(PATIENCE).decide(&world.state), Err(TournamentError::Over));
}

/// What happens to a board that is open.
#[derive(Debug, Clone, Copy)]
enum Step {
    Play(Played),
    Forfeit([bool; 2]),
}

fn any_step() -> impl Strategy<Value = Step> {
    let results = [PairingResult::FirstWon, PairingResult::SecondWon, PairingResult::Drawn];
    let flags = || (any::<bool>(), any::<bool>()).prop_map(|(first, second)| [first, second]);
    prop_oneof![
        4 => select(results.to_vec()).prop_map(|result| Step::Play(Played::Finished(result))),
        1 => flags().prop_map(|unavailable| Step::Play(Played::Void { unavailable })),
        1 => flags().prop_map(Step::Forfeit),
    ]
}

proptest! {
    #[test]
    fn every_started_tournament_ends_and_scores_each_pairing_once(
        swiss: bool,
        players in 2_u128..=16,
        steps in vec((any_step(), any::<prop::sample::Index>()), 1..60),
    ) {
        let system = if swiss { System::Swiss } else { System::RoundRobin };
        let mut world = World::started(created(system), players);
        let mut steps = steps.iter().cycle();
        let mut taken = 0;
        while world.state.phase() == Phase::Running {
            let (step, index) = steps.next().unwrap();
            let (round, board) = (world.state.open_pairings().0, *index.get(&world.open()));
            match *step {
                Step::Play(played) => world.play(board, played),
                Step::Forfeit(absent) => {
                    let absent = if absent == [false; 2] { [true; 2] } else { absent };
                    world.take(&Forfeit { round, board, absent, waited: ABSENCE }).unwrap();
                }
            }
            taken += 1;
            // Each step scores a pairing, or is the only void match of one.
            prop_assert!(taken <= 2 * 120, "{system} with {players} players does not end");
        }
        let mut scored = BTreeSet::new();
        for event in &world.history {
            if let TournamentEvent::Scored(data) = event {
                prop_assert!(scored.insert((data.round, data.board)), "{:?} is scored twice", data);
            }
        }
        let pairings: usize = world.state.rounds.iter().map(|round| round.pairings.len()).sum();
        prop_assert_eq!(scored.len(), pairings);
        prop_assert_eq!(world.state.rounds.len(), usize::from(world.state.round_count));
        prop_assert_eq!(world.count(TournamentEvent::is_end), 1);
        let placed: BTreeSet<_> = world.places().into_iter().map(|(agent_id, _)| agent_id).collect();
        prop_assert_eq!(placed.len() as u128, players);
        // The state is a function of the events.
        let folded = world.history.iter().fold(Tournament::default(), State::apply);
        prop_assert_eq!(folded, world.state);
    }
}
