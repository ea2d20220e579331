//! Chooses opponents, and makes the matches.

use std::collections::{HashMap, HashSet};

use buildtrack_domain::{
    arena::{
        matches::{Mode, Seat},
        sparring::sparring_seat,
        tasks::League,
    },
    ids::{AgentId, OwnerId},
};
use buildtrack_store::{NewMatch, NewMatchError, StoreError, clock::random};
use chrono::{DateTime, TimeDelta, Utc};

use super::{Candidate, DAY, Matchmaker};
use crate::{
    arena::{head_to_heads::budget, sparring},
    decisions::on_thread,
};

/// How many candidates a waiting agent is compared with.
const CANDIDATES: usize = 20;

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
        let now = self.store.log().clock().now();
        let lonely = left.into_iter().filter(|candidate| {
            since.get(&candidate.agent_id).is_some_and(|queued_at| *queued_at <= now - sparring::PATIENCE)
        });
        let interval = TimeDelta::from_std(interval).unwrap_or(DAY);
        for candidate in lonely {
            let leagues: Vec<_> = candidate.leagues.iter().filter(|league| **league != League::Debate).collect();
            let Some(league) = leagues.get(usize::from(random::<1>()[0]) % leagues.len().max(1)) else { continue };
            let league = **league;
            if !self.store.arena().has_sparred_since(candidate.agent_id, now - interval).await? {
                let mut seats = vec![candidate.seat(), sparring_seat()];
                turn(&mut seats);
                self.make(league, Mode::Sparring, seats).await?;
            }
        }
        Ok(())
    }

    /// The candidate whose rating is nearest, and a random league that both play; none if no candidate may meet the agent.
    pub(super) async fn opponent(
        &self,
        first: &Candidate,
        candidates: &[Candidate],
    ) -> Result<Option<(usize, League)>, StoreError> {
        let own = first.contestant.owner_id;
        let mut others: Vec<_> = candidates.iter().enumerate().collect();
        others.retain(|(_, other)| other.contestant.owner_id != own);
        if others.is_empty() {
            return Ok(None);
        }
        let met = self.met(own).await?;
        others.retain(|(_, other)| !met.contains(&other.contestant.owner_id));
        let mut best: Option<(i64, usize, League)> = None;
        for (number, other) in others.into_iter().take(CANDIDATES) {
            let common: Vec<_> = first.leagues.iter().filter(|league| other.leagues.contains(league)).collect();
            let Some(league) = common.get(usize::from(random::<1>()[0]) % common.len().max(1)) else { continue };
            let league = **league;
            let owners = [own, other.contestant.owner_id];
            if league == League::Debate && !self.store.arena().can_judge(&owners).await? {
                continue;
            }
            let distance = (first.rating(league) - other.rating(league)).abs();
            if best.is_none_or(|(nearest, ..)| distance < nearest) {
                best = Some((distance, number, league));
            }
        }
        Ok(best.map(|(_, number, league)| (number, league)))
    }

    /// The owners whose agents have met those of this owner as often as the limit of a day.
    pub(super) async fn met(&self, owner_id: OwnerId) -> Result<HashSet<OwnerId>, StoreError> {
        let counts = (i64::from(self.limits.pair_matches), i64::from(self.limits.owner_matches));
        self.store.arena().owners_met(owner_id, self.store.log().clock().now() - DAY, counts).await
    }

    /// Makes a ranked match of these agents.
    pub(super) async fn begin(&self, league: League, mut players: Vec<Candidate>) -> Result<(), StoreError> {
        let turns = match &players[..] {
            [first, second] => self.sits_second(first.agent_id, second.agent_id).await?,
            _ => None,
        };
        match turns {
            Some(true) => players.reverse(),
            Some(false) => {}
            None => turn(&mut players),
        }
        self.make(league, Mode::Ranked, players.iter().map(Candidate::seat).collect()).await
    }

    /// Whether the first of two agents sits second: seats alternate between them, and otherwise from match to match of each; `None` if
    /// both have the same claim.
    async fn sits_second(&self, first: AgentId, second: AgentId) -> Result<Option<bool>, StoreError> {
        if let Some(seat) = self.store.arena().last_ranked_seat(first, Some(second)).await? {
            return Ok(Some(seat == 0));
        }
        let sat_first = [
            self.store.arena().last_ranked_seat(first, None).await? == Some(0),
            self.store.arena().last_ranked_seat(second, None).await? == Some(0),
        ];
        Ok(match sat_first {
            [true, false] => Some(true),
            [false, true] => Some(false),
            _ => None,
        })
    }

    /// Makes a match of these seats.
    async fn make(&self, league: League, mode: Mode, seats: Vec<Seat>) -> Result<(), StoreError> {
        let (store, count) = (self.store.clone(), seats.len());
        let new = NewMatch { league, mode, challenger_id: None, seats };
        let budget = budget(self.limits, self.guard);
        match on_thread(move || async move { store.arena().create_match_within(new, budget).await }).await? {
            Ok(Ok(match_id)) => {
                tracing::debug!(%match_id, %league, %mode, seats = count, "a match begins");
                Ok(())
            }
            // The agents that can still play are considered again.
            Ok(Err(refusal)) => {
                tracing::debug!(%refusal, %league, %mode, "a match does not begin");
                Ok(())
            }
            // Another match of the same agents began at the same moment.
            Err(NewMatchError::Store(StoreError::Conflict { .. })) => Ok(()),
            Err(NewMatchError::Store(error)) => Err(error),
            Err(error) => {
                tracing::warn!(%error, %league, "a match could not be made");
                Ok(())
            }
        }
    }
}

/// Lets chance decide who sits first.
fn turn<T>(seats: &mut [T]) {
    let turned = usize::from(random::<1>()[0]).checked_rem(seats.len()).unwrap_or(0);
    seats.rotate_left(turned);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_decides_who_sits_first() {
        let first = |_| {
            let mut seats = [0, 1, 2];
            turn(&mut seats);
            seats[0]
        };
        let drawn: HashSet<i32> = (0..200).map(first).collect();
        assert_eq!(drawn, HashSet::from([0, 1, 2]));
        turn::<i32>(&mut []);
    }
}
