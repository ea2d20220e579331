//! The middleware of the API: identifies the caller, counts the request against its rate limit, and stores answers for repeats
//! under an idempotency key.

use std::{sync::Arc, time::Duration};

use actix_web::{
    Error, HttpMessage, HttpRequest,
    body::{BoxBody, MessageBody, to_bytes},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method, StatusCode,
        header::{HeaderMap, HeaderName, HeaderValue},
    },
    middleware::Next,
    web::Data,
};
use buildtrack_domain::{actors::ActorId, limits::Quota};
use buildtrack_store::{Allowance, StoreError};
use tokio::time::sleep;

use super::{
    auth::Authenticated,
    fallback::is_of_no_method,
    idempotency::{self, Pending},
    networks::Network,
    paths::routed,
    problem::Problem,
    public_reads::is_public_read,
    session_cookie,
    tokens::{Identified, Policy, identify},
};
use crate::app::App;

/// The rate limit of requests without a session.
const ANONYMOUS: &str = "anonymous";
/// The rate limit of an owner's clicks in the portal: as many as those of a reader without a session.
const PORTAL: &str = "portal";
/// The allowance of unchanged public reads, which do not count.
const UNCHANGED: &str = "unchanged";
/// Its size as a multiple of the caller's rate limit. Further unchanged reads count.
const UNCHANGED_READS: u32 = 10;
/// The shortest wait of an answer for its caller's rate limit.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);

/// The middleware of every rate-limited operation.
pub async fn guard(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let app = app_of(request.request());
    let counted = request.request().extensions_mut().remove::<CountedAhead>();
    let admitted = match counted {
        Some(CountedAhead(admitted)) => admitted,
        None => admit(&app, request.request()).await,
    };
    let admitted = match admitted {
        Ok(admitted) => admitted,
        Err(problem) => return Ok(refuse(request, problem)),
    };
    let Admitted { policy, quota, mut allowance, refusal } = admitted;
    // For a method that the path does not support, the answer is the same with every token.
    let refusal = refusal.filter(|_| !is_of_no_method(request.request()));
    let refusal = if allowance.allowed { refusal } else { Some(rate_limited(policy, quota, allowance)) };
    let mut response = match refusal {
        Some(problem) => refuse(request, problem),
        None => next.call(request).await?.map_into_boxed_body(),
    };
    let pending = response.request().extensions_mut().remove::<Pending>();
    if let Some(pending) = pending {
        response = store_answer(&app, pending, response).await?;
    }
    if response.status() == StatusCode::NOT_MODIFIED && is_public_read(response.request()) {
        allowance = CallersLimit::of(response.request()).refund(allowance).await;
    }
    announce(response.headers_mut(), policy, quota, allowance);
    Ok(response)
}

/// The count of a request, made before the guard by a middleware that reads the body.
struct CountedAhead(Result<Admitted, Problem>);

/// Counts a request against its caller's rate limit before a middleware reads the body; [`guard`] does not count it again, and
/// answers what this found. Returns whether the request is within the limit: the body of another one must not be read.
pub async fn count_ahead(request: &HttpRequest) -> bool {
    let admitted = admit(&app_of(request), request).await;
    let is_within = admitted.as_ref().is_ok_and(|admitted| admitted.allowance.allowed);
    request.extensions_mut().insert(CountedAhead(admitted));
    is_within
}

/// Returns the state that all contexts share.
pub fn app_of(request: &HttpRequest) -> Arc<App> {
    state_of(request)
}

/// Returns a context's own state.
///
/// # Panics
///
/// If the server was built without it.
pub fn state_of<T: 'static>(request: &HttpRequest) -> Arc<T> {
    #[expect(clippy::expect_used, reason = "every server is built with it, see Application::register")]
    Arc::clone(request.app_data::<Data<T>>().expect("the server has no such state"))
}

fn refuse(request: ServiceRequest, problem: Problem) -> ServiceResponse<BoxBody> {
    let (request, _) = request.into_parts();
    ServiceResponse::from_err(problem, request)
}

pub(crate) fn rate_limited(policy: &'static str, quota: Quota, allowance: Allowance) -> Problem {
    metrics::counter!("buildtrack_rate_limited_total", "policy" => policy).increment(1);
    let detail = format!("The limit of {} requests a minute is exceeded.", quota.requests());
    let hint = "Wait for Retry-After seconds. The header RateLimit states the remaining requests.";
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail, hint).retryable(Some(allowance.retry_after))
}

/// A request that has been counted.
struct Admitted {
    policy: &'static str,
    quota: Quota,
    allowance: Allowance,
    /// The reason to reject the request although it is within the rate limit.
    refusal: Option<Problem>,
}

/// Counts the request against the caller's rate limit, or against that of its network if it has no valid session.
async fn admit(app: &App, request: &HttpRequest) -> Result<Admitted, Problem> {
    let limits = app.settings.rate_limits;
    let network = Network::calling(app, request);
    if request.method() == Method::POST && app.declared.is_login(routed(request)) {
        let quota = limits.login();
        let allowance = network.admit(&app.store, "login", quota);
        return Ok(Admitted { policy: "login", quota, allowance, refusal: None });
    }
    // Guessed tokens count like anonymous requests.
    let anonymous = Policy { name: ANONYMOUS, quota: limits.anonymous() };
    let cookie = session_cookie::token(request);
    let sent = bearer(request).filter(|token| !app.declared.is_foreign(token, routed(request)));
    match identify(app, cookie.as_deref().or(sent), network, anonymous).await {
        Identified::Session(authenticated) if cookie.is_some() => {
            let subject = format!("{PORTAL}:{}", authenticated.session.actor.id);
            let allowance = app.store.limits().admit(&subject, anonymous.quota).await?;
            request.extensions_mut().insert(authenticated);
            Ok(Admitted { policy: PORTAL, quota: anonymous.quota, allowance, refusal: None })
        }
        // The portal asks for a new login.
        Identified::Anonymous { allowance, .. } if cookie.is_some() => {
            Ok(Admitted { policy: anonymous.name, quota: anonymous.quota, allowance, refusal: None })
        }
        Identified::Session(authenticated) => {
            let session = authenticated.session.clone();
            let quota = limits.tier(session.tier);
            let allowance = app.store.limits().admit(&session.actor.id.to_string(), quota).await?;
            request.extensions_mut().insert(authenticated);
            let policy = match session.actor.id {
                ActorId::Agent(_) => session.tier.as_str(),
                ActorId::Owner(_) => "owner",
            };
            Ok(Admitted { policy, quota, allowance, refusal: None })
        }
        Identified::Anonymous { allowance, refusal } => {
            Ok(Admitted { policy: anonymous.name, quota: anonymous.quota, allowance, refusal })
        }
    }
}

/// The rate limit of a request's caller, for an answer that costs more than one request.
pub struct CallersLimit {
    app: Arc<App>,
    quota: Quota,
    counted: Counted,
}

/// What a request counts against.
enum Counted {
    Actor(String),
    Network(Network),
}

impl CallersLimit {
    /// The limit that [`guard`] has counted this request against.
    pub fn of(request: &HttpRequest) -> Self {
        let app = app_of(request);
        let limits = app.settings.rate_limits;
        let (quota, counted) = match request.extensions().get::<Authenticated>() {
            Some(Authenticated { session, .. }) => {
                (limits.tier(session.tier), Counted::Actor(session.actor.id.to_string()))
            }
            None => (limits.anonymous(), Counted::Network(Network::calling(&app, request))),
        };
        Self { app, quota, counted }
    }

    /// Counts one more request, and waits until the limit permits it. Returns `false` if the server stops meanwhile.
    pub async fn admit(&self) -> Result<bool, StoreError> {
        let Self { app, quota, counted } = self;
        while !app.stopping.is_cancelled() {
            let allowance = match counted {
                Counted::Actor(id) => app.store.limits().admit(id, *quota).await?,
                Counted::Network(network) => network.admit(&app.store, ANONYMOUS, *quota),
            };
            if allowance.allowed {
                return Ok(true);
            }
            app.stopping.run_until_cancelled(sleep(allowance.retry_after.max(SHORTEST_WAIT))).await;
        }
        Ok(false)
    }

    /// Refunds an unchanged read, unless the caller has used up the allowance of these: the server looked for a change.
    async fn refund(&self, allowance: Allowance) -> Allowance {
        let Self { app, quota, counted } = self;
        let unchanged = quota.times(UNCHANGED_READS);
        let refunded = match counted {
            Counted::Actor(id) => {
                let allowed = app.store.limits().admit_here(&format!("{UNCHANGED} {id}"), unchanged).allowed;
                allowed && app.store.limits().refund(id, *quota).await.is_ok()
            }
            Counted::Network(network) => {
                let allowed = network.admit(&app.store, UNCHANGED, unchanged).allowed;
                if allowed {
                    network.refund(&app.store, ANONYMOUS, *quota);
                }
                allowed
            }
        };
        if refunded { allowance.refunded(*quota) } else { allowance }
    }
}

/// The bearer token in `Authorization`; an empty text if the header has another scheme.
pub fn bearer(request: &HttpRequest) -> Option<&str> {
    let header = request.headers().get("authorization")?;
    let text = header.to_str().unwrap_or_default();
    let token =
        text.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token);
    Some(token.unwrap_or_default().trim())
}

/// Sets `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10).
fn announce(headers: &mut HeaderMap, policy: &str, quota: Quota, allowance: Allowance) {
    let reset = allowance.reset.as_secs_f64().ceil();
    let texts = [
        ("ratelimit-policy", format!("\"{policy}\";q={};w=60", quota.requests())),
        ("ratelimit", format!("\"{policy}\";r={};t={reset}", allowance.remaining)),
    ];
    for (name, text) in texts {
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}

/// Stores the answer of a request with an idempotency key, unless the write itself has stored it.
async fn store_answer(
    app: &App,
    pending: Pending,
    response: ServiceResponse<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let retryable = response
        .response()
        .error()
        .and_then(|error| error.as_error::<Problem>())
        .is_some_and(|problem| problem.retryable);
    if !idempotency::is_stored(response.status()) || retryable || pending.is_stored() {
        return Ok(response);
    }
    let (request, response) = response.into_parts();
    let (response, body) = response.into_parts();
    let body = to_bytes(body).await.unwrap_or_default();
    if !idempotency::fits(response.status(), body.len()) {
        return Ok(ServiceResponse::new(request, response.set_body(body).map_into_boxed_body()));
    }
    let text = String::from_utf8_lossy(&body).into_owned();
    match pending.store(app, response.status(), text).await {
        Ok(None) => {}
        // Another replica has answered the same request first. That answer is the only one.
        Ok(Some(Ok(first))) => return Ok(ServiceResponse::new(request, first)),
        Ok(Some(Err(problem))) => return Ok(ServiceResponse::from_err(problem, request)),
        Err(error) => {
            // The request itself was carried out. Only a repeat would be carried out again.
            tracing::warn!(%error, "cannot store an answer for repeats of the request");
        }
    }
    Ok(ServiceResponse::new(request, response.set_body(body).map_into_boxed_body()))
}
