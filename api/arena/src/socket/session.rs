//! One connection: reads the agent's messages, and sends what the server has for it.

use std::{sync::Arc, time::Duration};

use actix_ws::{AggregatedMessage, CloseCode, CloseReason, Session};
use buildtrack_http::{
    app::App,
    frames::{Broken, Messages},
    streaming::Permit,
};
use buildtrack_store::{ArenaChange, NewConnection};
use tokio::time::{Instant, sleep_until};

use super::{
    contestant::Contestant,
    errors::SocketError,
    hub::{Order, Sockets},
    incoming,
    messages::{Outgoing, PROTOCOL, evalduel_id, server_time},
    turns,
};

pub(super) use crate::tokens::Connecting;

/// A connection without a message for so long is closed. The seed asks for a ping every 30 seconds.
pub const IDLE: Duration = Duration::from_secs(100);
/// Messages that an agent may send in each period.
pub const MESSAGES: u32 = 60;
/// The period in which these messages are counted.
pub const PERIOD: Duration = Duration::from_secs(10);
/// Matches whose result is sent to an agent that was away when they ended.
const MISSED: i64 = 5;

/// Why a connection ends, if not by the agent.
enum End {
    /// The agent has closed it, or is gone.
    Gone,
    /// The server closes it.
    Closed(CloseCode, &'static str),
}

/// Serves a connection until it ends.
pub(super) async fn serve(
    app: Arc<App>,
    sockets: Arc<Sockets>,
    connecting: Connecting,
    (mut session, messages): (Session, Messages),
    permit: Permit,
) {
    let agent_id = connecting.agent_id;
    let connection_id = app.store.log().clock().uuid().to_string();
    let contestant = Contestant { app, sockets, connecting, connection_id };
    // Beside all of it, so that the connection also ends while an agent does not read.
    let end = tokio::select! {
        end = contestant.run(&mut session, messages) => end,
        ending = contestant.connecting.right.ended() => End::Closed(CloseCode::Policy, ending.reason()),
    };
    contestant.leave().await;
    drop(permit);
    if let End::Closed(code, reason) = end {
        tracing::debug!(%agent_id, reason, "the server closes a socket of the arena");
        // A disconnected client does not receive the close message.
        drop(session.close(Some(CloseReason { code, description: Some(reason.to_owned()) })).await);
    }
}

impl Contestant {
    async fn run(&self, session: &mut Session, mut messages: Messages) -> End {
        let agent_id = self.connecting.agent_id;
        let connection = (self.connection_id.clone(), self.connecting.arena_token.clone());
        let (mut orders, overrun) = self.sockets.enter(agent_id, connection, self.app.store.log().tail().head());
        let missed = self.app.store.arena().matches_missed(agent_id, MISSED).await.unwrap_or_default();
        if let Err(error) = self.register().await {
            tracing::warn!(%error, "a socket of the arena could not be recorded");
            let text = SocketError::busy("the server is busy").text(None);
            drop(session.text(text).await);
            return End::Closed(CloseCode::Again, "the server is busy");
        }
        // The token may have ended between the handshake and the entry, when no connection was there to close.
        if let Err(ending) = self.connecting.right.check(&self.app).await {
            return End::Closed(CloseCode::Policy, ending.reason());
        }
        if session.text(self.hello()).await.is_err() {
            return End::Gone;
        }
        turns::resume(&self.app.store, &self.sockets, agent_id, missed).await;
        let stopping = self.app.stopping.clone();
        let (mut idle_until, mut counted, mut period_ends) = (Instant::now() + IDLE, 0, Instant::now() + PERIOD);
        loop {
            tokio::select! {
                order = orders.recv() => if let Err(end) = self.carry_out(session, order).await { return end },
                message = messages.next() => {
                    idle_until = Instant::now() + IDLE;
                    if Instant::now() >= period_ends {
                        (counted, period_ends) = (0, Instant::now() + PERIOD);
                    }
                    counted += 1;
                    if counted > MESSAGES {
                        let text = SocketError::busy("the agent sends more than 60 messages in 10 seconds").text(None);
                        drop(session.text(text).await);
                        return End::Closed(CloseCode::Policy, "too many messages");
                    }
                    match self.receive(session, message).await {
                        Ok(()) => {}
                        Err(end) => return end,
                    }
                },
                () = sleep_until(idle_until) => return End::Closed(CloseCode::Policy, "no message for 100 seconds"),
                () = overrun.cancelled() => return End::Closed(CloseCode::Policy, "the agent does not read its messages"),
                () = stopping.cancelled() => return End::Closed(CloseCode::Restart, "the server restarts"),
            }
        }
    }

    /// Carries out what the server has for the agent.
    async fn carry_out(&self, session: &mut Session, order: Option<Order>) -> Result<(), End> {
        match order {
            Some(Order::Send(text)) => session.text(text).await.map_err(|_| End::Gone),
            Some(Order::Result(text, position)) => self.send_result(session, text, position).await,
            Some(Order::Close(reason)) => Err(End::Closed(CloseCode::Policy, reason)),
            None => Err(End::Gone),
        }
    }

    /// Sends the result of a match, and records this before: an agent that has read it may connect again at once.
    async fn send_result(&self, session: &mut Session, text: String, position: i64) -> Result<(), End> {
        let (store, agent_id) = (&self.app.store, self.connecting.agent_id);
        if let Err(error) = store.log().write_side([ArenaChange::ResultSent { agent_id, position }]).await {
            tracing::warn!(%error, "the agent may be sent the result of its match again: this could not be recorded");
        }
        if session.text(text).await.is_ok() {
            return Ok(());
        }
        if let Err(error) = store.log().write_side([ArenaChange::ResultReturned { agent_id, position }]).await {
            tracing::warn!(%error, "an agent has missed the result of its match: this could not be recorded");
        }
        Err(End::Gone)
    }

    async fn receive(
        &self,
        session: &mut Session,
        message: Option<Result<AggregatedMessage, Broken>>,
    ) -> Result<(), End> {
        match message {
            Some(Ok(AggregatedMessage::Text(text))) => {
                let Some(answer) = incoming::handle(self, &text).await else { return Ok(()) };
                session.text(answer).await.map_err(|_| End::Gone)
            }
            Some(Ok(AggregatedMessage::Binary(_))) => {
                let text = SocketError::invalid("messages are JSON in text frames").text(None);
                session.text(text).await.map_err(|_| End::Gone)
            }
            Some(Ok(AggregatedMessage::Ping(bytes))) => session.pong(&bytes).await.map_err(|_| End::Gone),
            Some(Ok(AggregatedMessage::Pong(_))) => Ok(()),
            Some(Err(Broken::TooLarge)) => {
                let text = SocketError::too_large().text(None);
                drop(session.text(text).await);
                Err(End::Closed(CloseCode::Size, "message_too_large"))
            }
            Some(Err(Broken::TooManyFrames)) => Err(End::Closed(CloseCode::Policy, "too many control frames")),
            Some(Ok(AggregatedMessage::Close(_)) | Err(Broken::Lost)) | None => {
                drop(session.clone().close(None).await);
                Err(End::Gone)
            }
        }
    }

    /// Records the connection, on a server whose row is valid.
    async fn register(&self) -> Result<(), buildtrack_store::StoreError> {
        self.sockets.beat(&self.app.store).await?;
        let Connecting { agent_id, owner_id, .. } = self.connecting;
        let (connection_id, server_id) = (self.connection_id.clone(), self.sockets.server_id.clone());
        let connection = NewConnection { agent_id, owner_id, connection_id, server_id, keeps_position: false };
        self.app.store.log().write_side([ArenaChange::Connected(Box::new(connection))]).await
    }

    /// Records the end of the connection, unless the server stops: then it is not the agent's doing, and the agent may come back
    /// within the turn.
    async fn leave(&self) {
        let agent_id = self.connecting.agent_id;
        self.sockets.exit(agent_id, &self.connection_id);
        if self.app.stopping.is_cancelled() {
            return;
        }
        let change = ArenaChange::Disconnected { agent_id, connection_id: self.connection_id.clone() };
        if let Err(error) = self.app.store.log().write_side([change]).await {
            tracing::debug!(%error, "the end of a socket could not be recorded");
        }
    }

    fn hello(&self) -> String {
        Outgoing::Hello {
            protocol: PROTOCOL,
            agent_id: evalduel_id(self.connecting.agent_id),
            server_time: server_time(self.app.store.log().clock().now()),
            message: "connected",
        }
        .text()
    }
}
