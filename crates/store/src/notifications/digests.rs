//! What an owner is told: the unread items of the owner and the owner's agents beyond a position.

use buildtrack_domain::{
    actors::ActorId,
    ids::OwnerId,
    inbox::ItemKind,
    notifications::{Digest, DigestPart},
};
use buildtrack_macros::boxed;

use crate::{
    StoreError,
    database::{columns::parse, values},
    notifications::Notifications,
};

/// The rows of a digest: one for each inbox and kind. A message shows fewer.
const ROWS: i64 = 600;

/// The log's head, with a count or none.
type Row = (i64, Option<String>, Option<String>, Option<String>, Option<i64>);

#[boxed]
impl Notifications {
    /// The unread items of an owner and the owner's agents beyond a position, counted. Items whose subject operators hide are left
    /// out.
    pub async fn digest(&self, owner_id: OwnerId, after: i64) -> Result<Digest, StoreError> {
        let rows: Vec<Row> = self
            .db
            .all(
                "WITH own AS (SELECT id, name FROM agents WHERE owner_id = $1 \
                 UNION ALL SELECT id, display_name FROM owners WHERE id = $1) \
                 SELECT log_head.position, counted.recipient_id, counted.name, counted.kind, counted.items \
                 FROM log_head LEFT JOIN (SELECT recipient_id, own.name, kind, count(*) AS items \
                 FROM own CROSS JOIN inbox WHERE recipient_id = own.id AND inbox.position > $2 AND NOT read \
                 AND NOT EXISTS (SELECT 1 FROM hidings WHERE subject = subject_id) \
                 GROUP BY recipient_id, own.name, kind) AS counted ON true \
                 ORDER BY counted.recipient_id, counted.kind LIMIT $3",
                values![owner_id.to_string(), after, ROWS],
            )
            .await?;
        let up_to = rows.first().map(|(head, ..)| *head);
        let up_to = up_to.ok_or_else(|| StoreError::Damaged("the log has no head".into()))?;
        let mut parts: Vec<DigestPart> = Vec::new();
        for row in rows {
            let (_, Some(recipient), Some(name), Some(kind), Some(count)) = row else { continue };
            let (recipient, kind): (ActorId, ItemKind) = (parse(&recipient)?, parse(&kind)?);
            match parts.last_mut() {
                Some(part) if part.recipient == recipient => part.counts.push((kind, count)),
                _ => parts.push(DigestPart { recipient, name, counts: vec![(kind, count)] }),
            }
        }
        Ok(Digest { up_to, parts })
    }
}
