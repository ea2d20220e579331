//! Creating a tournament, joining and leaving it, its start, and its end before that.

use std::{cmp::Reverse, collections::BTreeMap};

use chrono::{DateTime, Utc};

use super::{
    CancelReason, OWNER_PLAYERS_MAX, PLAYERS_MIN, PlayerJoined, PlayerLeft, REGISTRATION, ROUND_ROBIN_PLAYERS_MAX,
    SWISS_PLAYERS_MAX, SWISS_ROUNDS_MAX, System, Tournament, TournamentCancelled, TournamentCreated, TournamentError,
    TournamentEvent, TournamentStarted, round_robin_rounds, state::number, swiss_rounds_max,
};
use crate::{
    arena::ladder::Rating,
    decide::{Command, State},
    ids::{AgentId, OwnerId},
};

impl System {
    /// The maximum number of players.
    pub fn players_max(self) -> u16 {
        match self {
            Self::RoundRobin => ROUND_ROBIN_PLAYERS_MAX,
            Self::Swiss => SWISS_PLAYERS_MAX,
        }
    }

    /// The number of rounds for so many players. A Swiss tournament has as many as were asked for, if there is a new opponent for each
    /// player in each of them, and otherwise enough to find one winner among them.
    fn rounds(self, players: usize, asked: Option<u16>) -> usize {
        match self {
            Self::RoundRobin => round_robin_rounds(players),
            Self::Swiss => {
                let rounds = asked.map_or(players.next_power_of_two().ilog2() as usize, usize::from);
                rounds.min(swiss_rounds_max(players))
            }
        }
    }
}

/// Creates a tournament.
#[derive(Debug, Clone)]
pub struct Create(pub TournamentCreated);

impl Command for Create {
    type State<'a> = ();
    type Event = TournamentEvent;
    type Error = TournamentError;

    fn decide(&self, (): ()) -> Result<Vec<TournamentEvent>, TournamentError> {
        let TournamentCreated { system, players_max, rounds, .. } = &self.0;
        if !(PLAYERS_MIN..=system.players_max()).contains(players_max) {
            return Err(TournamentError::Players);
        }
        let rounds_max = match system {
            System::RoundRobin => 0,
            System::Swiss => swiss_rounds_max(usize::from(*players_max)).min(SWISS_ROUNDS_MAX.into()),
        };
        if rounds.is_some_and(|rounds| !(1..=rounds_max).contains(&usize::from(rounds))) {
            return Err(TournamentError::Rounds);
        }
        Ok(vec![self.0.clone().into()])
    }
}

/// Adds a player, unless it has joined already.
#[derive(Debug, Clone, Copy)]
pub struct Join {
    /// The agent.
    pub agent_id: AgentId,
    /// Its owner.
    pub owner_id: OwnerId,
}

impl Command for Join {
    type State<'a> = &'a Tournament;
    type Event = TournamentEvent;
    type Error = TournamentError;

    fn decide(&self, state: &Tournament) -> Result<Vec<TournamentEvent>, TournamentError> {
        let created = state.registering()?;
        let Self { agent_id, owner_id } = *self;
        if state.players.iter().any(|player| player.agent_id == agent_id) {
            return Ok(vec![]);
        }
        if state.players.len() >= usize::from(created.players_max) {
            return Err(TournamentError::Full);
        }
        let own = state.players.iter().filter(|player| player.owner_id == owner_id).count();
        if owner_id != created.owner_id && own >= OWNER_PLAYERS_MAX {
            return Err(TournamentError::OwnerFull);
        }
        Ok(vec![PlayerJoined { tournament_id: created.tournament_id, agent_id, owner_id }.into()])
    }
}

/// Removes a player, unless it has not joined.
#[derive(Debug, Clone, Copy)]
pub struct Leave {
    /// The agent.
    pub agent_id: AgentId,
}

impl Command for Leave {
    type State<'a> = &'a Tournament;
    type Event = TournamentEvent;
    type Error = TournamentError;

    fn decide(&self, state: &Tournament) -> Result<Vec<TournamentEvent>, TournamentError> {
        let created = state.registering()?;
        let Self { agent_id } = *self;
        let has_joined = state.players.iter().any(|player| player.agent_id == agent_id);
        let left = PlayerLeft { tournament_id: created.tournament_id, agent_id };
        Ok(has_joined.then_some(left.into()).into_iter().collect())
    }
}

/// Starts a tournament for its owner, and opens the first round.
#[derive(Debug, Clone)]
pub struct Start {
    /// The caller.
    pub owner_id: OwnerId,
    /// The ratings of players in thousandths, by which they are seeded. Others have the first rating.
    pub ratings: BTreeMap<AgentId, i64>,
}

impl Command for Start {
    type State<'a> = &'a Tournament;
    type Event = TournamentEvent;
    type Error = TournamentError;

    fn decide(&self, state: &Tournament) -> Result<Vec<TournamentEvent>, TournamentError> {
        let created = state.of_owner(self.owner_id)?;
        state.registering()?;
        if state.players.len() < usize::from(PLAYERS_MIN) {
            return Err(TournamentError::TooFew);
        }
        let mut seeds: Vec<_> = state.players.iter().map(|player| player.agent_id).collect();
        let unrated = Rating::default().rating_milli;
        seeds.sort_by_key(|agent_id| Reverse(self.ratings.get(agent_id).copied().unwrap_or(unrated)));
        let rounds = number(created.system.rounds(seeds.len(), created.rounds));
        let started = TournamentStarted { tournament_id: created.tournament_id, seeds, rounds }.into();
        let following = state.clone().apply(&started).following();
        Ok([started].into_iter().chain(following).collect())
    }
}

/// Cancels a tournament for its owner. Matches that are played are played on, and do not count.
#[derive(Debug, Clone, Copy)]
pub struct Cancel {
    /// The caller.
    pub owner_id: OwnerId,
}

impl Command for Cancel {
    type State<'a> = &'a Tournament;
    type Event = TournamentEvent;
    type Error = TournamentError;

    fn decide(&self, state: &Tournament) -> Result<Vec<TournamentEvent>, TournamentError> {
        let created = state.of_owner(self.owner_id)?;
        if state.ended.is_some() {
            return Err(TournamentError::Over);
        }
        Ok(vec![cancelled(created, CancelReason::ByOwner)])
    }
}

/// Cancels a tournament that was not started within [`REGISTRATION`].
#[derive(Debug, Clone, Copy)]
pub struct Expire {
    /// When it was created.
    pub since: DateTime<Utc>,
    /// The time.
    pub now: DateTime<Utc>,
}

impl Command for Expire {
    type State<'a> = &'a Tournament;
    type Event = TournamentEvent;
    type Error = TournamentError;

    fn decide(&self, state: &Tournament) -> Result<Vec<TournamentEvent>, TournamentError> {
        let created = state.registering()?;
        if self.now - self.since < REGISTRATION {
            return Err(TournamentError::NotDue);
        }
        Ok(vec![cancelled(created, CancelReason::NotStarted)])
    }
}

pub(super) fn cancelled(created: &TournamentCreated, reason: CancelReason) -> TournamentEvent {
    TournamentCancelled { tournament_id: created.tournament_id, reason }.into()
}
