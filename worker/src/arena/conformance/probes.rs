//! Probes that a good endpoint passes: repeated rounds, fields that it does not know, and tokens that are not for it.

use buildtrack_domain::{arena::tasks::League, ids::AgentId};
use buildtrack_store::{draw_task, open_turn};
use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{EndpointCheck, Findings, Unchecked, answers::examine, rounds::Sent};
use crate::arena::aap::claims;

impl EndpointCheck {
    /// Sends rounds that are unusual, and rounds that an endpoint should refuse.
    pub(super) async fn probe(
        &self,
        findings: &mut Findings<'_>,
        agent_id: AgentId,
        league: League,
    ) -> Result<(), Unchecked> {
        let Some(task) = draw_task(self.store.arena().bank(), league, &[]) else { return Ok(()) };
        let match_id = self.new_match();
        let sent = || {
            let due_at = open_turn(match_id, 1, task, self.store.log().clock().now()).due_at;
            Sent { agent_id, match_id, round: 1, task, due_at }
        };
        let mut body: Value = serde_json::from_str(&sent().body()).unwrap_or_default();
        body["a_field_of_a_later_version"] = json!({ "ignore": true });
        for (check, body) in [
            ("unknown field in the body", body.to_string()),
            ("a round", sent().body()),
            ("the same round again", sent().body()),
        ] {
            let sent = sent();
            let answer = self.send(&sent, body, &self.token(&sent).await?).await;
            examine(findings, check, task, &answer, (&self.issuer, &self.base));
        }
        for (check, token) in self.wrong_tokens(&sent()).await? {
            let sent = sent();
            let answer = self.send(&sent, sent.body(), &token).await;
            match answer {
                Ok(answer) if answer.status.is_success() => {
                    findings.warn(
                        check,
                        None,
                        "the endpoint answers: it does not check this, so that others may send it rounds",
                    );
                }
                Ok(answer) if answer.status.is_client_error() => {
                    findings.good(check, format!("refused with {}", answer.status.as_u16()));
                }
                Ok(answer) => {
                    findings.warn(check, None, format!("status {}; expected 401", answer.status.as_u16()));
                }
                Err(error) => findings.warn(check, None, format!("{error}; expected 401")),
            }
        }
        Ok(())
    }

    /// Tokens that an endpoint should refuse.
    async fn wrong_tokens(&self, sent: &Sent<'_>) -> Result<Vec<(&'static str, String)>, Unchecked> {
        let ids = (sent.agent_id, sent.match_id);
        let signed = async |issuer: &str, audience: &str, due_at| {
            self.store.log().sign_token(&claims(ids, (issuer, audience), due_at, self.store.log().clock().uuid())).await
        };
        let (right, other) = (self.token(sent).await?, self.token(sent).await?);
        let (content, _) = right.rsplit_once('.').unwrap_or_default();
        let (_, signature) = other.rsplit_once('.').unwrap_or_default();
        let (issuer, base) = (&*self.issuer, &*self.base);
        Ok(vec![
            ("token with a wrong signature", format!("{content}.{signature}")),
            ("token for another endpoint", signed(issuer, "https://another-agent.example", sent.due_at).await?),
            ("token of another server", signed("https://another-arena.example", base, sent.due_at).await?),
            ("expired token", signed(issuer, base, sent.due_at - TimeDelta::hours(2)).await?),
        ])
    }
}
