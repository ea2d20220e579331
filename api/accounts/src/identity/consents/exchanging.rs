//! The exchange of codes and refresh tokens for sessions.

use std::time::Duration;

use actix_web::http::StatusCode;
use buildtrack_domain::{
    decide::Command,
    identity::{Agent, Consent, ConsentError, RedeemConsent, RenewConsent, Session},
    ids::AgentId,
};
use buildtrack_http::{app::App, problem::Problem};
use buildtrack_store::{
    CONSENTS_MAX, ConsentChange, ConsentExchange, ConsentView, IdentityChange, Scope, Unit, sha256_hex,
};
use chrono::{DateTime, Utc};

use super::{REFRESH_PREFIX, family_of, random_text, scopes_in, withdraw};

use crate::identity::sessions::{self, NewSession, names, refuse_suspended};

/// How long a refresh token is valid.
const REFRESH_LIFETIME: Duration = Duration::from_hours(30 * 24);

/// What a client shows with its code.
#[derive(Debug, Clone, Copy)]
pub struct Presented<'p> {
    /// SHA-256 of the client's id, in hex.
    pub client_hash: &'p str,
    /// The address of the request, if it is repeated.
    pub redirect_uri: Option<&'p str>,
    /// The text whose SHA-256 was the challenge (RFC 7636).
    pub verifier: &'p str,
}

/// What a client receives.
pub struct Tokens {
    /// The token of the session.
    pub access_token: String,
    /// The token for the next session.
    pub refresh_token: String,
    /// What the session may do.
    pub scopes: Vec<String>,
}

/// Exchanges a code for a session of the agent.
pub async fn redeem(app: &App, code: &str, presented: Presented<'_>) -> Result<Tokens, Problem> {
    let code_hash = sha256_hex(code);
    let family = format!("{REFRESH_PREFIX}{}", random_text());
    let new = NewTokens::make(app, &family);
    let session_id = new.session.id;
    let done = app
        .store
        .log()
        .transact(None, async |unit| {
            let consent = consent_of_code(app, &code_hash, presented.client_hash).await?;
            let state = unit.load::<Consent>(consent.id).await?;
            let redeemed = match (RedeemConsent { consent_id: consent.id, session_id }).decide(&state.state) {
                Ok(redeemed) => redeemed,
                Err(ConsentError::Spent) => {
                    withdraw(unit, consent.id, &state).await?;
                    return Ok(None);
                }
                Err(error) => return Err(refused(error)),
            };
            check_presented(&consent, presented)?;
            require_active(unit, &consent).await?;
            // Look up the row again at the versions that the commit names: what ends all consents for an agent, or of an owner,
            // is on their streams, and makes a concurrent exchange fail.
            let consent = consent_of_code(app, &code_hash, presented.client_hash).await?;
            let scopes = scopes_in(&consent.scopes);
            end_oldest(app, unit, consent.agent_id).await?;
            unit.append(consent.id, &state, redeemed);
            new.write(unit, &consent, &scopes);
            Ok::<_, Problem>(Some(scopes))
        })
        .await?;
    let scopes = done.value.ok_or_else(|| used_twice("code"))?;
    Ok(new.issued(app, &scopes))
}

/// Exchanges a refresh token for another session of the agent, with the scopes of the consent or some of them. The previous session
/// ends.
pub async fn renew(app: &App, refresh_token: &str, client_hash: &str, asked: Option<&str>) -> Result<Tokens, Problem> {
    let family = family_of(refresh_token).ok_or_else(unknown_refresh_token)?;
    let (family_hash, refresh_hash) = (sha256_hex(family), sha256_hex(refresh_token));
    let new = NewTokens::make(app, family);
    let session_id = new.session.id;
    let done = app
        .store
        .log()
        .transact(None, async |unit| {
            let consent = consent_of_family(app, &family_hash, client_hash).await?;
            let state = unit.load::<Consent>(consent.id).await?;
            let active = require_active(unit, &consent).await;
            if let Some(previous) = state.state.session {
                unit.load::<Session>(previous).await?;
            }
            // Look up the row again at the versions that the commit names, as above. Only a row as new as the stream says which
            // refresh token is the newest.
            let consent = consent_of_family(app, &family_hash, client_hash).await?;
            if consent.refresh_hash.as_deref() != Some(refresh_hash.as_str()) {
                withdraw(unit, consent.id, &state).await?;
                return Ok(None);
            }
            let renewed = RenewConsent { consent_id: consent.id, session_id }.decide(&state.state).map_err(refused)?;
            let scopes = narrowed(scopes_in(&consent.scopes), asked)?;
            active?;
            unit.append(consent.id, &state, renewed);
            new.write(unit, &consent, &scopes);
            if let Some(previous) = state.state.session {
                // The row names the new session by now, so that it outlives the previous one.
                sessions::end(unit, previous).await?;
            }
            Ok::<_, Problem>(Some(scopes))
        })
        .await?;
    let scopes = done.value.ok_or_else(|| used_twice("refresh token"))?;
    Ok(new.issued(app, &scopes))
}

/// The consent of a client's code.
async fn consent_of_code(app: &App, code_hash: &str, client_hash: &str) -> Result<ConsentView, Problem> {
    let consent =
        app.store.identity().consent_of_code(code_hash).await?.filter(|consent| consent.client_hash == client_hash);
    consent.ok_or_else(|| invalid_grant("The code is unknown, expired or another client's."))
}

/// The consent of a client's refresh tokens.
async fn consent_of_family(app: &App, family_hash: &str, client_hash: &str) -> Result<ConsentView, Problem> {
    let consent =
        app.store.identity().consent_of_family(family_hash).await?.filter(|consent| consent.client_hash == client_hash);
    consent.ok_or_else(unknown_refresh_token)
}

/// Ends the oldest consent for an agent that has as many as it may have, with its session: the table deletes rows alone.
async fn end_oldest(app: &App, unit: &mut Unit<'_>, agent_id: AgentId) -> Result<(), Problem> {
    let consents = app.store.identity().consents_of(agent_id).await?;
    for oldest in consents.iter().skip(usize::from(CONSENTS_MAX) - 1) {
        let state = unit.load::<Consent>(oldest.id).await?;
        withdraw(unit, oldest.id, &state).await?;
    }
    Ok(())
}

fn check_presented(consent: &ConsentView, presented: Presented<'_>) -> Result<(), Problem> {
    if presented.redirect_uri.is_some_and(|uri| uri != consent.redirect_uri) {
        return Err(invalid_grant("The code was sent to another redirect_uri."));
    }
    if sha256_hex(presented.verifier) != consent.challenge {
        return Err(invalid_grant("The code_verifier does not match the code_challenge."));
    }
    Ok(())
}

/// The granted scopes that a client asks for; all if it names none.
fn narrowed(granted: Vec<Scope>, asked: Option<&str>) -> Result<Vec<Scope>, Problem> {
    let Some(asked) = asked else { return Ok(granted) };
    let named = scopes_in(asked);
    let is_granted = |name: &str| granted.iter().any(|scope| scope.as_str() == name);
    if named.is_empty() || !asked.split(' ').filter(|name| !name.is_empty()).all(is_granted) {
        let detail = "The scope has a name that the owner did not grant.";
        let hint = "Leave out scope, or ask the owner again.";
        return Err(Problem::new(StatusCode::BAD_REQUEST, "invalid_scope", detail, hint));
    }
    Ok(named)
}

/// Refuses an agent that cannot act. The commit names the versions of the agent and its owner.
async fn require_active(unit: &mut Unit<'_>, consent: &ConsentView) -> Result<(), Problem> {
    let agent = unit.load::<Agent>(consent.agent_id).await?;
    let is_suspended = match refuse_suspended(unit, consent.agent_id, &agent.state).await {
        Err(problem) if problem.code == "suspended" => true,
        other => {
            other?;
            false
        }
    };
    if is_suspended || agent.state.deactivated {
        return Err(invalid_grant("The agent is suspended or deactivated."));
    }
    Ok(())
}

/// A new session with a new refresh token.
struct NewTokens {
    session: NewSession,
    family_hash: String,
    refresh_token: String,
    /// When the refresh token expires.
    expires_at: DateTime<Utc>,
}

impl NewTokens {
    fn make(app: &App, family: &str) -> Self {
        Self {
            session: NewSession::make(app),
            family_hash: sha256_hex(family),
            refresh_token: format!("{family}.{}", random_text()),
            expires_at: app.store.log().clock().after(REFRESH_LIFETIME),
        }
    }

    fn write(&self, unit: &mut Unit<'_>, consent: &ConsentView, scopes: &[Scope]) {
        self.session.write(unit, consent.agent_id.into(), scopes);
        unit.write_side(IdentityChange::Consent(ConsentChange::Exchanged(Box::new(ConsentExchange {
            id: consent.id,
            session_id: self.session.id,
            family_hash: self.family_hash.clone(),
            refresh_hash: sha256_hex(&self.refresh_token),
            expires_at: self.expires_at,
        }))));
    }

    fn issued(self, app: &App, scopes: &[Scope]) -> Tokens {
        self.session.issued(app);
        Tokens { access_token: self.session.token, refresh_token: self.refresh_token, scopes: names(scopes) }
    }
}

/// 400: the code or the refresh token is not valid (RFC 6749, section 5.2).
fn invalid_grant(detail: &str) -> Problem {
    let hint = "Ask the owner again: send the browser to the authorization endpoint.";
    Problem::new(StatusCode::BAD_REQUEST, "invalid_grant", detail, hint)
}

fn unknown_refresh_token() -> Problem {
    invalid_grant("The refresh token is unknown, expired or another client's.")
}

fn refused(error: ConsentError) -> Problem {
    invalid_grant(match error {
        ConsentError::Ended => "The consent has ended.",
        ConsentError::Spent => "The code was used before.",
        ConsentError::Exhausted => "The consent was renewed as often as the server permits.",
    })
}

fn used_twice(what: &str) -> Problem {
    invalid_grant(&format!("The {what} was used twice. Therefore the consent has ended, with its session."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_become_fewer_and_never_more() {
        let both = || vec![Scope::Read, Scope::Write];
        assert_eq!(narrowed(both(), None), Ok(both()));
        assert_eq!(narrowed(both(), Some("read")), Ok(vec![Scope::Read]));
        assert_eq!(narrowed(both(), Some("write read")), Ok(both()));
        for asked in ["read webhooks", "webhooks", "read other", "", " "] {
            assert_eq!(narrowed(both(), Some(asked)).unwrap_err().code, "invalid_scope", "{asked:?}");
        }
    }
}
