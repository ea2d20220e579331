//! Who comes in: over HTTPS, known by its session or its address, and within its allowance.

use std::net::IpAddr;

use actix_web::{HttpRequest, http::StatusCode};
use buildtrack_domain::{actors::Actor, limits::Quota};
use buildtrack_store::{Allowance, Session};

use crate::{
    app::App,
    http::{
        auth::Authenticated,
        guard::{bearer, client_address},
        networks::Network,
        problem::Problem,
        streaming::Holder,
        tokens::{Identified, Policy, identify},
    },
};

/// Who asks.
#[derive(Debug, Clone)]
pub(in crate::exchange) struct Asker {
    /// By its session, where there is one.
    pub(super) authenticated: Option<Authenticated>,
    /// Where from.
    pub(super) address: IpAddr,
}

impl Asker {
    fn session(&self) -> Option<&Session> {
        self.authenticated.as_ref().map(|known| &*known.session)
    }

    /// As shown now.
    pub(super) fn actor(&self) -> Option<Actor> {
        self.session().map(|session| session.actor.clone())
    }

    /// As whom it takes a place to wait.
    pub(super) fn waiting(&self) -> Holder {
        Holder::new(self.address, self.authenticated.as_ref())
    }

    /// Under which name its open conversations are counted. An address is not kept as it is.
    pub(super) fn holder(&self, app: &App) -> String {
        self.session().map_or_else(
            || app.store.secret().keyed_hash(&format!("exchange {}", Network::of(self.address).host())),
            |session| session.actor.id.to_string(),
        )
    }
}

/// Lets a request in.
pub(in crate::exchange) async fn enter(app: &App, request: &HttpRequest) -> Result<Asker, Problem> {
    if !is_private(app, request) {
        return Err(https_required());
    }
    let address = client_address(app, request);
    let quota = app.settings.rate_limits.exchange();
    let policy = Policy { name: "exchange", quota };
    let session = match identify(app, bearer(request), Network::of(address), policy).await {
        Identified::Session(known) => {
            let allowance = app.store.admit(&format!("exchange {}", known.session.actor.id), quota).await?;
            admitted(quota, allowance)?;
            Some(known)
        }
        Identified::Anonymous { allowance, refusal } => {
            admitted(quota, allowance)?;
            refusal.map_or(Ok(None), Err)?
        }
    };
    Ok(Asker { authenticated: session, address })
}

fn admitted(quota: Quota, allowance: Allowance) -> Result<(), Problem> {
    if allowance.allowed {
        return Ok(());
    }
    metrics::counter!("buildtrack_rate_limited_total", "policy" => "exchange").increment(1);
    let detail = format!("More than {} requests a minute.", quota.requests());
    let hint = "Wait for Retry-After seconds.";
    Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail, hint)
        .retryable(Some(allowance.retry_after)))
}

/// Whether nobody between the two can read it (seed: «Transport Requirements»): TLS ends at a proxy that says so, or the
/// request does not leave this machine.
fn is_private(app: &App, request: &HttpRequest) -> bool {
    let settings = &app.settings;
    let peer = request.peer_addr().map(|peer| peer.ip().to_canonical());
    let forwarded = request.headers().get("x-forwarded-proto").and_then(|value| value.to_str().ok());
    match forwarded.filter(|_| peer.is_some_and(|peer| settings.trusts(peer))) {
        _ if settings.exchange_insecure => true,
        // Of several proxies, the outermost wrote the first one.
        Some(proto) => proto.split(',').next().is_some_and(|proto| proto.trim().eq_ignore_ascii_case("https")),
        None => settings.bind.ip().is_loopback(),
    }
}

fn https_required() -> Problem {
    let detail = "The exchange is spoken over HTTPS only, and this request came over plain HTTP.";
    let hint = "Use the server's https:// address. Whoever runs it: put it behind TLS, and name the proxy in \
                BUILDTRACK_TRUSTED_PROXIES; it has to send X-Forwarded-Proto.";
    Problem::new(StatusCode::FORBIDDEN, "https_required", detail, hint)
}
