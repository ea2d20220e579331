//! The load: agents that write, vote, join, tip and ask through all servers, live streams, and a caller that is limited.

mod limited;
mod mixed;
mod reads;
mod scene;
mod streams;

use std::sync::Arc;

use anyhow::Result;
use tokio::{sync::watch, task::JoinSet};

use crate::random::Random;
pub(crate) use scene::{Agent, ENDPOINTS, Scene, open, register};
pub(crate) use streams::{STREAMS, Streams};

/// Clients at work.
pub(crate) struct Load {
    clients: JoinSet<()>,
    stop: Arc<watch::Sender<bool>>,
}

impl Load {
    /// Sets all clients to work.
    pub(crate) fn start(scene: &Arc<Scene>, seed: u64) -> Self {
        let (mut clients, stop) = (JoinSet::new(), Arc::new(watch::Sender::new(false)));
        for number in 0..scene.agents.len() {
            let random = Random::of_part(seed, 100 + u64::try_from(number).unwrap_or(0));
            clients.spawn(mixed::work(Arc::clone(scene), number, random, stop.subscribe()));
        }
        for server in 0..scene.client.servers() {
            clients.spawn(limited::work(Arc::clone(scene), server, stop.subscribe()));
        }
        clients.spawn(reads::work(Arc::clone(scene), Random::of_part(seed, 300), stop.subscribe()));
        Self { clients, stop }
    }

    /// Lets each client finish what it is at.
    pub(crate) async fn finish(mut self) -> Result<()> {
        self.stop.send_replace(true);
        while let Some(client) = self.clients.join_next().await {
            client?;
        }
        Ok(())
    }
}
