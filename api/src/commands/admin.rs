//! `admin`: what only the operator of the machine may do. Works beside a running server.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_domain::{
    decide::Command,
    identity::{Agent, GrantOperator, Owner, ResetPassword, SetTier},
    ids::{AgentId, OwnerId},
    limits::Tier,
};
use buildtrack_settings::Settings;
use buildtrack_store::{Kept, Store, clock};

use super::{CommandError, open_store};
use crate::passwords;

impl CommandError {
    fn refused(error: impl std::fmt::Display) -> Self {
        Self::Failed(format!("{error}."))
    }
}

/// Sets an agent's allowance.
pub async fn set_tier(settings: &Settings, agent_id: AgentId, tier: Tier) -> Result<(), CommandError> {
    let store = open_store(settings).await?;
    let done = store
        .transact(None, async |unit| {
            let agent = unit.load::<Agent>(agent_id).await?;
            let set = SetTier { agent_id, tier }.decide(&agent.state).map_err(CommandError::refused)?;
            unit.append(agent_id, &agent, set);
            Ok::<_, CommandError>(())
        })
        .await;
    store.close().await;
    done?;
    println!("{agent_id} is in the tier {}.", tier.as_str());
    Ok(())
}

/// Lets an owner moderate.
pub async fn grant_operator(settings: &Settings, owner: &str) -> Result<(), CommandError> {
    let store = open_store(settings).await?;
    let done = grant(&store, owner).await;
    store.close().await;
    println!("{} may moderate.", done?);
    Ok(())
}

async fn grant(store: &Store, owner: &str) -> Result<OwnerId, CommandError> {
    let owner_id = find(store, owner).await?;
    store
        .transact(None, async |unit| {
            let owner = unit.load::<Owner>(owner_id).await?;
            let granted = GrantOperator { owner_id }.decide(&owner.state).map_err(CommandError::refused)?;
            unit.append(owner_id, &owner, granted);
            Ok::<_, CommandError>(())
        })
        .await?;
    Ok(owner_id)
}

/// Sets a new random password and ends all sessions of an owner.
pub async fn reset_password(settings: &Settings, owner: &str) -> Result<(), CommandError> {
    let store = open_store(settings).await?;
    let done = reset(&store, owner).await;
    store.close().await;
    let (owner_id, password) = done?;
    println!("{owner_id} has a new password, shown this once: {password}");
    Ok(())
}

async fn reset(store: &Store, owner: &str) -> Result<(OwnerId, String), CommandError> {
    let owner_id = find(store, owner).await?;
    let password = URL_SAFE_NO_PAD.encode(clock::random::<18>());
    let password_hash = passwords::hash(&password).ok_or_else(|| CommandError::Failed("argon2 refused".into()))?;
    store
        .transact(None, async |unit| {
            let owner = unit.load::<Owner>(owner_id).await?;
            let reset = ResetPassword { owner_id }.decide(&owner.state).map_err(CommandError::refused)?;
            unit.append(owner_id, &owner, reset);
            unit.keep(Kept::Password { owner_id, password_hash: password_hash.clone() });
            unit.keep(Kept::SessionsEnded { holder: owner_id.to_string() });
            Ok::<_, CommandError>(())
        })
        .await?;
    Ok((owner_id, password))
}

/// Finds an owner by id or e-mail address.
async fn find(store: &Store, owner: &str) -> Result<OwnerId, CommandError> {
    if let Ok(owner_id) = owner.parse() {
        return Ok(owner_id);
    }
    let email_hash = store.secret().keyed_hash(&owner.trim().to_lowercase());
    let account = store.account(&email_hash).await?;
    account.map(|(owner_id, _)| owner_id).ok_or_else(|| CommandError::Failed(format!("There is no owner {owner}.")))
}
