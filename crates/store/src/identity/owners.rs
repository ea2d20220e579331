//! Lists of owners, for operators.

use std::sync::Arc;

use buildtrack_domain::{identity::Owner, ids::OwnerId};
use buildtrack_macros::boxed;

use super::OwnerView;
use crate::{
    StoreError,
    database::{
        columns::{containing, parse},
        values,
    },
    identity::Identity,
};

/// The most owners that one request searches for a name.
const SCANNED: i64 = 5000;

/// Filters of a list of owners; newest first.
#[derive(Debug, Clone, Default)]
pub struct OwnerFilter {
    /// Only owners with this text in their name; case does not matter.
    pub text: Option<String>,
    /// Only owners whose id is lower, who are older.
    pub before: Option<OwnerId>,
    /// Maximum number of rows.
    pub limit: i64,
}

/// A page of a list of owners.
#[derive(Debug, Clone)]
pub struct ListedOwners {
    /// The matching owners.
    pub rows: Vec<OwnerView>,
    /// The owner after whom the next page begins, if the search stopped before the end.
    pub scanned_to: Option<OwnerId>,
}

#[boxed]
impl Identity {
    /// A list of owners.
    pub async fn owners(&self, filter: &OwnerFilter) -> Result<ListedOwners, StoreError> {
        let last = format!("{}_{}", OwnerId::PREFIX, "z".repeat(26));
        let before = filter.before.map_or(last, |id| id.to_string());
        let until = match &filter.text {
            Some(_) => self.last_searched(&before).await?,
            None => None,
        };
        let rows = self
            .db
            .all(
                "SELECT id, display_name, operator, suspended, deleted, version, created_at FROM owners \
                 WHERE id < $1 AND id >= $2 AND (CAST($3 AS TEXT) IS NULL OR lower(display_name) LIKE $3 ESCAPE '\\') \
                 ORDER BY id DESC LIMIT $4",
                values![
                    &before,
                    until.as_deref().unwrap_or_default(),
                    filter.text.as_deref().map(containing),
                    filter.limit
                ],
            )
            .await?;
        Ok(ListedOwners { rows, scanned_to: until.as_deref().map(parse).transpose()? })
    }

    /// The maximum number of active agents of an owner, if operators set one.
    pub async fn agent_limit(&self, owner_id: OwnerId) -> Result<Option<u32>, StoreError> {
        let stream: Arc<str> = owner_id.to_string().into();
        Ok(self.log.state::<Owner>(&stream, true).await?.state.agent_limit)
    }

    /// The last owner that a search after `before` reads; `None` if it reaches the end.
    async fn last_searched(&self, before: &str) -> Result<Option<String>, StoreError> {
        self.db
            .optional(
                "SELECT id FROM owners WHERE id < $1 ORDER BY id DESC LIMIT 1 OFFSET $2",
                values![before, SCANNED - 1],
            )
            .await
    }
}
