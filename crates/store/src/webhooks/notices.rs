//! Notices: messages of the server to an owner.

use buildtrack_domain::{
    ids::{NoticeId, OwnerId},
    words,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{
        FromRow, Tx,
        columns::{constcat, parse},
        values,
    },
    webhooks::Webhooks,
};

words! {
    /// The kind of a notice.
    pub enum NoticeKind {
        /// The server has disabled an endpoint.
        WebhookDisabled = "webhook.disabled",
    }
}

/// A notice to be written. It contains no address and no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNotice {
    /// The notice's id.
    pub id: NoticeId,
    /// The recipient.
    pub owner_id: OwnerId,
    /// The kind.
    pub kind: NoticeKind,
    /// The id of the notice's subject.
    pub subject: String,
    /// What happened and what to do, in prose.
    pub detail: String,
}

/// A stored notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeView {
    /// The notice's id.
    pub id: NoticeId,
    /// The kind.
    pub kind: NoticeKind,
    /// The id of the notice's subject.
    pub subject: String,
    /// What happened and what to do, in prose.
    pub detail: String,
    /// When the notice was created.
    pub created_at: DateTime<Utc>,
    /// When the owner first read it; `None` if unread.
    pub read_at: Option<DateTime<Utc>>,
}

/// A filter for an owner's notices. Lists are ordered newest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoticeFilter {
    /// Only unread notices.
    pub unread: bool,
    /// Only notices older than this one.
    pub before: Option<NoticeId>,
    /// The most notices to return.
    pub limit: i64,
}

#[derive(FromRow)]
struct NoticeRow {
    id: String,
    kind: String,
    subject: String,
    detail: String,
    created_at: DateTime<Utc>,
    read_at: Option<DateTime<Utc>>,
}

const NOTICE: &str = "SELECT id, kind, subject, detail, created_at, read_at FROM notices ";

impl NoticeRow {
    fn view(self) -> Result<NoticeView, StoreError> {
        let Self { id, kind, subject, detail, created_at, read_at } = self;
        Ok(NoticeView { id: parse(&id)?, kind: parse(&kind)?, subject, detail, created_at, read_at })
    }
}

pub(crate) async fn write(tx: &mut Tx<'_>, notice: &NewNotice, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO notices (id, owner_id, kind, subject, detail, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        values![
            notice.id.to_string(),
            notice.owner_id.to_string(),
            notice.kind.as_str(),
            &notice.subject,
            &notice.detail,
            now
        ],
    )
    .await?;
    Ok(())
}

/// Marks a notice as read. Keeps the time of the first reading.
pub(crate) async fn read(tx: &mut Tx<'_>, id: NoticeId, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute("UPDATE notices SET read_at = $2 WHERE id = $1 AND read_at IS NULL", values![id.to_string(), now])
        .await?;
    Ok(())
}

#[boxed]
impl Webhooks {
    /// An owner's notices, newest first.
    pub async fn notices(&self, owner_id: OwnerId, filter: NoticeFilter) -> Result<Vec<NoticeView>, StoreError> {
        let rows: Vec<NoticeRow> = self
            .db
            .all(
                &constcat(
                    NOTICE,
                    "WHERE owner_id = $1 AND (read_at IS NULL OR NOT $2) \
                 AND (CAST($3 AS TEXT) IS NULL OR id < $3) ORDER BY id DESC LIMIT $4",
                ),
                values![owner_id.to_string(), filter.unread, filter.before.map(|id| id.to_string()), filter.limit],
            )
            .await?;
        rows.into_iter().map(NoticeRow::view).collect()
    }

    /// One of an owner's notices.
    pub async fn notice(&self, owner_id: OwnerId, id: NoticeId) -> Result<Option<NoticeView>, StoreError> {
        let row: Option<NoticeRow> = self
            .db
            .optional(
                &constcat(NOTICE, "WHERE owner_id = $1 AND id = $2"),
                values![owner_id.to_string(), id.to_string()],
            )
            .await?;
        row.map(NoticeRow::view).transpose()
    }
}
