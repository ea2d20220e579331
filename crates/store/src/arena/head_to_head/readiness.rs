//! Whether the next match of a head-to-head test can begin now.

use buildtrack_domain::{
    arena::{
        matches::{Channel, Seat},
        tasks::League,
    },
    ids::{AgentId, OwnerId},
    words,
};
use buildtrack_macros::boxed;
use chrono::TimeDelta;

use crate::{
    StoreError,
    arena::Arena,
    arena::{Contestant, EndpointReadiness, MatchBudget, SocketState},
};

/// The period of an owner's budget.
const DAY: TimeDelta = TimeDelta::hours(24);

words! {
    /// Why no match can begin now.
    pub enum Obstacle {
        /// No referee can judge answers in the league.
        LeagueClosed = "league_closed",
        /// An agent is not active, not enrolled in the league, or belongs to another owner now.
        AgentNotEnrolled = "agent_not_enrolled",
        /// An agent has neither an open socket nor a healthy endpoint.
        AgentUnreachable = "agent_unreachable",
        /// An agent plays another match, or its endpoint answers as many ballots as it says that it answers at once.
        AgentBusy = "agent_busy",
        /// The matches of the day, or those of the owner, are used up.
        BudgetUsedUp = "budget_used_up",
    }
}

/// The seats of the next match, or why it cannot begin.
pub type Readiness = Result<[Seat; 2], Obstacle>;

#[boxed]
impl Arena {
    /// The seats of a match between two agents of an owner, or why it cannot begin now. Without a budget, there is no limit.
    pub async fn head_to_head_seats(
        &self,
        (owner_id, league): (OwnerId, League),
        [first, second]: [AgentId; 2],
        budget: Option<MatchBudget>,
    ) -> Result<Readiness, StoreError> {
        if !self.open_leagues().await?.contains(&league) {
            return Ok(Err(Obstacle::LeagueClosed));
        }
        if let Some(budget) = budget
            && !self.has_budget_left(owner_id, budget).await?
        {
            return Ok(Err(Obstacle::BudgetUsedUp));
        }
        let first = match self.own_seat(owner_id, league, first).await? {
            Ok(seat) => seat,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        Ok(self.own_seat(owner_id, league, second).await?.map(|second| [first, second]))
    }

    /// Whether a match of two agents that an owner asks for is within both budgets now. The commit that begins it decides:
    /// [`PlannedMatch::check`](super::super::PlannedMatch::check).
    pub async fn has_budget_left(&self, owner_id: OwnerId, budget: MatchBudget) -> Result<bool, StoreError> {
        let since = self.clock.now() - DAY;
        let taken = self.owner_matches_since(owner_id, since, budget.owner_matches).await?;
        Ok(taken + 2 <= budget.owner_matches && self.matches_today().await? < budget.matches)
    }

    async fn own_seat(
        &self,
        owner_id: OwnerId,
        league: League,
        agent_id: AgentId,
    ) -> Result<Result<Seat, Obstacle>, StoreError> {
        let is_own = |contestant: &Contestant| contestant.owner_id == owner_id && contestant.leagues.contains(&league);
        let Some(contestant) = self.contestant(agent_id).await?.filter(is_own) else {
            return Ok(Err(Obstacle::AgentNotEnrolled));
        };
        if contestant.is_playing {
            return Ok(Err(Obstacle::AgentBusy));
        }
        if self.socket_state(agent_id).await? == SocketState::Open {
            return Ok(Ok(contestant.seat(Channel::Socket)));
        }
        Ok(match contestant.endpoint {
            EndpointReadiness::Ready => Ok(contestant.seat(Channel::Push)),
            EndpointReadiness::Full => Err(Obstacle::AgentBusy),
            EndpointReadiness::Unavailable => Err(Obstacle::AgentUnreachable),
        })
    }
}
