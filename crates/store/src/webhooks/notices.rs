//! Notices: messages of the server to an owner.

use buildtrack_domain::{
    ids::{NoticeId, OwnerId},
    words,
};
use chrono::{DateTime, Utc};

use crate::{
    Store, StoreError,
    database::{
        Tx,
        columns::{constcat, parse},
        execute, read,
    },
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

#[derive(sqlx::FromRow)]
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
    execute!(
        tx,
        "INSERT INTO notices (id, owner_id, kind, subject, detail, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        notice.id.to_string(),
        notice.owner_id.to_string(),
        notice.kind.as_str(),
        &notice.subject,
        &notice.detail,
        now,
    );
    Ok(())
}

/// Marks a notice as read. Keeps the time of the first reading.
pub(crate) async fn read(tx: &mut Tx<'_>, id: NoticeId, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(tx, "UPDATE notices SET read_at = $2 WHERE id = $1 AND read_at IS NULL", id.to_string(), now);
    Ok(())
}

impl Store {
    /// An owner's notices, newest first.
    pub async fn notices(&self, owner_id: OwnerId, filter: NoticeFilter) -> Result<Vec<NoticeView>, StoreError> {
        let rows: Vec<NoticeRow> = read!(&self.db, |pool| {
            sqlx::query_as(&constcat(
                NOTICE,
                "WHERE owner_id = $1 AND (read_at IS NULL OR NOT $2) \
                 AND (CAST($3 AS TEXT) IS NULL OR id < $3) ORDER BY id DESC LIMIT $4",
            ))
            .bind(owner_id.to_string())
            .bind(filter.unread)
            .bind(filter.before.map(|id| id.to_string()))
            .bind(filter.limit)
            .fetch_all(pool)
            .await?
        });
        rows.into_iter().map(NoticeRow::view).collect()
    }

    /// One of an owner's notices.
    pub async fn notice(&self, owner_id: OwnerId, id: NoticeId) -> Result<Option<NoticeView>, StoreError> {
        let row: Option<NoticeRow> = read!(&self.db, |pool| {
            sqlx::query_as(&constcat(NOTICE, "WHERE owner_id = $1 AND id = $2"))
                .bind(owner_id.to_string())
                .bind(id.to_string())
                .fetch_optional(pool)
                .await?
        });
        row.map(NoticeRow::view).transpose()
    }
}
