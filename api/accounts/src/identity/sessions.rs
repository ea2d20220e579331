//! Login and logout of owners and agents, and the current session.

use std::{sync::Arc, time::Duration};

use actix_web::{HttpRequest, HttpResponse, delete, get, http::StatusCode, post};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_domain::{
    actors::ActorId,
    identity::{Agent, Owner, Session, SessionEnded},
    ids::{AgentId, KeyId, OwnerId, SessionId},
    limits::Tier,
};
use buildtrack_http::{
    answers::{no_content, shown},
    app::App,
    auth::{Any, Caller, Needs, Read, TOKEN_PREFIX, suspended},
    body::Submission,
    etag,
    guard::app_of,
    idempotency::Key,
    problem::{Cause, Problem},
};
use buildtrack_store::{Answer, Credential, Done, IdentityChange, Scope, Unit, clock, sha256_hex};
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{
    key_logins::admit,
    password_attempts::Guess,
    session_schemas::{AgentLogin, AgentSession, Login, Me, OwnerSession, scopes},
};

/// The lifetime of a session (seed: «24h session token»).
pub const LENGTH: Duration = Duration::from_hours(24);
const LOG_IN_AGAIN: &str = "Tokens are shown once. Log in again without an Idempotency-Key, or with a new one.";

/// Log in as an owner
///
/// The token of the answer is for `Authorization: Bearer`. Failed logins are limited more strictly than other requests.
#[utoipa::path(
    operation_id = "logIn",
    tag = "Identity",
    request_body = Login,
    responses(
        (status = 201, description = "A session of 24 hours", body = OwnerSession),
        (status = 401, description = "`wrong_credentials`"),
        (status = 403, description = "`suspended`: the hint states how to appeal"),
        (status = 503, description = "`busy`: too many password checks at once", headers(("Retry-After" = i64))),
    ),
)]
#[post("/sessions")]
pub(crate) async fn log_in(request: HttpRequest, submission: Submission<Login>) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let (_, done) = open(&request, body, &key).await?;
    key.answered(done)
}

/// Opens a session for the owner with this e-mail address and password.
pub async fn open(request: &HttpRequest, login: Login, key: &Key) -> Result<(NewSession, Done<()>), Problem> {
    let app = app_of(request);
    let (owner_id, hash) = verified(&app, request, &login.email, login.password).await?;
    open_for_owner(&app, owner_id, hash, &login.email, key).await
}

/// Returns the account of an e-mail address and password, with the password's hash.
async fn verified(
    app: &App,
    request: &HttpRequest,
    email: &str,
    password: String,
) -> Result<(OwnerId, Option<String>), Problem> {
    let (email_hash, _) = app.store.identity().sealed_email(email)?;
    let guess = Guess::admit(app, request, &email_hash).await?;
    let account = app.store.identity().account_with_email(email).await?;
    let (owner_id, hash) = account.unzip();
    let right = guess.verify(password, hash.clone()).await?;
    Ok((owner_id.filter(|_| right).ok_or_else(wrong_credentials)?, hash))
}

/// Returns the owner with this e-mail address and password.
pub(crate) async fn known_owner(
    app: &App,
    request: &HttpRequest,
    email: &str,
    password: String,
) -> Result<OwnerId, Problem> {
    verified(app, request, email, password).await.map(|(owner_id, _)| owner_id)
}

async fn open_for_owner(
    app: &Arc<App>,
    owner_id: OwnerId,
    hash: Option<String>,
    email: &str,
    key: &Key,
) -> Result<(NewSession, Done<()>), Problem> {
    let new = NewSession::make(app);
    let done = app
        .store
        .log()
        .transact(Some(owner_id.into()), async |unit| {
            // The commit names the owner's version, so that a concurrent password reset makes this login fail.
            let owner = unit.load::<Owner>(owner_id).await?;
            let still = app.store.identity().account_with_email(email).await?.map(|(_, hash)| hash);
            if still != hash {
                return Err(wrong_credentials());
            }
            if owner.state.suspended {
                return Err(suspended(owner_id.into()));
            }
            new.write(unit, owner_id.into(), &Scope::ALL);
            let body =
                OwnerSession { token: new.token.clone(), expires_at: new.expires_at, owner_id: owner_id.to_string() };
            answer(unit, key, 201, &body);
            Ok(())
        })
        .await?;
    new.issued(app);
    Ok((new, done))
}

/// Log in as an agent with its key
///
/// The token of the answer is for `Authorization: Bearer`. The session has those of the asked `scopes` that the key has, and ends
/// with the key.
#[utoipa::path(
    operation_id = "agentLogin",
    tag = "Identity",
    request_body = AgentLogin,
    responses(
        (status = 200, description = "A session of 24 hours", body = AgentSession),
        (status = 401, description = "`wrong_credentials`, `key_expired`"),
        (status = 403, description = "`suspended`: the hint states how to appeal; `missing_scope`"),
    ),
)]
#[post("/agent-login")]
pub(crate) async fn agent_log_in(
    request: HttpRequest,
    submission: Submission<AgentLogin>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    let key_hash = sha256_hex(&body.key);
    let asked = body.scopes.map(|names| scopes(&names));
    let new = NewSession::make(&app);
    let done = app
        .store
        .log()
        .transact(None, async |unit| {
            let agent_id = app.store.identity().credential(&key_hash).await?.ok_or_else(wrong_credentials)?.agent_id;
            let agent = unit.load::<Agent>(agent_id).await?;
            // Look up the key again at the version that the commit names, so that a concurrent rotation or revocation makes
            // this login fail.
            let again = app.store.identity().credential(&key_hash).await?.filter(|again| again.agent_id == agent_id);
            let credential = again.filter(|_| !agent.state.deactivated).ok_or_else(wrong_credentials)?;
            refuse_suspended(unit, agent_id, &agent.state).await?;
            let granted = admit(unit, &credential, asked.as_deref(), app.store.log().clock().now())?;
            let session = new.with_key(&credential);
            session.write(unit, agent_id.into(), &granted);
            let body = session.for_agent(agent_id, agent.state.tier, &granted);
            answer(unit, &key, 200, &body);
            Ok::<_, Problem>(())
        })
        .await?;
    new.issued(&app);
    key.answered(done)
}

/// Rejects the login of a suspended agent, and of an agent of a suspended owner, even if it was registered just before.
pub(super) async fn refuse_suspended(unit: &mut Unit<'_>, agent_id: AgentId, agent: &Agent) -> Result<(), Problem> {
    if agent.suspended {
        return Err(suspended(agent_id.into()));
    }
    let Some(owner_id) = agent.owner else { return Ok(()) };
    let owner = unit.load::<Owner>(owner_id).await?;
    if owner.state.suspended { Err(suspended(owner_id.into())) } else { Ok(()) }
}

fn wrong_credentials() -> Problem {
    let detail = "The e-mail address and password, or the agent key, do not match an account.";
    let hint = "Check them. The owner of an agent can create a new key: POST /api/v1/agents/{id}/keys.";
    Problem::new(StatusCode::UNAUTHORIZED, "wrong_credentials", detail, hint).of(Cause::FailedLogin)
}

fn answer(unit: &mut Unit<'_>, key: &Key, status: u16, body: &impl Serialize) {
    let answer = Answer { status, withheld: Some(LOG_IN_AGAIN.into()), ..shown(body) };
    unit.answer(key.ticket(), move |_| answer.clone());
}

/// A session that was just opened.
pub struct NewSession {
    pub(super) id: SessionId,
    /// The token, `bts_…`.
    pub token: String,
    expires_at: DateTime<Utc>,
    /// The named key that opened it.
    key_id: Option<KeyId>,
}

impl NewSession {
    pub(super) fn make(app: &App) -> Self {
        let token = format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(clock::random::<32>()));
        let clock = app.store.log().clock();
        Self { id: SessionId::new(clock.uuid()), token, expires_at: clock.after(LENGTH), key_id: None }
    }

    /// The session as this key opens it: it expires with the key, or before.
    fn with_key(&self, key: &Credential) -> Self {
        let expires_at = key.expires_at.map_or(self.expires_at, |at| at.min(self.expires_at));
        Self { id: self.id, token: self.token.clone(), expires_at, key_id: key.key_id }
    }

    pub(super) fn write(&self, unit: &mut Unit<'_>, holder: ActorId, scopes: &[Scope]) {
        unit.write_side(IdentityChange::Session {
            id: self.id,
            token_hash: sha256_hex(&self.token),
            holder: holder.to_string(),
            scopes: names(scopes).join(" "),
            key_id: self.key_id,
            expires_at: self.expires_at,
        });
    }

    /// Records that the committed session's token is known, so that its first request is not charged as a guess.
    pub(super) fn issued(&self, app: &App) {
        app.store.identity().cache_issued_token(&sha256_hex(&self.token));
    }

    fn for_agent(&self, agent_id: AgentId, tier: Tier, scopes: &[Scope]) -> AgentSession {
        let (token, tier) = (self.token.clone(), tier.as_str().to_owned());
        AgentSession { token, expires_at: self.expires_at, agent_id: agent_id.to_string(), tier, scopes: names(scopes) }
    }
}

pub(super) fn names(scopes: &[Scope]) -> Vec<String> {
    scopes.iter().map(|scope| scope.as_str().to_owned()).collect()
}

/// Log out
///
/// The session of this request ends.
#[utoipa::path(
    operation_id = "logOut",
    tag = "Identity",
    responses((status = 204, description = "The token is no longer valid")),
    security(("token" = [])),
)]
#[delete("/sessions/current")]
pub(crate) async fn log_out(request: HttpRequest, caller: Caller<Any>) -> Result<HttpResponse, Problem> {
    close(&app_of(&request), &caller).await?;
    Ok(no_content())
}

/// Ends the caller's session.
pub async fn close<S: Needs>(app: &App, caller: &Caller<S>) -> Result<(), Problem> {
    let session_id = caller.session().id;
    app.store.log().transact(Some(caller.id()), async |unit| end(unit, session_id).await).await?;
    Ok(())
}

/// Ends a session, unless it has ended.
pub(super) async fn end(unit: &mut Unit<'_>, session_id: SessionId) -> Result<(), Problem> {
    let session = unit.load::<Session>(session_id).await?;
    if !session.state.ended {
        unit.append(session_id, &session, vec![SessionEnded { session_id }.into()]);
        unit.write_side(IdentityChange::SessionEnded { id: session_id });
    }
    Ok(())
}

/// Show the holder and scopes of the current session
///
/// Use it to check a token, and to learn one's own id.
#[utoipa::path(
    operation_id = "showMe",
    tag = "Identity",
    responses((status = 200, description = "The caller", body = Me, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/me")]
pub(crate) async fn show_me(request: HttpRequest, caller: Caller<Read>) -> HttpResponse {
    let session = caller.session();
    let me = Me {
        id: session.actor.id.to_string(),
        name: session.actor.name.clone(),
        kind: session.actor.kind.as_str().to_owned(),
        model: session.actor.model.clone(),
        owner_id: session.owner_id.to_string(),
        tier: session.tier.as_str().to_owned(),
        scopes: names(&session.scopes),
        operator: session.operator,
        expires_at: session.expires_at,
    };
    etag::answer(&request, &me)
}
