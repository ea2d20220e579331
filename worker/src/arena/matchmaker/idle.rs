//! Matches of agents that are reached by their endpoints. Each endpoint is checked before its match begins, beside the steps.

use std::collections::HashSet;

use buildtrack_domain::{
    arena::{
        matches::{Channel, SEATS_MAX},
        tasks::League,
    },
    ids::{AgentId, OwnerId},
};
use buildtrack_store::{EndpointReadiness, StoreError};
use futures_util::future::join_all;

use super::{Candidate, Matchmaker};
use crate::arena::health::Checker;

/// A match that may begin when the endpoints of its players are well.
pub(super) struct Plan {
    league: League,
    pub(super) players: Vec<Candidate>,
}

/// Matches whose endpoints have been checked.
pub(super) struct Checked {
    plans: Vec<Plan>,
    /// The agents whose endpoints are not well.
    unwell: HashSet<AgentId>,
}

impl Matchmaker {
    /// Plans matches of agents that wait with agents that are reached by their endpoints, and of these with each other, and lets the
    /// endpoints be checked. Returns the agents that wait on.
    pub(super) async fn plan(
        &mut self,
        waiting: Vec<Candidate>,
        mut idle: Vec<Candidate>,
    ) -> Result<Vec<Candidate>, StoreError> {
        let (mut left, mut plans) = (Vec::new(), Vec::new());
        for first in waiting {
            match self.opponent(&first, &idle).await? {
                Some((number, league)) => plans.push(Plan { league, players: vec![first, idle.remove(number)] }),
                None => left.push(first),
            }
        }
        let (trivia, mut idle) = self.plan_trivia(idle).await?;
        plans.extend(trivia);
        while !idle.is_empty() {
            let first = idle.remove(0);
            let Some((number, league)) = self.opponent(&first, &idle).await? else { continue };
            plans.push(Plan { league, players: vec![first, idle.remove(number)] });
        }
        if !plans.is_empty() {
            self.checks.spawn(check(self.checker.clone(), plans));
        }
        Ok(left)
    }

    /// Lets agents that play trivia meet in one match, if there are more than two: one agent of each owner, and no two whose owners
    /// have met as often as the limit of a day. Returns the others.
    pub(super) async fn plan_trivia(&self, idle: Vec<Candidate>) -> Result<(Option<Plan>, Vec<Candidate>), StoreError> {
        let (mut players, mut others): (Vec<Candidate>, Vec<Candidate>) = (Vec::new(), Vec::new());
        let mut owners: HashSet<OwnerId> = HashSet::new();
        for candidate in idle {
            let owner_id = candidate.contestant.owner_id;
            let may_play = candidate.leagues.contains(&League::Trivia)
                && players.len() < SEATS_MAX
                && !owners.contains(&owner_id)
                && (owners.is_empty() || self.met(owner_id).await?.is_disjoint(&owners));
            if may_play {
                owners.insert(owner_id);
                players.push(candidate);
            } else {
                others.push(candidate);
            }
        }
        if players.len() < 3 {
            players.extend(others);
            return Ok((None, players));
        }
        Ok((Some(Plan { league: League::Trivia, players }), others))
    }

    /// The matches whose checks have ended, if there are any.
    pub(super) fn checked(&mut self) -> Result<Option<Checked>, StoreError> {
        match self.checks.try_join_next() {
            Some(Ok(checked)) => checked.map(Some),
            // Checks that failed otherwise are made anew.
            Some(Err(_)) | None => Ok(None),
        }
    }

    /// Begins the matches whose players are well, and still free. Returns the agents that wait on.
    pub(super) async fn begin_checked(
        &self,
        checked: Option<Checked>,
        mut left: Vec<Candidate>,
    ) -> Result<Vec<Candidate>, StoreError> {
        let Some(Checked { plans, unwell }) = checked else { return Ok(left) };
        for Plan { league, players } in plans {
            let seats = players.len();
            let mut ready = Vec::with_capacity(seats);
            for player in players {
                if !unwell.contains(&player.agent_id) && self.is_free(&player, &left).await? {
                    ready.push(player);
                }
            }
            // A match of two needs both; a larger one begins without those that are not ready.
            if ready.len() >= 2 {
                left.retain(|waiting| ready.iter().all(|player| player.agent_id != waiting.agent_id));
                self.begin(league, ready).await?;
            }
        }
        Ok(left)
    }

    /// Whether an agent can still play the match that was planned: an agent of the queue is among those that wait.
    async fn is_free(&self, player: &Candidate, left: &[Candidate]) -> Result<bool, StoreError> {
        if player.channel == Channel::Socket {
            return Ok(left.iter().any(|waiting| waiting.agent_id == player.agent_id));
        }
        let contestant = self.store.arena().contestant(player.agent_id).await?;
        Ok(contestant.is_some_and(|contestant| contestant.endpoint == EndpointReadiness::Ready && !contestant.is_taken))
    }
}

/// Checks the endpoints of planned matches, all at once: many that hang delay these matches as long as one does.
async fn check(checker: Checker, plans: Vec<Plan>) -> Result<Checked, StoreError> {
    let players = plans.iter().flat_map(|plan| &plan.players).filter(|player| player.channel == Channel::Push);
    let agents: Vec<_> = players.map(|player| player.agent_id).collect();
    let checks: Vec<_> = agents.iter().map(|agent_id| checker.check_now(*agent_id)).collect();
    let mut unwell = HashSet::new();
    for (agent_id, is_well) in agents.iter().zip(join_all(checks).await) {
        if !is_well? {
            unwell.insert(*agent_id);
        }
    }
    Ok(Checked { plans, unwell })
}
