//! Read models of owners and agents, and the credentials they log in with.

pub(crate) mod departures;
pub(crate) mod mails;
pub(crate) mod sessions;

pub use departures::{DepartureView, OwnText};
pub use mails::{DueMail, Letter, MailPurpose, MailQueueLevel, MailToken, NewMail, NewMailToken};
pub use sessions::{CachedToken, Scope, Session, SessionView};

use buildtrack_domain::{
    event::Event,
    identity::{AgentErased, AgentEvent, AgentProfile, OwnerDeleted, OwnerEvent},
    ids::{AgentId, OwnerId},
    limits::Tier,
    names::DELETED,
};
use chrono::{DateTime, Utc};

use crate::{
    Store, StoreError,
    database::{
        Listed, ScanLimit, Sort, Texts, Tx,
        columns::{constcat, containing, parse},
        execute, read,
    },
    log::Recorded,
};

/// An owner, as read.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct OwnerView {
    /// The owner's id.
    #[sqlx(try_from = "String")]
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

/// An owner's login and e-mail address.
#[derive(Debug, Clone)]
pub struct Account {
    /// Keyed hash of the address, by which the account is found.
    pub email_hash: String,
    /// The e-mail address.
    pub email: String,
    /// The password's argon2id hash (PHC string).
    pub password_hash: String,
}

/// An agent, as read.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct AgentView {
    /// The agent's id.
    #[sqlx(try_from = "String")]
    pub id: AgentId,
    /// Position of its registration on the log.
    pub position: i64,
    /// Its owner.
    #[sqlx(try_from = "String")]
    pub owner_id: OwnerId,
    /// The public name.
    pub name: String,
    /// The language model.
    pub model: String,
    /// Its description.
    pub description: Option<String>,
    /// Its capabilities, stored as a JSON list of texts.
    #[sqlx(try_from = "String")]
    pub capabilities: Texts,
    /// Its rate limit class.
    #[sqlx(try_from = "String")]
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

impl Store {
    /// One owner.
    pub async fn owner(&self, id: OwnerId) -> Result<Option<OwnerView>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT id, display_name, operator, suspended, deleted, version, created_at FROM owners WHERE id = $1",
            )
            .bind(id.to_string())
            .fetch_optional(pool)
            .await?
        }))
    }

    /// One agent.
    pub async fn agent(&self, id: AgentId) -> Result<Option<AgentView>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&constcat(AGENT, " WHERE id = $1")).bind(id.to_string()).fetch_optional(pool).await?
        }))
    }

    /// A list of agents.
    pub async fn agents(&self, filter: &AgentFilter) -> Result<Listed<AgentView>, StoreError> {
        let owner = filter.owner.map(|owner| owner.to_string());
        let looks = ScanLimit::of(!filter.inactive, filter.text.is_some());
        let within = owner.as_deref().map(|owner| ("owner_id", owner));
        let until = looks.horizon(&self.db, ("agents", Sort::Newest), filter.before, within).await?;
        let rows = read!(&self.db, |pool| {
            sqlx::query_as(&constcat(
                AGENT,
                " WHERE (CAST($1 AS TEXT) IS NULL OR owner_id = $1) AND (CAST($2 AS TEXT) IS NULL OR search LIKE $2 \
                 ESCAPE '\\') AND (active OR $3) AND (CAST($4 AS BIGINT) IS NULL OR position < $4) \
                 AND (CAST($5 AS BIGINT) IS NULL OR position >= $5) ORDER BY position DESC LIMIT $6",
            ))
            .bind(&owner)
            .bind(filter.text.as_deref().map(containing))
            .bind(filter.inactive)
            .bind(filter.before)
            .bind(until)
            .bind(filter.limit)
            .fetch_all(pool)
            .await?
        });
        Ok(Listed { rows, looked_to: until })
    }

    /// The owner with this e-mail address (its keyed hash), with the password's hash.
    pub async fn account(&self, email_hash: &str) -> Result<Option<(OwnerId, String)>, StoreError> {
        let row: Option<(String, String)> = read!(&self.db, |pool| {
            sqlx::query_as("SELECT owner_id, password_hash FROM accounts WHERE email_hash = $1")
                .bind(email_hash)
                .fetch_optional(pool)
                .await?
        });
        row.map(|(owner_id, hash)| Ok((parse(&owner_id)?, hash))).transpose()
    }

    /// An owner's account.
    pub async fn account_of(&self, owner_id: OwnerId) -> Result<Option<Account>, StoreError> {
        let row: Option<(String, String, String)> = read!(&self.db, |pool| {
            sqlx::query_as("SELECT email_hash, email_sealed, password_hash FROM accounts WHERE owner_id = $1")
                .bind(owner_id.to_string())
                .fetch_optional(pool)
                .await?
        });
        let open = |(email_hash, sealed, password_hash): (String, String, String)| {
            Ok(Account { email_hash, email: self.secret().open(&sealed)?, password_hash })
        };
        row.map(open).transpose()
    }

    /// Number of an owner's agents that are not deactivated, and number registered after `since`.
    pub async fn agents_of(&self, owner_id: OwnerId, since: DateTime<Utc>) -> Result<(i64, i64), StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT (SELECT count(*) FROM agents WHERE owner_id = $1 AND NOT deactivated), \
                 (SELECT count(*) FROM agents WHERE owner_id = $1 AND created_at > $2)",
            )
            .bind(owner_id.to_string())
            .bind(since)
            .fetch_one(pool)
            .await?
        }))
    }

    /// The owners who may moderate, in the order of their ids.
    pub async fn operators(&self) -> Result<Vec<OwnerView>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT id, display_name, operator, suspended, deleted, version, created_at FROM owners WHERE operator \
                 ORDER BY id",
            )
            .fetch_all(pool)
            .await?
        }))
    }

    /// The agent with this key (its SHA-256 in hex).
    pub async fn agent_by_key(&self, key_hash: &str) -> Result<Option<AgentId>, StoreError> {
        let row: Option<String> = read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT agent_id FROM credentials WHERE key_hash = $1")
                .bind(key_hash)
                .fetch_optional(pool)
                .await?
        });
        row.map(|agent_id| parse(&agent_id)).transpose()
    }
}

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    for recorded in events {
        match &recorded.event {
            Some(Event::Owner(event)) => project_owner(tx, recorded, event).await?,
            Some(Event::Agent(event)) => project_agent(tx, recorded, event).await?,
            _ => {}
        }
    }
    Ok(())
}

async fn project_owner(tx: &mut Tx<'_>, recorded: &Recorded, event: &OwnerEvent) -> Result<(), StoreError> {
    let (id, version) = (&*recorded.stream, recorded.version);
    match event {
        OwnerEvent::Registered(data) => execute!(
            tx,
            "INSERT INTO owners (id, display_name, operator, version, created_at) VALUES ($1, $2, $3, $4, $5)",
            id,
            &data.display_name,
            false,
            version,
            recorded.recorded_at,
        ),
        OwnerEvent::Renamed(data) => execute!(
            tx,
            "UPDATE owners SET display_name = $2, version = $3 WHERE id = $1",
            id,
            &data.display_name,
            version,
        ),
        OwnerEvent::OperatorGranted(_) => {
            execute!(tx, "UPDATE owners SET operator = $2, version = $3 WHERE id = $1", id, true, version)
        }
        OwnerEvent::OperatorRevoked(_) => {
            execute!(tx, "UPDATE owners SET operator = $2, version = $3 WHERE id = $1", id, false, version)
        }
        OwnerEvent::PasswordReset(_)
        | OwnerEvent::AgentLimitSet(_)
        | OwnerEvent::PasswordChanged(_)
        | OwnerEvent::EmailChanged(_)
        | OwnerEvent::SessionsEnded(_) => {
            execute!(tx, "UPDATE owners SET version = $2 WHERE id = $1", id, version)
        }
        OwnerEvent::Deleted(data) => delete_owner(tx, recorded, data).await?,
        OwnerEvent::Suspended(_) => set_owner_suspended(tx, (id, version), true).await?,
        OwnerEvent::Reinstated(_) => set_owner_suspended(tx, (id, version), false).await?,
    };
    Ok(())
}

async fn project_agent(tx: &mut Tx<'_>, recorded: &Recorded, event: &AgentEvent) -> Result<(), StoreError> {
    let (id, version) = (&*recorded.stream, recorded.version);
    match event {
        AgentEvent::Registered(data) => execute!(
            tx,
            "INSERT INTO agents (id, position, owner_id, name, model, description, capabilities, tier, active, search, \
             version, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            id,
            recorded.position,
            data.owner_id.to_string(),
            &data.profile.name,
            &data.profile.model,
            &data.profile.description,
            serde_json::to_string(&data.profile.capabilities).unwrap_or_default(),
            Tier::default().as_str(),
            true,
            search(&data.profile),
            version,
            recorded.recorded_at,
        ),
        AgentEvent::Edited(data) => execute!(
            tx,
            "UPDATE agents SET name = $2, model = $3, description = $4, capabilities = $5, search = $6, version = $7 \
             WHERE id = $1",
            id,
            &data.profile.name,
            &data.profile.model,
            &data.profile.description,
            serde_json::to_string(&data.profile.capabilities).unwrap_or_default(),
            search(&data.profile),
            version,
        ),
        AgentEvent::KeyRotated(_) | AgentEvent::SessionsEnded(_) => {
            execute!(tx, "UPDATE agents SET version = $2 WHERE id = $1", id, version)
        }
        AgentEvent::TierSet(data) => {
            execute!(tx, "UPDATE agents SET tier = $2, version = $3 WHERE id = $1", id, data.tier.as_str(), version)
        }
        AgentEvent::Erased(data) => erase_agent(tx, recorded, data).await?,
        AgentEvent::Deactivated(_) => {
            let statement = "UPDATE agents SET deactivated = $2, active = NOT $2, version = $3 WHERE id = $1";
            execute!(tx, statement, id, true, version)
        }
        AgentEvent::Suspended(data) => set_suspended(tx, (id, version), data.with_owner, true).await?,
        AgentEvent::Reinstated(data) => set_suspended(tx, (id, version), data.with_owner, false).await?,
    };
    Ok(())
}

/// Inserts the owner in a rebuild, where redacted events have inserted no row; otherwise updates it.
async fn delete_owner(tx: &mut Tx<'_>, recorded: &Recorded, data: &OwnerDeleted) -> Result<u64, StoreError> {
    let id = &*recorded.stream;
    execute!(
        tx,
        "INSERT INTO owners (id, display_name, operator, suspended, deleted, version, created_at) \
         VALUES ($1, $2, $3, $3, $4, $5, $6) ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name, \
         operator = excluded.operator, suspended = excluded.suspended, deleted = excluded.deleted, \
         version = excluded.version",
        id,
        DELETED,
        false,
        true,
        recorded.version,
        data.created_at,
    );
    let agents = "UPDATE agents SET name = $2, model = $2, description = NULL, capabilities = '[]', search = '', \
                  active = $3, deactivated = $4, owner_suspended = $3 WHERE owner_id = $1";
    Ok(execute!(tx, agents, id, DELETED, false, true))
}

async fn erase_agent(tx: &mut Tx<'_>, recorded: &Recorded, data: &AgentErased) -> Result<u64, StoreError> {
    Ok(execute!(
        tx,
        "INSERT INTO agents (id, position, owner_id, name, model, capabilities, tier, active, suspended, owner_suspended, \
         deactivated, erased, search, version, created_at) \
         VALUES ($1, $2, $3, $4, $4, '[]', $5, $6, $6, $6, $7, $7, '', $8, $9) ON CONFLICT (id) DO UPDATE SET \
         name = excluded.name, model = excluded.model, description = NULL, capabilities = excluded.capabilities, \
         tier = excluded.tier, active = excluded.active, suspended = excluded.suspended, \
         owner_suspended = excluded.owner_suspended, deactivated = excluded.deactivated, erased = excluded.erased, \
         search = excluded.search, version = excluded.version",
        &*recorded.stream,
        data.position,
        data.owner_id.to_string(),
        DELETED,
        Tier::default().as_str(),
        false,
        true,
        recorded.version,
        data.created_at,
    ))
}

/// Suspends or reinstates an owner together with all of the owner's agents.
async fn set_owner_suspended(tx: &mut Tx<'_>, (id, version): (&str, i64), suspended: bool) -> Result<u64, StoreError> {
    execute!(tx, "UPDATE owners SET suspended = $2, version = $3 WHERE id = $1", id, suspended, version);
    let agents =
        "UPDATE agents SET owner_suspended = $2, active = NOT ($2 OR suspended OR deactivated) WHERE owner_id = $1";
    Ok(execute!(tx, agents, id, suspended))
}

/// Suspends or reinstates an agent. It is active while no reason for a suspension is left.
async fn set_suspended(
    tx: &mut Tx<'_>,
    (id, version): (&str, i64),
    with_owner: bool,
    suspended: bool,
) -> Result<u64, StoreError> {
    let statement = if with_owner {
        "UPDATE agents SET owner_suspended = $2, active = NOT ($2 OR suspended OR deactivated), version = $3 WHERE id = $1"
    } else {
        "UPDATE agents SET suspended = $2, active = NOT ($2 OR owner_suspended OR deactivated), version = $3 WHERE id = $1"
    };
    Ok(execute!(tx, statement, id, suspended, version))
}

fn search(profile: &AgentProfile) -> String {
    let description = profile.description.as_deref().unwrap_or_default();
    format!("{}\n{}\n{}\n{}", profile.name, profile.model, description, profile.capabilities.join("\n")).to_lowercase()
}
