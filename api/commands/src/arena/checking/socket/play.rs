//! The match of the check: the queue, the turns, and the result.

use std::time::Duration;

use buildtrack_arena::socket::SocketError;
use serde_json::Value;
use tokio::time::Instant;

use super::{
    conversation::{AgentState, Answered, Conversation, Next},
    duel::{Duel, Wishes},
};

use crate::arena::programs::Programs;

/// How long the agent has to join the queue.
const JOIN: Duration = Duration::from_secs(15);
/// The time that the first attempt to join is told to wait.
const GUARD: Duration = Duration::from_secs(2);
/// How much sooner than it was told the agent may try again.
const SLACK: Duration = Duration::from_millis(100);
/// How long the check listens after the result.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// A check that runs.
pub(super) struct Play<'r> {
    pub(super) conversation: Conversation<'r>,
    pub(super) wishes: Wishes,
    /// How long the agent waits in the queue.
    pub(super) idle: Duration,
    pub(super) programs: Programs,
}

impl Play<'_> {
    /// Plays the match. Returns the number of faults, or why nothing was checked.
    pub(super) async fn run(mut self, wait: Duration) -> Result<usize, String> {
        self.connect(wait).await?;
        let is_ranked = self.queue().await;
        self.wait_in_queue().await;
        let (agent_id, clock) = (self.conversation.agent_id, self.conversation.clock.clone());
        let mut duel = Duel::begin(agent_id, clock, self.wishes, is_ranked)?;
        self.conversation.state = AgentState::InMatch;
        while let Some(turn) = duel.turn() {
            self.play(&mut duel, &turn).await?;
        }
        self.finish(&mut duel).await;
        let faults = self.conversation.findings.faults();
        self.conversation.end().await;
        Ok(faults)
    }

    async fn connect(&mut self, wait: Duration) -> Result<(), String> {
        let until = Instant::now() + wait;
        match self.conversation.next("connect", until).await {
            Next::Connected => Ok(()),
            _ => Err(format!("no agent has connected within {} s", wait.as_secs())),
        }
    }

    /// Waits for the agent to join the queue. The first attempt meets the cost guard. True if it has joined.
    async fn queue(&mut self) -> bool {
        const CHECK: &str = "queue";
        let (mut until, mut refused_at): (_, Option<Instant>) = (Instant::now() + JOIN, None);
        loop {
            match (self.conversation.next(CHECK, until).await, refused_at) {
                (Next::Join, None) => {
                    let now = Instant::now();
                    (refused_at, until) = (Some(now), now + GUARD + JOIN);
                    self.conversation.send(SocketError::cost_guard(GUARD).text(None)).await;
                }
                (Next::Join, Some(refused_at)) => {
                    self.report_wait(CHECK, "cost_guard_active", (refused_at.elapsed(), GUARD));
                    self.conversation.join().await;
                    return true;
                }
                (Next::Answer(answered), _) => self.refuse_stray(CHECK, &answered, "before a match").await,
                (Next::Connected, _) => {}
                (Next::Gone, _) => self.conversation.findings.fault(CHECK, None, "the agent closes the connection"),
                (Next::Nothing, None) => {
                    let message = "does not join the queue: such an agent plays challenges alone. The match is one";
                    self.conversation.findings.warn(CHECK, None, message);
                    return false;
                }
                (Next::Nothing, Some(_)) => {
                    let message = "does not join again after cost_guard_active. The match is a challenge";
                    self.conversation.findings.warn(CHECK, None, message);
                    return false;
                }
            }
        }
    }

    /// Says whether the agent has waited as long as an error told it.
    pub(super) fn report_wait(&mut self, check: &str, code: &str, (waited, announced): (Duration, Duration)) {
        let (millis, seconds) = (waited.as_millis(), announced.as_secs());
        let findings = &mut self.conversation.findings;
        if waited + SLACK < announced {
            let message = format!("tries again {millis} ms after {code}: retry_after_seconds was {seconds}");
            findings.fault(check, Some("retry_after_seconds"), message);
        } else {
            findings.good(check, format!("tries again {millis} ms after {code}, as it was told"));
        }
    }

    async fn wait_in_queue(&mut self) {
        let until = Instant::now() + self.idle;
        loop {
            match self.conversation.next("queue", until).await {
                Next::Join => self.conversation.join().await,
                Next::Answer(answered) => self.refuse_stray("queue", &answered, "before a match").await,
                Next::Connected => {}
                Next::Gone => self.conversation.findings.fault("queue", None, "the agent closes the connection"),
                Next::Nothing => break,
            }
        }
        if self.conversation.pings > 0 {
            self.conversation.findings.good("ping", "sends pings");
        }
    }

    /// Sends the result, and listens for a moment.
    async fn finish(&mut self, duel: &mut Duel) {
        const CHECK: &str = "result";
        let Some(text) = duel.result() else { return };
        let result: Value = serde_json::from_str(&text).unwrap_or_default();
        self.conversation.state = AgentState::Idle;
        self.conversation.send(text).await;
        let reason = result["reason"].as_str().unwrap_or_default();
        self.conversation.findings.good(CHECK, format!("the match has ended: {reason}"));
        let until = Instant::now() + AFTERWARDS;
        loop {
            match self.conversation.next(CHECK, until).await {
                Next::Answer(answered) => self.refuse_stray(CHECK, &answered, "after the end of the match").await,
                Next::Join => self.conversation.join().await,
                Next::Connected => {}
                Next::Gone | Next::Nothing => return,
            }
        }
    }

    /// Refuses an answer outside of a match.
    async fn refuse_stray(&mut self, check: &str, answered: &Answered, when: &str) {
        let error = if check == "result" {
            SocketError::answer("match_over", "the match has ended")
        } else {
            SocketError::answer("unknown_match", "no match has this match_id")
        };
        self.conversation.findings.fault(check, None, format!("an answer {when}"));
        self.conversation.send(error.text(Some((&answered.match_id, &answered.turn_id)))).await;
    }
}
