//! What acts for an agent: its list on the page of the agent, and the buttons that remove, keep and release an entry.

use actix_web::{HttpRequest, HttpResponse, post, web::Path};
use buildtrack_accounts::identity::access::{
    self, keeping,
    schemas::{AccessEntry, AccessEntryKind, AccessState, MakingName},
};
use buildtrack_domain::{identity::AgentError, ids::AgentId};
use chrono::{DateTime, SecondsFormat, Utc};

use super::{SignedIn, form::Pressed, see};
pub(crate) use buildtrack_http::{guard::app_of, problem::Problem, query::path_id};

/// An entry as the page shows it.
pub(crate) struct AccessShown(pub(super) AccessEntry);

impl AccessShown {
    /// The value of its buttons.
    pub(super) fn value(&self) -> String {
        format!("{}/{}", self.0.kind.as_str(), self.0.id)
    }

    /// The value of the button that keeps it: with the time at which what the page shows was made.
    pub(super) fn keep_value(&self) -> String {
        let made_at = self.0.made_at.map(|at| at.to_rfc3339_opts(SecondsFormat::AutoSi, true));
        format!("{}@{}", self.value(), made_at.unwrap_or_default())
    }

    /// The message that names its kind.
    pub(super) fn kind(&self) -> &'static str {
        match self.0.kind {
            AccessEntryKind::Grant => "portal-access-grant",
            AccessEntryKind::Key => "portal-access-key",
            AccessEntryKind::Session => "portal-access-session",
            AccessEntryKind::ArenaToken => "portal-access-arena-token",
            AccessEntryKind::ArenaEndpoint => "portal-access-arena-endpoint",
            AccessEntryKind::Webhook => "portal-access-webhook",
            AccessEntryKind::Did => "portal-access-did",
            AccessEntryKind::PushConfig => "portal-access-push-config",
        }
    }

    /// Its name or the host to which the server sends; empty if it has neither.
    pub(super) fn label(&self) -> &str {
        self.0.name.as_deref().or(self.0.target.as_deref()).unwrap_or_default()
    }

    /// The message that says who made it.
    pub(super) fn maker(&self) -> &'static str {
        let made_by = &self.0.made_by;
        match made_by.how {
            MakingName::Grant => "portal-access-by-program",
            MakingName::Key if made_by.name.is_some() => "portal-access-by-key",
            MakingName::Key if made_by.active => "portal-access-by-primary",
            MakingName::Key => "portal-access-by-former",
            MakingName::Session => "portal-access-by-owner",
            MakingName::Unknown => "portal-access-by-unknown",
        }
    }

    /// The name of the program or key that made it; empty for other makers.
    pub(super) fn maker_name(&self) -> &str {
        self.0.made_by.name.as_deref().unwrap_or_default()
    }

    /// Whether the owner may keep it.
    pub(super) fn may_be_kept(&self) -> bool {
        self.0.state == AccessState::FallsWithGrant && self.0.kind != AccessEntryKind::Session
    }

    /// Whether the owner keeps it.
    pub(super) fn is_kept(&self) -> bool {
        self.0.state == AccessState::Kept
    }

    /// Whether it has fallen with its consent, and ends within seconds.
    pub(super) fn is_ending(&self) -> bool {
        self.0.state == AccessState::Ending
    }
}

/// Removes, keeps or releases the entry whose button was pressed.
#[post("/agents/{id}/access")]
pub(super) async fn act(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let (app, agent_id): (_, AgentId) = (app_of(&request), path_id(&id, "agent")?);
    let agent = app.store.identity().agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    if agent.owner_id != owner.0.owner_id {
        return Err(AgentError::NotYours.into());
    }
    let (act, entry) = pressed.0.pressed();
    let named = entry.split_once('/').ok_or_else(|| Problem::not_found("access"))?;
    match act {
        "remove" => access::end(&app, &agent, named, &owner.0).await?,
        "keep" => {
            let ((kind, rest), nothing) = (named, || Problem::not_found("access"));
            let (id, made_at) = rest.rsplit_once('@').ok_or_else(nothing)?;
            let seen = made_at.parse::<DateTime<Utc>>().map_err(|_| nothing())?;
            keeping::set_kept(&app, &agent, (kind, id), (Some(seen), &owner.0)).await?;
        }
        "release" => keeping::set_released(&app, &agent, named, &owner.0).await?,
        _ => return Err(Problem::not_found("access")),
    }
    Ok(see(&format!("/portal/agents/{agent_id}?done=access")))
}
