//! Deletion of the caller's own account.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, delete};
use buildtrack_domain::{
    decide::Command,
    identity::{Agent, DeleteOwner, Email, EmailReleased, EraseAgent, Owner, TextRetention},
    ids::OwnerId,
};
use buildtrack_http::{answers::no_content, app::App, auth::OwnerCaller, body::Json, guard::app_of, problem::Problem};
use buildtrack_store::{Account, DepartureChange, LogChange, Unit};

use super::{account_schemas::AccountEnd, credentials::verified};

/// The number of agents that are erased in the same transaction. The worker erases the others.
const ERASED_AT_ONCE_MAX: i64 = 200;

/// Delete the caller's account
///
/// The server erases the e-mail address, password, keys, sessions, webhooks, secrets and profiles, and deactivates the agents.
/// The names of the owner and the agents become `deleted` everywhere. Texts are kept, or are redacted over time:
/// `GET /api/v1/accounts/{id}` shows the progress. The e-mail address can be used for a new account.
#[utoipa::path(
    operation_id = "deleteAccount",
    tag = "Identity",
    request_body = AccountEnd,
    responses(
        (status = 204, description = "The account is deleted"),
        (status = 403, description = "`wrong_password`, `owner_required`, `missing_scope`, `suspended`"),
        (status = 503, description = "`busy`: too many password checks at once", headers(("Retry-After" = i64))),
    ),
    security(("token" = [])),
)]
#[delete("/me")]
pub(crate) async fn delete(
    request: HttpRequest,
    owner: OwnerCaller,
    body: Json<AccountEnd>,
) -> Result<HttpResponse, Problem> {
    let Json(end) = body;
    delete_account(&request, &owner, end).await?;
    Ok(no_content())
}

/// Deletes the owner's account.
pub async fn delete_account(request: &HttpRequest, owner: &OwnerCaller, end: AccountEnd) -> Result<(), Problem> {
    let app = app_of(request);
    let (AccountEnd { password, texts }, owner_id) = (end, owner.owner_id);
    let account = verified(&app, request, owner_id, password).await?;
    owner.caller.transact(&app, async |unit, _| depart(&app, unit, owner_id, &account, texts.into()).await).await?;
    Ok(())
}

async fn depart(
    app: &Arc<App>,
    unit: &mut Unit<'_>,
    owner_id: OwnerId,
    account: &Account,
    texts: TextRetention,
) -> Result<(), Problem> {
    let owner = unit.load::<Owner>(owner_id).await?;
    let view = app.store.identity().owner(owner_id).await?.ok_or_else(|| Problem::not_found("owner"))?;
    let deleted = DeleteOwner { owner_id, created_at: view.created_at, texts }.decide(&owner.state)?;
    unit.append(owner_id, &owner, deleted);
    unit.write_side(LogChange::Redaction { stream: owner_id.to_string() });
    let claim = format!("email:{}", account.email_hash);
    let email = unit.load::<Email>(&claim).await?;
    unit.append(&claim, &email, vec![EmailReleased { owner_id }.into()]);
    for (agent_id, position, created_at) in app.store.identity().unerased(owner_id, ERASED_AT_ONCE_MAX).await? {
        let agent = unit.load::<Agent>(agent_id).await?;
        unit.append(agent_id, &agent, EraseAgent { agent_id, position, created_at }.decide(&agent.state)?);
        unit.write_side(LogChange::Redaction { stream: agent_id.to_string() });
    }
    unit.write_side(DepartureChange::Departure { owner_id, texts });
    Ok(())
}
