//! Looks at the matches that are due, in rotation.
//!
//! **Invariant:** a look continues behind the last one. Matches that cannot be closed, however many, keep no others from being looked at.

use buildtrack_store::{Due, DueCursor, Judging, Store, StoreError};
use futures_util::future::join_all;

use super::{
    judge::Judge,
    referee::{Answers, close},
};
use crate::{decisions::on_thread, sweeps::Sweep};

/// Matches that are closed at once.
pub(super) const MATCHES: i64 = 100;

/// Where a look at the matches that are due continues, so that those that cannot be closed keep no others from being looked at.
pub(super) struct Rotation {
    sweep: Sweep,
    after: Option<DueCursor>,
}

/// What a look found.
pub(super) struct Looked {
    /// The number of matches that were tried.
    tried: usize,
    /// Whether more may be due behind them.
    is_full: bool,
}

impl Rotation {
    /// Begins at the front. `name` is the label of the metric of failures.
    pub(super) fn new(name: &'static str) -> Self {
        Self { sweep: Sweep::new(name), after: None }
    }
}

impl Looked {
    /// Whether another look may find something to do.
    pub(super) fn has_more(&self) -> bool {
        self.tried > 0 || self.is_full
    }
}

/// Closes every turn that is due. For tests, in place of the referees.
pub(crate) async fn close_all(store: &Store) -> Result<(), StoreError> {
    for judging in [Judging::Texts, Judging::Programs] {
        let mut rotation = Rotation::new("arena referee");
        while close_due(store, &mut rotation, judging, MATCHES).await?.has_more() {}
    }
    Ok(())
}

/// Closes the turns of some leagues that are due, up to a number, without a sandbox. The next look continues behind them, and after the
/// last one from the front.
pub(super) async fn close_due(
    store: &Store,
    rotation: &mut Rotation,
    judging: Judging,
    limit: i64,
) -> Result<Looked, StoreError> {
    let mut due = store.arena().matches_due(judging, rotation.after.take(), limit).await?;
    let is_full = i64::try_from(due.len()).is_ok_and(|count| count >= limit);
    rotation.after = due.last().map(Due::cursor).filter(|_| is_full);
    due.retain(|due| !rotation.sweep.is_postponed(&due.key));
    let tried = due.len();
    if due.is_empty() {
        return Ok(Looked { tried, is_full });
    }
    let store_there = store.clone();
    let closed = on_thread(move || async move {
        let judge = Judge::without_sandbox();
        let closing = due.into_iter().map(|Due { key, item, .. }| async {
            let outcome = match item {
                Ok(match_id) => close(&store_there, (match_id, judging), Answers::Unjudged(&judge)).await,
                Err(error) => Err(error),
            };
            (key, outcome)
        });
        join_all(closing).await
    });
    for (key, outcome) in closed.await? {
        rotation.sweep.attempt(store, &key, async { outcome }).await?;
    }
    Ok(Looked { tried, is_full })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use buildtrack_domain::{
        arena::{
            matches::{Channel, MatchCreated, MatchEvent, Mode, Seat},
            sparring::sparring_seat,
            tasks::{Bank, League},
        },
        ids::MatchId,
    };
    use buildtrack_store::{Database, Secret, Settings, clock::Clock, draw_task, open_turn};
    use tempfile::TempDir;

    use super::*;

    /// A match of agents with endpoints whose turn is due.
    async fn due_match(store: &Store) -> MatchId {
        let match_id = MatchId::new(store.log().clock().uuid());
        let seat = |_| Seat { channel: Channel::Push, ..sparring_seat() };
        let seats = (0..2).map(seat).collect();
        let (league, mode) = (League::Trivia, Mode::Challenge);
        let created = MatchCreated { match_id, league, mode, turn_count: 1, challenger_id: None, seats };
        let task = draw_task(Bank::bundled(), League::Trivia, &[]).unwrap();
        let first = open_turn(match_id, 1, task, store.log().clock().now() - chrono::TimeDelta::minutes(1));
        let begun = store.log().transact::<(), StoreError>(None, async |unit| {
            unit.begin(match_id, [MatchEvent::from(created.clone()), MatchEvent::from(first.clone())]);
            Ok(())
        });
        begun.await.unwrap();
        match_id
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn matches_that_cannot_be_closed_keep_no_others_from_being_looked_at() {
        let folder = TempDir::new().unwrap();
        let database = Database::Sqlite(folder.path().join("buildtrack.sqlite"));
        let secret = Secret::new(&Secret::generate()).unwrap();
        let clock = Clock::fixed("2026-03-01T12:00:00Z".parse().unwrap());
        let store = Store::open(Settings { database, secret, clock }).await.unwrap();
        let mut rotation = Rotation::new("test");
        let mut ids = Vec::new();
        for _ in 0..5 {
            ids.push(due_match(&store).await);
            store.log().clock().advance(Duration::from_micros(1));
        }
        for stuck in &ids[..4] {
            let failed = async { Err(StoreError::Damaged("a test".to_owned())) };
            rotation.sweep.attempt(&store, &stuck.to_string(), failed).await.unwrap();
        }
        let mut tried = Vec::new();
        for _ in 0..3 {
            tried.push(close_due(&store, &mut rotation, Judging::Texts, 2).await.unwrap().tried);
        }
        assert_eq!(tried, [0, 0, 1]);
        assert_ne!(store.arena().match_view(ids[4]).await.unwrap().unwrap().phase, "playing");
        assert!(rotation.after.is_none(), "the next look begins at the front");
    }
}
