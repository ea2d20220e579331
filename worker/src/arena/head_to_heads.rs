//! Plays the matches of head-to-head tests, one after another, and counts their results, in one process at a time.
//!
//! **Invariant:** the next match begins in the commit that records it for its test, so that a test has one match at a time, and no
//! match is lost when a process dies. **Invariant:** a test whose endpoints hang delays no other test.

use std::time::Duration;

use buildtrack_domain::{
    arena::{
        head_to_head::{BeginNext, CountMatch, Counted, GiveUp, HeadToHead, HeadToHeadError, HeadToHeadEvent, Started},
        matches::{Channel, Mode, Seat},
    },
    decide::Command,
    ids::{HeadToHeadId, MatchId},
};
use buildtrack_settings::{ArenaLimits, CostGuardMode};
use buildtrack_store::{HeadToHeadWork, MatchBudget, NewMatch, NewMatchError, Store, StoreError};
use tokio_util::sync::CancellationToken;

use super::{beside::Beside, health::Checker};
use crate::leased::{LeasedTask, Next, Schedule};

const LEASE: &str = "arena head-to-heads";
/// Pause between two polls.
const EVERY: Duration = Duration::from_millis(500);
/// Tests per poll.
const TESTS: i64 = 100;

/// Plays head-to-head tests.
pub(crate) struct HeadToHeads {
    table: Table,
    beside: Beside,
    /// Where the next step continues.
    after: Option<HeadToHeadId>,
}

/// What the work on a test needs.
#[derive(Clone)]
struct Table {
    store: Store,
    checker: Checker,
    budget: Option<MatchBudget>,
}

impl HeadToHeads {
    pub(crate) fn new(store: Store, checker: Checker, limits: ArenaLimits, guard: CostGuardMode) -> Self {
        let table = Table { store, checker, budget: budget(limits, guard) };
        Self { table, beside: Beside::new(LEASE), after: None }
    }
}

impl LeasedTask for HeadToHeads {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, LEASE, Duration::from_secs(10));

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, StoreError> {
        self.beside.settle(&self.table.store).await?;
        let work = self.table.store.arena().head_to_heads_to_do(self.after.take(), TESTS).await?;
        let is_full = i64::try_from(work.len()).unwrap_or(i64::MAX) == TESTS;
        self.after = work.last().map(|last| last.id).filter(|_| is_full);
        for work in work {
            let table = self.table.clone();
            self.beside.begin(work.id.to_string(), move || async move { table.advance(&work).await });
        }
        Ok(Next::now_if(is_full))
    }
}

impl Table {
    /// Counts the match of a test that has ended, or begins the next one.
    async fn advance(&self, work: &HeadToHeadWork) -> Result<(), StoreError> {
        let state = self.store.arena().head_to_head_state(work.id).await?;
        let Ok(started) = state.running() else { return Ok(()) };
        if let Some(match_id) = state.playing {
            return self.count(started, match_id).await;
        }
        let give_up = GiveUp { since: work.progress_at, now: self.store.log().clock().now() };
        if give_up.decide(&state).is_ok() {
            return self.decide(work.id, |state| give_up.decide(state)).await;
        }
        match self.next_seats(started).await? {
            Some(seats) => self.begin(started, state.first_begins(), seats).await,
            None => Ok(()),
        }
    }

    async fn count(&self, started: &Started, match_id: MatchId) -> Result<(), StoreError> {
        let Some(played) = self.store.arena().match_view(match_id).await? else { return Ok(()) };
        let result = match (&*played.phase, played.winner_id) {
            ("playing", _) => return Ok(()),
            ("finished", None) => Counted::Drew,
            ("finished", Some(winner)) if winner == started.first => Counted::Won,
            ("finished", Some(_)) => Counted::Lost,
            _ => Counted::Void,
        };
        self.decide(started.head_to_head_id, |state| CountMatch { match_id, result }.decide(state)).await
    }

    /// The seats of the next match, if it can begin: endpoints answer a health check.
    async fn next_seats(&self, started: &Started) -> Result<Option<[Seat; 2]>, StoreError> {
        let (owner, agents) = ((started.owner_id, started.league), [started.first, started.second]);
        let Ok(seats) = self.store.arena().head_to_head_seats(owner, agents, self.budget).await? else {
            return Ok(None);
        };
        for seat in &seats {
            if seat.channel == Channel::Push && !self.checker.check_now(seat.agent_id).await? {
                return Ok(None);
            }
        }
        Ok(Some(seats))
    }

    async fn begin(&self, started: &Started, first_begins: bool, mut seats: [Seat; 2]) -> Result<(), StoreError> {
        if !first_begins {
            seats.reverse();
        }
        let new = NewMatch {
            league: started.league,
            mode: Mode::HeadToHead,
            challenger_id: Some(started.owner_id),
            seats: seats.into(),
        };
        let planned = match new.plan(self.store.arena()) {
            Ok(planned) => planned,
            Err(NewMatchError::Store(error)) => return Err(error),
            Err(error) => return Err(StoreError::Damaged(format!("a match of a head-to-head test: {error}"))),
        };
        let (id, match_id) = (started.head_to_head_id, planned.created.match_id);
        let begun = self
            .store
            .log()
            .transact::<(), StoreError>(None, async |unit| {
                let state = unit.load::<HeadToHead>(id).await?;
                // Another process may have begun it, the owner has ended the test, or a budget is used up since.
                if let Ok(events) = (BeginNext { match_id }).decide(&state.state)
                    && planned.check(unit, self.budget, self.store.log().clock().now()).await?.is_ok()
                {
                    planned.write(unit);
                    unit.append(id, &state, events);
                }
                Ok(())
            })
            .await;
        unless_another_did(begun.map(drop))
    }

    /// Records a decision. One that is refused by now was made by another process, or is made later.
    async fn decide(
        &self,
        id: HeadToHeadId,
        decide: impl Fn(&HeadToHead) -> Result<Vec<HeadToHeadEvent>, HeadToHeadError>,
    ) -> Result<(), StoreError> {
        let decided = self
            .store
            .log()
            .transact::<(), StoreError>(None, async |unit| {
                let state = unit.load::<HeadToHead>(id).await?;
                let events = decide(&state.state).unwrap_or_default();
                unit.append(id, &state, events);
                Ok(())
            })
            .await;
        unless_another_did(decided.map(drop))
    }
}

/// The budgets within which matches begin; `None` if the guard only observes.
pub(super) fn budget(limits: ArenaLimits, guard: CostGuardMode) -> Option<MatchBudget> {
    match guard {
        CostGuardMode::Enforce => Some(MatchBudget {
            matches: limits.matches.into(),
            owner_matches: limits.owner_matches.into(),
            agent_matches: limits.agent_matches.into(),
        }),
        CostGuardMode::Observe => None,
    }
}

/// A conflict means that another process changed the stream first.
pub(super) fn unless_another_did(done: Result<(), StoreError>) -> Result<(), StoreError> {
    match done {
        Err(StoreError::Conflict { .. }) => Ok(()),
        done => done,
    }
}
