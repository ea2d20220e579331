//! Authentication: extractors that state in a handler's signature which caller and scope the operation requires.

mod commands;

use std::{
    future::{Ready, ready},
    marker::PhantomData,
    sync::Arc,
};

use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload, http::StatusCode};
use buildtrack_domain::{
    actors::ActorId,
    ids::{AgentId, OwnerId},
};
use buildtrack_store::{Scope, Session};

use super::problem::Problem;

/// The prefix of a session token.
pub const TOKEN_PREFIX: &str = "bts_";
/// The prefix of an agent's key (seed: «Authenticate»).
pub const KEY_PREFIX: &str = "araf_";

/// The scope that an operation requires of a session.
pub trait Needs {
    /// The scope; none if any session suffices.
    const SCOPE: Option<Scope>;
}

/// No scope: any session suffices.
#[derive(Debug, Clone, Copy)]
pub struct Any;

impl Needs for Any {
    const SCOPE: Option<Scope> = None;
}

/// The scope to read the caller's own data.
#[derive(Debug, Clone, Copy)]
pub struct Read;

impl Needs for Read {
    const SCOPE: Option<Scope> = Some(Scope::Read);
}

/// The scope to write.
#[derive(Debug, Clone, Copy)]
pub struct Write;

impl Needs for Write {
    const SCOPE: Option<Scope> = Some(Scope::Write);
}

/// The scope to manage webhooks.
#[derive(Debug, Clone, Copy)]
pub struct Webhooks;

impl Needs for Webhooks {
    const SCOPE: Option<Scope> = Some(Scope::Webhooks);
}

/// The result of authentication. The guard stores it in the request's extensions.
#[derive(Debug, Clone)]
pub struct Authenticated {
    /// The session and its actor.
    pub session: Arc<Session>,
    /// The SHA-256 of the session's token, in hex.
    pub token_hash: Arc<str>,
}

/// An agent or owner with a valid session and the required scope.
#[derive(Debug, Clone)]
pub struct Caller<S: Needs = Write> {
    authenticated: Authenticated,
    scope: PhantomData<S>,
}

/// An optional caller, for operations that require a session only if a parameter refers to `me`. Holds the reason if there
/// is no valid session.
pub type MaybeCaller = Result<Caller<Read>, Problem>;

impl<S: Needs> Caller<S> {
    /// Returns the authenticated caller if the session has the scope.
    pub fn of(authenticated: Authenticated) -> Result<Self, Problem> {
        match S::SCOPE {
            Some(scope) if !authenticated.session.scopes.contains(&scope) => Err(missing_scope(scope)),
            _ => Ok(Self { authenticated, scope: PhantomData }),
        }
    }

    /// The session, as it was when the request arrived.
    pub fn session(&self) -> &Session {
        &self.authenticated.session
    }

    /// The id of the agent or owner.
    pub fn id(&self) -> ActorId {
        self.session().actor.id
    }
}

impl<S: Needs> FromRequest for Caller<S> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let known = request.extensions().get::<Authenticated>().cloned();
        ready(known.ok_or_else(unauthenticated).and_then(Self::of))
    }
}

/// An owner with a valid session and the scope to write.
#[derive(Debug, Clone)]
pub struct OwnerCaller {
    /// The owner.
    pub owner_id: OwnerId,
    /// The caller with the session.
    pub caller: Caller<Write>,
}

impl FromRequest for OwnerCaller {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let caller = Caller::<Write>::from_request(request, payload).into_inner();
        ready(caller.and_then(|caller| match caller.id() {
            ActorId::Owner(owner_id) => Ok(Self { owner_id, caller }),
            ActorId::Agent(_) => {
                Err(owner_required("The operation is for owners, but this session belongs to an agent."))
            }
        }))
    }
}

/// An agent with a valid session and the scope to write.
#[derive(Debug, Clone)]
pub struct AgentCaller {
    /// The agent.
    pub agent_id: AgentId,
    /// The agent's owner.
    pub owner_id: OwnerId,
    /// The caller with the session.
    pub caller: Caller<Write>,
}

impl FromRequest for AgentCaller {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let caller = Caller::<Write>::from_request(request, payload).into_inner();
        ready(caller.and_then(|caller| match caller.id() {
            ActorId::Agent(agent_id) => Ok(Self { agent_id, owner_id: caller.session().owner_id, caller }),
            ActorId::Owner(_) => {
                let detail = "The operation is for agents, but this session belongs to an owner.";
                let hint = "Log in as the agent: POST /agent-login with its key.";
                Err(Problem::new(StatusCode::FORBIDDEN, "agent_required", detail, hint))
            }
        }))
    }
}

/// An owner with the right to moderate, a valid session and the scope to write.
#[derive(Debug, Clone)]
pub struct Operator {
    /// The owner.
    pub owner_id: OwnerId,
    /// The caller with the session.
    pub caller: Caller<Write>,
}

impl FromRequest for Operator {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let owner = OwnerCaller::from_request(request, payload).into_inner();
        ready(owner.and_then(|OwnerCaller { owner_id, caller }| {
            if caller.session().operator { Ok(Self { owner_id, caller }) } else { Err(operator_required()) }
        }))
    }
}

fn operator_required() -> Problem {
    let detail = "The operation is for operators of this server.";
    let hint = "Report the problem to the operators: POST /api/v1/reports.";
    Problem::new(StatusCode::FORBIDDEN, "operator_required", detail, hint)
}

/// 403: operators have suspended the caller.
pub fn suspended(who: ActorId) -> Problem {
    let detail = format!("Operators of this server have suspended {who}.");
    let appeal = match who {
        ActorId::Agent(_) => format!("POST /api/v1/moderation/appeals with \"subject\": \"{who}\""),
        ActorId::Owner(_) => "POST /api/v1/moderation/own-appeal with e-mail address and password".to_owned(),
    };
    let hint =
        format!("GET /api/v1/moderation/actions?subject={who} shows the reason. The owner can appeal: {appeal}.");
    Problem::new(StatusCode::FORBIDDEN, "suspended", detail, hint)
}

/// 401: the request has no session token.
pub fn unauthenticated() -> Problem {
    let detail = "The operation requires a session, but the request has no session token.";
    let hint = "Agents: POST /agent-login with the araf_ key. Owners: POST /api/v1/sessions. Then send \
                Authorization: Bearer <token>.";
    Problem::new(StatusCode::UNAUTHORIZED, "unauthenticated", detail, hint)
}

/// 401: the token belongs to no active session.
pub(crate) fn session_ended() -> Problem {
    let detail = "The token belongs to no active session: the session or the agent's key has ended.";
    let hint = "Log in again: agents at POST /agent-login, owners at POST /api/v1/sessions.";
    Problem::new(StatusCode::UNAUTHORIZED, "invalid_token", detail, hint)
}

/// 403: the session is not an owner's.
fn owner_required(detail: &str) -> Problem {
    let hint = "Log in as the owner: POST /api/v1/sessions.";
    Problem::new(StatusCode::FORBIDDEN, "owner_required", detail, hint)
}

/// 401: the token is malformed.
pub(crate) fn not_a_token(text: &str) -> Problem {
    if text.starts_with(KEY_PREFIX) {
        let detail = "An agent key (araf_…) was sent as a session token.";
        let hint = "POST the key to /agent-login as {\"key\": \"araf_…\"}, and send the token from the answer.";
        return Problem::new(StatusCode::UNAUTHORIZED, "key_is_not_a_token", detail, hint);
    }
    session_ended()
}

/// 403: the session lacks this scope.
pub fn missing_scope(scope: Scope) -> Problem {
    let detail = format!("The session lacks the scope \"{}\".", scope.as_str());
    let hint = "Log in again with that scope, or without \"scopes\" to get all scopes of the key. The agent's owner decides \
                which a key has.";
    Problem::new(StatusCode::FORBIDDEN, "missing_scope", detail, hint)
}
