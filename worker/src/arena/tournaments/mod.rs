//! Plays the matches of tournaments, scores their pairings, and ends those that make no progress, in one process at a time.
//!
//! **Invariant:** a match begins in the commit that records it for its pairing, so that a pairing has one match at a time, and no
//! match is lost when a process dies. **Invariant:** a player forfeits for a time in which this process saw that it could not be
//! reached. A restart begins that time anew. **Invariant:** a tournament whose endpoints hang delays no other one.

mod pairings;
mod waits;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use buildtrack_domain::{
    arena::{
        matches::Channel,
        tasks::League,
        tournaments::{
            Abandon, CountMatch, Expire, PairingResult, Phase, Played, Tournament, TournamentError, TournamentEvent,
        },
    },
    decide::Command,
    ids::{AgentId, MatchId, OwnerId, TournamentId},
};
use buildtrack_settings::{ArenaLimits, CostGuardMode};
use buildtrack_store::{MatchBudget, MatchView, Store, StoreError, TournamentWork, append_tournament};
use tokio_util::sync::CancellationToken;

use self::waits::Waits;
use super::{
    beside::Beside,
    head_to_heads::{budget, unless_another_did},
    health::Checker,
};
use crate::leased::{LeasedTask, Next, Schedule};

const LEASE: &str = "arena tournaments";
/// Pause between two polls.
const EVERY: Duration = Duration::from_millis(500);
/// Tournaments per poll.
const TOURNAMENTS: i64 = 100;

/// Plays tournaments.
pub(crate) struct Tournaments {
    table: Table,
    beside: Beside,
    /// What this process has seen of the pairings that wait.
    waits: Arc<Waits>,
    /// Where the next step continues.
    after: Option<TournamentId>,
}

/// What the work on a tournament needs.
#[derive(Clone)]
struct Table {
    store: Store,
    checker: Checker,
    budget: Option<MatchBudget>,
}

impl Tournaments {
    pub(crate) fn new(store: Store, checker: Checker, limits: ArenaLimits, guard: CostGuardMode) -> Self {
        let table = Table { store, checker, budget: budget(limits, guard) };
        Self { table, beside: Beside::new(LEASE), waits: Arc::default(), after: None }
    }
}

impl LeasedTask for Tournaments {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, LEASE, Duration::from_secs(10));

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, StoreError> {
        self.beside.settle(&self.table.store).await?;
        let work = self.table.store.arena().tournaments_to_do(self.after.take(), TOURNAMENTS).await?;
        let is_full = i64::try_from(work.len()).unwrap_or(i64::MAX) == TOURNAMENTS;
        self.after = work.last().map(|last| last.id).filter(|_| is_full);
        for work in work {
            let (table, waits) = (self.table.clone(), self.waits.clone());
            self.beside.begin(work.id.to_string(), move || async move { table.advance(&work, &waits).await });
        }
        self.waits.forget_unwatched(Instant::now());
        Ok(Next::now_if(is_full))
    }
}

impl Table {
    /// Counts the matches of a tournament that have ended, and begins those that can begin.
    async fn advance(&self, work: &TournamentWork, waits: &Waits) -> Result<(), StoreError> {
        let state = self.store.arena().tournament_state(work.id).await?;
        let (since, now) = (work.progress_at, self.store.log().clock().now());
        match state.phase() {
            Phase::Registering => self.decide(work.id, |state| Expire { since, now }.decide(state)).await,
            Phase::Running if (Abandon { since, now }).decide(&state).is_ok() => {
                self.decide(work.id, |state| Abandon { since, now }.decide(state)).await
            }
            Phase::Running => {
                self.count_matches(&state, work.id).await?;
                self.begin_matches(work.id, waits).await
            }
            Phase::Finished | Phase::Cancelled => Ok(()),
        }
    }

    async fn count_matches(&self, state: &Tournament, id: TournamentId) -> Result<(), StoreError> {
        for (_, pairing) in state.open_pairings().1.filter(|(_, pairing)| pairing.is_playing) {
            let Some(match_id) = pairing.matches.last().copied() else { continue };
            let Some(played) = self.played(match_id, pairing.players).await? else { continue };
            self.decide(id, |state| CountMatch { match_id, played }.decide(state)).await?;
        }
        Ok(())
    }

    /// How a match ended; `None` while it is played.
    async fn played(&self, match_id: MatchId, players: [AgentId; 2]) -> Result<Option<Played>, StoreError> {
        let Some(found) = self.store.arena().match_view(match_id).await? else { return Ok(None) };
        Ok(match (&*found.phase, found.winner_id) {
            ("playing", _) => None,
            ("finished", None) => Some(Played::Finished(PairingResult::Drawn)),
            ("finished", Some(winner)) if winner == players[0] => Some(Played::Finished(PairingResult::FirstWon)),
            ("finished", Some(_)) => Some(Played::Finished(PairingResult::SecondWon)),
            _ => Some(Played::Void { unavailable: self.unavailable(&found, players).await? }),
        })
    }

    /// The players whose endpoints ended a match by status 503. That pauses them.
    async fn unavailable(&self, found: &MatchView, players: [AgentId; 2]) -> Result<[bool; 2], StoreError> {
        let mut unavailable = [false; 2];
        if found.ending.as_deref() != Some("unavailable") {
            return Ok(unavailable);
        }
        let now = self.store.log().clock().now();
        for (is_unavailable, agent_id) in unavailable.iter_mut().zip(players) {
            let is_push = found.seats.iter().any(|seat| seat.agent_id == agent_id && seat.channel == Channel::Push);
            let endpoint = self.store.arena().endpoint(agent_id).await?.filter(|_| is_push);
            *is_unavailable = endpoint.is_some_and(|endpoint| endpoint.paused_until.is_some_and(|until| until > now));
        }
        Ok(unavailable)
    }

    /// Whether a match that an owner asks for may begin in the league now.
    async fn may_begin(&self, owner_id: OwnerId, league: League) -> Result<bool, StoreError> {
        let has_budget_left = match self.budget {
            Some(budget) => self.store.arena().has_budget_left(owner_id, budget).await?,
            None => true,
        };
        Ok(has_budget_left && self.store.arena().open_leagues().await?.contains(&league))
    }

    /// Records a decision. One that is refused by now was made by another process, or is made later.
    async fn decide(
        &self,
        id: TournamentId,
        decide: impl Fn(&Tournament) -> Result<Vec<TournamentEvent>, TournamentError>,
    ) -> Result<(), StoreError> {
        let decided = self
            .store
            .log()
            .transact::<(), StoreError>(None, async |unit| {
                let state = unit.load::<Tournament>(id).await?;
                let events = decide(&state.state).unwrap_or_default();
                append_tournament(unit, &state, events).await
            })
            .await;
        unless_another_did(decided.map(drop))
    }
}
