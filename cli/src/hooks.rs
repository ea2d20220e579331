//! Pushes on a developer's machine, without a tunnel: pulls an agent's events, checks them, signs them as the worker does, and posts them
//! to a local receiver.

use std::time::Duration;

use clap::{Args, Subcommand};
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use tokio::time::sleep;
use url::Url;

use crate::{
    addresses::id,
    client::{Client, Options},
    display::{in_one_line, member},
    failure::{Failure, reason},
    signatures::Secret,
    transport::{Call, http_client},
};

/// The environment variable with the receiver's secret. The receivers of the guide read the same one.
const SECRET: &str = "ARAF_SECRET";
/// The seconds for which the server waits for an event.
const WAIT: u64 = 30;
/// How long a receiver may take, as in a real delivery.
const PATIENCE: Duration = Duration::from_secs(15);
/// The time between two attempts at a receiver.
const PAUSE: Duration = Duration::from_millis(500);

/// Pushes on this machine.
#[derive(Debug, Subcommand)]
pub enum HooksCommand {
    /// Receives an agent's events by pulling, and hands them to a local address as signed pushes.
    ///
    /// The receiver verifies both signatures with the secret in the environment variable `ARAF_SECRET`; without one, the command makes a
    /// secret and prints it. Without an address, the command prints the events. The exit code is 1 if the receiver refused a push.
    Listen(Listen),
}

/// Receives an agent's events by pulling, and hands them to a local address as signed pushes.
#[derive(Debug, Args)]
pub struct Listen {
    /// The receiver, such as `http://127.0.0.1:8099/araf/webhook`
    #[arg(value_name = "URL", value_parser = receiver_address)]
    to: Option<Url>,
    /// The agent, for the session of its owner: `ag_…` [default: the agent of the session]
    #[arg(long, value_name = "ID", value_parser = id)]
    agent: Option<String>,
    /// Begins behind this position of the log [default: now]
    #[arg(long, value_name = "POSITION")]
    after: Option<u64>,
    /// Ends after this many events
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// The attempts for one event
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10))]
    attempts: u32,
    #[command(flatten)]
    options: Options,
}

/// The events behind a position.
#[derive(Debug, Deserialize)]
struct Batch {
    items: Vec<Pulled>,
    next: u64,
}

/// One event, with the exact text of the push.
#[derive(Debug, Deserialize)]
struct Pulled {
    sequence: u64,
    event: String,
    body: Box<RawValue>,
}

/// A local receiver.
struct Receiver<'a> {
    http: reqwest::Client,
    to: &'a Url,
    secret: Secret,
    attempts: u32,
}

impl HooksCommand {
    pub(crate) fn options(&self) -> &Options {
        let Self::Listen(listen) = self;
        &listen.options
    }

    pub(crate) async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let Self::Listen(listen) = self;
        listen.run(client).await
    }
}

impl Listen {
    async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let agent = match &self.agent {
            Some(agent) => agent.clone(),
            None => client.own_id()?,
        };
        let receiver = self.to.as_ref().map(|to| self.receiver(to, client)).transpose()?;
        let mut after = match self.after {
            Some(position) => position,
            None => client.end_of_log().await?,
        };
        client.output.note(&format!("Waiting for events of {agent} behind position {after}. Ctrl-C ends it."));
        let (mut handed, mut refused, mut previous) = (0, 0_u64, None);
        while self.count.is_none_or(|count| handed < count) {
            let call = Call::get(format!("/api/v1/agents/{agent}/events"));
            let call = call.with("after", Some(after)).with("wait", Some(WAIT)).waiting(WAIT);
            let batch: Batch = client.send_as(&call).await?;
            for pulled in &batch.items {
                if self.count.is_some_and(|count| handed >= count) {
                    break;
                }
                let event = checked(pulled, &agent, after)?;
                let accepted = match &receiver {
                    Some(receiver) => receiver.hand(client, pulled, previous).await,
                    None => Ok(None),
                };
                refused += u64::from(accepted.is_err());
                show(client, pulled, &event, &accepted)?;
                (previous, after) = (Some(pulled.sequence), pulled.sequence);
                handed += 1;
            }
            after = batch.next;
        }
        if refused == 0 {
            Ok(())
        } else {
            Err(Failure::Failed(format!("The receiver refused {refused} of {handed} pushes.")))
        }
    }

    fn receiver<'u>(&self, to: &'u Url, client: &Client<'_>) -> Result<Receiver<'u>, Failure> {
        let secret = if let Ok(secret) = std::env::var(SECRET) {
            Secret::parse(secret.trim())?
        } else {
            let secret = Secret::generate((client.surroundings.random)());
            client.output.note(&format!("The receiver's secret, until this command ends: {}", secret.as_str()));
            secret
        };
        let http = http_client(to.as_str(), |builder| builder.timeout(PATIENCE))?;
        Ok(Receiver { http, to, secret, attempts: self.attempts })
    }
}

/// Checks that an event is for this agent, and follows those before it.
fn checked(pulled: &Pulled, agent: &str, after: u64) -> Result<Value, Failure> {
    let wrong = |what: &str| Failure::Failed(format!("The event at position {} {what}.", pulled.sequence));
    let body: Value =
        serde_json::from_str(pulled.body.get()).map_err(|error| wrong(&format!("is no JSON: {error}")))?;
    if pulled.sequence <= after {
        Err(wrong("was pulled already"))
    } else if body.get("agentId").and_then(Value::as_str) != Some(agent) {
        Err(wrong("is for another agent"))
    } else if body.get("event").and_then(Value::as_str) != Some(&pulled.event) {
        Err(wrong("names another event in its body"))
    } else {
        Ok(body)
    }
}

impl Receiver<'_> {
    /// Posts a push until the receiver accepts it; returns the status, or why the receiver does not accept it.
    async fn hand(
        &self,
        client: &Client<'_>,
        pulled: &Pulled,
        previous: Option<u64>,
    ) -> Result<Option<StatusCode>, String> {
        let mut failure = String::new();
        for attempt in 1..=self.attempts {
            if attempt > 1 {
                sleep(PAUSE * attempt).await;
            }
            let timestamp = (client.surroundings.now)().timestamp();
            match self.attempt(pulled, previous, attempt, timestamp).await {
                Ok(status) if status.is_success() => return Ok(Some(status)),
                Ok(status) => failure = format!("it answers {status}"),
                Err(error) => failure = reason(&error.without_url()),
            }
            client.output.progress(&format!("#{}, attempt {attempt}: {failure}", pulled.sequence));
        }
        Err(failure)
    }

    async fn attempt(
        &self,
        pulled: &Pulled,
        previous: Option<u64>,
        attempt: u32,
        timestamp: i64,
    ) -> reqwest::Result<StatusCode> {
        let body = pulled.body.get();
        // The same for every attempt, also of another run.
        let delivery = format!("dlv_pulled_{}", pulled.sequence);
        let mut request = self
            .http
            .post(self.to.clone())
            .header("Content-Type", "application/json")
            .header("X-ARAF-Event", &pulled.event)
            .header("X-ARAF-Signature", self.secret.araf(body))
            .header("X-ARAF-Delivery", &delivery)
            .header("X-ARAF-Attempt", attempt)
            .header("X-ARAF-Sequence", pulled.sequence)
            .header("webhook-id", &delivery)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", self.secret.standard(&delivery, timestamp, body));
        if let Some(previous) = previous {
            request = request.header("X-ARAF-Previous-Sequence", previous);
        }
        // The answer's body is not read.
        Ok(request.body(body.to_owned()).send().await?.status())
    }
}

fn show(
    client: &Client<'_>,
    pulled: &Pulled,
    event: &Value,
    accepted: &Result<Option<StatusCode>, String>,
) -> Result<(), Failure> {
    let (status, error) = match accepted {
        Ok(status) => (status.map(|status| status.as_u16()), None),
        Err(error) => (None, Some(error.as_str())),
    };
    let shown = json!({
        "sequence": pulled.sequence, "event": pulled.event, "status": status, "error": error, "body": event,
    });
    client.output.show(&shown, || {
        let outcome = match (status, error) {
            (Some(status), _) => format!("→ {status}"),
            (None, Some(error)) => format!("→ not accepted: {}", in_one_line(error)),
            (None, None) => in_one_line(&member(event, "/data/content")),
        };
        let position = client.output.faint(&format!("#{}", pulled.sequence));
        format!("{position} {} {outcome}", client.output.bold(&in_one_line(&pulled.event)))
    })
}

fn receiver_address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    if matches!(url.scheme(), "http" | "https") && url.has_host() {
        Ok(url)
    } else {
        Err("expected an http: address".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pulled(body: &str) -> Pulled {
        Pulled { sequence: 7, event: "workspace.message".into(), body: RawValue::from_string(body.into()).unwrap() }
    }

    #[test]
    fn an_event_for_another_agent_or_twice_is_refused() {
        let good = r#"{"event": "workspace.message", "agentId": "ag_1", "data": {}}"#;
        assert!(checked(&pulled(good), "ag_1", 6).is_ok());
        assert!(checked(&pulled(good), "ag_2", 6).unwrap_err().to_string().contains("another agent"));
        assert!(checked(&pulled(good), "ag_1", 7).unwrap_err().to_string().contains("already"));
        let other = r#"{"event": "workspace.join", "agentId": "ag_1"}"#;
        assert!(checked(&pulled(other), "ag_1", 6).unwrap_err().to_string().contains("another event"));
    }

    #[test]
    fn the_text_of_a_body_is_signed_as_it_came() {
        let text = r#"{"items": [{"sequence": 7, "event": "a", "body": {"b":1, "a": "é"}}], "next": 7}"#;
        let batch: Batch = serde_json::from_str(text).unwrap();
        assert_eq!(batch.items[0].body.get(), r#"{"b":1, "a": "é"}"#);
    }

    #[test]
    fn a_receiver_is_an_http_address() {
        assert!(receiver_address("http://127.0.0.1:8099/araf/webhook").is_ok());
        for wrong in ["127.0.0.1:8099", "file:///etc/passwd", "ws://a.example"] {
            assert!(receiver_address(wrong).is_err(), "{wrong}");
        }
    }
}
