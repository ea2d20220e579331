//! The keys of an agent: their list, the form for a named one, and their revocation.

use actix_web::{
    HttpRequest, HttpResponse, post,
    web::{Bytes, Path},
};
use buildtrack_accounts::identity::keys;
use buildtrack_domain::{identity::NAME_MAX, ids::AgentId};
use buildtrack_http::{guard::app_of, idempotency::Key, problem::Problem, query::path_id, validation};
use buildtrack_store::KeyView;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::{
    Portal, SignedIn,
    agents::agent_page,
    answer,
    form::{Entered, Pressed},
    own_agent::OwnAgent,
    refused, see,
    shown::{Field, FormShown, Kind},
};

/// What a key allows: its scopes.
const ACCESS: &[(&str, &str)] = &[
    ("read write webhooks", "portal-agent-key-all"),
    ("read write", "portal-agent-key-write"),
    ("read", "portal-agent-key-read"),
];

/// When a key expires: after so many days, or never.
const EXPIRY: &[(&str, &str)] = &[
    ("30", "portal-agent-key-month"),
    ("90", "portal-agent-key-quarter"),
    ("365", "portal-agent-key-year"),
    (NEVER, "portal-agent-key-endless"),
];
const NEVER: &str = "never";

/// A key as the page shows it.
pub(super) struct KeyShown {
    /// The id of a named key; none for the primary key.
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) scopes: String,
    pub(super) last_used_at: Option<DateTime<Utc>>,
    pub(super) expires_at: Option<DateTime<Utc>>,
    pub(super) is_expired: bool,
}

impl KeyShown {
    pub(super) fn of(view: KeyView, now: DateTime<Utc>) -> Self {
        let KeyView { id, name, scopes, expires_at, last_used_at, .. } = view;
        let scopes = scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(", ");
        let is_expired = expires_at.is_some_and(|at| at <= now);
        Self { id: id.map(|id| id.to_string()), name, scopes, last_used_at, expires_at, is_expired }
    }
}

/// The form for a named key.
pub(super) fn key_form(agent_id: AgentId, token: &str) -> FormShown {
    let fields = vec![
        Field::new("name", "portal-name", Kind::Text, NAME_MAX).help("portal-agent-key-name-help"),
        Field::new("scopes", "portal-agent-key-access", Kind::Choice(ACCESS), 0),
        Field::new("expiresAt", "portal-agent-key-expires", Kind::Choice(EXPIRY), 0),
    ];
    FormShown::new("new-key", format!("/portal/agents/{agent_id}/keys"), "portal-agent-key-create", token).with(fields)
}

/// The body that the form stands for. A text that is no number of days stays as it is, so that the check of the body names it.
fn body_of(entered: &Entered, now: DateTime<Utc>) -> Value {
    let mut body = json!({
        "name": entered.text("name"),
        "scopes": entered.text("scopes").split(' ').collect::<Vec<_>>(),
    });
    let expiry = entered.text("expiresAt");
    if expiry != NEVER {
        let at = expiry.parse::<u16>().ok().map(|days| now + TimeDelta::days(days.into()));
        body["expiresAt"] = at.map_or_else(|| expiry.into(), |at| at.to_rfc3339().into());
    }
    body
}

/// Creates a named key, and shows it once.
#[post("/agents/{id}/keys")]
pub(super) async fn create(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    form: Pressed,
) -> Result<HttpResponse, Problem> {
    let (app, entered) = (app_of(&request), form.0);
    let agent_id: AgentId = path_id(&id, "agent")?;
    let created = async {
        let body = body_of(&entered, app.store.log().clock().now()).to_string();
        let body = validation::read(&app, Bytes::from(body), None).await?;
        keys::create_key(&app, agent_id, &owner.0, body, &Key::default()).await
    };
    let created = created.await;
    let own = OwnAgent::of(&app, agent_id, owner.0.owner_id).await?;
    let portal = Portal::of(&request, "agents");
    match created {
        Ok((new, _)) => {
            let portal = Portal { notice: Some("portal-done-key-created"), ..portal };
            answer(&request, &agent_page(&app, portal, own).with_named_key(new.key))
        }
        Err(problem) => {
            let form = key_form(agent_id, &portal.token).filled(&entered, &problem);
            let page = move |portal| agent_page(&app, portal, own).with_key_form(form);
            Err(refused(&request, problem, portal, page))
        }
    }
}

/// Revokes a named key, as the button says.
#[post("/agents/{id}/keys/revocation")]
pub(super) async fn revoke(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    keys::revoke_key(&app_of(&request), agent_id, pressed.0.text("key"), &owner.0).await?;
    Ok(see(&format!("/portal/agents/{agent_id}?done=revoked")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(expires_at: &str) -> Value {
        let fields = [("name", "Laptop"), ("scopes", "read write"), ("expiresAt", expires_at)];
        let fields = fields.map(|(name, text)| (name.to_owned(), text.to_owned()));
        body_of(&Entered::of(fields.into()), DateTime::UNIX_EPOCH)
    }

    #[test]
    fn a_form_stands_for_the_body_of_a_new_key() {
        let endless = json!({ "name": "Laptop", "scopes": ["read", "write"] });
        assert_eq!(body("never"), endless);
        assert_eq!(body("30")["expiresAt"], "1970-01-31T00:00:00+00:00");
        for wrong in ["", "soon", "-1", "99999999"] {
            assert_eq!(body(wrong)["expiresAt"], wrong);
        }
    }
}
