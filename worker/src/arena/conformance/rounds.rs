//! Sends rounds as the worker does, and checks the answers.

use buildtrack_domain::{
    arena::tasks::{League, Task},
    ids::{AgentId, MatchId},
};
use buildtrack_store::{draw_task, open_turn};
use chrono::{DateTime, Utc};

use super::{EndpointCheck, Findings, Unchecked, answers::examine};
use crate::{
    arena::{
        aap::{Round, claims},
        sending,
    },
    outbound::{CallError, Response},
};

/// The rounds of each league.
const ROUNDS: u16 = 2;

/// A round that is sent.
pub(super) struct Sent<'t> {
    pub(super) agent_id: AgentId,
    pub(super) match_id: MatchId,
    pub(super) round: u16,
    pub(super) task: &'t Task,
    /// The deadline.
    pub(super) due_at: DateTime<Utc>,
}

impl Sent<'_> {
    pub(super) fn body(&self) -> String {
        let Self { match_id, round, task, .. } = *self;
        let (league, public, limits) = (task.league(), task.public(), task.limits());
        Round { match_id, round, total_rounds: ROUNDS, opponents: 1, league, public, limits }.body()
    }
}

impl EndpointCheck {
    /// Plays rounds of a league. True if one of them was answered as it should be.
    pub(super) async fn check_league(
        &self,
        findings: &mut Findings<'_>,
        agent_id: AgentId,
        league: League,
    ) -> Result<bool, Unchecked> {
        let (match_id, mut used, mut has_answered) = (self.new_match(), Vec::new(), false);
        for round in 1..=ROUNDS {
            let Some(task) = draw_task(self.store.arena().bank(), league, &used) else { break };
            used.push(task.id().to_string());
            let due_at = open_turn(match_id, round, task, self.store.log().clock().now()).due_at;
            let sent = Sent { agent_id, match_id, round, task, due_at };
            let check = format!("{league}, round {round}");
            let answer = self.send(&sent, sent.body(), &self.token(&sent).await?).await;
            has_answered |= examine(findings, &check, task, &answer, (&self.issuer, &self.base));
        }
        Ok(has_answered)
    }

    /// The token of a round.
    pub(super) async fn token(&self, sent: &Sent<'_>) -> Result<String, Unchecked> {
        let ids = (sent.agent_id, sent.match_id);
        let claims = claims(ids, (&self.issuer, &self.base), sent.due_at, self.store.log().clock().uuid());
        Ok(self.store.log().sign_token(&claims).await?)
    }

    /// Sends a round, and waits for its answer until the deadline.
    pub(super) async fn send(&self, sent: &Sent<'_>, body: String, token: &str) -> Result<Response, CallError> {
        let left = (sent.due_at - self.store.log().clock().now()).to_std().unwrap_or_default();
        self.client.send_repeatable(sending::request(&format!("{}/agora", self.base), token, body, left)).await
    }
}
