//! Outbound HTTP: one call to somebody else's server, which is trusted with nothing.

use std::{error::Error, time::Duration};

use buildtrack_domain::webhooks::{PushType, TargetError, araf_signature, check_target};
use reqwest::{ClientBuilder, Response, StatusCode, header::CONTENT_TYPE, redirect::Policy};
use url::Url;

use super::resolver::{ResolveError, Resolver};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
const IDLE_CONNECTIONS: usize = 2;
/// Bytes of an answer that are read, so that its connection can be used again; nobody looks at them.
const ANSWER_MAX: usize = 16 * 1024;
/// Characters of a reason that are kept.
const REASON_MAX: usize = 300;
const USER_AGENT: &str = concat!("Buildtrack/", env!("CARGO_PKG_VERSION"));

/// The client cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("no HTTP client can be made: {0}")]
pub struct ClientError(#[from] reqwest::Error);

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostError {
    /// It must not be called.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Its name leads nowhere, or where it must not.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// It took too long.
    #[error("no answer in time")]
    Timeout,
    /// No connection: refused, or no trust in its certificate.
    #[error("no connection: {0}")]
    Connect(String),
    /// The connection broke, or what came was no HTTP.
    #[error("no valid answer: {0}")]
    Answer(String),
}

/// One attempt, ready to be sent.
#[derive(Clone, Copy)]
pub struct Signed<'a> {
    /// The endpoint's secret.
    pub secret: &'a str,
    /// The exact text.
    pub body: &'a str,
    /// What it is about.
    pub push_type: PushType,
    /// The delivery's id, the same for every attempt.
    pub delivery: &'a str,
    /// From 1.
    pub attempt: i64,
}

impl std::fmt::Debug for Signed<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Signed").field("delivery", &self.delivery).finish_non_exhaustive()
    }
}

/// Calls targets: no redirects, no proxy, no cookies, one time limit for everything, and every address vetted before
/// it is connected to.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    resolver: Resolver,
    allow_private: bool,
}

impl Client {
    /// A client whose calls take at most `timeout`; `allow_private` opens plain HTTP and every address.
    pub fn new(allow_private: bool, timeout: Duration) -> Result<Self, ClientError> {
        // An error says that it has been chosen before.
        drop(rustls::crypto::ring::default_provider().install_default());
        let resolver = Resolver::new(allow_private);
        let builder = || plain(&resolver).https_only(!allow_private).timeout(timeout);
        let http = builder().build().or_else(|error| {
            let error = error.without_url();
            tracing::error!(error = reason(&error), "no trusted certificates: calls over https will fail");
            builder().tls_certs_only([]).build()
        })?;
        Ok(Self { http, resolver, allow_private })
    }

    /// Whether the target may be called, its name resolved: what [`Self::post`] would find out.
    pub async fn vet(&self, url: &str) -> Result<Url, PostError> {
        let url = check_target(url, self.allow_private)?;
        if let Some(name) = url.domain() {
            let lookup = self.resolver.addresses(name.to_owned());
            tokio::time::timeout(CONNECT_TIMEOUT, lookup).await.map_err(|_| PostError::Timeout)??;
        }
        Ok(url)
    }

    /// Posts, and gives the status of the answer, whatever it is. That counts as soon as it is here: a body that is
    /// late, broken or endless changes nothing.
    pub async fn post(&self, url: &str, signed: Signed<'_>) -> Result<StatusCode, PostError> {
        // The resolver is not asked for addresses that are written out, so they are vetted here, at each call.
        let url = check_target(url, self.allow_private)?;
        let Signed { secret, body, push_type, delivery, attempt } = signed;
        let request = self
            .http
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("X-ARAF-Event", push_type.as_str())
            .header("X-ARAF-Signature", araf_signature(secret, body.as_bytes()))
            .header("X-ARAF-Delivery", delivery)
            .header("X-ARAF-Attempt", attempt)
            .body(body.to_owned());
        let answer = request.send().await.map_err(|error| failure(error.without_url()))?;
        let status = answer.status();
        read_off(answer).await;
        Ok(status)
    }
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

/// Within the call's time, which covers the body too.
async fn read_off(mut answer: Response) {
    let mut read = 0;
    while let Ok(Some(piece)) = answer.chunk().await {
        read += piece.len();
        if read > ANSWER_MAX {
            // Dropping the rest closes the connection.
            return;
        }
    }
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

/// The innermost cause, in one line that both databases can keep.
fn reason(error: &reqwest::Error) -> String {
    let mut cause: &(dyn Error + 'static) = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string().chars().filter(|character| !character.is_control()).take(REASON_MAX).collect()
}
