//! The referees: close the turns of matches once they are complete or their deadline has passed, each in one process at a time.
//!
//! **Invariant:** a turn is closed in one commit, with its answers, their scores, and the next turn or the result with the ratings
//! that follow from it. Two referees that act at once conflict, and one of them finds the turn closed. **Invariant:** how long programs
//! run counts against no agent: which seats missed their turn is recorded at its deadline, before the programs run.

use std::{path::PathBuf, time::Duration};

use buildtrack_domain::{
    arena::{
        ladder::{Standing, StandingStream, results},
        matches::{
            CloseTurn, Match, MatchCreated, MatchError, MatchEvent, MatchFinished, OpenTurn, Revealed, SeatScore,
            SettleTurn, Settled, VoidMatch, VoidReason,
        },
        tasks::{League, Reason},
    },
    decide::Command,
    ids::MatchId,
};
use buildtrack_store::{ArenaChange, Due, Judging, Store, StoreError, Unit, next_turn};
use chrono::{DateTime, Utc};
use futures_util::future::join_all;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    closing::{Closing, absent},
    judge::{JUDGE, Judge, Unjudged, task_of},
    panel,
    waiting::{LONG_REST, SHORT_REST, wait},
};
use crate::{
    decisions::on_thread,
    leased::{LeasedTask, Next, Schedule},
    sweeps::Sweep,
};

/// The leases of the referee of texts and of that of programs.
const LEASES: [&str; 2] = ["arena referee", "arena programs"];
/// How often the open leagues are recorded.
const RECORD_EVERY: Duration = Duration::from_secs(30);
/// Matches that are closed at once.
const MATCHES: i64 = 100;
/// Matches of programs that are closed at once. Each answer takes the sandbox for a while.
const PROGRAM_MATCHES: i64 = 8;

/// Closes turns: those of programs (`PROGRAMS`), which take long to judge, or all others, which so do not wait for them. The referee
/// of texts also settles turns of programs at their deadline.
pub(crate) struct Referee<const PROGRAMS: bool> {
    store: Store,
    sweep: Sweep,
    judge: Option<Judge>,
    /// The Python interpreter of the sandbox.
    python: PathBuf,
    /// When the leagues that this process can judge were last recorded.
    recorded_at: Option<Instant>,
}

/// Closes turns whose answers are compared.
pub(crate) type TextReferee = Referee<false>;
/// Closes turns whose answers are programs.
pub(crate) type ProgramReferee = Referee<true>;

impl<const PROGRAMS: bool> Referee<PROGRAMS> {
    pub(crate) fn new(store: Store, python: PathBuf) -> Self {
        Self { store, sweep: Sweep::new(Self::SCHEDULE.lease), judge: None, python, recorded_at: None }
    }

    /// Records from time to time which leagues are open.
    async fn record_leagues(&mut self, judge: &Judge) -> Result<(), StoreError> {
        if self.recorded_at.is_none_or(|recorded_at| recorded_at.elapsed() > RECORD_EVERY) {
            self.store.write_side([ArenaChange::LeaguesOpened { leagues: judge.leagues() }]).await?;
            self.recorded_at = Some(Instant::now());
        }
        Ok(())
    }
}

impl<const PROGRAMS: bool> LeasedTask for Referee<PROGRAMS> {
    type Error = StoreError;

    const SCHEDULE: Schedule =
        Schedule::following(LEASES[PROGRAMS as usize], Duration::from_secs(10), Duration::from_secs(1));

    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let judge = match &self.judge {
            Some(judge) => judge.clone(),
            None if PROGRAMS => self.judge.insert(Judge::find(&self.python).await).clone(),
            None => self.judge.insert(Judge::without_sandbox()).clone(),
        };
        if PROGRAMS {
            self.record_leagues(&judge).await?;
        }
        let seen = self.store.tail().head();
        let (judging, limit) = if PROGRAMS { (Judging::Programs, PROGRAM_MATCHES) } else { (Judging::Texts, MATCHES) };
        if close_due(&self.store, &judge, &mut self.sweep, (judging, limit)).await? > 0 {
            return Ok(Next::Now);
        }
        wait(&self.store, seen, if PROGRAMS { LONG_REST } else { SHORT_REST }, stop).await?;
        Ok(Next::Now)
    }
}

/// Closes every turn that is due. For tests, in place of [`Referee`].
pub(crate) async fn close_all(store: &Store) -> Result<(), StoreError> {
    let mut sweep = Sweep::new(LEASES[0]);
    let judge = Judge::without_sandbox();
    for judging in [Judging::Texts, Judging::Programs] {
        while close_due(store, &judge, &mut sweep, (judging, MATCHES)).await? > 0 {}
    }
    Ok(())
}

/// Closes the turns of some leagues that are due, up to a number. Returns how many were tried.
async fn close_due(
    store: &Store,
    judge: &Judge,
    sweep: &mut Sweep,
    (judging, limit): (Judging, i64),
) -> Result<usize, StoreError> {
    let mut due = store.matches_due(judging, None, limit).await?;
    due.retain(|due| !sweep.is_postponed(&due.key));
    if due.is_empty() {
        return Ok(0);
    }
    let (count, store_there, judge) = (due.len(), store.clone(), judge.clone());
    let closed = on_thread(move || async move {
        let closing = due.into_iter().map(|Due { key, item, .. }| async {
            let outcome = match item {
                Ok(match_id) => close(&store_there, &judge, (match_id, judging)).await,
                Err(error) => Err(error),
            };
            (key, outcome)
        });
        join_all(closing).await
    });
    for (key, outcome) in closed.await? {
        sweep.attempt(store, &key, async { outcome }).await?;
    }
    Ok(count)
}

/// Closes the open turn of a match.
async fn close(store: &Store, judge: &Judge, (match_id, judging): (MatchId, Judging)) -> Result<(), StoreError> {
    // Answers of a turn that is ready do not change, so they are judged before the commit, which may be repeated.
    let before = store.arena_state(match_id).await?;
    let Ok((created, open)) = before.playing() else { return Ok(()) };
    // When the turn was seen to be ready: judging may take longer than a deadline may be overlooked.
    let now = store.clock().now();
    // The referee of texts only settles turns of programs.
    let is_others = judging == Judging::Texts && created.league == League::Python && !open.settled.contains(&None);
    if is_others || !open.is_ready(now) {
        return Ok(());
    }
    let closing = prepare(store, judge, (created, open), &before.tasks, now).await?;
    let closed = store
        .transact::<(), StoreError>(None, async |unit| {
            let state = unit.load::<Match>(match_id).await?;
            let decided = match &closing {
                Closing::Settle(command) => command.decide(&state.state),
                Closing::Turn(command) => command.decide(&state.state),
                Closing::Panel(command) => command.decide(&state.state),
                Closing::Votes(command) => command.decide(&state.state),
                Closing::Void(command) => command.decide(&state.state),
            };
            let events = match decided {
                Ok(events) => events,
                // Another process has closed the turn, or an answer arrived at the last moment: the turn is still due.
                Err(MatchError::Over | MatchError::WrongTurn { .. } | MatchError::NotDue | MatchError::Scores) => {
                    return Ok(());
                }
                Err(error) => return Err(StoreError::Damaged(format!("{match_id} cannot be closed: {error}"))),
            };
            for event in &events {
                if let MatchEvent::Finished(finished) = event {
                    record_results(unit, created, finished).await?;
                }
            }
            // A turn that is settled is judged next, unless its match is void.
            if events.iter().any(|event| !matches!(event, MatchEvent::Missed(_))) {
                unit.write_side(ArenaChange::Unsealed { match_id });
            }
            unit.append(match_id, &state, events);
            Ok(())
        })
        .await;
    match closed {
        // Another process changed the match first.
        Err(StoreError::Conflict { .. }) => Ok(()),
        closed => closed.map(drop),
    }
}

/// The command that closes the turn, or that ends the match because the turn cannot be judged fairly.
async fn prepare(
    store: &Store,
    judge: &Judge,
    (created, open): (&MatchCreated, &OpenTurn),
    used: &[String],
    now: DateTime<Utc>,
) -> Result<Closing, StoreError> {
    if let Some(panel) = open.panel() {
        return panel::count(store, (created, open), panel, used).await;
    }
    let turn = open.number;
    let absent = match absent(store, (created, open)).await? {
        Ok(absent) => absent,
        Err(Unjudged { reason, evidence }) => return Ok(Closing::Void(VoidMatch { reason, evidence })),
    };
    if created.league == League::Python && open.settled.contains(&None) {
        return Ok(Closing::Settle(SettleTurn { turn, absent, now }));
    }
    let answers = match judged(store, judge, (created, open)).await? {
        Ok(answers) => answers,
        Err(Unjudged { reason, evidence }) => return Ok(Closing::Void(VoidMatch { reason, evidence })),
    };
    let arguments = answers.iter().filter(|(_, score)| score.reason == Reason::Unopposed).count();
    if created.is_debate() && arguments > 1 {
        return panel::draw(store, (created, open), answers.into_iter().map(|(revealed, _)| revealed).collect()).await;
    }
    let next = if turn < created.turn_count {
        let Some(next) = next_turn(store.bank(), (created, open), used, store.clock().now()) else {
            let evidence = format!("the league {} has no task for the next turn", created.league);
            return Ok(Closing::Void(VoidMatch { reason: VoidReason::TaskGone, evidence }));
        };
        Some(next)
    } else {
        None
    };
    Ok(Closing::Turn(CloseTurn { turn, answers, absent, judge: JUDGE.to_owned(), next, now }))
}

/// The answers of a turn with their scores.
async fn judged(
    store: &Store,
    judge: &Judge,
    (created, open): (&MatchCreated, &OpenTurn),
) -> Result<Result<Vec<(Revealed, SeatScore)>, Unjudged>, StoreError> {
    let task = match task_of(store.bank(), open) {
        Ok(task) => task,
        Err(unjudged) => return Ok(Err(unjudged)),
    };
    let mut answers = Vec::new();
    for (agent_id, answer) in store.sealed_answers(created.match_id, open.number).await? {
        let Ok(seat) = created.seat_of(agent_id) else { continue };
        // An answer that was committed after the state was read is not judged; the turn is still due.
        if !matches!(open.settled.get(usize::from(seat)), Some(Some(Settled::Answered(_)))) {
            continue;
        }
        let (score, reason) = match judge.judge(task, &answer).await {
            Ok(scored) => scored,
            Err(unjudged) => return Ok(Err(unjudged)),
        };
        answers.push((Revealed { seat, answer }, SeatScore { seat, score, reason }));
    }
    answers.sort_by_key(|(revealed, _)| revealed.seat);
    Ok(Ok(answers))
}

/// Appends each agent's result, and its new rating.
async fn record_results(
    unit: &mut Unit<'_>,
    created: &MatchCreated,
    finished: &MatchFinished,
) -> Result<(), StoreError> {
    let mut standings = Vec::with_capacity(created.seats.len());
    for seat in &created.seats {
        standings.push(unit.load::<Standing>(StandingStream(created.league, seat.agent_id)).await?);
    }
    let ratings: Vec<_> = standings.iter().map(|standing| standing.state.rating).collect();
    for recorded in results(created, finished, &ratings) {
        let seat = created.seats.iter().position(|seat| seat.agent_id == recorded.agent_id);
        let Some(standing) = seat.and_then(|seat| standings.get(seat)) else { continue };
        let stream = StandingStream(created.league, recorded.agent_id);
        unit.append(stream, standing, vec![recorded.into()]);
    }
    Ok(())
}
