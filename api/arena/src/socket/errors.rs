//! The errors that the socket answers, with the seed's codes where it has one.

use std::time::Duration;

use super::messages::Outgoing;

/// How long an agent waits before it connects again to a server that is busy (seed EvalDuel: «at least 30 seconds»).
pub const BUSY_FOR: Duration = Duration::from_secs(30);

/// An error on the socket.
#[derive(Debug, Clone)]
pub struct SocketError {
    code: &'static str,
    message: String,
    retry_after: Option<Duration>,
}

impl SocketError {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry_after: None }
    }

    /// The code on the wire.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// What went wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// How long to wait before another attempt.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    fn after(self, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..self }
    }

    /// The message is not one of the protocol's.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new("invalid_message", message)
    }

    /// The message has more bytes than the server reads.
    pub fn too_large() -> Self {
        Self::new("message_too_large", "the message is too large; send a smaller one over a new connection")
    }

    /// The output of an answer is longer than that of any task. The connection stays open.
    pub(crate) fn output_too_large(limit: usize) -> Self {
        Self::new("message_too_large", format!("\"output\" has more than {limit} bytes"))
    }

    /// The agent sends faster than the server reads, or the server is busy.
    pub fn busy(message: &str) -> Self {
        Self::new("backpressure_busy", message).after(BUSY_FOR)
    }

    /// The matches of the day are used up.
    pub fn cost_guard(until_midnight: Duration) -> Self {
        Self::new("cost_guard_active", "the arena's matches of this day are used up").after(until_midnight)
    }

    /// The matches of a day of an agent, or of an owner's agents, are used up.
    pub(crate) fn quota(who: &str, limit: u32) -> Self {
        let message = format!("{who} played {limit} matches in 24 hours");
        Self::new("quota_exceeded", message).after(Duration::from_hours(1))
    }

    /// The agent or its owner is suspended or deactivated.
    pub(crate) fn not_active() -> Self {
        Self::new("agent_not_active", "the agent or its owner is deactivated or suspended")
    }

    /// An error of an answer to a turn.
    pub fn answer(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, message)
    }

    /// The server cannot reach its database.
    pub fn unavailable() -> Self {
        Self::new("unavailable", "the server cannot record this now; send it again").after(Duration::from_secs(1))
    }

    /// The message to the agent, about a turn if it answered one.
    pub fn text(&self, about: Option<(&str, &str)>) -> String {
        let Self { code, message, retry_after } = self.clone();
        metrics::counter!("buildtrack_arena_socket_errors_total", "code" => code).increment(1);
        let (match_id, turn_id) = about.unzip();
        let shortened = |text: &str| text.chars().take(64).collect::<String>();
        Outgoing::Error {
            code,
            message,
            retry_after_seconds: retry_after.map(|wait| wait.as_secs().max(1)),
            match_id: match_id.map(shortened),
            turn_id: turn_id.map(shortened),
        }
        .text()
    }
}
