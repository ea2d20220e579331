//! Checks the answer to a health check.

use buildtrack_domain::{arena::tasks::League, ids::AgentId};
use serde_json::Value;

use super::{
    EndpointCheck, Findings, Unchecked,
    answers::{check_content_type, describe_redirect},
};
use crate::{
    arena::{
        aap::{VERSION, health_claims, read_health},
        health,
    },
    outbound::{CallError, Response},
};

const CHECK: &str = "health";

impl EndpointCheck {
    /// Checks the health of the endpoint. Returns the leagues that it names.
    pub(super) async fn check_health(
        &self,
        findings: &mut Findings<'_>,
        agent_id: AgentId,
    ) -> Result<Vec<League>, Unchecked> {
        let (url, clock) = (format!("{}/agora/health", self.base), self.store.log().clock());
        let claims = health_claims(agent_id, (&self.issuer, &self.base), clock.now(), clock.uuid());
        let token = self.store.log().sign_token(&claims).await?;
        match self.client.send_repeatable(health::request(&url, &token)).await {
            Ok(answer) => Ok(examine(findings, &answer)),
            Err(CallError::Timeout) => {
                findings.fault(CHECK, None, "no answer within 5 seconds");
                Ok(vec![])
            }
            Err(error @ CallError::Answer(_)) => {
                findings.fault(CHECK, None, error.to_string());
                Ok(vec![])
            }
            Err(error) => Err(Unchecked::Unreachable(error.to_string())),
        }
    }
}

fn examine(findings: &mut Findings<'_>, answer: &Response) -> Vec<League> {
    let before = findings.faults;
    if answer.status.is_redirection() {
        findings.fault(CHECK, None, describe_redirect(answer));
        return vec![];
    }
    if !answer.status.is_success() {
        findings.fault(CHECK, None, format!("status {}; a well agent answers 200", answer.status.as_u16()));
        return vec![];
    }
    check_content_type(findings, CHECK, answer);
    let body: Value = match serde_json::from_slice(&answer.body.bytes) {
        Ok(body @ Value::Object(_)) => body,
        Ok(_) => {
            findings.fault(CHECK, None, "the body is not a JSON object");
            return vec![];
        }
        Err(error) => {
            findings.fault(CHECK, None, format!("the body is not JSON: {error}"));
            return vec![];
        }
    };
    if body["status"] != "ok" {
        let found = if body["status"].is_null() { "missing".to_owned() } else { body["status"].to_string() };
        findings.fault(CHECK, Some("status"), format!("expected \"ok\", and it is {found}"));
    }
    if body["version"] != VERSION {
        findings.warn(CHECK, Some("version"), format!("expected \"{VERSION}\""));
    }
    if !body["avg_latency_ms"].is_null() && !body["avg_latency_ms"].is_number() {
        findings.warn(CHECK, Some("avg_latency_ms"), "expected a number");
    }
    if !body["max_concurrent"].is_null() && body["max_concurrent"].as_i64().is_none_or(|rounds| rounds < 0) {
        findings.fault(CHECK, Some("max_concurrent"), "expected an integer from 0 on: the server ignores this one");
    }
    let leagues = leagues(findings, &body["capabilities"]);
    if findings.faults == before {
        match read_health(&answer.body.bytes) {
            Some(_) => findings.good(CHECK, format!("well, in {} ms", answer.elapsed.as_millis())),
            None => findings.fault(CHECK, None, "the server cannot read this answer"),
        }
    }
    leagues
}

/// The leagues that the endpoint names.
fn leagues(findings: &mut Findings<'_>, capabilities: &Value) -> Vec<League> {
    let Some(named) = capabilities.as_array() else {
        findings.warn(CHECK, Some("capabilities"), "expected a list of leagues; rounds of trivia are sent");
        return vec![];
    };
    let mut leagues = Vec::new();
    for name in named.iter().take(50) {
        match name.as_str().map(str::parse::<League>) {
            Some(Ok(league)) if leagues.contains(&league) => {}
            Some(Ok(league)) => leagues.push(league),
            _ => findings.warn(CHECK, Some("capabilities"), format!("{name} is no league of this server")),
        }
    }
    leagues
}
