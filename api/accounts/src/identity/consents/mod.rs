//! Consents: an owner lets a client act as an agent, and the client exchanges codes and refresh tokens for sessions of the agent.
//!
//! **Invariant:** a code and a refresh token are valid once. A second use ends the consent and the session that it led to.

mod exchanging;

use buildtrack_domain::{
    decide::Command,
    identity::{Agent, Consent, GiveConsent, WithdrawConsent},
    ids::{AgentId, ConsentId},
};
use buildtrack_http::{
    app::App,
    auth::{OwnerCaller, suspended},
    problem::Problem,
};
use buildtrack_store::{
    ConsentChange, ConsentView, IdentityChange, Loaded, NewConsent, Scope, Unit, clock, sha256_hex,
};

pub use exchanging::{Presented, Tokens, redeem, renew};

use std::time::Duration;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use super::sessions::{self, names};

/// How long a code is valid.
const CODE_LIFETIME: Duration = Duration::from_mins(1);
const CODE_PREFIX: &str = "btc_";
const REFRESH_PREFIX: &str = "btr_";

/// What a client asks an owner for.
#[derive(Debug)]
pub struct Asked<'a> {
    /// SHA-256 of the client's id, in hex.
    pub client_hash: &'a str,
    /// The name that the client gave itself.
    pub client_name: &'a str,
    /// The client's address.
    pub redirect_uri: &'a str,
    /// SHA-256 of the client's verifier, in hex.
    pub challenge: &'a str,
    /// The agent for which it may act.
    pub agent_id: AgentId,
    /// What it may do.
    pub scopes: &'a [Scope],
}

/// The scopes that a text names; names are separated by spaces, and unknown ones are left out.
pub fn scopes_in(text: &str) -> Vec<Scope> {
    Scope::ALL.into_iter().filter(|scope| text.split(' ').any(|name| name == scope.as_str())).collect()
}

fn random_text() -> String {
    URL_SAFE_NO_PAD.encode(clock::random::<32>())
}

/// Stores the owner's consent. Returns the client's code.
pub async fn give(app: &App, owner: &OwnerCaller, asked: &Asked<'_>) -> Result<String, Problem> {
    let code = format!("{CODE_PREFIX}{}", random_text());
    let (consent_id, owner_id, agent_id) =
        (ConsentId::new(app.store.log().clock().uuid()), owner.owner_id, asked.agent_id);
    let consent = NewConsent {
        id: consent_id,
        owner_id,
        agent_id,
        client_hash: asked.client_hash.to_owned(),
        client_name: asked.client_name.to_owned(),
        redirect_uri: asked.redirect_uri.to_owned(),
        scopes: names(asked.scopes).join(" "),
        code_hash: sha256_hex(&code),
        challenge: asked.challenge.to_owned(),
        expires_at: app.store.log().clock().after(CODE_LIFETIME),
    };
    owner
        .caller
        .transact(app, async |unit, _| {
            let agent = unit.load::<Agent>(agent_id).await?;
            let given = GiveConsent { consent_id, owner_id, agent_id }.decide(&agent.state)?;
            if agent.state.suspended {
                return Err(suspended(agent_id.into()));
            }
            unit.begin(consent_id, given);
            unit.write_side(IdentityChange::Consent(ConsentChange::Given(Box::new(consent.clone()))));
            Ok(())
        })
        .await?;
    Ok(code)
}

/// Ends the consent to which a token of this client belongs. Nothing happens if there is none.
pub async fn revoke(app: &App, token: &str, client_hash: &str) -> Result<(), Problem> {
    app.store
        .log()
        .transact(None, async |unit| {
            let consent = consent_with(app, token).await?.filter(|consent| consent.client_hash == client_hash);
            let Some(consent) = consent else { return Ok(()) };
            let state = unit.load::<Consent>(consent.id).await?;
            withdraw(unit, consent.id, &state).await
        })
        .await?;
    Ok(())
}

/// Ends a consent of the owner for an agent.
pub async fn end(app: &App, owner: &OwnerCaller, agent_id: AgentId, consent_id: ConsentId) -> Result<(), Problem> {
    let is_own = |consent: &ConsentView| consent.id == consent_id && consent.owner_id == owner.owner_id;
    if !app.store.identity().consents_of(agent_id).await?.iter().any(is_own) {
        return Err(Problem::not_found("consent"));
    }
    owner
        .caller
        .transact(app, async |unit, _| {
            let state = unit.load::<Consent>(consent_id).await?;
            withdraw(unit, consent_id, &state).await
        })
        .await?;
    Ok(())
}

/// The consent of an access token or a refresh token.
async fn consent_with(app: &App, token: &str) -> Result<Option<ConsentView>, Problem> {
    if let Some(family) = family_of(token) {
        return Ok(app.store.identity().consent_of_family(&sha256_hex(family)).await?);
    }
    let Some(session) = app.store.identity().session(&sha256_hex(token), false).await? else { return Ok(None) };
    Ok(app.store.identity().consent_of_session(session.id).await?)
}

/// What all refresh tokens of a consent begin with.
fn family_of(refresh_token: &str) -> Option<&str> {
    let (family, _) = refresh_token.split_once('.')?;
    family.starts_with(REFRESH_PREFIX).then_some(family)
}

async fn withdraw(unit: &mut Unit<'_>, consent_id: ConsentId, state: &Loaded<Consent>) -> Result<(), Problem> {
    unit.append(consent_id, state, WithdrawConsent { consent_id }.decide(&state.state));
    unit.write_side(IdentityChange::Consent(ConsentChange::Ended { id: consent_id }));
    match state.state.session {
        Some(session_id) => sessions::end(unit, session_id).await,
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_token_names_its_family() {
        assert_eq!(family_of("btr_abc.def"), Some("btr_abc"));
        for text in ["btr_abc", "bts_abc.def", "", "."] {
            assert_eq!(family_of(text), None, "{text}");
        }
    }
}
