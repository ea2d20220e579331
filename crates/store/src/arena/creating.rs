//! Making matches: draws the task of a turn, and writes a match with its first turn.

use buildtrack_domain::{
    arena::{
        matches::{
            CreateMatch, DEBATE_TURNS, MatchCreated, MatchError, MatchEvent, Mode, OpenTurn, Seat, TURNS, TaskRef,
            TurnOpened, sides_from,
        },
        tasks::{Bank, League, Side, Task},
    },
    decide::Command,
    ids::{MatchId, OwnerId},
};
use chrono::{DateTime, TimeDelta, Utc};

use super::{Change, MatchBudget, MatchRefusal};
use crate::{StoreError, arena::Arena, clock::random, log::Unit};

/// Added to a task's time limit, for the way to the agent and back.
const GRACE: TimeDelta = TimeDelta::seconds(1);

/// A match to be made.
#[derive(Debug, Clone)]
pub struct NewMatch {
    /// Its league.
    pub league: League,
    /// Why it is played.
    pub mode: Mode,
    /// The owner that asks for it.
    pub challenger_id: Option<OwnerId>,
    /// Its participants.
    pub seats: Vec<Seat>,
}

/// Why no match was made.
#[derive(Debug, thiserror::Error)]
pub enum NewMatchError {
    /// The match is not allowed.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// The league has no task.
    #[error("the league has no task")]
    NoTask,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A match that is to be written.
#[derive(Debug, Clone)]
pub struct PlannedMatch {
    /// The data of its first event.
    pub created: MatchCreated,
    /// Its first turn.
    pub first: TurnOpened,
    events: Vec<MatchEvent>,
}

impl NewMatch {
    /// Draws the first task, and checks the rules.
    pub fn plan(self, arena: &Arena) -> Result<PlannedMatch, NewMatchError> {
        let match_id = MatchId::new(arena.clock.uuid());
        let task = draw_task(arena.bank(), self.league, &[]).ok_or(NewMatchError::NoTask)?;
        let Self { league, mode, challenger_id, seats } = self;
        let turn_count = if league == League::Debate { DEBATE_TURNS } else { TURNS };
        let created = MatchCreated { match_id, league, mode, turn_count, challenger_id, seats };
        let first = open_turn(match_id, 1, task, arena.clock.now());
        let command = CreateMatch { created, first };
        let events = command.decide(())?;
        let CreateMatch { created, first } = command;
        Ok(PlannedMatch { created, first, events })
    }
}

impl PlannedMatch {
    /// Writes the match with its first turn. A ranked match takes its agents out of the queue. In any other they keep their place, so that
    /// no opponent of an unrated match, who may not even play, costs them any of the time that they have waited.
    pub fn write(&self, unit: &mut Unit<'_>) {
        unit.begin(self.created.match_id, self.events.clone());
        if !self.created.is_rated() {
            return;
        }
        for seat in &self.created.seats {
            unit.write_side(Change::Unqueued { agent_id: seat.agent_id });
        }
    }
}

impl Arena {
    /// Makes a match and opens its first turn, beyond all budgets.
    pub async fn create_match(&self, new: NewMatch) -> Result<MatchId, NewMatchError> {
        let planned = new.plan(self)?;
        self.log
            .transact::<(), StoreError>(None, async |unit| {
                planned.write(unit);
                Ok(())
            })
            .await?;
        Ok(planned.created.match_id)
    }

    /// Makes a match, if its agents are free and the budgets are not used up.
    pub async fn create_match_within(
        &self,
        new: NewMatch,
        budget: Option<MatchBudget>,
    ) -> Result<Result<MatchId, MatchRefusal>, NewMatchError> {
        let planned = new.plan(self)?;
        let created = self.log.transact::<_, StoreError>(None, async |unit| {
            let checked = planned.check(unit, budget, self.clock.now()).await?;
            if checked.is_ok() {
                planned.write(unit);
            }
            Ok(checked)
        });
        Ok(created.await?.value.map(|()| planned.created.match_id))
    }
}

/// The event that opens a turn with this task. In a debate, the sides of a new motion are drawn, so that the number of the
/// turn does not tell which seat argues for it.
pub fn open_turn(match_id: MatchId, turn: u16, task: &Task, now: DateTime<Utc>) -> TurnOpened {
    let (id, version, hash) = (task.id().to_string(), task.version(), task.hash().to_string());
    let due_at = now + TimeDelta::seconds(task.limits().seconds.into()) + GRACE;
    let sides = if task.league() == League::Debate { sides_from(any_side()) } else { vec![] };
    TurnOpened { match_id, turn, task: TaskRef { id, version, hash }, opened_at: now, due_at, sides }
}

/// The event that opens the turn after the open one; `None` if the league has no task for it. A debate has each motion in two
/// turns.
pub fn next_turn(
    bank: &'static Bank,
    (created, open): (&MatchCreated, &OpenTurn),
    used: &[String],
    now: DateTime<Utc>,
) -> Option<TurnOpened> {
    let turn = open.number + 1;
    let task = if created.is_debate() && turn.is_multiple_of(2) {
        bank.get(&open.task.id).filter(|task| task.hash().to_string() == open.task.hash)
    } else {
        draw_task(bank, created.league, used)
    };
    let mut next = open_turn(created.match_id, turn, task?, now);
    if created.is_debate() && turn.is_multiple_of(2) {
        next.sides = open.sides.iter().map(|side| side.opposite()).collect();
    }
    Some(next)
}

fn any_side() -> Side {
    let [byte] = random::<1>();
    if byte.is_multiple_of(2) { Side::For } else { Side::Against }
}

/// A random task of the league that is not among those that were used; any of them if all were.
pub fn draw_task(bank: &'static Bank, league: League, used: &[String]) -> Option<&'static Task> {
    let all: Vec<_> = bank.in_league(league).collect();
    let unused = |task: &&&Task| !used.iter().any(|used| *used == task.id().to_string());
    let left: Vec<_> = all.iter().filter(unused).copied().collect();
    let tasks = if left.is_empty() { all } else { left };
    let number = usize::try_from(u64::from_le_bytes(random::<8>()) % 1_000_003).unwrap_or(0);
    tasks.get(number % tasks.len().max(1)).copied()
}
