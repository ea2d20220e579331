//! Accounts of human owners: opened at once, or by a message to their address where mail is configured.
//!
//! **Invariant:** what is answered is the same for an address that has an account and for one that has none: status, shape and
//! work.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, post, web::Path};
use buildtrack_domain::{
    decide::Command,
    identity::{Email, Invite, OwnerError, OwnerEvent, OwnerRegistered, RegisterOwner, UseInvite},
    ids::OwnerId,
};
use buildtrack_settings::Registration;
use buildtrack_store::{Answer, Kept, MailPurpose, Unit, sha256_hex};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{
    account_schemas::{Confirmation, MailAnnounced},
    letters::{self, Mailbox, Topic},
    schemas::{Account, NewAccount},
};
use crate::{
    app::App,
    http::{
        answers::{created, shown},
        body::Submission,
        etag,
        guard::app_of,
        idempotency::Key,
        networks::Network,
        problem::Problem,
        query::path_id,
    },
};

/// Who asks for an account; sealed into the token where mail is configured.
#[derive(Clone, Serialize, Deserialize)]
struct Applicant {
    email: String,
    display_name: String,
    password_hash: String,
    /// The stream of the invite, where one was given.
    invite: Option<String>,
}

/// Opens an account for a human owner: at once, or, where this server sends mail, with the token of a message to the address.
/// The answer does not tell whether the address has an account: where it has one, the account stays as it is.
#[utoipa::path(
    operation_id = "openAccount",
    tag = "Identity",
    request_body = NewAccount,
    responses(
        (status = 201, description = "The account", body = Account, headers(("Location" = String))),
        (status = 202, description = "Where this server sends mail: the message tells what to do", body = MailAnnounced),
        (status = 403, description = "`registration_closed`, `invite_required`, `invalid_invite`", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "`busy`, `mail_queue_full`", body = Problem, content_type = "application/problem+json", headers(("Retry-After" = i64))),
    ),
)]
#[post("/accounts")]
pub(crate) async fn open(request: HttpRequest, submission: Submission<NewAccount>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    let invite = invite_of(&app, body.invite.as_deref()).await?;
    let password_hash = app.passwords.hash(Network::calling(&app, &request), body.password).await?;
    let applicant = Applicant { email: body.email, display_name: body.display_name, password_hash, invite };
    if letters::is_configured(&app) {
        announce(&app, applicant, &key).await
    } else {
        open_now(&app, applicant, &key).await
    }
}

/// The stream of the invite that the account is opened with, where registration is by invite.
async fn invite_of(app: &Arc<App>, code: Option<&str>) -> Result<Option<String>, Problem> {
    let refused = |reason: &'static str, detail: &str, hint: &str| {
        metrics::counter!("buildtrack_refused_total", "reason" => reason).increment(1);
        Problem::new(StatusCode::FORBIDDEN, reason, detail, hint)
    };
    match (app.settings.registration, code) {
        (Registration::Open, _) => Ok(None),
        (Registration::Closed, _) => {
            let detail = "This server takes no new accounts.";
            Err(refused("registration_closed", detail, "Ask the operator of the server."))
        }
        (Registration::Invite, None) => {
            let detail = "This server takes new accounts by invite only.";
            Err(refused("invite_required", detail, "Ask its operator for a code, and send it as \"invite\"."))
        }
        (Registration::Invite, Some(code)) => {
            let stream = invite_stream(&app.store, code);
            let owner_id = OwnerId::new(app.store.clock().uuid());
            // Looked at before the password is hashed, so that guessing codes costs little; it is used with the account.
            let looked = app.store.transact(None, async |unit| {
                let invite = unit.load::<Invite>(&stream).await?;
                UseInvite { owner_id, now: app.store.clock().now() }.decide(&invite.state)?;
                Ok::<_, Problem>(())
            });
            looked.await?;
            Ok(Some(stream))
        }
    }
}

/// The stream of an invite.
pub(crate) fn invite_stream(store: &buildtrack_store::Store, code: &str) -> String {
    format!("invite:{}", store.secret().keyed_hash(code.trim()))
}

async fn use_invite(app: &App, unit: &mut Unit<'_>, stream: Option<&str>, owner_id: OwnerId) -> Result<(), Problem> {
    let Some(stream) = stream else { return Ok(()) };
    let invite = unit.load::<Invite>(stream).await?;
    let used = UseInvite { owner_id, now: app.store.clock().now() }.decide(&invite.state)?;
    unit.append(stream, &invite, used);
    Ok(())
}

/// Opens the account, where the address has none; false where it has one.
async fn begin(app: &App, unit: &mut Unit<'_>, owner_id: OwnerId, applicant: &Applicant) -> Result<bool, Problem> {
    let Applicant { email, display_name, password_hash, .. } = applicant.clone();
    let (email_hash, email_sealed) = address(app, &email)?;
    let claim = format!("email:{email_hash}");
    let state = unit.load::<Email>(&claim).await?;
    let claimed = match (RegisterOwner { owner_id }).decide(&state.state) {
        // What is remembered may be old: the address may be free again.
        Err(OwnerError::EmailTaken) if unit.is_fresh() => return Ok(false),
        decided => decided?,
    };
    unit.append(&claim, &state, claimed);
    unit.begin(owner_id, [OwnerEvent::from(OwnerRegistered { owner_id, display_name })]);
    unit.keep(Kept::Account { owner_id, email_hash, email_sealed, password_hash });
    Ok(true)
}

fn opened(owner_id: OwnerId, display_name: String, created_at: DateTime<Utc>) -> Answer {
    let account = Account { id: owner_id.to_string(), display_name, operator: false, created_at, deletion: None };
    Answer { subject: Some(owner_id.to_string()), ..created(format!("/api/v1/accounts/{owner_id}"), &account) }
}

/// Without mail. Who knows no account's password cannot tell an account that was opened from one that was there: the answer is
/// the same, and names an id that nothing was made under.
async fn open_now(app: &Arc<App>, applicant: Applicant, key: &Key) -> Result<HttpResponse, Problem> {
    let owner_id = OwnerId::new(app.store.clock().uuid());
    let now = app.store.clock().now();
    let done = app
        .store
        .transact(Some(owner_id.into()), async |unit| {
            use_invite(app, unit, applicant.invite.as_deref(), owner_id).await?;
            if !begin(app, unit, owner_id, &applicant).await? {
                // As much work, for an account that is not there.
                unit.keep(Kept::SessionsEnded { holder: owner_id.to_string() });
            }
            let display_name = applicant.display_name.clone();
            unit.answer(key.ticket(), move |recorded| {
                let created_at = recorded.first().map_or(now, |event| event.recorded_at);
                opened(owner_id, display_name.clone(), created_at)
            });
            Ok::<_, Problem>(())
        })
        .await?;
    key.answered(done)
}

/// With mail: the account is opened when the token comes back.
async fn announce(app: &Arc<App>, applicant: Applicant, key: &Key) -> Result<HttpResponse, Problem> {
    let (hash, _) = address(app, &applicant.email)?;
    let mailbox = Mailbox { app, hash: &hash, email: applicant.email.trim() };
    let payload = serde_json::to_string(&applicant).unwrap_or_default();
    let done = app
        .store
        .transact(None, async |unit| {
            let is_known = app.store.account(&hash).await?.is_some();
            if mailbox.has_room().await? {
                let token = letters::new_token();
                let topic = if is_known { Topic::KnownAccount } else { Topic::ConfirmAccount(&token) };
                mailbox.send(unit, topic)?;
                // A token that no message holds opens nothing; it is the same work.
                unit.keep(letters::token(app, &token, MailPurpose::Registration, None, &payload)?);
            }
            unit.answer(key.ticket(), |_| Answer { status: 202, ..shown(&MailAnnounced::new()) });
            Ok::<_, Problem>(())
        })
        .await?;
    key.answered(done)
}

/// Opens the account whose message the token comes from.
#[utoipa::path(
    operation_id = "confirmAccount",
    tag = "Identity",
    request_body = Confirmation,
    responses(
        (status = 201, description = "The account", body = Account, headers(("Location" = String))),
        (status = 403, description = "`invalid_mail_token`, `invalid_invite`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`mail_not_configured`", body = Problem, content_type = "application/problem+json"),
    ),
)]
#[post("/account-confirmations")]
pub(crate) async fn confirm(
    request: HttpRequest,
    submission: Submission<Confirmation>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    letters::require(&app)?;
    let token_hash = sha256_hex(&body.token);
    let owner_id = OwnerId::new(app.store.clock().uuid());
    let done = app
        .store
        .transact(Some(owner_id.into()), async |unit| {
            let token = app.store.mail_token(&token_hash, MailPurpose::Registration).await?;
            let payload = token.ok_or_else(letters::invalid_token)?.payload;
            let applicant: Applicant = serde_json::from_str(&payload).map_err(|error| Problem::internal(&error))?;
            use_invite(&app, unit, applicant.invite.as_deref(), owner_id).await?;
            if !begin(&app, unit, owner_id, &applicant).await? {
                return Err(letters::invalid_token());
            }
            unit.keep(Kept::MailTokenUsed { token_hash: token_hash.clone() });
            let display_name = applicant.display_name;
            unit.answer(key.ticket(), move |recorded| {
                let created_at = recorded.first().map(|event| event.recorded_at).unwrap_or_default();
                opened(owner_id, display_name.clone(), created_at)
            });
            Ok::<_, Problem>(())
        })
        .await?;
    key.answered(done)
}

/// The keyed hash an address is found by, and the address sealed. Case and surrounding spaces don't count.
pub(crate) fn address(app: &App, email: &str) -> Result<(String, String), Problem> {
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
    let app = app_of(&request);
    let owner_id: OwnerId = path_id(&id, "owner")?;
    let owner = app.store.owner(owner_id).await?.ok_or_else(|| Problem::not_found("owner"))?;
    let departure = if owner.deleted { app.store.departure(owner_id).await? } else { None };
    Ok(etag::answer(&request, &Account::new(owner, departure)))
}
