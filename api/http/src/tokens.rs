//! Token lookup: finds the session of a token, and charges each unknown token to a rate limit before the database is queried.

use buildtrack_domain::limits::Quota;
use buildtrack_store::{Allowance, CachedToken, sha256_hex};

use super::{
    auth::{Authenticated, TOKEN_PREFIX, not_a_token, session_ended, suspended},
    networks::Network,
    problem::Problem,
};
use crate::app::App;

/// The number of characters after a token's prefix: 32 random bytes in base64url without padding.
const RANDOM: usize = 43;

/// The rate limit of anonymous callers.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// The name in `RateLimit-Policy`.
    pub name: &'static str,
    /// The requests that are allowed.
    pub quota: Quota,
}

/// The identified caller of a request.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one exists per request, and it is moved once")]
pub enum Identified {
    /// A caller with a valid session. Nothing was counted.
    Session(Authenticated),
    /// An anonymous caller, whose network was charged.
    Anonymous {
        /// The remaining allowance of the network.
        allowance: Allowance,
        /// The reason why the token is rejected, if the request has one.
        refusal: Option<Problem>,
    },
}

/// Identifies the caller. A token that this process does not know is charged to its network's allowance before the database is
/// queried. If the token turns out to be valid, the charge is refunded. A token that was valid within the last day is not
/// charged, so that neighbours who guess tokens cannot lock out a session.
pub async fn identify(app: &App, token: Option<&str>, network: Network, policy: Policy) -> Identified {
    let anonymous =
        |refusal| Identified::Anonymous { allowance: network.admit(&app.store, policy.name, policy.quota), refusal };
    let Some(token) = token else { return anonymous(None) };
    if !is_well_formed(token) {
        return anonymous(Some(not_a_token(token)));
    }
    let token_hash = sha256_hex(token);
    match app.store.identity().cached_token(&token_hash) {
        CachedToken::Unknown => look_up(app, token_hash, network, policy).await,
        CachedToken::Invalid => anonymous(Some(session_ended())),
        CachedToken::Valid => match session_of(app, token_hash).await {
            Ok(authenticated) => Identified::Session(authenticated),
            Err(problem) => anonymous(Some(problem)),
        },
    }
}

/// Queries the database for an unknown token, if the network's allowance permits.
async fn look_up(app: &App, token_hash: String, network: Network, policy: Policy) -> Identified {
    let allowance = network.admit(&app.store, policy.name, policy.quota);
    if !allowance.allowed {
        metrics::counter!("buildtrack_refused_total", "reason" => "unknown_token").increment(1);
        return Identified::Anonymous { allowance, refusal: None };
    }
    match session_of(app, token_hash).await {
        Ok(authenticated) => {
            network.refund(&app.store, policy.name, policy.quota);
            Identified::Session(authenticated)
        }
        Err(problem) => Identified::Anonymous { allowance, refusal: Some(problem) },
    }
}

/// Whether a text has the form of a token.
fn is_well_formed(token: &str) -> bool {
    let random = token.strip_prefix(TOKEN_PREFIX).unwrap_or_default();
    random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

async fn session_of(app: &App, token_hash: String) -> Result<Authenticated, Problem> {
    let session = app.store.identity().session(&token_hash, false).await?.ok_or_else(session_ended)?;
    if let Some(who) = session.suspended {
        return Err(suspended(who));
    }
    Ok(Authenticated { session, token_hash: token_hash.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_well_formed_tokens_are_looked_up() {
        let random = "Zk0JYyXkVtq3mB0l8pQ2n5sR7uW9xYaCdEfGhIjK-_0";
        assert!(is_well_formed(&format!("bts_{random}")));
        for text in [
            "",
            "bts_",
            "bts_guessed",
            random,
            &format!("araf_{random}"),
            &format!("BTS_{random}"),
            &format!("bts_{random}0"),
            &format!("bts_{}é", &random[..41]),
            &format!("bts_{} ", &random[..42]),
        ] {
            assert!(!is_well_formed(text), "{text}");
        }
    }
}
