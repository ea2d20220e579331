//! Lists what acts for an agent: a fixed number of queries, for rows whose number is bounded for each agent.

use std::collections::{HashMap, HashSet};

use buildtrack_domain::{
    actors::ActorId,
    exchange::tasks::PushConfig,
    identity::{Access, AccessKind},
    ids::{AgentId, SessionId},
};
use buildtrack_http::{addresses::host_of, problem::Problem};
use buildtrack_store::{AgentView, KeyView, Making, OriginView, PRIMARY_KEY, Purpose, Store};
use chrono::{DateTime, Utc};

use super::schemas::{AccessEntry, AccessEntryKind, AccessState, MadeBy, MakingName};

use crate::identity::key_schemas::PRIMARY;

/// The maker of what sessions of an earlier primary key made.
pub(super) const FORMER_PRIMARY: &str = "former_primary";
/// The maker of what was made before the server recorded origins.
pub(super) const UNKNOWN: &str = "unknown";

/// What acts for an agent: its clients, keys and sessions, then what these and the owner made.
pub async fn entries(store: &Store, agent: &AgentView) -> Result<Vec<AccessEntry>, Problem> {
    let listing = Listing::read(store, agent).await?;
    let mut entries = listing.credentials(store).await?;
    entries.extend(listing.made(store).await?.into_iter().map(|(_, entry)| entry));
    Ok(entries)
}

/// What a session of the agent sees: of the consents, keys and sessions its own ones alone, and the makers of the rest only as far as they are
/// its own.
pub(super) fn seen_by(entries: Vec<AccessEntry>, session_id: SessionId) -> Vec<AccessEntry> {
    let id = session_id.to_string();
    let is_session = |entry: &&AccessEntry| entry.kind == AccessEntryKind::Session && entry.id == id;
    let own = entries.iter().find(is_session).map(|session| session.made_by.clone());
    let is_shown = |entry: &AccessEntry| match entry.kind {
        AccessEntryKind::Session => entry.id == id,
        AccessEntryKind::Grant => is_maker(own.as_ref(), MakingName::Grant, &entry.id),
        AccessEntryKind::Key => is_maker(own.as_ref(), MakingName::Key, &entry.id),
        _ => true,
    };
    let shown = |mut entry: AccessEntry| {
        let made_by = &mut entry.made_by;
        if !made_by.id.as_ref().is_some_and(|id| is_maker(own.as_ref(), made_by.how, id)) {
            (made_by.id, made_by.name) = (None, None);
        }
        entry
    };
    entries.into_iter().filter(is_shown).map(shown).collect()
}

fn is_maker(own: Option<&MadeBy>, how: MakingName, id: &str) -> bool {
    own.is_some_and(|own| own.how == how && own.id.as_deref() == Some(id))
}

/// What acts for an agent and may be made by a client, with its entries.
pub(super) async fn made(store: &Store, agent: &AgentView) -> Result<Vec<(Access, AccessEntry)>, Problem> {
    Listing::read(store, agent).await?.made(store).await
}

/// What is known of an agent before its things are listed.
struct Listing<'a> {
    agent: &'a AgentView,
    origins: HashMap<(AccessKind, String), OriginView>,
    keys: Vec<KeyView>,
    /// The consents, keys and so on that are there.
    makers: HashSet<String>,
}

impl<'a> Listing<'a> {
    async fn read(store: &Store, agent: &'a AgentView) -> Result<Self, Problem> {
        let origins = store.identity().origins_of(agent.id).await?.into_iter();
        let origins = origins.map(|origin| ((origin.access.kind, origin.access.subject.clone()), origin)).collect();
        let keys = store.identity().keys_of(agent.id).await?;
        let now = store.log().clock().now();
        let valid = keys.iter().filter(|key| key.expires_at.is_none_or(|at| at > now));
        let mut makers: HashSet<_> = valid.filter_map(|key| key.id).map(|id| id.to_string()).collect();
        makers.extend(store.identity().consents_of(agent.id).await?.iter().map(|consent| consent.id.to_string()));
        Ok(Self { agent, origins, keys, makers })
    }

    /// The consents, the keys and the sessions.
    async fn credentials(&self, store: &Store) -> Result<Vec<AccessEntry>, Problem> {
        let agent_id = self.agent.id;
        let mut entries = vec![];
        for consent in store.identity().consents_of(agent_id).await? {
            entries.push(AccessEntry {
                name: Some(consent.client_name.clone()),
                target: Some(host_of(&consent.redirect_uri)),
                expires_at: Some(consent.expires_at),
                ..self.of_owner(AccessEntryKind::Grant, consent.id.to_string(), Some(consent.created_at))
            });
        }
        for key in &self.keys {
            let id = key.id.map_or_else(|| PRIMARY.to_owned(), |id| id.to_string());
            entries.push(AccessEntry {
                name: key.id.map(|_| key.name.clone()),
                expires_at: key.expires_at,
                ..self.of_owner(AccessEntryKind::Key, id, key.created_at)
            });
        }
        for session in store.identity().opened_sessions(agent_id).await? {
            let (how, id, name) = match (session.consent, session.key) {
                (Some((id, name)), _) => (MakingName::Grant, id.to_string(), Some(name)),
                (None, Some((id, name))) => (MakingName::Key, id.to_string(), Some(name)),
                (None, None) => (MakingName::Key, PRIMARY.to_owned(), None),
            };
            let state = if how == MakingName::Grant { AccessState::FallsWithGrant } else { AccessState::Live };
            entries.push(AccessEntry {
                expires_at: Some(session.expires_at),
                made_by: MadeBy { how, id: Some(id), name, active: true },
                state,
                ..self.of_owner(AccessEntryKind::Session, session.id.to_string(), Some(session.created_at))
            });
        }
        Ok(entries)
    }

    /// An entry of what only the owner makes.
    fn of_owner(&self, kind: AccessEntryKind, id: String, made_at: Option<DateTime<Utc>>) -> AccessEntry {
        let owner = Some(self.agent.owner_id.to_string());
        let made_by = MadeBy { how: MakingName::Session, id: owner, name: None, active: true };
        AccessEntry { kind, id, name: None, target: None, made_at, expires_at: None, made_by, state: AccessState::Live }
    }

    /// What records its origin.
    async fn made(&self, store: &Store) -> Result<Vec<(Access, AccessEntry)>, Problem> {
        let agent_id = self.agent.id;
        let mut made = vec![];
        if let Some(at) = store.arena().agent(agent_id).await?.token_created_at {
            made.push(self.entry(Access::only(AccessKind::ArenaToken, agent_id), None, None, Some(at)));
        }
        let enrolment = store.arena().enrolment(agent_id).await?;
        if let Some((at, url)) = enrolment.and_then(|view| Some((view.enrolled_at, view.endpoint_url?))) {
            let access = Access::only(AccessKind::ArenaEndpoint, agent_id);
            made.push(self.entry(access, None, Some(host_of(&url)), Some(at)));
        }
        for webhook in store.webhooks().webhooks_of(agent_id).await?.iter().filter(|webhook| webhook.is_on()) {
            let access = Access { kind: AccessKind::Webhook, subject: webhook.id.to_string(), agent_id };
            made.push(self.entry(access, None, webhook.url.as_deref().map(host_of), None));
        }
        if let Some(link) = store.relay().did_of(agent_id).await? {
            let did = Some(link.did.to_string());
            made.push(self.entry(Access::only(AccessKind::Did, agent_id), did, None, Some(link.linked_at)));
        }
        made.extend(self.push_configs(store, agent_id).await?);
        Ok(made)
    }

    async fn push_configs(&self, store: &Store, agent_id: AgentId) -> Result<Vec<(Access, AccessEntry)>, Problem> {
        let pushes = store.exchange().task_pushes_of(ActorId::Agent(agent_id)).await?;
        let entry = |push: &buildtrack_store::TaskPush| {
            let text = store.log().secret().open(Purpose::TaskPush, &push.config_sealed)?;
            let config: PushConfig = serde_json::from_str(&text).map_err(|error| Problem::internal(&error))?;
            let access = Access::push_config(push.exchange_id, &push.id, agent_id);
            Ok(self.entry(access, None, Some(host_of(&config.url)), None))
        };
        pushes.iter().map(entry).collect()
    }

    /// An entry with its origin.
    fn entry(
        &self,
        access: Access,
        name: Option<String>,
        target: Option<String>,
        at: Option<DateTime<Utc>>,
    ) -> (Access, AccessEntry) {
        let origin = self.origins.get(&(access.kind, access.subject.clone()));
        let (made_by, state) = origin.map_or_else(unknown, |origin| self.maker(origin));
        let kind = kind_of(access.kind);
        let made_at = origin.map(|origin| origin.made_at).or(at);
        let id = access.subject.clone();
        (access, AccessEntry { kind, id, name, target, made_at, expires_at: None, made_by, state })
    }

    fn maker(&self, origin: &OriginView) -> (MadeBy, AccessState) {
        let name = Some(origin.name.clone()).filter(|name| !name.is_empty());
        let there = self.makers.contains(&origin.maker);
        let (how, id, active, state) = match origin.making {
            Making::Grant => {
                let state = match origin.kept_at {
                    Some(_) => AccessState::Kept,
                    None if there => AccessState::FallsWithGrant,
                    None => AccessState::Ending,
                };
                (MakingName::Grant, origin.maker.clone(), there, state)
            }
            Making::Key if origin.maker == PRIMARY_KEY => {
                let primary = self.keys.iter().find(|key| key.id.is_none());
                let is_former = primary.and_then(|key| key.created_at).is_none_or(|at| origin.made_at < at);
                let id = if is_former { FORMER_PRIMARY } else { PRIMARY };
                (MakingName::Key, id.to_owned(), !is_former, AccessState::Live)
            }
            Making::Key => (MakingName::Key, origin.maker.clone(), there, AccessState::Live),
            Making::Session => (MakingName::Session, origin.maker.clone(), true, AccessState::Live),
        };
        let state = if origin.ended_at.is_some() { AccessState::Ending } else { state };
        (MadeBy { how, id: Some(id), name, active }, state)
    }
}

fn unknown() -> (MadeBy, AccessState) {
    (MadeBy { how: MakingName::Unknown, id: None, name: None, active: false }, AccessState::Live)
}

fn kind_of(kind: AccessKind) -> AccessEntryKind {
    match kind {
        AccessKind::ArenaToken => AccessEntryKind::ArenaToken,
        AccessKind::ArenaEndpoint => AccessEntryKind::ArenaEndpoint,
        AccessKind::Webhook => AccessEntryKind::Webhook,
        AccessKind::Did => AccessEntryKind::Did,
        AccessKind::PushConfig => AccessEntryKind::PushConfig,
    }
}
