//! The referee: closes the turns of matches once they are complete or their deadline has passed, in one process at a time.
//!
//! **Invariant:** a turn is closed in one commit, with its answers, their scores, and the next turn or the result with the ratings
//! that follow from it. Two referees that act at once conflict, and one of them finds the turn closed.

use std::{path::PathBuf, time::Duration};

use buildtrack_domain::{
    arena::{
        ladder::{Standing, StandingStream, results},
        matches::{
            Channel, CloseTurn, CountVotes, DrawPanel, Match, MatchCreated, MatchError, MatchEvent, MatchFinished,
            MissReason, OpenTurn, Revealed, SeatScore, Settled, VoidMatch, VoidReason,
        },
        tasks::Reason,
    },
    decide::Command,
    ids::MatchId,
};
use buildtrack_store::{ArenaChange, Due, SocketState, Store, StoreError, Unit, next_turn};
use futures_util::future::join_all;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    judge::{JUDGE, Judge, Unjudged, task_of},
    panel,
    waiting::wait,
};
use crate::{
    decisions::on_thread,
    leased::{LeasedTask, Next, Schedule},
    sweeps::Sweep,
};

const LEASE: &str = "arena referee";
/// How often the open leagues are recorded.
const RECORD_EVERY: Duration = Duration::from_secs(30);
/// Matches that are closed at once.
const MATCHES: i64 = 100;

/// Closes turns.
pub(crate) struct Referee {
    store: Store,
    sweep: Sweep,
    judge: Option<Judge>,
    /// The Python interpreter of the sandbox.
    python: PathBuf,
    /// When the leagues that this process can judge were last recorded.
    recorded_at: Option<Instant>,
}

impl Referee {
    pub(crate) fn new(store: Store, python: PathBuf) -> Self {
        Self { store, sweep: Sweep::new(LEASE), judge: None, python, recorded_at: None }
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

impl LeasedTask for Referee {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::following(LEASE, Duration::from_secs(10), Duration::from_secs(1));

    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let judge = match &self.judge {
            Some(judge) => judge.clone(),
            None => self.judge.insert(Judge::find(&self.python).await).clone(),
        };
        self.record_leagues(&judge).await?;
        let seen = self.store.tail().head();
        if close_due(&self.store, &judge, &mut self.sweep).await? > 0 {
            return Ok(Next::Now);
        }
        wait(&self.store, seen, stop).await?;
        Ok(Next::Now)
    }
}

/// Closes every turn that is due. For tests, in place of [`Referee`].
pub(crate) async fn close_all(store: &Store) -> Result<(), StoreError> {
    let mut sweep = Sweep::new(LEASE);
    let judge = Judge::without_sandbox();
    while close_due(store, &judge, &mut sweep).await? > 0 {}
    Ok(())
}

/// Closes the turns that are due, up to a number. Returns how many were tried.
async fn close_due(store: &Store, judge: &Judge, sweep: &mut Sweep) -> Result<usize, StoreError> {
    let mut due = store.matches_due(None, MATCHES).await?;
    due.retain(|due| !sweep.is_postponed(&due.key));
    if due.is_empty() {
        return Ok(0);
    }
    let (count, store_there, judge) = (due.len(), store.clone(), judge.clone());
    let closed = on_thread(move || async move {
        let closing = due.into_iter().map(|Due { key, item, .. }| async {
            let outcome = match item {
                Ok(match_id) => close(&store_there, &judge, match_id).await,
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

/// What closes a turn.
pub(super) enum Closing {
    Turn(CloseTurn),
    /// Judges compare the arguments of a debate.
    Panel(DrawPanel),
    Votes(CountVotes),
    /// The turn cannot be judged fairly.
    Void(VoidMatch),
}

/// Closes the open turn of a match.
async fn close(store: &Store, judge: &Judge, match_id: MatchId) -> Result<(), StoreError> {
    // Answers of a turn that is ready do not change, so they are judged before the commit, which may be repeated.
    let before = store.arena_state(match_id).await?;
    let Ok((created, open)) = before.playing() else { return Ok(()) };
    if !open.is_ready(store.clock().now()) {
        return Ok(());
    }
    let closing = prepare(store, judge, (created, open), &before.tasks).await?;
    let closed = store
        .transact::<(), StoreError>(None, async |unit| {
            let state = unit.load::<Match>(match_id).await?;
            let decided = match &closing {
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
            unit.append(match_id, &state, events);
            unit.write_side(ArenaChange::Unsealed { match_id });
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
) -> Result<Closing, StoreError> {
    if let Some(panel) = open.panel() {
        return panel::count(store, (created, open), panel, used).await;
    }
    let turn = open.number;
    let mut absent = Vec::new();
    for ((seat, settled), place) in (0_u16..).zip(&open.settled).zip(&created.seats) {
        if settled.is_some() || place.channel != Channel::Socket {
            continue;
        }
        match store.socket_state(place.agent_id).await? {
            SocketState::Open => {}
            SocketState::Closed => absent.push((seat, MissReason::Disconnected)),
            SocketState::ServerLost => {
                let agent_id = place.agent_id;
                let evidence = format!("the server that held the socket of {agent_id} was lost in turn {turn}");
                return Ok(Closing::Void(VoidMatch { reason: VoidReason::ServerLost, evidence }));
            }
        }
    }
    let answers = match judged(store, judge, (created, open)).await? {
        Ok(answers) => answers,
        Err(Unjudged { reason, evidence }) => return Ok(Closing::Void(VoidMatch { reason, evidence })),
    };
    let arguments = answers.iter().filter(|(_, score)| score.reason == Reason::Unopposed).count();
    if created.is_debate() && arguments > 1 {
        return panel::draw(store, (created, open), answers.into_iter().map(|(revealed, _)| revealed).collect()).await;
    }
    let now = store.clock().now();
    let next = if turn < created.turn_count {
        let Some(next) = next_turn(store.bank(), (created, open), used, now) else {
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
