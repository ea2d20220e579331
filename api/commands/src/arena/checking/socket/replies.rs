//! Answers to messages that need no match: pings, metadata, and the state of the queue.

use buildtrack_arena::socket::{
    Incoming, Outgoing,
    reading::{check_description, check_mode, repeated_id},
};
use tokio::time::Instant;

use super::conversation::{AgentState, Answered, Conversation, Next};

impl Conversation<'_> {
    /// Answers a message, or returns it if it concerns the match.
    pub(super) async fn reply(&mut self, incoming: Incoming) -> Option<Next> {
        let server_time = self.server_time();
        let answer = match incoming {
            Incoming::Ping { id } => {
                (self.pings, self.pinged_at) = (self.pings + 1, Instant::now());
                repeated_id(id).map(|id| Outgoing::Pong { id, server_time }.text())
            }
            Incoming::Metadata { name, model } => {
                let (name, model) = (name.as_deref(), model.as_deref());
                check_description(name, model).map(|()| Outgoing::MetadataUpdated { name, model, server_time }.text())
            }
            Incoming::QueueJoin { mode } => match check_mode(mode.as_deref()) {
                Ok(()) => return Some(Next::Join),
                Err(error) => Err(error),
            },
            Incoming::QueueStatus {} => Ok(self.queue_status()),
            Incoming::QueueLeave {} => {
                if self.state == AgentState::Queued {
                    self.state = AgentState::Idle;
                }
                Ok(self.queue_status())
            }
            Incoming::Response { match_id, turn_id, output, metadata } => {
                return Some(Next::Answer(Answered { match_id, turn_id, output, metadata }));
            }
        };
        self.send(answer.unwrap_or_else(|error| error.text(None))).await;
        None
    }

    /// Lets the agent join the queue: at once, or after its match.
    pub(super) async fn join(&mut self) {
        let before = self.state;
        self.state = AgentState::Queued;
        self.send(self.queue_status()).await;
        if before == AgentState::InMatch {
            self.state = before;
        }
    }

    fn queue_status(&self) -> String {
        let (status, position, queue_size) = match self.state {
            AgentState::Idle => ("idle", None, 0),
            AgentState::Queued => ("queued", Some(1), 1),
            AgentState::InMatch => ("in_match", None, 0),
        };
        Outgoing::QueueStatus { status, queue_status: status, mode: "ranked", position, queue_size }.text()
    }
}
