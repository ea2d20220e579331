//! Chooses opponents, and makes the matches.

use std::collections::HashMap;

use buildtrack_domain::{
    arena::{
        matches::{Mode, Seat},
        sparring::sparring_seat,
        tasks::League,
    },
    ids::AgentId,
};
use buildtrack_store::{NewMatch, NewMatchError, StoreError, clock::random};
use chrono::{DateTime, TimeDelta, Utc};

use super::{Candidate, DAY, Matchmaker};
use crate::{
    arena::{health, sparring},
    decisions::on_thread,
};

/// How many candidates a waiting agent is compared with.
const CANDIDATES: usize = 20;
/// The agents of a trivia match between endpoints.
const TRIVIA_SEATS: usize = 100;

impl Matchmaker {
    /// Pairs agents of the queue. Returns those that are left.
    pub(super) async fn pair_waiting(&self, mut waiting: Vec<Candidate>) -> Result<Vec<Candidate>, StoreError> {
        let mut left = Vec::new();
        while !waiting.is_empty() {
            let first = waiting.remove(0);
            match self.opponent(&first, &waiting).await? {
                Some((number, league)) => {
                    let second = waiting.remove(number);
                    self.begin(league, vec![first, second]).await?;
                }
                None => left.push(first),
            }
        }
        Ok(left)
    }

    /// Lets agents that have waited alone for some time play the sparring bot.
    pub(super) async fn spar(
        &self,
        left: Vec<Candidate>,
        since: &HashMap<AgentId, DateTime<Utc>>,
    ) -> Result<(), StoreError> {
        let Some(interval) = self.limits.sparring() else { return Ok(()) };
        let now = self.store.clock().now();
        let lonely = left.into_iter().filter(|candidate| {
            since.get(&candidate.agent_id).is_some_and(|queued_at| *queued_at <= now - sparring::PATIENCE)
        });
        let interval = TimeDelta::from_std(interval).unwrap_or(DAY);
        for candidate in lonely {
            let leagues: Vec<_> = candidate.leagues.iter().filter(|league| **league != League::Debate).collect();
            let Some(league) = leagues.get(usize::from(random::<1>()[0]) % leagues.len().max(1)) else { continue };
            let league = **league;
            if !self.store.has_sparred_since(candidate.agent_id, now - interval).await? {
                self.make(league, Mode::Sparring, vec![candidate.seat(), sparring_seat()]).await?;
            }
        }
        Ok(())
    }

    /// Pairs agents that wait with agents that are reached by their endpoints, and these with each other. Returns those that wait
    /// on.
    pub(super) async fn pair_idle(
        &self,
        waiting: Vec<Candidate>,
        mut idle: Vec<Candidate>,
    ) -> Result<Vec<Candidate>, StoreError> {
        let mut left = Vec::new();
        for first in waiting {
            let Some((number, league)) = self.opponent(&first, &idle).await? else {
                left.push(first);
                continue;
            };
            let second = idle.remove(number);
            if health::check_now(&self.store, &self.client, second.agent_id).await? {
                self.begin(league, vec![first, second]).await?;
            } else {
                left.push(first);
            }
        }
        let mut idle = self.play_trivia(idle).await?;
        while !idle.is_empty() {
            let first = idle.remove(0);
            let Some((number, league)) = self.opponent(&first, &idle).await? else { continue };
            let second = idle.remove(number);
            if health::check_now(&self.store, &self.client, first.agent_id).await?
                && health::check_now(&self.store, &self.client, second.agent_id).await?
            {
                self.begin(league, vec![first, second]).await?;
            }
        }
        Ok(left)
    }

    /// Lets agents that play trivia meet in one match, if there are more than two: one agent of each owner. Returns the others.
    async fn play_trivia(&self, idle: Vec<Candidate>) -> Result<Vec<Candidate>, StoreError> {
        let (mut seated, mut others): (Vec<Candidate>, Vec<Candidate>) = (Vec::new(), Vec::new());
        for candidate in idle {
            let is_new = seated.iter().all(|other| other.contestant.owner_id != candidate.contestant.owner_id);
            if candidate.leagues.contains(&League::Trivia) && is_new && seated.len() < TRIVIA_SEATS {
                seated.push(candidate);
            } else {
                others.push(candidate);
            }
        }
        if seated.len() < 3 {
            seated.extend(others);
            return Ok(seated);
        }
        let mut well = Vec::with_capacity(seated.len());
        for candidate in seated {
            if health::check_now(&self.store, &self.client, candidate.agent_id).await? {
                well.push(candidate);
            }
        }
        if well.len() >= 2 {
            self.begin(League::Trivia, well).await?;
        }
        Ok(others)
    }

    /// The candidate whose rating is nearest, and a random league that both play; none if no candidate may meet the agent.
    async fn opponent(
        &self,
        first: &Candidate,
        candidates: &[Candidate],
    ) -> Result<Option<(usize, League)>, StoreError> {
        let mut best: Option<(i64, usize, League)> = None;
        let since = self.store.clock().now() - DAY;
        let others = candidates.iter().enumerate().filter(|(_, other)| {
            other.contestant.owner_id != first.contestant.owner_id && other.agent_id != first.agent_id
        });
        for (number, other) in others.take(CANDIDATES) {
            let common: Vec<_> = first.leagues.iter().filter(|league| other.leagues.contains(league)).collect();
            let Some(league) = common.get(usize::from(random::<1>()[0]) % common.len().max(1)) else { continue };
            let league = **league;
            let owners = [first.contestant.owner_id, other.contestant.owner_id];
            if league == League::Debate && !self.store.can_judge(&owners).await? {
                continue;
            }
            let distance = (first.rating(league) - other.rating(league)).abs();
            if best.is_some_and(|(nearest, ..)| nearest <= distance) {
                continue;
            }
            let pair = (first.agent_id, other.agent_id);
            let limit = i64::from(self.limits.agent_matches);
            if self.store.matches_between(pair, since, limit).await? < i64::from(self.limits.pair_matches) {
                best = Some((distance, number, league));
            }
        }
        Ok(best.map(|(_, number, league)| (number, league)))
    }

    /// Makes a ranked match of these agents.
    async fn begin(&self, league: League, players: Vec<Candidate>) -> Result<(), StoreError> {
        self.make(league, Mode::Ranked, players.iter().map(Candidate::seat).collect()).await
    }

    /// Makes a match. The seats alternate by chance.
    async fn make(&self, league: League, mode: Mode, mut seats: Vec<Seat>) -> Result<(), StoreError> {
        let turned = usize::from(random::<1>()[0]) % seats.len();
        seats.rotate_left(turned);
        let (store, count) = (self.store.clone(), seats.len());
        let new = NewMatch { league, mode, challenger_id: None, seats };
        match on_thread(move || async move { store.create_match(new).await }).await? {
            Ok(match_id) => {
                tracing::debug!(%match_id, %league, %mode, seats = count, "a match begins");
                Ok(())
            }
            Err(NewMatchError::Store(error)) => Err(error),
            Err(error) => {
                tracing::warn!(%error, %league, "a match could not be made");
                Ok(())
            }
        }
    }
}
