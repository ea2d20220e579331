//! The client: vets targets, admits calls within the budgets of their targets, and makes them.

use std::{net::SocketAddr, time::Duration};

use buildtrack_domain::targets::{TargetError, check_target};
use buildtrack_macros::boxed;
use buildtrack_settings::TargetRate;
use reqwest::{ClientBuilder, redirect::Policy};
use tokio::time::Instant;
use url::{Host, Url};

use super::{
    call::{Body, CallError, Request, Response, reason},
    resolver::Resolver,
    targets::{ADDRESSES, Key, Permit, Refused, Targets},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit of a DNS lookup outside a call.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Idle connections kept per host: as many as calls may run at a time to one agent's endpoints.
const IDLE_CONNECTIONS: usize = 32;
const USER_AGENT: &str = concat!("Buildtrack/", env!("CARGO_PKG_VERSION"));

/// The HTTP client cannot be built.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client for outbound calls cannot be built: {0}")]
pub struct ClientError(#[from] reqwest::Error);

/// Calls targets, and counts the calls to each. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    /// Keeps no connections: each call has a new one.
    anew: reqwest::Client,
    resolver: Resolver,
    targets: Targets,
    allow_private: bool,
}

#[boxed]
impl Client {
    /// A client. `allow_private` permits plain HTTP and every address.
    pub fn new(allow_private: bool) -> Result<Self, ClientError> {
        // An error means that a provider is installed already.
        drop(rustls::crypto::ring::default_provider().install_default());
        let resolver = Resolver::new(allow_private);
        let built = |idle_connections| {
            let builder = || plain(&resolver).https_only(!allow_private).pool_max_idle_per_host(idle_connections);
            builder().build().or_else(|error| {
                let error = error.without_url();
                tracing::error!(
                    error = reason(&error),
                    "the system has no trusted root certificates: calls over https will fail"
                );
                builder().tls_certs_only([]).build()
            })
        };
        let (http, anew) = (built(IDLE_CONNECTIONS)?, built(0)?);
        Ok(Self { http, anew, resolver, targets: Targets::new(TargetRate::default()), allow_private })
    }

    /// Sets the bounds for each target.
    #[must_use]
    pub fn bounded(self, bounds: TargetRate) -> Self {
        Self { targets: Targets::new(bounds), ..self }
    }

    /// Parses an address and vets what needs no name resolution.
    pub fn check(&self, url: &str) -> Result<Url, TargetError> {
        check_target(url, self.allow_private)
    }

    /// Vets the target, including its resolved addresses, as [`Self::send`] does.
    pub async fn vet(&self, url: &str) -> Result<Url, CallError> {
        let url = self.check(url)?;
        if let Some(name) = url.domain() {
            let lookup = self.resolver.addresses(name.to_owned());
            tokio::time::timeout(LOOKUP_TIMEOUT, lookup).await.map_err(|_| CallError::Timeout)??;
        }
        Ok(url)
    }

    /// Takes a permit for one call; the call counts as running until the permit is dropped. `verified` targets have the larger
    /// budget.
    ///
    /// Many names may resolve to one address, so the name is resolved here. If that fails, the call itself reports the error.
    pub async fn admit(&self, url: &str, verified: bool) -> Result<Permit, Refused> {
        let mut keys = Vec::new();
        if let Ok(url) = self.check(url) {
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

    /// Sends a request and returns the response, of any status. The status counts as soon as it arrives: a body that is late,
    /// broken or endless does not change it.
    pub async fn send(&self, request: Request<'_>) -> Result<Response, CallError> {
        self.send_over(&self.http, request).await
    }

    /// As [`Self::send`], for the call that `permit` permits: its target's budget learns from the response.
    pub async fn send_within(&self, permit: &Permit, request: Request<'_>) -> Result<Response, CallError> {
        let answer = self.send(request).await;
        permit.learn(answer.as_ref().ok());
        answer
    }

    /// As [`Self::send`], for a request that its target may get twice. If it fails before a response begins, it is sent once more, on a
    /// new connection and with the time that is left: the target may have closed a kept connection at the moment at which the request was
    /// sent (RFC 9112, section 9.3.1).
    pub async fn send_repeatable(&self, request: Request<'_>) -> Result<Response, CallError> {
        let (begun, mut again) = (Instant::now(), request.clone());
        let first = self.send(request).await;
        again.limits.timeout = again.limits.timeout.saturating_sub(begun.elapsed());
        match first {
            Err(CallError::Answer(_) | CallError::Connect(_)) if !again.limits.timeout.is_zero() => {
                self.send_over(&self.anew, again).await
            }
            first => first,
        }
    }

    async fn send_over(&self, http: &reqwest::Client, request: Request<'_>) -> Result<Response, CallError> {
        let (begun, Request { method, url, headers, body, limits }) = (Instant::now(), request);
        // The HTTP client asks the resolver only for names, so literal addresses are vetted here, at each call.
        let mut request = http.request(method, self.check(url)?).timeout(limits.timeout);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(body) = body {
            request = request.body(body);
        }
        let mut response = request.send().await?;
        let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
        let body = Body::read(response, limits.body_max).await;
        Ok(Response { status, headers, body, elapsed: begun.elapsed() })
    }
}

fn host_of(url: &Url) -> Option<Key> {
    Some(Key::Host(url.host_str()?.to_owned(), url.port_or_known_default()?))
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
}
