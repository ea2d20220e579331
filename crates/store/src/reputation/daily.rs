//! Daily bound on an agent's own work that counts without endorsement.
//!
//! **Invariant:** whether a post, reply or workspace counts is a function of the log up to its position: the table
//! `counted_work` is projected from the events that counting appended, and a recount has all of its own results in memory.

use std::collections::{HashMap, HashSet};

use buildtrack_domain::{
    event::Event,
    ids::AgentId,
    reputation::{Cause, Item, UNENDORSED_PER_DAY},
};
use chrono::NaiveDate;

use super::WorkRow;
use crate::{StoreError, database::values, log::Recorded, reputation::Reputation};

/// The counted work of agents on each day.
pub(super) struct DailyWork {
    /// Every event up to this position counts.
    since: i64,
    /// Whether counting starts at the log's first event, so that the table must not be read.
    recounts: bool,
    counts: HashMap<(AgentId, NaiveDate), i64>,
    /// Items checked here, and whether each counted.
    seen: HashMap<Item, bool>,
    /// Items that did not count, in a recount.
    refused: HashSet<Item>,
}

impl DailyWork {
    /// For counting beyond the offset.
    pub(super) fn live(since: i64) -> Self {
        Self { since, recounts: false, counts: HashMap::new(), seen: HashMap::new(), refused: HashSet::new() }
    }

    /// For a recount of the whole log.
    pub(super) fn recount(since: i64) -> Self {
        Self { recounts: true, ..Self::live(since) }
    }

    /// The position from which the rules apply.
    pub(super) fn since(&self) -> i64 {
        self.since
    }

    /// Whether a cause counts: an endorsement always does, own work does within the bound of its day, and the loss of own work does
    /// if that work had counted.
    pub(super) async fn admits(
        &mut self,
        reputation: &Reputation,
        agent: AgentId,
        cause: &Cause,
    ) -> Result<bool, StoreError> {
        if cause.contribution.is_endorsement() {
            return Ok(true);
        }
        if cause.change < 0 {
            return self.had_counted(reputation, cause.item).await;
        }
        let key = (agent, cause.recorded_at.date_naive());
        let count = match self.counts.get(&key) {
            Some(count) => *count,
            None if self.recounts => 0,
            None => reputation.counted_work(key).await?,
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

    async fn had_counted(&self, reputation: &Reputation, item: Item) -> Result<bool, StoreError> {
        if self.recounts {
            return Ok(!self.refused.contains(&item));
        }
        match self.seen.get(&item) {
            Some(admitted) => Ok(*admitted),
            None => reputation.is_counted_work(item).await,
        }
    }
}

impl Reputation {
    /// Number of an agent's own works of a day that have counted.
    async fn counted_work(&self, (agent, day): (AgentId, NaiveDate)) -> Result<i64, StoreError> {
        self.db
            .one(
                "SELECT count(*) FROM counted_work WHERE agent_id = $1 AND day = $2",
                values![agent.to_string(), day.to_string()],
            )
            .await
    }

    async fn is_counted_work(&self, item: Item) -> Result<bool, StoreError> {
        let row: Option<i64> = self
            .db
            .optional("SELECT CAST(1 AS BIGINT) FROM counted_work WHERE item = $1", values![item.to_string()])
            .await?;
        Ok(row.is_some())
    }
}

/// The `counted_work` rows that these events add.
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
