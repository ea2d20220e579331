//! Admission of exchange requests: requires HTTPS, identifies the requester by session or address, and applies the rate
//! limit.

use std::{future::Future, net::IpAddr, pin::Pin};

use actix_web::{FromRequest, HttpRequest, dev::Payload, http::StatusCode, web::Bytes};
use buildtrack_domain::{actors::Actor, limits::Quota};
use buildtrack_http::{
    addresses::client_address,
    app::App,
    auth::{Authenticated, Caller, Write},
    body::Raw,
    guard::{app_of, bearer},
    networks::Network,
    problem::Problem,
    rights::Right,
    streaming::Holder,
    tokens::{Identified, Policy, identify},
};
pub(super) use buildtrack_store::{Allowance, Purpose, Session};

/// The requester of an exchange.
#[derive(Debug, Clone)]
pub(in crate::exchange) struct Asker {
    /// The requester's session, if there is one.
    pub(super) authenticated: Option<Authenticated>,
    /// The right of the session, which ends its waits.
    pub(super) right: Right,
    /// The requester's address.
    pub(super) address: IpAddr,
}

impl Asker {
    pub(super) fn new(app: &App, authenticated: Option<Authenticated>, address: IpAddr) -> Self {
        let right = Right::of_known(app, authenticated.as_ref());
        Self { authenticated, right, address }
    }

    fn session(&self) -> Option<&Session> {
        self.authenticated.as_ref().map(|known| &*known.session)
    }

    /// The requester as it is recorded with events; none without a session.
    pub(super) fn actor(&self) -> Option<Actor> {
        self.session().map(|session| session.actor.clone())
    }

    /// The holder that a waiting request counts against.
    pub(super) fn waiting(&self) -> Holder {
        Holder::new(self.address, self.authenticated.as_ref())
    }

    /// The key under which open conversations are counted: the actor's id, or a keyed hash of the network address.
    pub(super) fn holder(&self, app: &App) -> String {
        self.session().map_or_else(
            || app.store.log().secret().mac(Purpose::ExchangeHolder, &Network::of(self.address).host().to_string()),
            |session| session.actor.id.to_string(),
        )
    }
}

/// Admits a request. Errors: `https_required`, `rate_limited`, and those of an invalid session.
pub(in crate::exchange) async fn enter(app: &App, request: &HttpRequest) -> Result<Asker, Problem> {
    if !is_private(app, request) {
        return Err(https_required());
    }
    let address = client_address(app, request);
    let quota = app.settings.rate_limits.exchange();
    let policy = Policy { name: "exchange", quota };
    let session = match identify(app, bearer(request), Network::of(address), policy).await {
        Identified::Session(known) => {
            let allowance = app.store.limits().admit(&format!("exchange {}", known.session.actor.id), quota).await?;
            admitted(quota, allowance)?;
            Some(known)
        }
        Identified::Anonymous { allowance, refusal } => {
            admitted(quota, allowance)?;
            refusal.map_or(Ok(None), Err)?
        }
    };
    Ok(Asker::new(app, session, address))
}

/// As [`enter`], for a request that is recorded under the name of a session's holder: the session needs the scope to write.
pub(super) async fn enter_to_ask(app: &App, request: &HttpRequest) -> Result<Asker, Problem> {
    let asker = enter(app, request).await?;
    if let Some(authenticated) = &asker.authenticated {
        Caller::<Write>::of(authenticated.clone())?;
    }
    Ok(asker)
}

/// A request of an exchange by an admitted requester. The body is read once the request is counted.
#[derive(Debug)]
pub(crate) struct Entered {
    pub(super) asker: Asker,
    pub(super) body: Bytes,
}

impl FromRequest for Entered {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, actix_web::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let asker = enter_to_ask(&app_of(&request), &request).await?;
            let Raw(body) = Raw::from_request(&request, &mut payload).await?;
            Ok(Self { asker, body })
        })
    }
}

fn admitted(quota: Quota, allowance: Allowance) -> Result<(), Problem> {
    if allowance.allowed {
        return Ok(());
    }
    metrics::counter!("buildtrack_rate_limited_total", "policy" => "exchange").increment(1);
    let detail = format!("The limit of {} requests a minute is exceeded.", quota.requests());
    let hint = "Wait for Retry-After seconds.";
    Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail, hint)
        .retryable(Some(allowance.retry_after)))
}

/// Whether the connection is confidential (seed: «Transport Requirements»): a trusted proxy states that TLS ends there,
/// or the server listens on the loopback interface only.
fn is_private(app: &App, request: &HttpRequest) -> bool {
    let settings = &app.settings;
    let peer = request.peer_addr().map(|peer| peer.ip().to_canonical());
    let forwarded = request.headers().get("x-forwarded-proto").and_then(|value| value.to_str().ok());
    match forwarded.filter(|_| peer.is_some_and(|peer| settings.trusts(peer))) {
        _ if settings.exchange_insecure => true,
        // With several proxies, the outermost wrote the first value.
        Some(proto) => proto.split(',').next().is_some_and(|proto| proto.trim().eq_ignore_ascii_case("https")),
        None => settings.bind.ip().is_loopback(),
    }
}

fn https_required() -> Problem {
    let detail = "The exchange requires HTTPS, and this request came over plain HTTP.";
    let hint = "Use the server's https:// address. Operators: put the server behind TLS, and name the proxy in \
                BUILDTRACK_TRUSTED_PROXIES; the proxy must send X-Forwarded-Proto.";
    Problem::new(StatusCode::FORBIDDEN, "https_required", detail, hint)
}
