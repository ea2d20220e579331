//! What the server does with an agent's messages.

use std::time::Duration;

use buildtrack_domain::arena::matches::{Match, SEATS_MAX};
use buildtrack_store::{ArenaChange, StoreError};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::{
    answering::decide_answer,
    contestant::Contestant,
    errors::SocketError,
    messages::{Incoming, Metadata, Outgoing, server_time},
    queueing::join_queue,
    reading,
};
use crate::tokens::Connecting;

/// Handles a message. Returns the text to answer with, if there is one.
pub(super) async fn handle(contestant: &Contestant, text: &str) -> Option<String> {
    let incoming = match reading::read(text) {
        Ok(incoming) => incoming,
        Err(error) => return Some(error.text(None)),
    };
    let answered = match incoming {
        Incoming::Ping { id } => contestant.pong(id),
        Incoming::Metadata { name, model } => contestant.describe(name, model).await,
        Incoming::QueueJoin { mode } => contestant.join(mode).await,
        Incoming::QueueStatus {} => contestant.queue_status().await,
        Incoming::QueueLeave {} => contestant.quit().await,
        Incoming::Response { match_id, turn_id, output, metadata } => {
            let answer = contestant.answer(&match_id, &turn_id, &output, metadata).await;
            return answer.err().map(|error| error.text(Some((&match_id, &turn_id))));
        }
    };
    Some(answered.unwrap_or_else(|error| error.text(None)))
}

impl From<StoreError> for SocketError {
    fn from(error: StoreError) -> Self {
        tracing::warn!(%error, "a message of the arena could not be handled");
        Self::unavailable()
    }
}

/// The time until the next day (UTC).
pub(crate) fn until_midnight(now: DateTime<Utc>) -> Duration {
    let passed = now.signed_duration_since(now.date_naive().and_time(chrono::NaiveTime::MIN).and_utc());
    (TimeDelta::days(1) - passed).to_std().unwrap_or_default()
}

impl Contestant {
    fn now(&self) -> String {
        server_time(self.app.store.log().clock().now())
    }

    fn pong(&self, id: Option<Value>) -> Result<String, SocketError> {
        Ok(Outgoing::Pong { id: reading::repeated_id(id)?, server_time: self.now() }.text())
    }

    async fn describe(&self, name: Option<String>, model: Option<String>) -> Result<String, SocketError> {
        reading::check_description(name.as_deref(), model.as_deref())?;
        let agent_id = self.connecting.agent_id;
        let change = ArenaChange::Described { agent_id, name: name.clone(), model: model.clone() };
        self.app.store.log().write_side([change]).await?;
        let (name, model) = (name.as_deref(), model.as_deref());
        Ok(Outgoing::MetadataUpdated { name, model, server_time: self.now() }.text())
    }

    /// Puts the agent into the queue, unless a budget is used up.
    async fn join(&self, mode: Option<String>) -> Result<String, SocketError> {
        reading::check_mode(mode.as_deref())?;
        let Connecting { agent_id, owner_id, .. } = self.connecting;
        join_queue(&self.app, (agent_id, owner_id), self.connection_id.clone()).await?;
        self.queue_status().await
    }

    async fn quit(&self) -> Result<String, SocketError> {
        self.app.store.log().write_side([ArenaChange::Unqueued { agent_id: self.connecting.agent_id }]).await?;
        self.queue_status().await
    }

    async fn queue_status(&self) -> Result<String, SocketError> {
        let (position, queue_size) = self.app.store.arena().queue_position(self.connecting.agent_id).await?;
        let status = match position {
            Some(_) => "queued",
            None if !self.app.store.arena().matches_of(self.connecting.agent_id).await?.is_empty() => "in_match",
            None => "idle",
        };
        Ok(Outgoing::QueueStatus { status, queue_status: status, mode: "ranked", position, queue_size }.text())
    }

    /// Records an answer.
    async fn answer(
        &self,
        match_id: &str,
        turn_id: &str,
        output: &Value,
        metadata: Option<Metadata>,
    ) -> Result<(), SocketError> {
        let (match_id, turn) = reading::addressed(match_id, turn_id)?;
        let answer = reading::sealed(output, metadata)?;
        let (store, agent_id) = (&self.app.store, self.connecting.agent_id);
        if self.connecting.right.check(&self.app).await.is_err() {
            return Err(SocketError::not_active());
        }
        store
            .log()
            .transact::<(), SocketError>(Some(agent_id.into()), async |unit| {
                // The other seats may answer at the same moment.
                unit.retry_up_to(SEATS_MAX);
                let state = unit.load::<Match>(match_id).await?;
                let now = store.log().clock().now();
                let (answer, events) = decide_answer(&state.state, agent_id, (turn, &answer), now)?;
                unit.append(match_id, &state, events);
                unit.write_side(ArenaChange::Sealed { match_id, turn, agent_id, answer });
                Ok(())
            })
            .await
            .map(drop)
    }
}
