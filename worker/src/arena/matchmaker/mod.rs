//! Makes ranked matches, in one process at a time.
//!
//! Agents that wait in the queue are paired first, the longest waiting with the one whose rating is nearest. An agent that waits
//! alone plays one that is reached by its endpoint, or at last the sparring bot. Those play each other once they have rested.
//! **Invariant:** no two agents of one owner meet, nor the agents of the same two owners more often than the limit of a day.
//! **Invariant:** checks of endpoints run beside the steps: the queue never waits for them.

mod idle;
mod pairing;
#[cfg(test)]
pub(super) mod tests;

use std::{collections::HashMap, time::Duration};

use buildtrack_domain::{
    arena::{
        matches::{Channel, Seat},
        tasks::League,
    },
    ids::{AgentId, OwnerId},
};
use buildtrack_settings::{ArenaLimits, CostGuardMode};
use buildtrack_store::{ArenaChange, Contestant, IdleContestant, QueuedAgent, Store, StoreError};
use chrono::{DateTime, TimeDelta, Utc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::idle::Checked;
use super::health::Checker;
use crate::leased::{LeasedTask, Next, Schedule};

const LEASE: &str = "arena matchmaker";
/// Pause between two polls of the queue.
const EVERY: Duration = Duration::from_millis(250);
/// Polls of the queue for each search for idle endpoints.
const IDLE_EVERY: u32 = 8;
/// Polls after which the same agents, none of which found an opponent, are considered again.
const UNPAIRED_EVERY: u32 = 4;
/// Agents that are considered at once.
const AGENTS: i64 = 400;
/// How long an agent waits for another in the queue before it plays one that is reached by its endpoint.
const PATIENCE: TimeDelta = TimeDelta::seconds(2);
/// The period of the limits.
const DAY: TimeDelta = TimeDelta::hours(24);

/// Makes ranked matches.
pub(crate) struct Matchmaker {
    store: Store,
    checker: Checker,
    /// The checks of endpoints that are under way, which end with the matches that are possible; at most one.
    checks: JoinSet<Result<Checked, StoreError>>,
    limits: ArenaLimits,
    guard: CostGuardMode,
    polls: u32,
    /// The leagues whose answers can be judged.
    open: Vec<League>,
    /// The last agent of the queue that was considered, if there are more.
    after: Option<(DateTime<Utc>, AgentId)>,
    /// The last agent with an endpoint that was considered, if there are more.
    idle_after: Option<(i64, AgentId)>,
    /// The agents of the queue, if none of them found an opponent.
    unpaired: Vec<AgentId>,
}

/// An agent for which an opponent is looked for.
#[derive(Clone)]
struct Candidate {
    agent_id: AgentId,
    contestant: Contestant,
    channel: Channel,
    leagues: Vec<League>,
    ratings: HashMap<League, i64>,
}

impl Candidate {
    fn seat(&self) -> Seat {
        self.contestant.seat(self.channel)
    }

    fn rating(&self, league: League) -> i64 {
        self.ratings.get(&league).copied().unwrap_or(1_500_000)
    }
}

impl Matchmaker {
    pub(crate) fn new(store: Store, checker: Checker, limits: ArenaLimits, guard: CostGuardMode) -> Self {
        let checks = JoinSet::new();
        let (open, unpaired) = (vec![], vec![]);
        Self { store, checker, checks, limits, guard, polls: 0, open, after: None, idle_after: None, unpaired }
    }

    /// Makes the matches that are possible now.
    pub(crate) async fn pair(&mut self) -> Result<(), StoreError> {
        let is_exhausted = self.store.arena().matches_today().await? >= i64::from(self.limits.matches);
        if is_exhausted && self.guard == CostGuardMode::Enforce {
            return Ok(());
        }
        let now = self.store.log().clock().now();
        let queued = self.store.arena().queued_agents(self.after, AGENTS).await?;
        let is_full = i64::try_from(queued.len()).unwrap_or(i64::MAX) == AGENTS;
        if !queued.is_empty() || self.polls.is_multiple_of(IDLE_EVERY) {
            self.open = self.store.arena().open_leagues().await?;
        }
        // Agents that find no opponent must not keep later ones from being considered.
        self.after = queued.last().filter(|_| is_full).map(|last| (last.queued_at, last.agent_id));
        let since: HashMap<_, _> = queued.iter().map(|queued| (queued.agent_id, queued.queued_at)).collect();
        let oldest = queued.first().map(|queued| queued.queued_at);
        self.polls = self.polls.wrapping_add(1);
        let ids: Vec<_> = queued.iter().map(|queued| queued.agent_id).collect();
        let checked = self.checked()?;
        if checked.is_none() && !ids.is_empty() && ids == self.unpaired && !self.polls.is_multiple_of(UNPAIRED_EVERY) {
            return Ok(());
        }
        let mut waiting = Vec::with_capacity(queued.len());
        for agent in queued {
            waiting.extend(self.queued_candidate(agent).await?);
        }
        let left = self.pair_waiting(waiting).await?;
        self.unpaired = if left.len() == ids.len() { ids } else { vec![] };
        let left = self.begin_checked(checked, left).await?;
        let is_impatient = oldest.is_some_and(|oldest| oldest <= now - PATIENCE);
        let is_due = self.polls.is_multiple_of(IDLE_EVERY) || is_impatient && !left.is_empty();
        if !is_due || !self.checks.is_empty() {
            return Ok(());
        }
        let idle = self.idle(now).await?;
        let left = if is_impatient { left } else { vec![] };
        let left = self.plan(left, idle).await?;
        self.spar(left, &since).await
    }

    /// An agent of the queue, with what is needed to find its opponent. An agent that may not play now leaves the queue.
    async fn queued_candidate(&self, queued: QueuedAgent) -> Result<Option<Candidate>, StoreError> {
        let agent_id = queued.agent_id;
        let contestant = self.store.arena().contestant(agent_id).await?;
        match contestant {
            Some(contestant) if !self.is_exhausted(agent_id, queued.owner_id).await? && !contestant.is_playing => {
                self.candidate(contestant, Channel::Socket, queued.leagues).await.map(Some)
            }
            Some(contestant) if contestant.is_playing => Ok(None),
            _ => {
                self.store.log().write_side([ArenaChange::Unqueued { agent_id }]).await?;
                Ok(None)
            }
        }
    }

    async fn candidate(
        &self,
        contestant: Contestant,
        channel: Channel,
        leagues: Vec<League>,
    ) -> Result<Candidate, StoreError> {
        let agent_id = contestant.agent_id;
        let standings = self.store.arena().standings(agent_id).await?;
        let ratings = standings.into_iter().map(|row| (row.league, row.rating.rating_milli)).collect();
        let leagues = leagues.into_iter().filter(|league| self.open.contains(league)).collect();
        Ok(Candidate { agent_id, contestant, channel, leagues, ratings })
    }

    /// Whether the agent, or its owner with all agents, has played the matches of a day.
    async fn is_exhausted(&self, agent_id: AgentId, owner_id: OwnerId) -> Result<bool, StoreError> {
        if self.guard == CostGuardMode::Observe {
            return Ok(false);
        }
        let (of_agent, of_owner) = (i64::from(self.limits.agent_matches), i64::from(self.limits.owner_matches));
        let since = self.store.log().clock().now() - DAY;
        Ok(self.store.arena().matches_since(agent_id, since, of_agent).await? >= of_agent
            || self.store.arena().owner_matches_since(owner_id, since, of_owner).await? >= of_owner)
    }

    /// The agents with endpoints that are well and have rested, up to a number. The next call continues behind them, and after the last one
    /// from the front: those that find no opponent must not keep later ones from being considered.
    async fn idle(&mut self, now: DateTime<Utc>) -> Result<Vec<Candidate>, StoreError> {
        let rest = TimeDelta::from_std(self.limits.rest()).unwrap_or(DAY);
        let found = self.store.arena().idle_contestants(now - rest, self.idle_after.take(), AGENTS).await?;
        let is_full = i64::try_from(found.len()).unwrap_or(i64::MAX) == AGENTS;
        self.idle_after = found.last().filter(|_| is_full).map(|last| (last.last_ranked, last.contestant.agent_id));
        let mut idle = Vec::new();
        for IdleContestant { contestant, .. } in found {
            if !self.is_exhausted(contestant.agent_id, contestant.owner_id).await? {
                let leagues = contestant.leagues.clone();
                idle.push(self.candidate(contestant, Channel::Push, leagues).await?);
            }
        }
        Ok(idle)
    }
}

impl LeasedTask for Matchmaker {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, LEASE, Duration::from_secs(10));

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, StoreError> {
        self.pair().await?;
        Ok(Next::Idle)
    }
}
