//! The `admin` commands, which only the operator of the machine can run. They work while a server runs on the same database.
//!
//! **Invariant:** each command records its event with the reason (`operation.done`) in the transaction that carries it out.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_accounts::{
    identity::{accounts::invite_stream, acts::record_act},
    passwords,
};
use buildtrack_domain::{
    decide::Command,
    identity::{
        Act, Agent, GrantOperator, Invite, InviteEvent, InviteIssued, Owner, OwnerError, OwnerEvent, ResetPassword,
        RevokeOperator, SetAgentLimit, SetTier,
    },
    ids::{AgentId, OwnerId},
    limits::Tier,
};
use buildtrack_settings::{Retention, Settings};
use buildtrack_store::{IdentityChange, Store, clock};
use buildtrack_terminal::visible_line;
use chrono::TimeDelta;

use super::{CommandError, open_store, print};

pub use buildtrack_accounts::identity::acts::reason;

impl CommandError {
    fn refused(error: impl std::fmt::Display) -> Self {
        Self::Failed(format!("{error}."))
    }
}

/// The operator's reason for a command, for the public log. `None` if no reason was given.
pub type Reason = Option<String>;

/// Sets an agent's tier.
pub async fn set_tier(settings: &Settings, agent_id: AgentId, tier: Tier, why: Reason) -> Result<(), CommandError> {
    let store = open_store(settings).await?;
    let done = store
        .log()
        .transact(None, async |unit| {
            let agent = unit.load::<Agent>(agent_id).await?;
            let set = SetTier { agent_id, tier }.decide(&agent.state).map_err(CommandError::refused)?;
            if !set.is_empty() {
                unit.append(agent_id, &agent, set);
                record_act(&store, unit, Act::SetTier, Some(agent_id.to_string()), why.clone());
            }
            Ok::<_, CommandError>(())
        })
        .await;
    store.close().await;
    done?;
    print(&format!("{agent_id} is in the tier {}.", tier.as_str()))
}

/// Gives an owner the right to moderate.
pub async fn grant_operator(settings: &Settings, owner: &str, why: Reason) -> Result<(), CommandError> {
    let granted = |owner_id, owner: &Owner| GrantOperator { owner_id }.decide(owner);
    let owner_id = change(settings, owner, Act::GrantOperator, why, granted).await?;
    print(&format!("{owner_id} may moderate."))
}

/// Revokes an owner's right to moderate.
pub async fn revoke_operator(settings: &Settings, owner: &str, why: Reason) -> Result<(), CommandError> {
    let revoked = |owner_id, owner: &Owner| RevokeOperator { owner_id }.decide(owner);
    let owner_id = change(settings, owner, Act::RevokeOperator, why, revoked).await?;
    print(&format!("{owner_id} may no longer moderate."))
}

/// Sets the maximum number of active agents of an owner.
pub async fn set_agent_limit(settings: &Settings, owner: &str, limit: u32, why: Reason) -> Result<(), CommandError> {
    let set = |owner_id, owner: &Owner| SetAgentLimit { owner_id, limit }.decide(owner);
    let owner_id = change(settings, owner, Act::SetAgentLimit, why, set).await?;
    print(&format!("{owner_id} may have {limit} active agents."))
}

/// Prints the owners who may moderate, one per line: id, creation time of the account, active or suspended, name.
pub async fn list_operators(settings: &Settings) -> Result<(), CommandError> {
    let store = open_store(settings).await?;
    let operators = store.identity().operators().await;
    store.close().await;
    for operator in operators? {
        let standing = if operator.suspended { "suspended" } else { "active" };
        let name = visible_line(&operator.display_name);
        print(&format!("{}\t{}\t{standing}\t{name}", operator.id, operator.created_at.to_rfc3339()))?;
    }
    Ok(())
}

/// Decides a change of an owner and records it with the reason. Records no event if nothing changes.
async fn change(
    settings: &Settings,
    owner: &str,
    act: Act,
    why: Reason,
    decide: impl Fn(OwnerId, &Owner) -> Result<Vec<OwnerEvent>, OwnerError>,
) -> Result<OwnerId, CommandError> {
    let store = open_store(settings).await?;
    let done = async {
        let owner_id = find(&store, owner).await?;
        let decided = store.log().transact(None, async |unit| {
            let owner = unit.load::<Owner>(owner_id).await?;
            let events = decide(owner_id, &owner.state).map_err(CommandError::refused)?;
            if !events.is_empty() {
                unit.append(owner_id, &owner, events);
                record_act(&store, unit, act, Some(owner_id.to_string()), why.clone());
            }
            Ok::<_, CommandError>(())
        });
        decided.await.map(|_| owner_id)
    };
    let done = done.await;
    store.close().await;
    done
}

/// Creates an invite code for one account and prints it.
pub async fn invite(settings: &Settings, expires: Retention, why: Reason) -> Result<(), CommandError> {
    let store = open_store(settings).await?;
    let code = format!("bti_{}", URL_SAFE_NO_PAD.encode(clock::random::<18>()));
    let length = TimeDelta::from_std(expires.0).map_err(CommandError::refused)?;
    let expires_at = store.log().clock().now().checked_add_signed(length);
    let expires_at = expires_at
        .ok_or_else(|| CommandError::Failed("--expires is too far in the future; use a shorter duration.".into()))?;
    let done = store
        .log()
        .transact(None, async |unit| {
            let stream = invite_stream(&store, &code);
            let invite = unit.load::<Invite>(&stream).await?;
            unit.append(&stream, &invite, vec![InviteEvent::from(InviteIssued { expires_at })]);
            record_act(&store, unit, Act::Invite, None, why.clone());
            Ok::<_, CommandError>(())
        })
        .await;
    store.close().await;
    done?;
    print(&format!("{code}\n(valid for one account, until {})", expires_at.to_rfc3339()))
}

/// Sets a new random password for an owner, prints it, and ends all of the owner's sessions.
pub async fn reset_password(settings: &Settings, owner: &str, why: Reason) -> Result<(), CommandError> {
    let store = open_store(settings).await?;
    let done = reset(&store, owner, &why).await;
    store.close().await;
    let (owner_id, password) = done?;
    print(&format!("{owner_id} has a new password, shown this once: {password}"))
}

async fn reset(store: &Store, owner: &str, why: &Reason) -> Result<(OwnerId, String), CommandError> {
    let owner_id = find(store, owner).await?;
    let password = URL_SAFE_NO_PAD.encode(clock::random::<18>());
    let password_hash = passwords::hash(&password).ok_or_else(|| CommandError::Failed("argon2 refused".into()))?;
    store
        .log()
        .transact(None, async |unit| {
            let owner = unit.load::<Owner>(owner_id).await?;
            let reset = ResetPassword { owner_id }.decide(&owner.state).map_err(CommandError::refused)?;
            unit.append(owner_id, &owner, reset);
            record_act(store, unit, Act::ResetPassword, Some(owner_id.to_string()), why.clone());
            unit.write_side(IdentityChange::Password { owner_id, password_hash: password_hash.clone() });
            unit.write_side(IdentityChange::MailTokensEnded { owner_id });
            unit.write_side(IdentityChange::SessionsEnded { holder: owner_id.to_string() });
            Ok::<_, CommandError>(())
        })
        .await?;
    Ok((owner_id, password))
}

/// Finds an owner by id or e-mail address.
pub(super) async fn find(store: &Store, owner: &str) -> Result<OwnerId, CommandError> {
    if let Ok(owner_id) = owner.parse() {
        return Ok(owner_id);
    }
    let account = store.identity().account_with_email(owner).await?;
    account.map(|(owner_id, _)| owner_id).ok_or_else(|| {
        CommandError::Failed(format!(
            "There is no owner {owner}; use an id (ow_…) or the e-mail address of an account."
        ))
    })
}
