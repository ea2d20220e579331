//! Client for webhooks: signs one attempt, sends it, and reads the response.

use std::time::Duration;

use buildtrack_domain::{
    log::Hash,
    targets::TargetError,
    webhooks::{araf_signature, retry_after, standard_signature},
};
use buildtrack_macros::boxed;
use buildtrack_settings::TargetRate;
use buildtrack_traces::Span;
use chrono::DateTime;
use reqwest::{Method, StatusCode, header::RETRY_AFTER};
use url::Url;

use crate::outbound::{self, Body, CallError, ClientError, Limits, Permit, Refused, Request, ResolveError};

/// Bytes of a response body that are read and stored.
const BODY_MAX: usize = 16 * 1024;

/// The contents of one attempt: headers, body and signing secrets.
#[derive(Clone, Copy)]
pub struct Signed<'a> {
    /// The endpoint's signing secret.
    pub secret: &'a str,
    /// The secret that will replace it, during a rotation.
    pub next_secret: Option<&'a str>,
    /// The exact body.
    pub body: &'a str,
    /// The push type, for `X-ARAF-Event`.
    pub event: &'a str,
    /// The id of the delivery or batch, the same for every attempt.
    pub delivery: &'a str,
    /// The attempt's number, from 1.
    pub attempt: i64,
    /// The position of the event, of the last one in a batch; `None` for a test event.
    pub sequence: Option<i64>,
    /// The position of the endpoint's preceding delivery.
    pub previous: Option<i64>,
    /// When this attempt is made, in Unix seconds.
    pub timestamp: i64,
    /// When the retries end, in Unix seconds.
    pub expires: Option<i64>,
    /// The events in the body, for traces.
    pub events: &'a [Traced],
}

/// An event whose push is traced.
#[derive(Debug, Clone, Copy)]
pub struct Traced {
    /// Its position on the log.
    pub position: i64,
    /// Its hash on the log.
    pub hash: Hash,
}

impl Traced {
    fn event(&self) -> buildtrack_traces::Event<'_> {
        buildtrack_traces::Event { position: self.position, event_type: None, hash: &self.hash }
    }
}

/// The response of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status, of any class.
    pub status: StatusCode,
    /// How long the receiver asks the worker to wait (`Retry-After`), within bounds.
    pub retry_after: Option<Duration>,
    /// The first 16 KiB of the body, with invalid UTF-8 replaced. `None` if it is empty.
    pub body: Option<String>,
}

impl std::fmt::Debug for Signed<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Signed").field("delivery", &self.delivery).finish_non_exhaustive()
    }
}

impl Signed<'_> {
    fn headers(&self) -> Vec<(&'static str, String)> {
        let Signed { secret, next_secret, body, event, delivery, attempt, timestamp, .. } = *self;
        let mut headers = vec![
            ("Content-Type", "application/json".to_owned()),
            ("X-ARAF-Event", event.to_owned()),
            // The seed's receiver compares this header as one value, so it is signed with the old secret as long as that is
            // valid.
            ("X-ARAF-Signature", araf_signature(secret, body.as_bytes())),
            ("X-ARAF-Delivery", delivery.to_owned()),
            ("X-ARAF-Attempt", attempt.to_string()),
            ("webhook-id", delivery.to_owned()),
            ("webhook-timestamp", timestamp.to_string()),
        ];
        let signature = standard_signature([secret].into_iter().chain(next_secret), delivery, timestamp, body);
        if !signature.is_empty() {
            headers.push(("webhook-signature", signature));
        }
        let numbers = [
            ("X-ARAF-Sequence", self.sequence),
            ("X-ARAF-Previous-Sequence", self.previous),
            ("X-ARAF-Expires", self.expires),
        ];
        headers.extend(numbers.into_iter().filter_map(|(name, number)| Some((name, number?.to_string()))));
        headers
    }

    /// Traces get only the host and port of the address: the rest may contain a secret.
    fn trace(&self, url: &Url) -> Span {
        let host = url.host_str().unwrap_or_default();
        let attempt = (self.delivery, self.attempt);
        buildtrack_traces::push(host, url.port_or_known_default(), attempt, self.events.iter().map(Traced::event))
    }
}

/// Posts pushes and test events.
#[derive(Debug, Clone)]
pub struct Client {
    outbound: outbound::Client,
    timeout: Duration,
}

#[boxed]
impl Client {
    /// A client whose calls take at most `timeout`. `allow_private` permits plain HTTP and every address.
    pub fn new(allow_private: bool, timeout: Duration) -> Result<Self, ClientError> {
        Ok(Self { outbound: outbound::Client::new(allow_private)?, timeout })
    }

    /// Sets the bounds for each target.
    #[must_use]
    pub fn bounded(self, bounds: TargetRate) -> Self {
        Self { outbound: self.outbound.bounded(bounds), ..self }
    }

    /// Vets an address when an owner sets it. Fails if no push may go there. A name that does not resolve in time is accepted,
    /// because each push resolves and vets it again.
    pub async fn vet_given(&self, url: &str) -> Result<(), TargetError> {
        match self.outbound.vet(url).await {
            Err(CallError::Target(error)) => Err(error),
            Err(CallError::Resolve(ResolveError::NotPublic)) => Err(TargetError::NotPublic),
            _ => Ok(()),
        }
    }

    /// Takes a permit for one call; the call counts as running until the permit is dropped.
    pub(crate) async fn admit(&self, url: &str, verified: bool) -> Result<Permit, Refused> {
        self.outbound.admit(url, verified).await
    }

    /// Posts and returns the response, of any status.
    pub(crate) async fn post(&self, permit: &Permit, url: &str, signed: Signed<'_>) -> Result<Answer, CallError> {
        let span = signed.trace(&self.outbound.check(url)?);
        let mut headers = signed.headers();
        headers.extend(span.traceparent().map(|traceparent| ("traceparent", traceparent)));
        let limits = Limits { timeout: self.timeout, body_max: BODY_MAX };
        let request = Request { method: Method::POST, url, headers, body: Some(signed.body.to_owned()), limits };
        let response = self.outbound.send_within(permit, request).await;
        let response = response.inspect_err(|error| span.unanswered(error.kind()))?;
        span.pushed(response.status.as_u16());
        let asked = response.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let now = DateTime::from_timestamp(signed.timestamp, 0).unwrap_or_default();
        let retry_after = asked.and_then(|value| retry_after(value, now));
        Ok(Answer { status: response.status, retry_after, body: text(&response.body) })
    }
}

/// The text to store, without characters that a database rejects.
fn text(body: &Body) -> Option<String> {
    let mut text = String::from_utf8_lossy(&body.bytes).replace('\0', "");
    text.truncate(text.floor_char_boundary(BODY_MAX));
    Some(text).filter(|text| !text.is_empty())
}
