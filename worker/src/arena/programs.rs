//! The referee of programs: runs the answers of turns in the sandbox, as many at once as it allows, and closes the turns.
//!
//! **Invariant:** a turn waits for the programs of its own match alone. Those of other matches take their turns at the slots of the sandbox
//! ([`Slots`]), and each match is closed when its own are judged. **Invariant:** the texts of answers that wait stay in the store.

use std::{
    collections::{HashMap, HashSet},
    panic::AssertUnwindSafe,
    path::PathBuf,
    time::Duration,
};

use buildtrack_domain::{
    arena::matches::{MatchCreated, OpenTurn, Seat, Settled},
    ids::MatchId,
};
use buildtrack_store::{ArenaChange, Due, Judging, Store, StoreError};
use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use tokio::{
    task::{JoinError, JoinSet},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::{
    judge::{Judge, Judged, Unjudged, task_of},
    referee::{Answers, JudgedTurn, close},
    slots::{Slots, Source},
    waiting::{LONG_REST, wait},
};
use crate::{
    decisions::on_thread,
    leased::{LeasedTask, Next, Schedule},
    sweeps::Sweep,
};

/// How often the open leagues are recorded.
const RECORD_EVERY: Duration = Duration::from_secs(30);
/// Matches whose programs are judged or wait to be: as many as begin in a day by default, so that those that wait for the slots of an owner beyond
/// its budget keep no others from being looked at.
const MATCHES: usize = 5000;
/// Matches that are read at once.
const PAGE: i64 = 100;
/// The pause between two looks while more matches wait than fit on a page.
const CROWDED_REST: Duration = Duration::from_millis(250);

/// Closes turns whose answers are programs.
pub(crate) struct ProgramReferee {
    store: Store,
    sweep: Sweep,
    /// The Python interpreter of the sandbox.
    python: PathBuf,
    found: Option<(Judge, Slots)>,
    /// When the leagues that this process can judge were last recorded.
    recorded_at: Option<Instant>,
    /// The work on the matches that are under way.
    closing: JoinSet<(String, Result<(), StoreError>)>,
    under_way: HashSet<String>,
}

impl ProgramReferee {
    pub(crate) fn new(store: Store, python: PathBuf) -> Self {
        Self {
            store,
            sweep: Sweep::new(Self::SCHEDULE.lease),
            python,
            found: None,
            recorded_at: None,
            closing: JoinSet::new(),
            under_way: HashSet::new(),
        }
    }

    async fn find_judge(&mut self) -> (Judge, Slots) {
        if let Some(found) = &self.found {
            return found.clone();
        }
        let judge = Judge::find(&self.python).await;
        let slots = Slots::new(judge.runs());
        self.found.insert((judge, slots)).clone()
    }

    /// Records from time to time which leagues are open.
    async fn record_leagues(&mut self, judge: &Judge) -> Result<(), StoreError> {
        if self.recorded_at.is_none_or(|recorded_at| recorded_at.elapsed() > RECORD_EVERY) {
            self.store.log().write_side([ArenaChange::LeaguesOpened { leagues: judge.leagues() }]).await?;
            self.recorded_at = Some(Instant::now());
        }
        Ok(())
    }

    /// Begins to judge the matches that are due.
    async fn begin_due(&mut self, judge: &Judge, slots: &Slots) -> Result<(), StoreError> {
        let mut after = None;
        while self.under_way.len() < MATCHES {
            let due = self.store.arena().matches_due(Judging::Programs, after, PAGE).await?;
            after = due.last().map(Due::cursor);
            let is_last = i64::try_from(due.len()).is_ok_and(|count| count < PAGE);
            for Due { key, item, .. } in due {
                if self.under_way.len() < MATCHES
                    && !self.sweep.is_postponed(&key)
                    && self.under_way.insert(key.clone())
                {
                    let (store, judge, slots) = (self.store.clone(), judge.clone(), slots.clone());
                    self.closing.spawn(async move { (key, caught(judge_and_close(store, judge, slots, item)).await) });
                }
            }
            if is_last {
                break;
            }
        }
        Ok(())
    }

    /// Notes how the work on a match ended. A task that was aborted has ended nothing.
    async fn settle(&mut self, ended: Result<(String, Result<(), StoreError>), JoinError>) -> Result<(), StoreError> {
        let Ok((key, outcome)) = ended else { return Ok(()) };
        self.under_way.remove(&key);
        self.sweep.attempt(&self.store, &key, async { outcome }).await
    }
}

impl LeasedTask for ProgramReferee {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::following("arena programs", Duration::from_secs(10), Duration::from_secs(1));

    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let (judge, slots) = self.find_judge().await;
        self.record_leagues(&judge).await?;
        let seen = self.store.log().tail().head();
        self.begin_due(&judge, &slots).await?;
        let is_crowded = i64::try_from(self.under_way.len()).is_ok_and(|count| count >= PAGE);
        let rest = if is_crowded { CROWDED_REST } else { LONG_REST };
        let ended = tokio::select! {
            Some(ended) = self.closing.join_next() => Some(ended),
            waited = wait(&self.store, seen, rest, stop) => waited.map(|()| None)?,
        };
        if let Some(ended) = ended {
            self.settle(ended).await?;
        }
        while let Some(ended) = self.closing.try_join_next() {
            self.settle(ended).await?;
        }
        Ok(Next::Now)
    }
}

async fn caught(work: impl Future<Output = Result<(), StoreError>>) -> Result<(), StoreError> {
    let panicked = |_| Err(StoreError::Damaged("judging the match panicked".to_owned()));
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(panicked)
}

/// Runs the programs of a turn that is ready, and closes it.
async fn judge_and_close(
    store: Store,
    judge: Judge,
    slots: Slots,
    match_id: Result<MatchId, StoreError>,
) -> Result<(), StoreError> {
    let match_id = match_id?;
    let loaded = store.clone();
    let state = on_thread(move || async move { loaded.arena().match_state(match_id).await }).await??;
    let Ok((created, open)) = state.playing() else { return Ok(()) };
    let ready_at = store.log().clock().now();
    if !open.is_ready(ready_at) {
        return Ok(());
    }
    let scores = Runs { store: &store, judge: &judge, slots: &slots, created, open }.all().await?;
    let judged = JudgedTurn { number: open.number, ready_at, scores };
    on_thread(move || async move { close(&store, (match_id, Judging::Programs), Answers::Judged(&judged)).await })
        .await?
}

/// The programs of one turn.
#[derive(Clone, Copy)]
struct Runs<'a> {
    store: &'a Store,
    judge: &'a Judge,
    slots: &'a Slots,
    created: &'a MatchCreated,
    open: &'a OpenTurn,
}

impl Runs<'_> {
    /// The scores of the seats with an answer. The first answer that cannot be judged ends the other runs.
    async fn all(self) -> Result<Result<HashMap<u16, Judged>, Unjudged>, StoreError> {
        let mut runs = FuturesUnordered::new();
        for ((number, settled), seat) in (0_u16..).zip(&self.open.settled).zip(&self.created.seats) {
            if matches!(settled, Some(Settled::Answered(_))) {
                runs.push(self.run(number, seat));
            }
        }
        let mut scores = HashMap::new();
        while let Some(judged) = runs.next().await {
            match judged? {
                Some((number, Ok(judged))) => drop(scores.insert(number, judged)),
                Some((_, Err(unjudged))) => return Ok(Err(unjudged)),
                None => {}
            }
        }
        Ok(Ok(scores))
    }

    /// Runs one answer when it is its turn. `None` if the answer has gone, because another process has closed the turn.
    async fn run(self, number: u16, seat: &Seat) -> Result<Option<(u16, Result<Judged, Unjudged>)>, StoreError> {
        let has_others = self.created.seats.iter().any(|other| other.owner_id != seat.owner_id);
        let source = Source { owner_id: seat.owner_id, match_id: self.created.match_id, has_others };
        let Some(mut slot) = self.slots.take(source).await else { return Ok(None) };
        let task = match task_of(self.store.arena().bank(), self.open) {
            Ok(task) => task,
            Err(unjudged) => return Ok(Some((number, Err(unjudged)))),
        };
        let answer = self.store.arena().sealed_answer(source.match_id, self.open.number, seat.agent_id).await?;
        let Some(answer) = answer else { return Ok(None) };
        let judged = self.judge.judge(task, &answer).await;
        if let Ok(judged) = &judged {
            slot.charge(judged.cost);
        }
        Ok(Some((number, judged)))
    }
}
