//! What a login with an agent's key may get: scopes, until the key expires.

use actix_web::http::StatusCode;
use buildtrack_http::problem::Problem;
use buildtrack_store::{Credential, IdentityChange, Scope, Unit};
use chrono::{DateTime, Utc};

/// Admits a login with this key: returns the scopes of its session, and records the use of the key, once an hour at most.
pub(super) fn admit(
    unit: &mut Unit<'_>,
    key: &Credential,
    asked: Option<&[Scope]>,
    now: DateTime<Utc>,
) -> Result<Vec<Scope>, Problem> {
    check_expiry(key, now)?;
    let granted = granted_scopes(key, asked)?;
    if key.is_use_due(now) {
        unit.write_side(IdentityChange::KeyUsed { agent_id: key.agent_id, key_id: key.key_id });
    }
    Ok(granted)
}

/// Refuses a key that has expired.
fn check_expiry(key: &Credential, now: DateTime<Utc>) -> Result<(), Problem> {
    let Some(expired_at) = key.expires_at.filter(|at| *at <= now) else { return Ok(()) };
    let detail = format!("The agent's key expired at {}.", expired_at.to_rfc3339());
    let hint = "Use another key of the agent. Its owner can create one: POST /api/v1/agents/{id}/keys/named.";
    Err(Problem::new(StatusCode::UNAUTHORIZED, "key_expired", detail, hint))
}

/// The scopes of a session: those of the key, and of these the ones that the login asks for.
fn granted_scopes(key: &Credential, asked: Option<&[Scope]>) -> Result<Vec<Scope>, Problem> {
    let is_asked = |scope: &Scope| asked.is_none_or(|asked| asked.contains(scope));
    let granted: Vec<_> = key.scopes.iter().copied().filter(is_asked).collect();
    if granted.is_empty() {
        let detail = "The agent's key has none of the scopes that the login asks for.";
        let hint = "Leave \"scopes\" out to get all scopes of the key, or use a key that has them.";
        return Err(Problem::new(StatusCode::FORBIDDEN, "missing_scope", detail, hint));
    }
    Ok(granted)
}

#[cfg(test)]
mod tests {
    use buildtrack_domain::ids::AgentId;
    use uuid::Uuid;

    use super::*;

    fn key(scopes: &[Scope]) -> Credential {
        let agent_id = AgentId::new(Uuid::from_u128(1));
        Credential { agent_id, key_id: None, scopes: scopes.to_vec(), expires_at: None, last_used_at: None }
    }

    fn granted(of: &[Scope], asked: Option<&[Scope]>) -> Option<Vec<Scope>> {
        granted_scopes(&key(of), asked).ok()
    }

    #[test]
    fn a_login_gets_no_more_scopes_than_its_key_has() {
        use Scope::{Read, Webhooks, Write};
        assert_eq!(granted(&Scope::ALL, None), Some(Scope::ALL.to_vec()));
        assert_eq!(granted(&[Read, Write], None), Some(vec![Read, Write]));
        assert_eq!(granted(&[Read, Write], Some(&Scope::ALL)), Some(vec![Read, Write]));
        assert_eq!(granted(&Scope::ALL, Some(&[Webhooks])), Some(vec![Webhooks]));
        assert_eq!(granted(&[Read], Some(&[Write, Webhooks])), None);
    }

    #[test]
    fn a_key_expires_at_its_time() {
        let at = DateTime::UNIX_EPOCH;
        let expiring = Credential { expires_at: Some(at), ..key(&Scope::ALL) };
        let early = at - chrono::TimeDelta::microseconds(1);
        assert!(check_expiry(&expiring, early).is_ok() && check_expiry(&key(&Scope::ALL), at).is_ok());
        let problem = check_expiry(&expiring, at).unwrap_err();
        assert_eq!((problem.status, &*problem.code), (401, "key_expired"));
        assert_eq!(problem.detail, "The agent's key expired at 1970-01-01T00:00:00+00:00.");
    }
}
