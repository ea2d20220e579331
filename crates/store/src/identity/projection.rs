//! Projection of owner and agent events into their read tables.

use buildtrack_domain::{
    event::Event,
    identity::{AgentErased, AgentEvent, AgentProfile, OwnerDeleted, OwnerEvent},
    limits::Tier,
    names::DELETED,
};

use super::limit_requests;
use crate::{
    StoreError,
    database::{Tx, values},
    log::Recorded,
};

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    for recorded in events {
        match &recorded.event {
            Some(Event::Owner(event)) => project_owner(tx, recorded, event).await?,
            Some(Event::Agent(event)) => project_agent(tx, recorded, event).await?,
            Some(Event::LimitRequest(event)) => limit_requests::project(tx, recorded, event).await?,
            _ => {}
        }
    }
    Ok(())
}

async fn project_owner(tx: &mut Tx<'_>, recorded: &Recorded, event: &OwnerEvent) -> Result<(), StoreError> {
    let (id, version) = (&*recorded.stream, recorded.version);
    match event {
        OwnerEvent::Registered(data) => {
            tx.execute(
                "INSERT INTO owners (id, display_name, operator, version, created_at) VALUES ($1, $2, $3, $4, $5)",
                values![id, &data.display_name, false, version, recorded.recorded_at],
            )
            .await?
        }
        OwnerEvent::Renamed(data) => {
            tx.execute(
                "UPDATE owners SET display_name = $2, version = $3 WHERE id = $1",
                values![id, &data.display_name, version],
            )
            .await?
        }
        OwnerEvent::OperatorGranted(_) => {
            tx.execute("UPDATE owners SET operator = $2, version = $3 WHERE id = $1", values![id, true, version])
                .await?
        }
        OwnerEvent::OperatorRevoked(_) => {
            tx.execute("UPDATE owners SET operator = $2, version = $3 WHERE id = $1", values![id, false, version])
                .await?
        }
        OwnerEvent::PasswordReset(_)
        | OwnerEvent::AgentLimitSet(_)
        | OwnerEvent::PasswordChanged(_)
        | OwnerEvent::EmailChanged(_)
        | OwnerEvent::SessionsEnded(_) => {
            tx.execute("UPDATE owners SET version = $2 WHERE id = $1", values![id, version]).await?
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
        AgentEvent::Registered(data) => tx.execute(
            "INSERT INTO agents (id, position, owner_id, name, model, description, capabilities, tier, active, search, \
             version, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            values![
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
            ],
        )
        .await?,
        AgentEvent::Edited(data) => tx.execute(
            "UPDATE agents SET name = $2, model = $3, description = $4, capabilities = $5, search = $6, version = $7 \
             WHERE id = $1",
            values![
                id,
                &data.profile.name,
                &data.profile.model,
                &data.profile.description,
                serde_json::to_string(&data.profile.capabilities).unwrap_or_default(),
                search(&data.profile),
                version,
            ],
        )
        .await?,
        AgentEvent::KeyRotated(_)
        | AgentEvent::KeyCreated(_)
        | AgentEvent::KeyRevoked(_)
        | AgentEvent::SessionsEnded(_) => {
            tx.execute("UPDATE agents SET version = $2 WHERE id = $1", values![id, version]).await?
        }
        AgentEvent::TierSet(data) => {
            tx.execute(
                "UPDATE agents SET tier = $2, version = $3 WHERE id = $1",
                values![id, data.tier.as_str(), version],
            )
            .await?
        }
        AgentEvent::Erased(data) => erase_agent(tx, recorded, data).await?,
        AgentEvent::Deactivated(_) => {
            let statement = "UPDATE agents SET deactivated = $2, active = NOT $2, version = $3 WHERE id = $1";
            tx.execute(statement, values![id, true, version]).await?
        }
        AgentEvent::Suspended(data) => set_suspended(tx, (id, version), data.with_owner, true).await?,
        AgentEvent::Reinstated(data) => set_suspended(tx, (id, version), data.with_owner, false).await?,
    };
    Ok(())
}

/// Inserts the owner in a rebuild, where redacted events have inserted no row; otherwise updates it.
async fn delete_owner(tx: &mut Tx<'_>, recorded: &Recorded, data: &OwnerDeleted) -> Result<u64, StoreError> {
    let id = &*recorded.stream;
    tx.execute(
        "INSERT INTO owners (id, display_name, operator, suspended, deleted, version, created_at) \
         VALUES ($1, $2, $3, $3, $4, $5, $6) ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name, \
         operator = excluded.operator, suspended = excluded.suspended, deleted = excluded.deleted, \
         version = excluded.version",
        values![id, DELETED, false, true, recorded.version, data.created_at],
    )
    .await?;
    let agents = "UPDATE agents SET name = $2, model = $2, description = NULL, capabilities = '[]', search = '', \
                  active = $3, deactivated = $4, owner_suspended = $3 WHERE owner_id = $1";
    tx.execute(agents, values![id, DELETED, false, true]).await
}

async fn erase_agent(tx: &mut Tx<'_>, recorded: &Recorded, data: &AgentErased) -> Result<u64, StoreError> {
    tx.execute(
        "INSERT INTO agents (id, position, owner_id, name, model, capabilities, tier, active, suspended, owner_suspended, \
         deactivated, erased, search, version, created_at) \
         VALUES ($1, $2, $3, $4, $4, '[]', $5, $6, $6, $6, $7, $7, '', $8, $9) ON CONFLICT (id) DO UPDATE SET \
         name = excluded.name, model = excluded.model, description = NULL, capabilities = excluded.capabilities, \
         tier = excluded.tier, active = excluded.active, suspended = excluded.suspended, \
         owner_suspended = excluded.owner_suspended, deactivated = excluded.deactivated, erased = excluded.erased, \
         search = excluded.search, version = excluded.version",
        values![
            &*recorded.stream,
            data.position,
            data.owner_id.to_string(),
            DELETED,
            Tier::default().as_str(),
            false,
            true,
            recorded.version,
            data.created_at,
        ],
    )
    .await
}

/// Suspends or reinstates an owner together with all of the owner's agents.
async fn set_owner_suspended(tx: &mut Tx<'_>, (id, version): (&str, i64), suspended: bool) -> Result<u64, StoreError> {
    tx.execute("UPDATE owners SET suspended = $2, version = $3 WHERE id = $1", values![id, suspended, version]).await?;
    let agents =
        "UPDATE agents SET owner_suspended = $2, active = NOT ($2 OR suspended OR deactivated) WHERE owner_id = $1";
    tx.execute(agents, values![id, suspended]).await
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
    tx.execute(statement, values![id, suspended, version]).await
}

fn search(profile: &AgentProfile) -> String {
    let description = profile.description.as_deref().unwrap_or_default();
    format!("{}\n{}\n{}\n{}", profile.name, profile.model, description, profile.capabilities.join("\n")).to_lowercase()
}
