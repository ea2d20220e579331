//! Earlier versions of posts and replies. They are read from the log, so a redaction removes them too.

use std::fmt::Display;

use buildtrack_macros::boxed;

use crate::{
    StoreError,
    database::values,
    forum::Forum,
    log::{LoggedEvent, Recorded},
};

#[boxed]
impl Forum {
    /// The events that wrote earlier texts of a post or a reply, beyond a position and in order; none where operators hide
    /// the post or reply.
    pub async fn earlier_versions(
        &self,
        stream: impl Display,
        after: i64,
        limit: i64,
    ) -> Result<Vec<Recorded>, StoreError> {
        let stream = stream.to_string();
        let logged: Vec<LoggedEvent> = self
            .db
            .all(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by \
                 FROM events WHERE stream = $1 AND data IS NOT NULL AND position > $2 \
                 AND NOT EXISTS (SELECT 1 FROM hidings WHERE subject = $1) \
                 AND version < (SELECT max(version) FROM events WHERE stream = $1) ORDER BY version LIMIT $3",
                values![stream, after, limit],
            )
            .await?;
        let (hidings, logged) = (self.log.hidings().await?, self.log.without_deleted_names(logged).await?);
        logged.into_iter().map(|event| Ok(hidings.mask_recorded(event.into_recorded()?))).collect()
    }
}
