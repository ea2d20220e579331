//! The state of a tournament, folded from its events.

use std::sync::Arc;

use super::{
    PairingResult, PlayerPlaced, Round, RoundOpened, Scored, Standing, Swiss, System, TournamentCreated,
    TournamentError, TournamentEvent, TournamentFinished, points, round_robin, standings,
};
use crate::{
    decide::State,
    ids::{AgentId, MatchId, OwnerId},
    words,
};

words! {
    /// How far a tournament is.
    pub enum Phase, "expected registering, running, finished or cancelled" {
        /// Agents join.
        Registering = "registering",
        /// Rounds are played.
        Running = "running",
        /// All rounds were played.
        Finished = "finished",
        /// It ended without final places.
        Cancelled = "cancelled",
    }
}

/// An agent that takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Player {
    /// The agent.
    pub agent_id: AgentId,
    /// Its owner.
    pub owner_id: OwnerId,
}

/// Two players that meet in a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairing {
    /// The players, the first seat first.
    pub players: [AgentId; 2],
    /// Its matches. All but the last are void.
    pub matches: Vec<MatchId>,
    /// Whether the last match is played.
    pub is_playing: bool,
    /// The result.
    pub result: Option<PairingResult>,
}

/// A round that is played, or was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlayedRound {
    /// The pairings of boards 1, 2 and so on.
    pub pairings: Vec<Pairing>,
    /// The player without an opponent.
    pub bye: Option<AgentId>,
}

/// A tournament.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tournament {
    /// The data of the first event; `None` if it does not exist.
    pub created: Option<Arc<TournamentCreated>>,
    /// The players: as they joined, and after the start in the order of their seeds.
    pub players: Vec<Player>,
    /// The rounds so far. All but the last are scored.
    pub rounds: Vec<PlayedRound>,
    /// The number of rounds; 0 before the start.
    pub round_count: u16,
    /// How it ended.
    pub ended: Option<Phase>,
}

impl State for Tournament {
    type Event = TournamentEvent;

    fn apply(mut self, event: &TournamentEvent) -> Self {
        match event {
            TournamentEvent::Created(data) => self.created = Some(Arc::new(data.clone())),
            TournamentEvent::Joined(data) => {
                self.players.push(Player { agent_id: data.agent_id, owner_id: data.owner_id });
            }
            TournamentEvent::Left(data) => self.players.retain(|player| player.agent_id != data.agent_id),
            TournamentEvent::Started(data) => {
                self.round_count = data.rounds;
                self.players.sort_by_key(|player| data.seeds.iter().position(|seed| *seed == player.agent_id));
            }
            TournamentEvent::RoundOpened(data) => self.rounds.push(PlayedRound::new(data)),
            TournamentEvent::Begun(data) => {
                if let Some(pairing) = self.pairing_mut(data.round, data.board) {
                    pairing.matches.push(data.match_id);
                    pairing.is_playing = true;
                }
            }
            TournamentEvent::Voided(data) => {
                if let Some(pairing) = self.pairing_mut(data.round, data.board) {
                    pairing.is_playing = false;
                }
            }
            TournamentEvent::Scored(data) => {
                if let Some(pairing) = self.pairing_mut(data.round, data.board) {
                    (pairing.is_playing, pairing.result) = (false, Some(data.result));
                }
            }
            TournamentEvent::Placed(_) => {}
            TournamentEvent::Finished(_) => self.ended = Some(Phase::Finished),
            TournamentEvent::Cancelled(_) => self.ended = Some(Phase::Cancelled),
        }
        self
    }
}

impl PlayedRound {
    fn new(data: &RoundOpened) -> Self {
        let pairing =
            |players: &[AgentId; 2]| Pairing { players: *players, matches: vec![], is_playing: false, result: None };
        Self { pairings: data.pairings.iter().map(pairing).collect(), bye: data.bye }
    }

    /// The pairings with the numbers of their boards.
    pub fn boards(&self) -> impl Iterator<Item = (u16, &Pairing)> {
        (1..).zip(&self.pairings)
    }
}

impl Tournament {
    /// How far it is.
    pub fn phase(&self) -> Phase {
        let open = if self.round_count == 0 { Phase::Registering } else { Phase::Running };
        self.ended.unwrap_or(open)
    }

    /// The data of the first event, of a tournament that agents may join.
    pub fn registering(&self) -> Result<&TournamentCreated, TournamentError> {
        let created = self.created.as_deref().ok_or(TournamentError::NotFound)?;
        if self.phase() == Phase::Registering { Ok(created) } else { Err(TournamentError::RegistrationClosed) }
    }

    /// The data of the first event, of a tournament whose rounds are played.
    pub fn running(&self) -> Result<&TournamentCreated, TournamentError> {
        let created = self.created.as_deref().ok_or(TournamentError::NotFound)?;
        match self.phase() {
            Phase::Running => Ok(created),
            Phase::Registering => Err(TournamentError::NotStarted),
            Phase::Finished | Phase::Cancelled => Err(TournamentError::Over),
        }
    }

    /// The data of the first event, of a tournament of this owner.
    pub(super) fn of_owner(&self, owner_id: OwnerId) -> Result<&TournamentCreated, TournamentError> {
        let created = self.created.as_deref().ok_or(TournamentError::NotFound)?;
        if created.owner_id == owner_id { Ok(created) } else { Err(TournamentError::NotYours) }
    }

    /// The number of the round that is played, from 1, and its pairings without a result, with their boards.
    pub fn open_pairings(&self) -> (u16, impl Iterator<Item = (u16, &Pairing)>) {
        let open = self.rounds.last().into_iter().flat_map(PlayedRound::boards);
        (number(self.rounds.len()), open.filter(|(_, pairing)| pairing.result.is_none()))
    }

    /// The standings so far. Their players are numbers of [`Self::players`].
    pub fn standings(&self) -> Vec<Standing> {
        standings(self.players.len(), &self.scored())
    }

    fn pairing_mut(&mut self, round: u16, board: u16) -> Option<&mut Pairing> {
        let round = self.rounds.get_mut(usize::from(round).checked_sub(1)?)?;
        round.pairings.get_mut(usize::from(board).checked_sub(1)?)
    }

    fn player(&self, agent_id: AgentId) -> Option<usize> {
        self.players.iter().position(|player| player.agent_id == agent_id)
    }

    /// The scored pairings. In a round-robin each player has the same number of byes, so that they do not count.
    fn scored(&self) -> Vec<Scored> {
        let counts_byes = self.created.as_ref().is_some_and(|created| created.system == System::Swiss);
        let mut scored = Vec::new();
        for round in &self.rounds {
            for pairing in &round.pairings {
                let [first, second] = pairing.players.map(|agent_id| self.player(agent_id));
                if let (Some(first), Some(second), Some(result)) = (first, second, pairing.result) {
                    scored.push(Scored { players: (first, Some(second)), halves: result.halves() });
                }
            }
            let bye = round.bye.filter(|_| counts_byes).and_then(|agent_id| self.player(agent_id));
            scored.extend(bye.map(|player| Scored { players: (player, None), halves: (2, 0) }));
        }
        scored
    }

    /// What follows an event at once: nothing while pairings are open; the next round; or the end.
    pub(super) fn following(&self) -> Vec<TournamentEvent> {
        let Ok(created) = self.running() else { return vec![] };
        if self.open_pairings().1.next().is_some() {
            return vec![];
        }
        if self.rounds.len() < usize::from(self.round_count) {
            return vec![self.next_round(created).into()];
        }
        let mut events = self.placings(created);
        let winner = match &events[..] {
            [TournamentEvent::Placed(first), TournamentEvent::Placed(second), ..] => {
                (second.place > first.place).then_some(first.agent_id)
            }
            _ => None,
        };
        events.push(TournamentFinished { tournament_id: created.tournament_id, winner }.into());
        events
    }

    fn next_round(&self, created: &TournamentCreated) -> RoundOpened {
        let next = match created.system {
            System::RoundRobin => round_robin(self.players.len(), self.rounds.len()),
            System::Swiss => {
                let points = points(self.players.len(), &self.scored());
                let rounds: Vec<_> = self.rounds.iter().map(|round| self.numbered(round)).collect();
                Swiss { points: &points, rounds: &rounds }.next()
            }
        };
        let agent = |player: usize| self.players[player].agent_id;
        RoundOpened {
            tournament_id: created.tournament_id,
            round: number(self.rounds.len() + 1),
            pairings: next.pairs.iter().map(|(first, second)| [agent(*first), agent(*second)]).collect(),
            bye: next.bye.map(agent),
        }
    }

    /// A round in numbers of players.
    fn numbered(&self, round: &PlayedRound) -> Round {
        let pair = |pairing: &Pairing| Some((self.player(pairing.players[0])?, self.player(pairing.players[1])?));
        Round {
            pairs: round.pairings.iter().filter_map(pair).collect(),
            bye: round.bye.and_then(|agent_id| self.player(agent_id)),
        }
    }

    fn placings(&self, created: &TournamentCreated) -> Vec<TournamentEvent> {
        let placed = |standing: Standing| PlayerPlaced {
            tournament_id: created.tournament_id,
            league: created.league,
            system: created.system,
            agent_id: self.players[standing.player].agent_id,
            place: number(standing.place),
            players: number(self.players.len()),
            half_points: standing.halves,
            buchholz: standing.buchholz,
            sonneborn_berger: standing.sonneborn_berger,
        };
        self.standings().into_iter().map(|standing| placed(standing).into()).collect()
    }
}

/// The number of players, rounds or boards. There are few.
pub(super) fn number(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
