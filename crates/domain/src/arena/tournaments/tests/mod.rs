//! Tests of the state machine of tournaments.

mod playing;
mod registration;

use std::collections::BTreeMap;

use uuid::Uuid;

use super::{
    BeginMatch, CancelReason, CountMatch, Create, Join, MatchVoided, Played, PlayerLeft, PlayerPlaced, Start, System,
    Tournament, TournamentCancelled, TournamentCreated, TournamentError, TournamentEvent, TournamentFinished,
};
use crate::{
    arena::tasks::League,
    decide::{Command, State},
    event_tests::meanings,
    ids::{AgentId, MatchId, OwnerId, TournamentId},
    push::Pushed,
};

const ID: TournamentId = TournamentId::new(Uuid::from_u128(1));
const OWNER: OwnerId = OwnerId::new(Uuid::from_u128(2));

/// The owner of agent 1, and so on.
fn owner(number: u128) -> OwnerId {
    OwnerId::new(Uuid::from_u128(100 + number))
}

fn agent(number: u128) -> AgentId {
    AgentId::new(Uuid::from_u128(number))
}

fn created(system: System) -> TournamentCreated {
    let players_max = system.players_max();
    TournamentCreated { tournament_id: ID, owner_id: OWNER, league: League::Trivia, system, players_max, rounds: None }
}

/// A tournament with the events that led to it.
#[derive(Debug, Clone, Default)]
struct World {
    state: Tournament,
    history: Vec<TournamentEvent>,
    matches: u128,
}

impl World {
    fn of(created: TournamentCreated) -> Self {
        let mut world = Self::default();
        world.extend(Create(created).decide(()).unwrap());
        world
    }

    /// A tournament of agents 1, 2 and so on, in the order of their seeds.
    fn started(created: TournamentCreated, players: u128) -> Self {
        let mut world = Self::of(created);
        for number in 1..=players {
            world.take(&Join { agent_id: agent(number), owner_id: owner(number) }).unwrap();
        }
        world.take(&Start { owner_id: OWNER, ratings: BTreeMap::new() }).unwrap();
        world
    }

    fn extend(&mut self, events: Vec<TournamentEvent>) {
        for event in events {
            self.state = std::mem::take(&mut self.state).apply(&event);
            self.history.push(event);
        }
    }

    fn take<C>(&mut self, command: &C) -> Result<(), TournamentError>
    where
        C: for<'a> Command<State<'a> = &'a Tournament, Event = TournamentEvent, Error = TournamentError>,
    {
        let events = command.decide(&self.state)?;
        self.extend(events);
        Ok(())
    }

    /// Begins the match of a board of the open round.
    fn begin(&mut self, board: u16) -> Result<MatchId, TournamentError> {
        self.matches += 1;
        let match_id = MatchId::new(Uuid::from_u128(1000 + self.matches));
        let round = self.state.open_pairings().0;
        self.take(&BeginMatch { round, board, match_id })?;
        Ok(match_id)
    }

    fn play(&mut self, board: u16, played: Played) {
        let match_id = self.begin(board).unwrap();
        self.take(&CountMatch { match_id, played }).unwrap();
    }

    /// The boards of the open round that have no result.
    fn open(&self) -> Vec<u16> {
        self.state.open_pairings().1.map(|(board, _)| board).collect()
    }

    fn count(&self, is: impl Fn(&TournamentEvent) -> bool) -> usize {
        self.history.iter().filter(|event| is(event)).count()
    }

    /// The final places, the winner first.
    fn places(&self) -> Vec<(AgentId, u16)> {
        let placed = |event: &TournamentEvent| match event {
            TournamentEvent::Placed(data) => Some((data.agent_id, data.place)),
            _ => None,
        };
        self.history.iter().filter_map(placed).collect()
    }
}

fn placed() -> PlayerPlaced {
    PlayerPlaced {
        tournament_id: ID,
        league: League::Trivia,
        system: System::Swiss,
        agent_id: agent(3),
        place: 2,
        players: 5,
        half_points: 7,
        buchholz: 9,
        sonneborn_berger: 11,
    }
}

#[test]
fn the_events_mean() {
    let mut world = World::started(created(System::RoundRobin), 2);
    let voided = world.begin(1).unwrap();
    world.take(&CountMatch { match_id: voided, played: Played::Void { unavailable: [false; 2] } }).unwrap();
    world.play(1, Played::Finished(super::PairingResult::FirstWon));
    let others: [TournamentEvent; 3] = [
        PlayerLeft { tournament_id: ID, agent_id: agent(2) }.into(),
        TournamentFinished { tournament_id: ID, winner: None }.into(),
        TournamentCancelled { tournament_id: ID, reason: CancelReason::Stalled }.into(),
    ];
    let mut events: Vec<_> = world.history.into_iter().chain(others).collect();
    events.sort_by_key(TournamentEvent::event_type);
    assert_eq!(
        meanings(events),
        [
            "tournament.cancelled: the tournament was cancelled: stalled",
            "tournament.created: a round_robin tournament in trivia is open for players",
            "tournament.finished: ag_2 won the tournament",
            "tournament.finished: the tournament has several winners",
            "tournament.match_begun: the match on board 1 of round 1 began",
            "tournament.match_begun: the match on board 1 of round 1 began",
            "tournament.match_voided: the match on board 1 of round 1 is void",
            "tournament.pairing_scored: board 1 of round 1: first_won",
            "tournament.player_joined @ag_1: ag_1 joined the tournament",
            "tournament.player_joined @ag_2: ag_2 joined the tournament",
            "tournament.player_left @ag_2: ag_2 left the tournament",
            "tournament.player_placed @ag_2: ag_2 took place 1 of 2 in the tournament; pushes tournament.finished to ag_2",
            "tournament.player_placed @ag_1: ag_1 took place 2 of 2 in the tournament; pushes tournament.finished to ag_1",
            "tournament.round_opened: round 1 began",
            "tournament.started: the tournament of 2 players started",
        ]
    );
}

#[test]
fn the_push_of_a_place_holds_no_fractions() {
    let data: serde_json::Value = serde_json::from_str(&placed().data("", &"https://arena.example")).unwrap();
    assert_eq!(
        data,
        serde_json::json!({
            "tournamentId": ID, "league": "trivia", "system": "swiss", "place": 2, "players": 5, "halfPoints": 7,
            "url": format!("https://arena.example/tournaments/{ID}"),
        })
    );
}

#[test]
fn a_round_that_is_not_open_has_no_match_to_void() {
    let voided = MatchVoided { tournament_id: ID, round: 7, board: 9, match_id: MatchId::new(Uuid::from_u128(9)) };
    let world = World::started(created(System::Swiss), 4);
    assert_eq!(world.state.clone().apply(&voided.into()), world.state);
}
