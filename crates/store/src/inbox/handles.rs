//! Mention handles: which name means which actor.

use buildtrack_domain::{
    actors::ActorId,
    event::Event,
    identity::{AgentEvent, OwnerEvent},
    mentions::{Handle, Mention, MentionCandidate},
};
use buildtrack_macros::boxed;

use super::{postgres, sqlite};
use crate::{
    StoreError,
    database::{Db, Tx, columns::parse, values},
    inbox::Inbox,
    log::Recorded,
};

/// How many bearers of the names in one text are read.
const CANDIDATES_MAX: usize = 500;

/// An actor's id and handle.
pub(crate) type MentionCandidateRow = (String, String);

#[boxed]
impl Inbox {
    /// Every owner and active agent that one of these mentions may mean. A name with more bearers than are read means none of
    /// them.
    pub async fn mention_candidates(&self, mentions: &[Mention]) -> Result<Vec<MentionCandidate>, StoreError> {
        let (mut handles, mut ids) = (Vec::new(), Vec::new());
        for mention in mentions {
            match mention {
                Mention::Name(handle) => handles.push(handle.to_string()),
                Mention::Actor(id) => ids.push(id.to_string()),
            }
        }
        let mut rows = if handles.is_empty() { vec![] } else { self.mention_candidates_of(&handles).await? };
        if !ids.is_empty() {
            rows.extend(match &self.db {
                Db::Postgres { reads: pool, .. } => postgres::mention_candidates(pool, &ids).await?,
                Db::Sqlite { readers, .. } => sqlite::mention_candidates(readers, &ids).await?,
            });
        }
        rows.into_iter()
            .map(|(id, handle)| Ok(MentionCandidate { id: parse(&id)?, handle: Handle::of(&handle) }))
            .collect()
    }

    async fn mention_candidates_of(&self, handles: &[String]) -> Result<Vec<MentionCandidateRow>, StoreError> {
        let limit = i64::try_from(CANDIDATES_MAX).unwrap_or(i64::MAX);
        let mut rows = match &self.db {
            Db::Postgres { reads: pool, .. } => postgres::mention_candidates_of(pool, handles, limit).await?,
            Db::Sqlite { readers, .. } => sqlite::mention_candidates_of(readers, handles, limit).await?,
        };
        if rows.len() == CANDIDATES_MAX {
            // The last name may have more bearers than were read, so a single one of them would wrongly pass for the only one.
            let cut = rows.last().map(|(_, handle)| handle.clone());
            rows.retain(|(_, handle)| Some(handle) != cut.as_ref());
        }
        Ok(rows)
    }
}

pub(super) async fn project(tx: &mut Tx<'_>, recorded: &Recorded) -> Result<(), StoreError> {
    match &recorded.event {
        Some(Event::Owner(OwnerEvent::Registered(data))) => put(tx, data.owner_id.into(), &data.display_name).await,
        Some(Event::Owner(OwnerEvent::Renamed(data))) => put(tx, data.owner_id.into(), &data.display_name).await,
        Some(Event::Agent(AgentEvent::Registered(data))) => put(tx, data.agent_id.into(), &data.profile.name).await,
        Some(Event::Agent(AgentEvent::Edited(data))) => put(tx, data.agent_id.into(), &data.profile.name).await,
        Some(Event::Agent(AgentEvent::Deactivated(data))) => {
            tx.execute("DELETE FROM handles WHERE actor_id = $1", values![data.agent_id.to_string()]).await?;
            Ok(())
        }
        _ => Ok(()),
    }
}

async fn put(tx: &mut Tx<'_>, actor: ActorId, name: &str) -> Result<(), StoreError> {
    let handle = Handle::of(name);
    tx.execute(
        "INSERT INTO handles (actor_id, handle) VALUES ($1, $2) \
         ON CONFLICT (actor_id) DO UPDATE SET handle = excluded.handle",
        values![actor.to_string(), handle.as_ref().map_or("", Handle::as_str)],
    )
    .await?;
    Ok(())
}
