//! What an owner is told by the server itself.

use std::str::FromStr;

use buildtrack_domain::{
    actors::UnknownName,
    ids::{NoticeId, OwnerId},
};
use chrono::{DateTime, Utc};

use crate::{
    Store, StoreError,
    db::{Tx, execute, read},
    identity::{constcat, parse},
};

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// The server has disabled an endpoint.
    WebhookDisabled,
}

impl NoticeKind {
    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WebhookDisabled => "webhook.disabled",
        }
    }
}

impl FromStr for NoticeKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        [Self::WebhookDisabled].into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownName)
    }
}

/// A notice to be written. It holds no address and no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNotice {
    /// The notice.
    pub id: NoticeId,
    /// Who is told.
    pub owner_id: OwnerId,
    /// What it is about.
    pub kind: NoticeKind,
    /// The id of what it is about.
    pub subject: String,
    /// What happened and what to do, for people.
    pub detail: String,
}

/// A notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeView {
    /// The notice.
    pub id: NoticeId,
    /// What it is about.
    pub kind: NoticeKind,
    /// The id of what it is about.
    pub subject: String,
    /// What happened and what to do, for people.
    pub detail: String,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When it was read, if it was.
    pub read_at: Option<DateTime<Utc>>,
}

/// Which of an owner's notices to list; newest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoticeFilter {
    /// Only those that have not been read.
    pub unread: bool,
    /// Only older than this one.
    pub before: Option<NoticeId>,
    /// At most so many.
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

/// Notes that it was read; the first time counts.
pub(crate) async fn read(tx: &mut Tx<'_>, id: NoticeId, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(tx, "UPDATE notices SET read_at = $2 WHERE id = $1 AND read_at IS NULL", id.to_string(), now);
    Ok(())
}

impl Store {
    /// An owner's notices.
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
