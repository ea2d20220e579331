//! The referee of texts, and how any turn is closed once it is complete or its deadline has passed. In one process at a time.
//!
//! **Invariant:** a turn is closed in one commit, with its answers, their scores, and the next turn or the result with the ratings
//! that follow from it. Two referees that act at once conflict, and one of them finds the turn closed. **Invariant:** how long programs
//! run counts against no agent: which seats missed their turn is recorded at its deadline, before the programs run.

use std::{collections::HashMap, time::Duration};

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
use buildtrack_store::{ArenaChange, Judging, Store, StoreError, Unit, next_turn};
use chrono::{DateTime, Utc};
use tokio_util::sync::CancellationToken;

use super::{
    closing::{Closing, absent},
    due::{MATCHES, Rotation, close_due},
    judge::{JUDGE, Judge, Judged, Unjudged, task_of},
    panel,
    waiting::{SHORT_REST, wait},
};
use crate::leased::{LeasedTask, Next, Schedule};

/// Closes turns whose answers are compared. It also settles turns of programs at their deadline, which so do not wait for programs that run.
pub(crate) struct TextReferee {
    store: Store,
    rotation: Rotation,
}

impl TextReferee {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, rotation: Rotation::new(Self::SCHEDULE.lease) }
    }
}

impl LeasedTask for TextReferee {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::following("arena referee", Duration::from_secs(10), Duration::from_secs(1));

    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let seen = self.store.log().tail().head();
        if !close_due(&self.store, &mut self.rotation, Judging::Texts, MATCHES).await?.has_more() {
            wait(&self.store, seen, SHORT_REST, stop).await?;
        }
        Ok(Next::Now)
    }
}

/// The answers of the turn to be closed.
#[derive(Clone, Copy)]
pub(super) enum Answers<'a> {
    /// They are judged on the way.
    Unjudged(&'a Judge),
    /// Their programs have run.
    Judged(&'a JudgedTurn),
}

/// The scores of a turn whose programs have run.
#[derive(Debug)]
pub(super) struct JudgedTurn {
    pub(super) number: u16,
    /// When the turn was seen to be ready: judging may take longer than a deadline may be overlooked.
    pub(super) ready_at: DateTime<Utc>,
    /// The score of each seat with an answer.
    pub(super) scores: Result<HashMap<u16, Judged>, Unjudged>,
}

/// Closes the open turn of a match.
pub(super) async fn close(
    store: &Store,
    (match_id, judging): (MatchId, Judging),
    answers: Answers<'_>,
) -> Result<(), StoreError> {
    // Answers of a turn that is ready do not change, so they are judged before the commit, which may be repeated.
    let before = store.arena().match_state(match_id).await?;
    let Ok((created, open)) = before.playing() else { return Ok(()) };
    let (turn, now) = match answers {
        Answers::Judged(judged) => (judged.number, judged.ready_at),
        Answers::Unjudged(_) => (open.number, store.log().clock().now()),
    };
    // The referee of texts only settles turns of programs.
    let is_others = judging == Judging::Texts && created.league == League::Python && !open.settled.contains(&None);
    if is_others || open.number != turn || !open.is_ready(now) {
        return Ok(());
    }
    let closing = prepare(store, answers, (created, open), &before.tasks, now).await?;
    let closed = store
        .log()
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
    answers: Answers<'_>,
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
    let answers = match judged(store, answers, (created, open)).await? {
        Ok(answers) => answers,
        Err(Unjudged { reason, evidence }) => return Ok(Closing::Void(VoidMatch { reason, evidence })),
    };
    let arguments = answers.iter().filter(|(_, score)| score.reason == Reason::Unopposed).count();
    if created.is_debate() && arguments > 1 {
        return panel::draw(store, (created, open), answers.into_iter().map(|(revealed, _)| revealed).collect()).await;
    }
    let next = if turn < created.turn_count {
        let Some(next) = next_turn(store.arena().bank(), (created, open), used, store.log().clock().now()) else {
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
    judging: Answers<'_>,
    (created, open): (&MatchCreated, &OpenTurn),
) -> Result<Result<Vec<(Revealed, SeatScore)>, Unjudged>, StoreError> {
    let task = match task_of(store.arena().bank(), open) {
        Ok(task) => task,
        Err(unjudged) => return Ok(Err(unjudged)),
    };
    let mut answers = Vec::new();
    for (agent_id, answer) in store.arena().sealed_answers(created.match_id, open.number).await? {
        let Ok(seat) = created.seat_of(agent_id) else { continue };
        // An answer that was committed after the state was read is not judged; the turn is still due.
        if !matches!(open.settled.get(usize::from(seat)), Some(Some(Settled::Answered(_)))) {
            continue;
        }
        let judged = match judging {
            Answers::Unjudged(judge) => judge.judge(task, &answer).await,
            Answers::Judged(JudgedTurn { scores: Ok(scores), .. }) => {
                let Some(judged) = scores.get(&seat) else { continue };
                Ok(*judged)
            }
            Answers::Judged(JudgedTurn { scores: Err(unjudged), .. }) => Err(unjudged.clone()),
        };
        let Judged { score, reason, .. } = match judged {
            Ok(judged) => judged,
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
