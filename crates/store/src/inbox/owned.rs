//! The inboxes of an owner and the owner's agents, side by side.

use buildtrack_domain::{actors::ActorId, ids::OwnerId};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::{ItemView, SHOWN, stored_item};
use crate::{
    StoreError,
    database::{FromRow, columns::parse, values},
    inbox::Inbox,
};

/// One of several inboxes, with its latest unread items.
#[derive(Debug, Clone)]
pub struct OwnedInbox {
    /// The owner, or an agent of the owner.
    pub recipient: ActorId,
    /// Its name.
    pub name: String,
    /// Whether it can act, and acknowledge items itself.
    pub active: bool,
    /// Number of unread items of all kinds.
    pub unread: i64,
    /// The latest unread items, the latest first.
    pub items: Vec<ItemView>,
}

/// An inbox, with an item or none.
#[derive(FromRow)]
struct Row {
    recipient_id: String,
    name: String,
    active: bool,
    unread: i64,
    position: Option<i64>,
    kind: Option<String>,
    #[column(name = "type")]
    event_type: Option<String>,
    data: Option<String>,
    recorded_at: Option<DateTime<Utc>>,
}

#[boxed]
impl Inbox {
    /// Inboxes of an owner and the owner's agents, each with up to `items` unread items. The inbox with the latest unread item comes
    /// first, and those without one come last; `skipped` of them are left out.
    pub async fn owned_inboxes(
        &self,
        owner_id: OwnerId,
        (skipped, limit): (i64, i64),
        items: i64,
    ) -> Result<Vec<OwnedInbox>, StoreError> {
        let statement = format!(
            "WITH own AS (SELECT id, name, active FROM agents WHERE owner_id = $1 \
             UNION ALL SELECT id, display_name, true FROM owners WHERE id = $1), \
             counted AS (SELECT own.id, own.name, own.active, \
             (SELECT count(*) FROM inbox WHERE recipient_id = own.id AND NOT read {SHOWN}) AS unread, \
             (SELECT max(position) FROM inbox WHERE recipient_id = own.id AND NOT read {SHOWN}) AS latest FROM own), \
             listed AS (SELECT id, name, active, unread, latest FROM counted ORDER BY latest IS NULL, latest DESC, id LIMIT $3 OFFSET $2) \
             SELECT listed.id AS recipient_id, listed.name, listed.active, listed.unread, found.position, found.kind, events.type, events.data, \
             events.recorded_at FROM listed LEFT JOIN (SELECT recipient_id, position, kind, \
             row_number() OVER (PARTITION BY recipient_id ORDER BY position DESC) AS place FROM inbox \
             WHERE recipient_id IN (SELECT id FROM listed) AND NOT read {SHOWN}) AS found \
             ON found.recipient_id = listed.id AND found.place <= $4 LEFT JOIN events ON events.position = found.position \
             ORDER BY listed.latest IS NULL, listed.latest DESC, listed.id, found.position DESC"
        );
        let rows: Vec<Row> = self.db.all(&statement, values![owner_id.to_string(), skipped, limit, items]).await?;
        let mut inboxes: Vec<OwnedInbox> = Vec::new();
        for row in rows {
            let Row { recipient_id, name, active, unread, position, kind, event_type, data, recorded_at } = row;
            let recipient = parse(&recipient_id)?;
            if inboxes.last().is_none_or(|inbox| inbox.recipient != recipient) {
                inboxes.push(OwnedInbox { recipient, name, active, unread, items: vec![] });
            }
            if let (Some(inbox), Some(position), Some(kind), Some(event_type), Some(recorded_at)) =
                (inboxes.last_mut(), position, kind, event_type, recorded_at)
            {
                inbox.items.push(stored_item((position, &kind, false), (&event_type, data), recorded_at)?);
            }
        }
        Ok(inboxes)
    }
}
