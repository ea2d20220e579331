//! The names of deleted accounts, which leave every event that is read from the log.

use std::collections::{BTreeSet, HashSet};

use buildtrack_domain::names::{named, without_names};
use serde_json::json;

use super::{Log, LoggedEvent};
use crate::{StoreError, database::values};

impl Log {
    /// The ids among these that belong to deleted accounts.
    pub(crate) async fn deleted_among(&self, ids: BTreeSet<String>) -> Result<HashSet<String>, StoreError> {
        if ids.is_empty() {
            return Ok(HashSet::new());
        }
        let listed = self.db.dialect().listed(1);
        let statement = format!("SELECT actor_id FROM erasures WHERE actor_id IN (SELECT value FROM {listed})");
        let gone: Vec<String> = self.db.all(&statement, values![json!(ids).to_string()]).await?;
        Ok(gone.into_iter().collect())
    }

    /// The ids of deleted accounts whose names occur in these events.
    pub(crate) async fn deleted_named_in(&self, events: &[LoggedEvent]) -> Result<HashSet<String>, StoreError> {
        self.deleted_among(events.iter().flat_map(named_in).collect()).await
    }

    /// The events, with `deleted` in place of every name of a deleted account.
    pub(crate) async fn without_deleted_names(
        &self,
        mut events: Vec<LoggedEvent>,
    ) -> Result<Vec<LoggedEvent>, StoreError> {
        let gone = self.deleted_named_in(&events).await?;
        if !gone.is_empty() {
            for event in &mut events {
                if !names_any(event, &gone) {
                    continue;
                }
                event.data =
                    event.data.as_deref().map(|data| without_names(&event.event_type, data, |id| gone.contains(id)));
                // The data no longer match the data hash, so the salt is of no use.
                event.salt = None;
            }
        }
        Ok(events)
    }
}

/// Whether the data of an event hold the name of one of these actors.
pub(crate) fn names_any(event: &LoggedEvent, gone: &HashSet<String>) -> bool {
    !gone.is_empty() && named_in(event).iter().any(|id| gone.contains(id))
}

fn named_in(event: &LoggedEvent) -> BTreeSet<String> {
    event.data.as_deref().map(|data| named(&event.event_type, data)).unwrap_or_default()
}
