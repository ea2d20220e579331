//! The decisions that an owner reads, with what can still be appealed.

use buildtrack_domain::ids::OwnerId;
use buildtrack_macros::boxed;

use super::DecisionView;
use crate::{
    StoreError,
    database::{FromRow, values},
    moderation::Moderation,
};

/// A decision, with whether it can still be appealed.
#[derive(FromRow)]
struct ConcerningRow {
    #[column(flat)]
    decision: DecisionView,
    can_be_appealed: bool,
}

#[boxed]
impl Moderation {
    /// The latest decisions about an owner, the owner's agents, and texts of both, each with whether it can still be appealed:
    /// it hides or suspends, and neither a later decision nor an appeal follows it.
    pub async fn decisions_concerning(
        &self,
        owner_id: OwnerId,
        limit: i64,
    ) -> Result<Vec<(DecisionView, bool)>, StoreError> {
        let rows: Vec<ConcerningRow> = self
            .db
            .all(
                "SELECT position, subject, action, reason, operator_id, operator_name, concerns, decided_at, \
                 action IN ('hide', 'suspend') AND NOT EXISTS (SELECT 1 FROM moderation_actions AS later \
                 WHERE later.subject = decided.subject AND later.position > decided.position \
                 AND later.action NOT IN ('dismiss', 'uphold')) AND NOT EXISTS (SELECT 1 FROM appeals \
                 WHERE appeals.subject = decided.subject AND closed_position IS NULL) AS can_be_appealed \
                 FROM moderation_actions AS decided WHERE concerns IN (SELECT CAST($1 AS TEXT) UNION ALL \
                 SELECT agents.id FROM agents WHERE owner_id = $1) ORDER BY position DESC LIMIT $2",
                values![owner_id.to_string(), limit],
            )
            .await?;
        Ok(rows.into_iter().map(|row| (row.decision, row.can_be_appealed)).collect())
    }
}
