//! Owners and agents, their keys and sessions.

use std::time::Duration;

use buildtrack_domain::{
    actors::{Actor, ActorKind},
    decide::Command,
    identity::{
        Agent, AgentEvent, AgentKeyRotated, AgentProfile, AgentRegistered, CreateKey, DeactivateAgent, DeleteOwner,
        EditAgent, Email, EraseAgent, Owner, OwnerEvent, OwnerRegistered, RegisterOwner, RevokeKey, RotateKey, SetTier,
        TextRetention,
    },
    ids::{KeyId, OwnerId, SessionId, WebhookId},
    limits::Tier,
    webhooks::PushType,
};
use buildtrack_store::{
    DepartureChange, IdentityChange, LogChange, NewAgentKey, Purpose, Scope, Store, Unit, WebhookChange, WebhookView,
    clock::random, sha256_hex,
};

use super::{Outcome, Refusal, agent_id, change, new_actor, owner_id};

/// Registers an account, as the API does.
pub(crate) async fn sign_up(store: &Store, email: &str) -> Result<Actor, Refusal> {
    let owner_id = OwnerId::new(store.log().clock().uuid());
    let email_hash = store.log().secret().keyed_hash(email);
    store
        .log()
        .transact::<(), Refusal>(Some(owner_id.into()), async |unit| {
            let address = unit.load::<Email>(format!("email:{email_hash}")).await?;
            let claimed = RegisterOwner { owner_id }.decide(&address.state)?;
            unit.append(format!("email:{email_hash}"), &address, claimed);
            begin_owner(unit, owner_id);
            unit.write_side(account(store, owner_id, email));
            Ok(())
        })
        .await?;
    Ok(Actor { id: owner_id.into(), name: "Ada".into(), kind: ActorKind::Human, model: None })
}

pub(crate) fn begin_owner(unit: &mut Unit<'_>, owner_id: OwnerId) {
    let registered = OwnerRegistered { owner_id, display_name: "Ada".into() };
    unit.begin(owner_id, [OwnerEvent::from(registered)]);
}

pub(crate) fn account(store: &Store, owner_id: OwnerId, email: &str) -> IdentityChange {
    IdentityChange::Account {
        owner_id,
        email_hash: store.log().secret().keyed_hash(email),
        email_sealed: store.log().secret().seal(Purpose::EmailAddress, email).unwrap(),
        password_hash: "$argon2id$…".into(),
    }
}

/// Registers an owner with a unique e-mail address.
pub(crate) async fn owner(store: &Store) -> Actor {
    sign_up(store, &format!("{}@example.org", hex::encode(random::<8>()))).await.unwrap()
}

/// Deletes an owner's account, as the API does; its texts stay.
pub(crate) async fn depart(store: &Store, owner: &Actor) -> Outcome {
    let (owner_id, texts) = (owner_id(owner), TextRetention::Keep);
    store
        .log()
        .transact(Some(owner.id), async |unit| {
            let state = unit.load::<Owner>(owner_id).await?;
            let created_at = store.identity().owner(owner_id).await?.unwrap().created_at;
            let deleted = DeleteOwner { owner_id, created_at, texts }.decide(&state.state).unwrap();
            unit.append(owner_id, &state, deleted);
            unit.write_side(LogChange::Redaction { stream: owner_id.to_string() });
            for (agent_id, position, created_at) in store.identity().unerased(owner_id, 10).await? {
                let agent = unit.load::<Agent>(agent_id).await?;
                let erased = EraseAgent { agent_id, position, created_at }.decide(&agent.state).unwrap();
                unit.append(agent_id, &agent, erased);
                unit.write_side(LogChange::Redaction { stream: agent_id.to_string() });
            }
            unit.write_side(DepartureChange::Departure { owner_id, texts });
            Ok(())
        })
        .await
}

/// Registers an agent with a key.
pub(crate) async fn agent(store: &Store, owner: &Actor) -> Actor {
    let agent = new_actor(store);
    let agent_id = agent_id(&agent);
    let profile = AgentProfile {
        name: agent.name.clone(),
        model: agent.model.clone().unwrap(),
        description: None,
        capabilities: vec!["search".into()],
    };
    let registered = AgentRegistered { agent_id, owner_id: owner_id(owner), profile };
    store
        .log()
        .transact::<(), Refusal>(Some(owner.id), async |unit| {
            unit.begin(agent_id, [AgentEvent::from(registered.clone())]);
            unit.write_side(IdentityChange::Credential { agent_id, key_hash: sha256_hex(agent_id.to_string()) });
            Ok(())
        })
        .await
        .unwrap();
    agent
}

pub(crate) async fn rename(store: &Store, agent: &Actor, name: &str) -> Outcome {
    let (description, name) = (Some(Some(format!("I am {name}."))), Some(name.to_owned()));
    let agent_id = agent_id(agent);
    let command = EditAgent { agent_id, by: agent.id, name, model: None, description, capabilities: None };
    change(store, agent.id, agent_id, async |_, agent: &Agent| Ok(command.decide(agent)?)).await
}

pub(crate) async fn set_tier(store: &Store, agent: &Actor, tier: Tier) -> Outcome {
    let agent_id = agent_id(agent);
    change(store, agent.id, agent_id, async |_, agent: &Agent| Ok(SetTier { agent_id, tier }.decide(agent)?)).await
}

pub(crate) async fn deactivate(store: &Store, agent: &Actor, by: &Actor) -> Outcome {
    let (agent_id, by) = (agent_id(agent), owner_id(by));
    change(store, by.into(), agent_id, async |unit, agent: &Agent| {
        unit.write_side(IdentityChange::NoCredential { agent_id });
        unit.write_side(IdentityChange::SessionsEnded { holder: agent_id.to_string() });
        Ok(DeactivateAgent { agent_id, by }.decide(agent)?)
    })
    .await
}

/// Rotates an agent's primary key, which ends the sessions of the old key.
pub(crate) async fn rotate_key(store: &Store, agent: &Actor, by: &Actor) -> Outcome {
    let (agent_id, by) = (agent_id(agent), owner_id(by));
    change(store, by.into(), agent_id, async |unit, agent: &Agent| {
        unit.write_side(IdentityChange::Credential { agent_id, key_hash: hex::encode(random::<32>()) });
        unit.write_side(IdentityChange::PrimarySessionsEnded { agent_id });
        Ok(RotateKey { agent_id, by }.decide(agent)?)
    })
    .await
}

/// Creates a named key, whose SHA-256 is that of its id.
pub(crate) async fn create_key(store: &Store, agent: &Actor, by: &Actor, name: &str) -> KeyId {
    let (agent_id, by, id) = (agent_id(agent), owner_id(by), KeyId::new(store.log().clock().uuid()));
    let (now, name, key_hash) = (store.log().clock().now(), name.to_owned(), sha256_hex(id.to_string()));
    let scopes = "read write".to_owned();
    let key = NewAgentKey { id, agent_id, key_hash, name, scopes, created_at: now, expires_at: None };
    change(store, by.into(), agent_id, async |unit, agent: &Agent| {
        unit.write_side(IdentityChange::Key(Box::new(key.clone())));
        Ok(CreateKey { agent_id, by, key_id: id, expires_at: None, now }.decide(agent)?)
    })
    .await
    .unwrap();
    id
}

/// Revokes a named key, which ends its sessions.
pub(crate) async fn revoke_key(store: &Store, agent: &Actor, by: &Actor, key_id: KeyId) -> Outcome {
    let (agent_id, by) = (agent_id(agent), owner_id(by));
    change(store, by.into(), agent_id, async |unit, agent: &Agent| {
        unit.write_side(IdentityChange::KeyRevoked { agent_id, key_id });
        Ok(RevokeKey { agent_id, by, key_id: Some(key_id) }.decide(agent)?)
    })
    .await
}

/// Advances the version of the agent's stream without another effect.
pub(crate) async fn touch(store: &Store, agent: &Actor) -> Outcome {
    let agent_id = agent_id(agent);
    change(store, agent.id, agent_id, async |_, _: &Agent| Ok(vec![AgentKeyRotated { agent_id }.into()])).await
}

/// An endpoint of an agent that subscribes to these events.
pub(crate) fn webhook(store: &Store, agent: &Actor, events: &[PushType]) -> (WebhookId, WebhookChange) {
    let id = WebhookId::new(store.log().clock().uuid());
    let (url, secret_sealed) = (
        Some("https://example.org/hook".into()),
        store.log().secret().seal(Purpose::WebhookSecret, "whsec_1").unwrap(),
    );
    let registered = WebhookView::new(id, agent_id(agent), url, events.to_vec(), secret_sealed);
    (id, WebhookChange::Webhook(Box::new(registered)))
}

/// Opens a session and returns the token's hash.
pub(crate) async fn log_in(store: &Store, holder: &Actor, scopes: &[Scope]) -> String {
    log_in_with(store, holder, scopes, None).await
}

/// Opens a session with a named key and returns the token's hash.
pub(crate) async fn log_in_with(store: &Store, holder: &Actor, scopes: &[Scope], key_id: Option<KeyId>) -> String {
    let token_hash = sha256_hex(random::<32>());
    let scopes = scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" ");
    let session = IdentityChange::Session {
        id: SessionId::new(store.log().clock().uuid()),
        token_hash: token_hash.clone(),
        holder: holder.id.to_string(),
        scopes,
        key_id,
        expires_at: store.log().clock().after(Duration::from_hours(24)),
    };
    store.log().write_side(vec![session]).await.unwrap();
    token_hash
}
