//! Outbound HTTP client for webhooks: one call to an untrusted server.

use std::{error::Error, net::SocketAddr, time::Duration};

use buildtrack_domain::{
    log::Hash,
    webhooks::{TargetError, araf_signature, check_target, retry_after, standard_signature},
};
use buildtrack_settings::TargetRate;
use buildtrack_traces::Span;
use chrono::DateTime;
use reqwest::{
    ClientBuilder, RequestBuilder, Response, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER},
    redirect::Policy,
};
use tokio::time::Instant;
use url::{Host, Url};

use super::{
    resolver::{ResolveError, Resolver},
    targets::{ADDRESSES, Key, Permit, Refused, Targets},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit of a DNS lookup outside a call.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Idle connections kept per host: as many as calls may run at a time to one agent's endpoints.
const IDLE_CONNECTIONS: usize = 32;
/// Bytes of a response body that are read and stored. Leaving the rest unread closes the connection.
const ANSWER_MAX: usize = 16 * 1024;
/// Characters of an error cause that are stored.
const REASON_MAX: usize = 300;
const USER_AGENT: &str = concat!("Buildtrack/", env!("CARGO_PKG_VERSION"));

/// The HTTP client cannot be built.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client for webhooks cannot be built: {0}")]
pub struct ClientError(#[from] reqwest::Error);

/// Why a call has no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostError {
    /// The address is not an allowed target.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The host name does not resolve, or resolves to no allowed address.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The time limit passed.
    #[error("no answer in time")]
    Timeout,
    /// No connection: refused, or the certificate is not trusted.
    #[error("no connection: {0}")]
    Connect(String),
    /// The connection broke, or the response is not valid HTTP.
    #[error("no valid answer: {0}")]
    Answer(String),
}

impl PostError {
    /// The kind of error in one word, for traces.
    fn kind(&self) -> &'static str {
        match self {
            Self::Target(_) => "target",
            Self::Resolve(_) => "resolve",
            Self::Timeout => "timeout",
            Self::Connect(_) => "connect",
            Self::Answer(_) => "answer",
        }
    }
}

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

/// Calls webhook targets: no redirects, no proxy, no cookies, one time limit for the whole call, and every address vetted
/// before the client connects to it.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    resolver: Resolver,
    targets: Targets,
    allow_private: bool,
}

impl Client {
    /// A client whose calls take at most `timeout`. `allow_private` permits plain HTTP and every address.
    pub fn new(allow_private: bool, timeout: Duration) -> Result<Self, ClientError> {
        // An error means that a provider is installed already.
        drop(rustls::crypto::ring::default_provider().install_default());
        let resolver = Resolver::new(allow_private);
        let builder = || plain(&resolver).https_only(!allow_private).timeout(timeout);
        let http = builder().build().or_else(|error| {
            let error = error.without_url();
            tracing::error!(
                error = reason(&error),
                "the system has no trusted root certificates: calls over https will fail"
            );
            builder().tls_certs_only([]).build()
        })?;
        Ok(Self { http, resolver, targets: Targets::new(TargetRate::default()), allow_private })
    }

    /// Sets the bounds for each target.
    pub fn bounded(self, bounds: TargetRate) -> Self {
        Self { targets: Targets::new(bounds), ..self }
    }

    /// Vets an address when an owner sets it. Fails if no push may go there. A name that does not resolve within
    /// [`LOOKUP_TIMEOUT`] is accepted, because each push resolves and vets it again.
    pub async fn vet_given(&self, url: &str) -> Result<(), TargetError> {
        match self.vet(url).await {
            Err(PostError::Target(error)) => Err(error),
            Err(PostError::Resolve(ResolveError::NotPublic)) => Err(TargetError::NotPublic),
            _ => Ok(()),
        }
    }

    /// Takes a permit for one call; the call counts as running until the permit is dropped.
    ///
    /// Many names may resolve to one address, so the name is resolved here. If that fails, the call itself reports the error.
    pub(crate) async fn admit(&self, url: &str, verified: bool) -> Result<Permit, Refused> {
        let mut keys = Vec::new();
        if let Ok(url) = check_target(url, self.allow_private) {
            keys.extend(host_of(&url));
            keys.extend(self.addresses_of(&url).await.into_iter().take(ADDRESSES));
        }
        self.targets.admit(keys, verified, Instant::now())
    }

    async fn addresses_of(&self, url: &Url) -> Vec<Key> {
        let addresses = match url.host() {
            Some(Host::Ipv4(address)) => vec![address.into()],
            Some(Host::Ipv6(address)) => vec![address.into()],
            Some(Host::Domain(name)) => {
                let lookup = tokio::time::timeout(LOOKUP_TIMEOUT, self.resolver.addresses(name.to_owned()));
                let found = lookup.await.ok().and_then(Result::ok).unwrap_or_default();
                found.iter().map(SocketAddr::ip).collect()
            }
            None => vec![],
        };
        let mut keys: Vec<Key> = Vec::new();
        for key in addresses.into_iter().map(Key::of) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// Records that the target has answered with 2xx.
    pub(crate) fn works(&self, url: &str) {
        if let Some(host) = Url::parse(url).ok().as_ref().and_then(host_of) {
            self.targets.prove(host, Instant::now());
        }
    }

    /// Vets the target, including its resolved addresses, as [`Self::post`] does.
    pub async fn vet(&self, url: &str) -> Result<Url, PostError> {
        let url = check_target(url, self.allow_private)?;
        if let Some(name) = url.domain() {
            let lookup = self.resolver.addresses(name.to_owned());
            tokio::time::timeout(LOOKUP_TIMEOUT, lookup).await.map_err(|_| PostError::Timeout)??;
        }
        Ok(url)
    }

    /// Posts and returns the response, of any status. The status counts as soon as it arrives: a body that is late, broken or
    /// endless does not change the outcome.
    pub async fn post(&self, url: &str, signed: Signed<'_>) -> Result<Answer, PostError> {
        // The HTTP client asks the resolver only for names, so literal addresses are vetted here, at each call.
        let url = check_target(url, self.allow_private)?;
        let span = trace(&url, &signed);
        let mut request = labelled(self.http.post(url), &signed).body(signed.body.to_owned());
        if let Some(traceparent) = span.traceparent() {
            request = request.header("traceparent", traceparent);
        }
        let answer = request.send().await.map_err(|error| failure(error.without_url()));
        let answer = answer.inspect_err(|error| span.unanswered(error.kind()))?;
        span.pushed(answer.status().as_u16());
        let status = answer.status();
        let asked = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let now = DateTime::from_timestamp(signed.timestamp, 0).unwrap_or_default();
        let retry_after = asked.and_then(|value| retry_after(value, now));
        Ok(Answer { status, retry_after, body: beginning(answer).await })
    }
}

fn host_of(url: &Url) -> Option<Key> {
    Some(Key::Host(url.host_str()?.to_owned(), url.port_or_known_default()?))
}

/// Traces get only the host and port of the address: the rest may contain a secret.
fn trace(url: &Url, signed: &Signed<'_>) -> Span {
    let host = url.host_str().unwrap_or_default();
    let attempt = (signed.delivery, signed.attempt);
    buildtrack_traces::push(host, url.port_or_known_default(), attempt, signed.events.iter().map(Traced::event))
}

fn labelled(request: RequestBuilder, signed: &Signed<'_>) -> RequestBuilder {
    let Signed { secret, next_secret, body, event, delivery, attempt, timestamp, .. } = *signed;
    let mut request = request
        .header(CONTENT_TYPE, "application/json")
        .header("X-ARAF-Event", event)
        // The seed's receiver compares this header as one value, so it is signed with the old secret as long as that is
        // valid.
        .header("X-ARAF-Signature", araf_signature(secret, body.as_bytes()))
        .header("X-ARAF-Delivery", delivery)
        .header("X-ARAF-Attempt", attempt)
        .header("webhook-id", delivery)
        .header("webhook-timestamp", timestamp);
    let signature = standard_signature([secret].into_iter().chain(next_secret), delivery, timestamp, body);
    if !signature.is_empty() {
        request = request.header("webhook-signature", signature);
    }
    let numbers = [
        ("X-ARAF-Sequence", signed.sequence),
        ("X-ARAF-Previous-Sequence", signed.previous),
        ("X-ARAF-Expires", signed.expires),
    ];
    for (name, number) in numbers {
        if let Some(number) = number {
            request = request.header(name, number);
        }
    }
    request
}

fn plain(resolver: &Resolver) -> ClientBuilder {
    reqwest::Client::builder()
        .user_agent(USER_AGENT)
        .redirect(Policy::none())
        .no_proxy()
        .referer(false)
        .dns_resolver(resolver.clone())
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(IDLE_CONNECTIONS)
}

/// Runs within the call's time limit, which covers the body.
async fn beginning(mut answer: Response) -> Option<String> {
    let mut bytes = Vec::new();
    while bytes.len() < ANSWER_MAX
        && let Ok(Some(piece)) = answer.chunk().await
    {
        bytes.extend_from_slice(&piece);
    }
    // Dropping the unread rest closes the connection.
    bytes.truncate(ANSWER_MAX);
    let mut text = String::from_utf8_lossy(&bytes).replace('\0', "");
    text.truncate(text.floor_char_boundary(ANSWER_MAX));
    Some(text).filter(|text| !text.is_empty())
}

fn failure(error: reqwest::Error) -> PostError {
    let mut source: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(cause) = source {
        if let Some(error) = cause.downcast_ref::<ResolveError>() {
            return error.clone().into();
        }
        source = cause.source();
    }
    match error {
        error if error.is_timeout() => PostError::Timeout,
        error if error.is_connect() => PostError::Connect(reason(&error)),
        error => PostError::Answer(reason(&error)),
    }
}

/// The innermost cause, in one line without characters that a database rejects.
fn reason(error: &reqwest::Error) -> String {
    let mut cause: &(dyn Error + 'static) = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string().chars().filter(|character| !character.is_control()).take(REASON_MAX).collect()
}
