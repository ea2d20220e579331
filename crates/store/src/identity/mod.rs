//! Read models of owners and agents, and the credentials they log in with.

mod accounts;
mod activity;
mod consents;
pub(crate) mod departures;
mod keys;
mod limit_requests;
mod mails;
pub(crate) mod origins;
mod owners;
mod projection;
mod rights;
mod session_origins;
pub(crate) mod sessions;
mod side_tables;

pub use accounts::Account;
pub use activity::RecentText;
pub use consents::{CONSENTS_MAX, ConsentChange, ConsentExchange, ConsentView, NewConsent};
pub use departures::{DepartureView, OwnText};
pub use keys::{Credential, KeyView, NewAgentKey};
use limit_requests::rewrite_text;
pub use limit_requests::{LimitRequestFilter, LimitRequestView};
pub use mails::{DueMail, Mail, MailPurpose, MailToken, NewMail, NewMailToken, mails_cap, mails_to_address_cap};
pub use origins::{Making, NewOrigin, OriginView, PRIMARY_KEY};
pub use owners::{ListedOwners, OwnerFilter};
pub use session_origins::OpenedSession;
pub use sessions::{CachedToken, Scope, Session, SessionView};

use buildtrack_domain::{
    ids::{AgentId, OwnerId},
    limits::Tier,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;

use self::sessions::Sessions;
use crate::{
    StoreError,
    clock::Clock,
    database::{
        Db, FromRow, Listed, ScanLimit, Sort, Texts,
        columns::{constcat, containing},
        values,
    },
    log::{
        Cap, Log,
        context::{Context, ReadTable},
    },
};

use projection::project;
pub use side_tables::Change;
use side_tables::{has_expired, prune};

/// The read tables of this context.
const READ_TABLES: &[ReadTable] = &[
    ReadTable::new("owners", "id", &[]),
    ReadTable::new("agents", "id", &[]),
    ReadTable::new("limit_requests", "position", &[]),
];

/// What the context declares to the log.
pub(crate) const CONTEXT: Context = Context {
    read_tables: READ_TABLES,
    project: |tx, events, _| project(tx, events).boxed(),
    rewrite_text: |tx, text| rewrite_text(tx, text).boxed(),
    prune: |tx, expiry, now| prune(tx, expiry, now).boxed(),
    has_expired: |db, expiry, now| has_expired(db, expiry, now).boxed(),
    ..Context::EMPTY
};

/// Owners, agents, and the credentials they log in with. Cheap to clone.
#[derive(Clone)]
pub struct Identity {
    db: Db,
    clock: Clock,
    log: Log,
    sessions: Sessions,
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Identity").finish_non_exhaustive()
    }
}

impl Identity {
    pub(crate) fn new(log: &Log) -> Self {
        Self {
            db: log.db.clone(),
            clock: log.clock.clone(),
            log: log.clone(),
            sessions: Sessions::new(log.changes.clone()),
        }
    }
}

/// An owner, as read.
#[derive(Debug, Clone, FromRow)]
pub struct OwnerView {
    /// The owner's id.
    #[column(from = String)]
    pub id: OwnerId,
    /// The public name.
    pub display_name: String,
    /// Whether the owner may moderate.
    pub operator: bool,
    /// Whether operators have suspended the owner.
    pub suspended: bool,
    /// Whether the account is deleted.
    pub deleted: bool,
    /// The stream's version.
    pub version: i64,
    /// When the account was opened.
    pub created_at: DateTime<Utc>,
}

/// An agent, as read.
#[derive(Debug, Clone, FromRow)]
pub struct AgentView {
    /// The agent's id.
    #[column(from = String)]
    pub id: AgentId,
    /// Position of its registration on the log.
    pub position: i64,
    /// Its owner.
    #[column(from = String)]
    pub owner_id: OwnerId,
    /// The public name.
    pub name: String,
    /// The language model.
    pub model: String,
    /// Its description.
    pub description: Option<String>,
    /// Its capabilities, stored as a JSON list of texts.
    #[column(from = String)]
    pub capabilities: Texts,
    /// Its rate limit class.
    #[column(from = String)]
    pub tier: Tier,
    /// False once the agent is deactivated, and while operators suspend it or its owner.
    pub active: bool,
    /// Whether operators have suspended it.
    pub suspended: bool,
    /// Whether operators have suspended its owner.
    pub owner_suspended: bool,
    /// The stream's version.
    pub version: i64,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
}

/// Filters of an agent list; newest first.
#[derive(Debug, Clone, Default)]
pub struct AgentFilter {
    /// Only agents of this owner.
    pub owner: Option<OwnerId>,
    /// Only agents with this text in name, model, description or capabilities; case does not matter.
    pub text: Option<String>,
    /// Whether inactive agents are listed too.
    pub inactive: bool,
    /// Only agents registered before this position.
    pub before: Option<i64>,
    /// Maximum number of rows.
    pub limit: i64,
}

const AGENT: &str = "SELECT id, position, owner_id, name, model, description, capabilities, tier, active, suspended, owner_suspended, \
                     version, created_at FROM agents";

/// The maximum number of an owner's agents that are not deactivated, for the commit that registers one.
pub fn agents_cap(owner_id: OwnerId, most: u32) -> Cap {
    let count = "SELECT count(*) FROM agents WHERE owner_id = $1 AND NOT deactivated";
    Cap::of(count, owner_id, most.into())
}

/// The maximum number of agents that an owner has registered after a time, for the commit that registers one.
pub fn registrations_cap(owner_id: OwnerId, since: DateTime<Utc>, most: u32) -> Cap {
    let count = "SELECT count(*) FROM agents WHERE owner_id = $1 AND created_at > $2";
    Cap::of(count, owner_id, most.into()).since(since)
}

#[boxed]
impl Identity {
    /// One owner.
    pub async fn owner(&self, id: OwnerId) -> Result<Option<OwnerView>, StoreError> {
        self.db
            .optional(
                "SELECT id, display_name, operator, suspended, deleted, version, created_at FROM owners WHERE id = $1",
                values![id.to_string()],
            )
            .await
    }

    /// One agent.
    pub async fn agent(&self, id: AgentId) -> Result<Option<AgentView>, StoreError> {
        self.db.optional(&constcat(AGENT, " WHERE id = $1"), values![id.to_string()]).await
    }

    /// A list of agents.
    pub async fn agents(&self, filter: &AgentFilter) -> Result<Listed<AgentView>, StoreError> {
        let owner = filter.owner.map(|owner| owner.to_string());
        let scan_limit = ScanLimit::of(!filter.inactive, filter.text.is_some());
        let within = owner.as_deref().map(|owner| ("owner_id", owner));
        let until = scan_limit.last_scanned(&self.db, ("agents", Sort::Newest), filter.before, within).await?;
        let rows = self
            .db
            .all(
                &constcat(
                    AGENT,
                    " WHERE (CAST($1 AS TEXT) IS NULL OR owner_id = $1) AND (CAST($2 AS TEXT) IS NULL OR search LIKE $2 \
                     ESCAPE '\\') AND (active OR $3) AND (CAST($4 AS BIGINT) IS NULL OR position < $4) \
                     AND (CAST($5 AS BIGINT) IS NULL OR position >= $5) ORDER BY position DESC LIMIT $6",
                ),
                values![
                    &owner,
                    filter.text.as_deref().map(containing),
                    filter.inactive,
                    filter.before,
                    until,
                    filter.limit,
                ],
            )
            .await?;
        Ok(Listed { rows, scanned_to: until })
    }

    /// Number of an owner's agents that are not deactivated, and number registered after `since`.
    pub async fn agents_of(&self, owner_id: OwnerId, since: DateTime<Utc>) -> Result<(i64, i64), StoreError> {
        self.db
            .one(
                "SELECT (SELECT count(*) FROM agents WHERE owner_id = $1 AND NOT deactivated), \
                 (SELECT count(*) FROM agents WHERE owner_id = $1 AND created_at > $2)",
                values![owner_id.to_string(), since],
            )
            .await
    }

    /// The owners who may moderate, in the order of their ids.
    pub async fn operators(&self) -> Result<Vec<OwnerView>, StoreError> {
        self.db
            .all(
                "SELECT id, display_name, operator, suspended, deleted, version, created_at FROM owners WHERE operator \
                 ORDER BY id",
                &[],
            )
            .await
    }
}
