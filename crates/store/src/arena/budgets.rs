//! The budgets within which matches begin, and the agents that must be free for them.
//!
//! **Invariant:** the commit that begins a match counts them, so that matches that begin at the same moment exceed no budget together,
//! and no agent gets more of them than it may.

use std::collections::BTreeMap;

use buildtrack_domain::{
    arena::matches::{Channel, MatchCreated, Mode, Seat},
    ids::{AgentId, OwnerId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, TimeDelta, Utc};

use super::PlannedMatch;
use crate::{
    StoreError,
    log::{Cap, Unit},
};

/// The period of the budgets of an owner and of an agent.
const DAY: TimeDelta = TimeDelta::hours(24);
/// The condition that a seat belongs to a match that another owner than the agent's asked for with a challenge.
pub(super) const IS_OTHERS_CHALLENGE: &str =
    "(mode IN ('challenge', 'sparring') AND charged_to <> arena_seats.owner_id)";

// The latest seats are enough: budgets above their number are not kept here.
const OF_DAY: &str = "SELECT coalesce((SELECT matches FROM arena_days WHERE day = $1), 0)";
const OF_OWNER: &str = "SELECT count(*) FROM (SELECT created_at FROM arena_seats WHERE charged_to = $1 \
     ORDER BY position DESC LIMIT 20000) AS latest WHERE created_at >= $2";
const OF_AGENT: &str = "SELECT count(*) FROM (SELECT created_at FROM arena_seats WHERE agent_id = $1 AND ranked \
     ORDER BY position DESC LIMIT 20000) AS latest WHERE created_at >= $2";
const PLAYING: &str = "SELECT count(*) FROM arena_seats WHERE agent_id = $1 AND playing";
/// As [`PLAYING`], without challenges of other owners.
const TAKEN: &str = "SELECT count(*) FROM arena_seats JOIN arena_matches ON arena_matches.id = match_id \
     WHERE agent_id = $1 AND playing AND NOT (mode IN ('challenge', 'sparring') AND charged_to <> arena_seats.owner_id)";

/// The budgets within which matches begin.
#[derive(Debug, Clone, Copy)]
pub struct MatchBudget {
    /// Matches that may begin in a day (UTC), of all agents.
    pub matches: i64,
    /// Seats of one owner in 24 hours.
    pub owner_matches: i64,
    /// Ranked matches of one agent in 24 hours.
    pub agent_matches: i64,
}

/// Why a match may not begin now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MatchRefusal {
    /// An agent plays another match.
    #[error("{0} plays another match")]
    Busy(AgentId),
    /// The matches of the day are used up.
    #[error("the matches of the day are used up")]
    OfDay,
    /// The seats of an owner are used up, or too few are left.
    #[error("{0} has too few seats left in 24 hours")]
    OfOwner(OwnerId),
    /// The ranked matches of an agent are used up.
    #[error("{0} has no ranked match left in 24 hours")]
    OfAgent(AgentId),
}

#[boxed]
impl PlannedMatch {
    /// Whether the match may begin at this time: the budgets are not used up, and its agents are free. Without a budget, only the second
    /// counts. The commit checks it again.
    pub async fn check(
        &self,
        unit: &mut Unit<'_>,
        budget: Option<MatchBudget>,
        now: DateTime<Utc>,
    ) -> Result<Result<(), MatchRefusal>, StoreError> {
        let created = &self.created;
        if let Some(budget) = budget
            && let Err(refusal) = check_budget(created, unit, budget, now).await?
        {
            return Ok(Err(refusal));
        }
        for seat in created.seats.iter().filter(|seat| must_be_free(created, seat)) {
            // A challenge takes an endpoint that answers several rounds at once out of no ranked match.
            let count = if created.is_rated() && seat.channel == Channel::Push { TAKEN } else { PLAYING };
            if !unit.fits(Cap::of(count, seat.agent_id, 1)).await? {
                return Ok(Err(MatchRefusal::Busy(seat.agent_id)));
            }
        }
        Ok(Ok(()))
    }
}

/// Whether an agent may play no other match: in one that the server makes, and in one that another owner asks for. Tests and tournaments
/// choose their times themselves.
fn must_be_free(created: &MatchCreated, seat: &Seat) -> bool {
    seat.channel != Channel::System
        && match created.mode {
            Mode::Ranked => true,
            Mode::Challenge | Mode::Sparring => created.challenger_id != Some(seat.owner_id),
            Mode::HeadToHead | Mode::Tournament => false,
        }
}

async fn check_budget(
    created: &MatchCreated,
    unit: &mut Unit<'_>,
    budget: MatchBudget,
    now: DateTime<Utc>,
) -> Result<Result<(), MatchRefusal>, StoreError> {
    if !unit.fits(Cap::of(OF_DAY, now.date_naive(), budget.matches)).await? {
        return Ok(Err(MatchRefusal::OfDay));
    }
    for (owner_id, seats) in charged(created) {
        // Each seat counts: the last of them must fit.
        let cap = Cap::of(OF_OWNER, owner_id, budget.owner_matches + 1 - seats).since(now - DAY);
        if !unit.fits(cap.clone()).await? {
            return Ok(Err(MatchRefusal::OfOwner(owner_id)));
        }
        for _ in 1..seats {
            unit.keep_within(cap.clone());
        }
    }
    for seat in created.seats.iter().filter(|_| created.is_rated()) {
        if !unit.fits(Cap::of(OF_AGENT, seat.agent_id, budget.agent_matches).since(now - DAY)).await? {
            return Ok(Err(MatchRefusal::OfAgent(seat.agent_id)));
        }
    }
    Ok(Ok(()))
}

/// The owners that the seats count for, each with their number. A seat of the server that no owner asked for counts for none.
fn charged(created: &MatchCreated) -> BTreeMap<OwnerId, i64> {
    let mut seats = BTreeMap::new();
    for seat in &created.seats {
        let owner_id = created.challenger_id.or((seat.channel != Channel::System).then_some(seat.owner_id));
        if let Some(owner_id) = owner_id {
            *seats.entry(owner_id).or_default() += 1;
        }
    }
    seats
}
