//! Accounts of human owners.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use buildtrack_domain::{
    decide::Command,
    identity::{Email, OwnerRegistered, RegisterOwner},
    ids::OwnerId,
};
use buildtrack_store::Kept;

use super::schemas::{Account, NewAccount};
use crate::http::{
    answers::{created, place},
    body::Submission,
    etag,
    guard::app_of,
    networks::Network,
    problem::Problem,
    query::path_id,
};

/// Opens an account for a human owner.
#[utoipa::path(
    operation_id = "openAccount",
    tag = "Identity",
    request_body = NewAccount,
    responses(
        (status = 201, description = "The account", body = Account, headers(("Location" = String))),
        (status = 409, description = "`email_taken`", body = Problem, content_type = "application/problem+json"),
    ),
)]
#[post("/accounts")]
pub(crate) async fn open(request: HttpRequest, submission: Submission<NewAccount>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    let password_hash = app.passwords.hash(Network::calling(&app, &request), body.password).await?;
    let (email_hash, email_sealed) = address(&app, &body.email)?;
    let owner_id = OwnerId::new(app.store.clock().uuid());
    let done = app
        .store
        .transact(Some(owner_id.into()), async |unit| {
            let claim = format!("email:{email_hash}");
            let email = unit.load::<Email>(&claim).await?;
            let claimed = RegisterOwner { owner_id }.decide(&email.state)?;
            unit.append(&claim, &email, claimed);
            let display_name = body.display_name.clone();
            unit.begin(
                owner_id,
                [buildtrack_domain::identity::OwnerEvent::from(OwnerRegistered { owner_id, display_name })],
            );
            let (email_hash, email_sealed, password_hash) =
                (email_hash.clone(), email_sealed.clone(), password_hash.clone());
            unit.keep(Kept::Account { owner_id, email_hash, email_sealed, password_hash });
            let display_name = body.display_name.clone();
            unit.answer(key.ticket(), move |recorded| {
                let (_, created_at) = place(recorded);
                let account = Account {
                    id: owner_id.to_string(),
                    display_name: display_name.clone(),
                    operator: false,
                    created_at,
                };
                created(format!("/api/v1/accounts/{owner_id}"), &account)
            });
            Ok::<_, Problem>(())
        })
        .await?;
    key.answered(done)
}

/// The keyed hash an address is found by, and the address sealed. Case and surrounding spaces don't count.
pub(crate) fn address(app: &crate::app::App, email: &str) -> Result<(String, String), Problem> {
    let email = email.trim().to_lowercase();
    let secret = app.store.secret();
    Ok((secret.keyed_hash(&email), secret.seal(&email)?))
}

/// Shows an owner, without anything private.
#[utoipa::path(
    operation_id = "showAccount",
    tag = "Identity",
    params(("id" = String, Path, example = "ow_01h2e8kqvbfwea724h75qc655w")),
    responses((status = 200, description = "The owner", body = Account, headers(("ETag" = String)))),
)]
#[get("/accounts/{id}")]
pub(crate) async fn show(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let owner =
        app_of(&request).store.owner(path_id(&id, "owner")?).await?.ok_or_else(|| Problem::not_found("owner"))?;
    Ok(etag::answer(&request, &Account::from(owner)))
}
