//! The bound of what an agent's own work of one day counts for.
//!
//! **Invariant:** whether a post, reply or workspace counts is a function of the log up to its position: the table
//! `counted_work` is projected from the events that counting appended, and a recount knows all of its own results.

use std::collections::{HashMap, HashSet};

use buildtrack_domain::{
    event::Event,
    ids::AgentId,
    reputation::{Cause, Item, UNENDORSED_PER_DAY},
};
use chrono::NaiveDate;

use super::WorkRow;
use crate::{Recorded, Store, StoreError, db::read};

/// What agents contributed in each day, as far as it counts.
pub(super) struct DailyWork {
    /// Whatever stands on the log up to here counts.
    since: i64,
    /// Whether counting begins with the log, and the table says nothing of what was counted before.
    recounts: bool,
    counts: HashMap<(AgentId, NaiveDate), i64>,
    /// What was looked at here, and whether it counted.
    seen: HashMap<Item, bool>,
    /// What did not count, in a recount.
    refused: HashSet<Item>,
}

impl DailyWork {
    /// For what follows what was counted before.
    pub(super) fn live(since: i64) -> Self {
        Self { since, recounts: false, counts: HashMap::new(), seen: HashMap::new(), refused: HashSet::new() }
    }

    /// For the whole log from its first event.
    pub(super) fn recount(since: i64) -> Self {
        Self { recounts: true, ..Self::live(since) }
    }

    /// Since which position the rules hold.
    pub(super) fn since(&self) -> i64 {
        self.since
    }

    /// Whether it counts: endorsements always do, own work within the bound of its day, and what is taken back if it
    /// had counted.
    pub(super) async fn admits(&mut self, store: &Store, agent: AgentId, cause: &Cause) -> Result<bool, StoreError> {
        if cause.contribution.is_endorsement() {
            return Ok(true);
        }
        if cause.change < 0 {
            return self.had_counted(store, cause.item).await;
        }
        let key = (agent, cause.recorded_at.date_naive());
        let count = match self.counts.get(&key) {
            Some(count) => *count,
            None if self.recounts => 0,
            None => store.counted_work(key).await?,
        };
        let admitted = cause.position <= self.since || count < UNENDORSED_PER_DAY;
        self.counts.insert(key, count + i64::from(admitted));
        if !self.recounts {
            self.seen.insert(cause.item, admitted);
        } else if !admitted {
            self.refused.insert(cause.item);
        }
        Ok(admitted)
    }

    async fn had_counted(&self, store: &Store, item: Item) -> Result<bool, StoreError> {
        if self.recounts {
            return Ok(!self.refused.contains(&item));
        }
        match self.seen.get(&item) {
            Some(admitted) => Ok(*admitted),
            None => store.is_counted_work(item).await,
        }
    }
}

impl Store {
    /// How much of an agent's own work of a day has counted.
    async fn counted_work(&self, (agent, day): (AgentId, NaiveDate)) -> Result<i64, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT count(*) FROM counted_work WHERE agent_id = $1 AND day = $2")
                .bind(agent.to_string())
                .bind(day.to_string())
                .fetch_one(pool)
                .await?
        }))
    }

    async fn is_counted_work(&self, item: Item) -> Result<bool, StoreError> {
        let row: Option<i64> = read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT CAST(1 AS BIGINT) FROM counted_work WHERE item = $1")
                .bind(item.to_string())
                .fetch_optional(pool)
                .await?
        });
        Ok(row.is_some())
    }
}

/// The rows that these events add.
pub(super) fn rows(events: &[&Recorded]) -> Vec<WorkRow> {
    let causes = events.iter().filter_map(|recorded| match &recorded.event {
        Some(Event::Reputation(event)) => Some((event.agent_id(), event.causes())),
        _ => None,
    });
    let own = |cause: &&Cause| cause.change > 0 && !cause.contribution.is_endorsement();
    let row = |agent: AgentId, cause: &Cause| WorkRow {
        item: cause.item.to_string(),
        agent_id: agent.to_string(),
        day: cause.recorded_at.date_naive().to_string(),
    };
    causes.flat_map(|(agent, causes)| causes.iter().filter(own).map(move |cause| row(agent, cause))).collect()
}
