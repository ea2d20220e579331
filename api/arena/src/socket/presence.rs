//! Agents that play by calls: the server holds a connection for an agent without a socket until some time after its last call, or
//! until the right of its last caller ends.
//!
//! **Invariant:** matchmaker and referee see a socket. It is lost with the server that holds it, unless the agent calls another one;
//! an agent that calls no more has closed it.

use std::{sync::Arc, time::Duration};

use buildtrack_domain::ids::{AgentId, OwnerId};
use buildtrack_http::{
    app::App,
    problem::Problem,
    rights::Right,
    streaming::{Holder, Permit, take_stream_permit},
};
use buildtrack_store::{AgentConnection, ArenaChange, NewConnection, StoreError};
use chrono::{DateTime, TimeDelta, Utc};
use tokio::{sync::mpsc, time::sleep};

use super::hub::{Order, Sockets};

/// How long after the end of its last call an agent counts as connected.
const HELD: TimeDelta = TimeDelta::seconds(60);
/// How often the server looks whether the agent still calls.
const CHECK: Duration = Duration::from_secs(1);
/// The beginning of the id of a connection without a socket.
const CALLS: &str = "calls_";

/// Holds a connection for an agent whose call lasts up to `wait`, and returns its id. An agent with an open socket keeps that one.
pub(crate) async fn hold(
    app: &Arc<App>,
    sockets: &Arc<Sockets>,
    (agent_id, owner_id): (AgentId, OwnerId),
    (holder, wait, right): (&Holder, Duration, &Right),
) -> Result<String, Problem> {
    let before = sockets.connection_id(agent_id);
    let known = app.store.arena().connection_of(agent_id).await?;
    let until = app.store.log().clock().now() + HELD + TimeDelta::from_std(wait).unwrap_or_default();
    let Chosen { connection_id, keeps_position } =
        choose(app, sockets, agent_id, (holder, until, right), (before, known))?;
    if let Some(keeps_position) = keeps_position {
        let (id, server_id) = (connection_id.clone(), sockets.server_id.clone());
        let connection = NewConnection { agent_id, owner_id, connection_id: id, server_id, keeps_position };
        register(app, sockets, connection).await?;
    }
    Ok(connection_id)
}

/// The connection of a call.
struct Chosen {
    connection_id: String,
    /// If it has to be recorded, whether the agent keeps its place in the queue.
    keeps_position: Option<bool>,
}

/// Chooses or enters the connection of a call, by what this server and the database knew when it began. Calls of an agent at the same
/// moment share one: otherwise the database would know one, and this server hold another.
fn choose(
    app: &Arc<App>,
    sockets: &Arc<Sockets>,
    agent_id: AgentId,
    (holder, until, right): (&Holder, DateTime<Utc>, &Right),
    (before, known): (Option<String>, Option<AgentConnection>),
) -> Result<Chosen, Problem> {
    let _one_at_a_time = sockets.lock_calls();
    let here = sockets.connection_id(agent_id);
    let open = known.as_ref().filter(|known| known.is_open).map(|known| &known.connection_id);
    if let Some(socket) = here.as_ref().into_iter().chain(open).find(|id| !id.starts_with(CALLS)) {
        return Ok(Chosen { connection_id: socket.clone(), keeps_position: None });
    }
    let is_shared = here != before;
    let is_recorded = open.is_some() && open == here.as_ref();
    let is_elsewhere = open.is_some() && !is_recorded;
    // The agent has called another server last, or this one was late to renew its row.
    let was_late = here.is_some() && known.as_ref().map(|known| &known.connection_id) == here.as_ref();
    let connection_id = match here {
        // What ends an earlier connection here must not end the new one.
        Some(connection_id) if is_shared || !is_elsewhere => connection_id,
        _ => enter(app, sockets, agent_id, take_stream_permit(app, holder)?),
    };
    sockets.hold(agent_id, &connection_id, until, right);
    Ok(Chosen { connection_id, keeps_position: (!is_recorded).then_some(is_elsewhere || was_late) })
}

/// Enters a connection without a socket, and returns its id.
fn enter(app: &Arc<App>, sockets: &Arc<Sockets>, agent_id: AgentId, permit: Permit) -> String {
    let id = format!("{CALLS}{}", app.store.log().clock().uuid());
    let (orders, _) = sockets.enter(agent_id, (id.clone(), None), app.store.log().tail().head());
    let held = Held { app: Arc::clone(app), sockets: Arc::clone(sockets), agent_id, id: id.clone(), _permit: permit };
    actix_web::rt::spawn(held.keep(orders));
    id
}

/// Records the connection, on a server whose row is valid.
async fn register(app: &App, sockets: &Sockets, connection: NewConnection) -> Result<(), StoreError> {
    sockets.beat(&app.store).await?;
    app.store.log().write_side([ArenaChange::Connected(Box::new(connection))]).await
}

/// A connection that this server holds.
struct Held {
    app: Arc<App>,
    sockets: Arc<Sockets>,
    agent_id: AgentId,
    id: String,
    _permit: Permit,
}

impl Held {
    /// Keeps the connection until the agent calls no more, another connection replaces it, the right of its last call ends, or
    /// the server stops.
    async fn keep(self, mut orders: mpsc::Receiver<Order>) {
        loop {
            tokio::select! {
                order = orders.recv() => match order {
                    // The next call reads what a socket would have been sent.
                    Some(Order::Send(_)) => {}
                    Some(Order::Result(_, position)) => self.pass_result(position).await,
                    Some(Order::Close(_)) | None => break,
                },
                () = sleep(CHECK) => {
                    if !self.sockets.is_held(self.agent_id, &self.id, self.app.store.log().clock().now()) {
                        break;
                    }
                },
                () = self.app.stopping.cancelled() => break,
            }
        }
        self.sockets.exit(self.agent_id, &self.id);
        if self.app.stopping.is_cancelled() {
            // The agent may call again within its turn.
            return;
        }
        let change = ArenaChange::Disconnected { agent_id: self.agent_id, connection_id: self.id };
        if let Err(error) = self.app.store.log().write_side([change]).await {
            tracing::debug!(%error, "the end of a connection without a socket could not be recorded");
        }
    }

    /// Leaves the result of a match to the agent's calls: a later socket is not sent it.
    async fn pass_result(&self, position: i64) {
        let change = ArenaChange::ResultSent { agent_id: self.agent_id, position };
        if let Err(error) = self.app.store.log().write_side([change]).await {
            tracing::debug!(%error, "the result of a match could not be recorded as shown to its agent");
        }
    }
}
