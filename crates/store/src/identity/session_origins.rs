//! The sessions of an agent with what opened each: a named key, the primary key, or a client with a consent.

use buildtrack_domain::ids::{AgentId, ConsentId, KeyId, SessionId};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{FromRow, columns::parse, values},
    identity::Identity,
};

/// A session of an agent, and what opened it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedSession {
    /// The session's id.
    pub id: SessionId,
    /// When it was opened.
    pub created_at: DateTime<Utc>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// The consent and the client's name, if a client opened it.
    pub consent: Option<(ConsentId, String)>,
    /// The named key and its name, if it opened the session.
    pub key: Option<(KeyId, String)>,
}

#[derive(FromRow)]
struct Row {
    id: String,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    consent_id: Option<String>,
    client_name: Option<String>,
    key_id: Option<String>,
    key_name: Option<String>,
}

impl Row {
    fn opened(self) -> Result<OpenedSession, StoreError> {
        let Self { id, created_at, expires_at, consent_id, client_name, key_id, key_name } = self;
        let consent = consent_id.map(|id| Ok::<_, StoreError>((parse(&id)?, client_name.unwrap_or_default())));
        let key = key_id.map(|id| Ok::<_, StoreError>((parse(&id)?, key_name.unwrap_or_default())));
        let (consent, key) = (consent.transpose()?, key.transpose()?);
        Ok(OpenedSession { id: parse(&id)?, created_at, expires_at, consent, key })
    }
}

#[boxed]
impl Identity {
    /// The unexpired sessions of an agent with what opened them, newest first. Their number is bounded.
    pub async fn opened_sessions(&self, agent_id: AgentId) -> Result<Vec<OpenedSession>, StoreError> {
        let rows: Vec<Row> = self
            .db
            .all(
                "SELECT sessions.id, sessions.created_at, sessions.expires_at, consents.id AS consent_id, client_name, \
                 sessions.key_id, agent_keys.name AS key_name FROM sessions \
                 LEFT JOIN consents ON consents.session_id = sessions.id LEFT JOIN agent_keys ON agent_keys.id = sessions.key_id \
                 WHERE holder = $1 AND sessions.expires_at > $2 ORDER BY sessions.created_at DESC, sessions.id DESC",
                values![agent_id.to_string(), self.clock.now()],
            )
            .await?;
        rows.into_iter().map(Row::opened).collect()
    }
}
