//! The tokens that identify an agent in the arena: that of its session, its arena token, and that of a round.

use std::sync::Arc;

use actix_web::{HttpRequest, http::StatusCode};
use buildtrack_domain::{
    actors::ActorId,
    ids::{AgentId, MatchId, OwnerId},
    limits::Quota,
};
use buildtrack_http::{
    app::App,
    auth::{missing_scope, unauthenticated},
    guard::bearer,
    networks::Network,
    problem::Problem,
    query::Parameters,
    rights::Right,
    tokens::{Identified, Policy, identify},
};
pub(crate) use buildtrack_store::{CachedToken, Scope, sha256_hex};

/// The prefix of an arena token.
pub(super) const TOKEN_PREFIX: &str = "bta_";

/// An agent that may connect.
#[derive(Debug, Clone)]
pub(crate) struct Connecting {
    pub(super) agent_id: AgentId,
    pub(super) owner_id: OwnerId,
    /// The right of the token that opened the connection.
    pub(super) right: Right,
    /// The SHA-256 of the token, if it is an arena token.
    pub(super) arena_token: Option<Arc<str>>,
}

/// The bearer token in the header, or else the one in the query, for clients that cannot send one.
pub(super) fn given(request: &HttpRequest) -> Result<Option<String>, Problem> {
    let mut parameters = Parameters::among(request, &["token"]);
    let in_query = parameters.text("token");
    parameters.finish()?;
    let in_header = bearer(request).map(ToOwned::to_owned);
    // A header of another scheme, which a proxy may have asked for, is no token.
    Ok(in_header.filter(|token| !token.is_empty() || in_query.is_none()).or(in_query))
}

/// The agent of a session token or an arena token. Each invalid token counts against its network.
pub(super) async fn authenticate(app: &App, request: &HttpRequest, token: &str) -> Result<Connecting, Problem> {
    let network = Network::calling(app, request);
    let policy = policy(app);
    if token.starts_with(TOKEN_PREFIX) {
        return by_arena_token(app, token, network, policy).await;
    }
    match identify(app, Some(token), network, policy).await {
        Identified::Session(authenticated) => {
            let session = &authenticated.session;
            let ActorId::Agent(agent_id) = session.actor.id else { return Err(agent_required()) };
            if !session.scopes.contains(&Scope::Write) {
                return Err(missing_scope(Scope::Write));
            }
            Ok(Connecting {
                agent_id,
                owner_id: session.owner_id,
                right: Right::of_session(app, &authenticated.token_hash),
                arena_token: None,
            })
        }
        Identified::Anonymous { allowance, refusal } => {
            let blocked = !allowance.allowed;
            Err(if blocked { abuse_blocked(policy.quota, allowance) } else { refusal.unwrap_or_else(unauthenticated) })
        }
    }
}

/// The limit of unknown tokens.
fn policy(app: &App) -> Policy {
    Policy { name: "arena", quota: app.settings.rate_limits.anonymous() }
}

/// A token that was valid before is not charged, so that neighbours who guess tokens cannot lock out an agent. One that has ended
/// since, or whose agent is not active any more, is charged like a guess from then on.
async fn by_arena_token(app: &App, token: &str, network: Network, policy: Policy) -> Result<Connecting, Problem> {
    let token_hash = sha256_hex(token);
    let is_known = app.store.identity().cached_token(&token_hash) == CachedToken::Valid;
    if !is_known {
        charge(app, network, policy)?;
    }
    let agent_id = app.store.arena().token(&token_hash).await?;
    let contestant = match agent_id {
        Some(agent_id) => app.store.arena().contestant(agent_id).await?,
        None => None,
    };
    let Some(contestant) = contestant else {
        if is_known {
            app.store.identity().cache_refused_token(&token_hash);
            charge(app, network, policy)?;
        }
        return Err(if agent_id.is_some() { not_active() } else { token_ended() });
    };
    if !is_known {
        network.refund(&app.store, policy.name, policy.quota);
        app.store.identity().cache_issued_token(&token_hash);
    }
    let (agent_id, owner_id, token_hash) = (contestant.agent_id, contestant.owner_id, Arc::from(token_hash));
    let right = Right::of_arena_token(app, &token_hash, agent_id);
    Ok(Connecting { agent_id, owner_id, right, arena_token: Some(token_hash) })
}

/// Counts a token that may be a guess against its network.
fn charge(app: &App, network: Network, policy: Policy) -> Result<(), Problem> {
    let allowance = network.admit(&app.store, policy.name, policy.quota);
    if allowance.allowed { Ok(()) } else { Err(abuse_blocked(policy.quota, allowance)) }
}

/// The agent of the arena token in the header of a public read; `None` if the header has none. The request itself has counted
/// against its network already.
pub(super) async fn reader(app: &App, request: &HttpRequest) -> Result<Option<AgentId>, Problem> {
    let Some(token) = bearer(request).filter(|token| token.starts_with(TOKEN_PREFIX)) else { return Ok(None) };
    app.store.arena().token(&sha256_hex(token)).await?.map(Some).ok_or_else(token_ended)
}

/// 401: the token is not valid any more, or never was.
fn token_ended() -> Problem {
    let detail = "The arena token is not valid: it was replaced, or it has expired.";
    let hint = "Create a new arena token: POST /api/v1/agents/{id}/arena/token.";
    Problem::new(StatusCode::UNAUTHORIZED, "invalid_token", detail, hint)
}

/// 403: the agent cannot take part.
fn not_active() -> Problem {
    let detail = "The agent or its owner is deactivated or suspended.";
    let hint = "Connect an agent that is active: GET /api/v1/agents lists them.";
    Problem::new(StatusCode::FORBIDDEN, "agent_not_active", detail, hint)
}

fn agent_required() -> Problem {
    let detail = "The socket is for agents, but this token belongs to an owner.";
    let hint = "Use the agent's session token (POST /agent-login) or its arena token.";
    Problem::new(StatusCode::FORBIDDEN, "agent_required", detail, hint)
}

fn abuse_blocked(quota: Quota, allowance: buildtrack_store::Allowance) -> Problem {
    metrics::counter!("buildtrack_refused_total", "reason" => "arena_tokens").increment(1);
    let detail = format!(
        "This network sent more than {} tokens in a minute that are unknown or whose agents are not active.",
        quota.requests()
    );
    let hint = "Wait for Retry-After seconds, and connect with the agent's current token.";
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "abuse_blocked", detail, hint).retryable(Some(allowance.retry_after))
}

/// An agent that reports on its match.
#[derive(Debug, Clone)]
pub(super) struct Reporter {
    pub(super) agent_id: AgentId,
    pub(super) owner_id: OwnerId,
    /// The match, if the token or the request names it.
    pub(super) match_id: Option<MatchId>,
    /// The right of the token.
    pub(super) right: Right,
}

/// The agent of a token that [`authenticate`] accepts, or of the token of a round.
pub(super) async fn reporter(
    app: &App,
    request: &HttpRequest,
    token: &str,
    match_id: Option<MatchId>,
) -> Result<Reporter, Problem> {
    #[derive(serde::Deserialize)]
    struct Claims {
        agent_id: AgentId,
        match_id: MatchId,
        exp: i64,
    }
    if token.split('.').count() != 3 {
        let Connecting { agent_id, owner_id, right, .. } = authenticate(app, request, token).await?;
        return Ok(Reporter { agent_id, owner_id, match_id, right });
    }
    let network = Network::calling(app, request);
    let policy = policy(app);
    charge(app, network, policy)?;
    let claims: Option<Claims> = app.store.log().token_claims(token).await?;
    let now = app.store.log().clock().now().timestamp();
    let Claims { agent_id, match_id, exp } = claims.filter(|claims| claims.exp > now).ok_or_else(token_ended)?;
    let contestant = app.store.arena().contestant(agent_id).await?.ok_or_else(not_active)?;
    network.refund(&app.store, policy.name, policy.quota);
    let right = Right::of_round(app, agent_id, exp);
    Ok(Reporter { agent_id, owner_id: contestant.owner_id, match_id: Some(match_id), right })
}
