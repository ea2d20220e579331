//! A client that records what it asks and what comes of it, and repeats under the same key what it has no answer to.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};
use buildtrack_store::clock::random;
use reqwest::{Method, Url};
use serde_json::Value;
use tokio::time::sleep;

use crate::{
    history::{Claim, Entry, History, Operation, Outcome},
    random::Random,
};

/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(4);
const PAUSE: Duration = Duration::from_millis(300);
/// Attempts of one operation: enough for a server that is killed and started again.
const ATTEMPTS: u32 = 8;

/// HTTP without a proxy, and without the machine's certificates.
pub(crate) fn plain_http() -> reqwest::ClientBuilder {
    // An error says that it has been chosen before.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::builder().no_proxy().tls_certs_only([])
}

/// A client of all servers.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) number: usize,
    http: reqwest::Client,
    urls: Arc<[String]>,
    token: Option<String>,
    history: Arc<History>,
}

/// What is asked.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) kind: &'static str,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
    /// Whether it may be sent again where its outcome is unknown.
    pub(crate) repeats: bool,
}

/// What came of it.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) outcome: Outcome,
    pub(crate) status: u16,
    /// The server that was asked last.
    pub(crate) server: usize,
    pub(crate) body: Value,
    pub(crate) reason: Option<String>,
}

impl Request {
    pub(crate) fn new(kind: &'static str, method: Method, path: impl Into<String>, body: Option<Value>) -> Self {
        Self { kind, method, path: path.into(), body, repeats: true }
    }

    /// The same, sent once: a repeat would be another request.
    pub(crate) fn once(self) -> Self {
        Self { repeats: false, ..self }
    }
}

impl Client {
    pub(crate) fn new(
        number: usize,
        urls: Arc<[String]>,
        token: Option<String>,
        history: Arc<History>,
    ) -> Result<Self> {
        let http = plain_http().timeout(ATTEMPT).build()?;
        Ok(Self { number, http, urls, token, history })
    }

    /// The same client with another session.
    pub(crate) fn with(&self, number: usize, token: &str) -> Self {
        Self { number, token: Some(token.to_owned()), ..self.clone() }
    }

    pub(crate) fn history(&self) -> &Arc<History> {
        &self.history
    }

    pub(crate) fn servers(&self) -> usize {
        self.urls.len()
    }

    pub(crate) fn url(&self, server: usize) -> &str {
        &self.urls[server % self.urls.len()]
    }

    /// A request that streams its answer, without the time limit of an attempt.
    pub(crate) fn stream(&self, server: usize, path: &str) -> Result<reqwest::RequestBuilder> {
        let url: Url = format!("{}{path}", self.url(server)).parse()?;
        let http = plain_http().connect_timeout(ATTEMPT).build()?;
        let request = http.get(url);
        Ok(match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        })
    }

    /// Asks a server, and others where there is no answer, and records the operation. The claim may depend on the answer.
    pub(crate) async fn perform(
        &self,
        random: &mut Random,
        request: &Request,
        claim: impl FnOnce(&Answer) -> Claim,
    ) -> Answer {
        let (start, key) = (self.history.now(), hex::encode(random_key()));
        let mut server = random.below(self.urls.len());
        let mut attempts = 0;
        let answer = loop {
            attempts += 1;
            let answer = self.attempt(server, request, &key).await;
            if answer.outcome != Outcome::Unknown || !request.repeats || attempts == ATTEMPTS {
                break answer;
            }
            server += 1;
            sleep(PAUSE).await;
        };
        self.history.record(Entry::Operation(Operation {
            client: self.number,
            kind: request.kind,
            start,
            end: self.history.now(),
            attempts,
            status: answer.status,
            outcome: answer.outcome,
            claim: claim(&answer),
            position: answer.body["position"].as_i64(),
            reason: answer.reason.clone(),
        }));
        answer
    }

    async fn attempt(&self, server: usize, request: &Request, key: &str) -> Answer {
        match self.send(server, request, key).await {
            Ok((status, body)) => Answer::of(server % self.urls.len(), status, body),
            Err(error) => {
                let reason = Some(format!("{error:#}"));
                Answer { outcome: Outcome::Unknown, status: 0, server, body: Value::Null, reason }
            }
        }
    }

    async fn send(&self, server: usize, request: &Request, key: &str) -> Result<(u16, Value)> {
        let url = format!("{}{}", self.url(server), request.path);
        let mut sent = self.http.request(request.method.clone(), url);
        if request.method == Method::POST {
            sent = sent.header("Idempotency-Key", key);
        }
        if let Some(token) = &self.token {
            sent = sent.bearer_auth(token);
        }
        if let Some(body) = &request.body {
            sent = sent.json(body);
        }
        let answer = sent.send().await?;
        let status = answer.status().as_u16();
        Ok((status, serde_json::from_str(&answer.text().await?).unwrap_or(Value::Null)))
    }

    /// What must succeed while nothing is disturbed yet.
    pub(crate) async fn expect(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value> {
        let request = Request::new("setup", method, path, body);
        let (status, body) =
            self.send(0, &request, &hex::encode(random_key())).await.with_context(|| path.to_owned())?;
        ensure!((200..300).contains(&status), "{path} answered {status}: {body}");
        Ok(body)
    }
}

impl Answer {
    fn of(server: usize, status: u16, body: Value) -> Self {
        let code = body["code"].as_str().map(ToOwned::to_owned);
        let outcome = match status {
            200..300 => Outcome::Acknowledged,
            409 if code.as_deref() == Some("idempotency_key_in_use") => Outcome::Unknown,
            400..500 => Outcome::Refused,
            _ => Outcome::Unknown,
        };
        let reason = (outcome != Outcome::Acknowledged).then_some(code).flatten();
        Self { outcome, status, server, body, reason }
    }

    pub(crate) fn is_acknowledged(&self) -> bool {
        self.outcome == Outcome::Acknowledged
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.body[name].as_str().map(ToOwned::to_owned)
    }
}

/// Keys differ between runs on one database.
fn random_key() -> [u8; 12] {
    random()
}
