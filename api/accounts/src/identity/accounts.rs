//! Accounts of owners: opened at once, or with a token from a mail if the server has mail configured.
//!
//! **Invariant:** the answer does not reveal whether an address has an account. Status, shape and work are the same in both
//! cases.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, post, web::Path};
use buildtrack_domain::{
    decide::Command,
    identity::{Email, Invite, OwnerError, OwnerEvent, OwnerRegistered, RegisterOwner, UseInvite},
    ids::OwnerId,
};
use buildtrack_http::{
    answers::{created, shown},
    app::App,
    body::Submission,
    etag,
    guard::{app_of, state_of},
    idempotency::Key,
    networks::Network,
    problem::Problem,
    query::path_id,
};
use buildtrack_settings::Registration;
use buildtrack_store::{Answer, Done, IdentityChange, MailPurpose, Purpose, Secret, Unit, sha256_hex};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{
    Identity,
    account_schemas::{Confirmation, MailAnnounced},
    mails::{self, Mailbox, Topic},
    schemas::{Account, NewAccount},
};

/// The data of a new account. If mail is configured, they are sealed into the token.
#[derive(Clone, Serialize, Deserialize)]
struct Applicant {
    email: String,
    display_name: String,
    password_hash: String,
    /// The stream of the invite, if one was given.
    invite: Option<String>,
}

/// Open an owner account
///
/// A server without mail opens the account at once. A server with mail sends a token to the address instead; send the token
/// to `POST /api/v1/account-confirmations` to open the account. The answer does not reveal whether the address already has an
/// account. An existing account stays unchanged.
#[utoipa::path(
    operation_id = "openAccount",
    tag = "Identity",
    request_body = NewAccount,
    responses(
        (status = 201, description = "The account", body = Account, headers(("Location" = String))),
        (status = 202, description = "On a server with mail: the mail contains the token and the next step", body = MailAnnounced),
        (status = 403, description = "`registration_closed`, `invite_required`, `invalid_invite`"),
        (status = 503, description = "`busy`, `mail_queue_full`", headers(("Retry-After" = i64))),
    ),
)]
#[post("/accounts")]
pub(crate) async fn open(request: HttpRequest, submission: Submission<NewAccount>) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    open_account(&request, body, &key).await
}

/// Opens an account, or announces a mail that opens it: 201 or 202.
pub async fn open_account(request: &HttpRequest, body: NewAccount, key: &Key) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let invite = invite_of(&app, body.invite.as_deref()).await?;
    let announces = mails::is_configured(&app);
    if announces {
        mails::spend_of_network(&app, request)?;
    }
    let password_hash =
        state_of::<Identity>(request).passwords.hash(Network::calling(&app, request), body.password).await?;
    let applicant = Applicant { email: body.email, display_name: body.display_name, password_hash, invite };
    if announces { announce(&app, applicant, key).await } else { open_now(&app, applicant, key).await }
}

/// Returns the stream of the invite for the account, if registration is by invite.
async fn invite_of(app: &Arc<App>, code: Option<&str>) -> Result<Option<String>, Problem> {
    let refused = |reason: &'static str, detail: &str, hint: &str| {
        metrics::counter!("buildtrack_refused_total", "reason" => reason).increment(1);
        Problem::new(StatusCode::FORBIDDEN, reason, detail, hint)
    };
    match (app.settings.registration, code) {
        (Registration::Open, _) => Ok(None),
        (Registration::Closed, _) => {
            let detail = "Registration on this server is closed.";
            Err(refused("registration_closed", detail, "Ask the operator of the server for an account."))
        }
        (Registration::Invite, None) => {
            let detail = "This server opens accounts by invitation only.";
            Err(refused(
                "invite_required",
                detail,
                "Ask the operator of the server for an invite code, and send it as \"invite\".",
            ))
        }
        (Registration::Invite, Some(code)) => {
            let secret = app.store.log().secret();
            let [stream, earlier] = [invite_stream(&app.store, code), earlier_invite_stream(secret, code)];
            let owner_id = OwnerId::new(app.store.log().clock().uuid());
            // Check the invite before the password is hashed, so that guessing codes costs little. The account's commit uses it up.
            let looked = app.store.log().transact(None, async |unit| {
                let invite = unit.load::<Invite>(&stream).await?;
                let is_earlier = invite.version == 0;
                let invite = if is_earlier { unit.load::<Invite>(&earlier).await? } else { invite };
                UseInvite { owner_id, now: app.store.log().clock().now() }.decide(&invite.state)?;
                Ok::<_, Problem>(is_earlier)
            });
            Ok(Some(if looked.await?.value { earlier } else { stream }))
        }
    }
}

/// Returns the stream of an invite.
pub fn invite_stream(store: &buildtrack_store::Store, code: &str) -> String {
    format!("invite:{}", store.log().secret().mac(Purpose::InviteCode, code.trim()))
}

/// The stream of an invite that an earlier version issued.
fn earlier_invite_stream(secret: &Secret, code: &str) -> String {
    format!("invite:{}", secret.earlier_mac(Purpose::InviteCode, code.trim()))
}

async fn use_invite(app: &App, unit: &mut Unit<'_>, stream: Option<&str>, owner_id: OwnerId) -> Result<(), Problem> {
    let Some(stream) = stream else { return Ok(()) };
    let invite = unit.load::<Invite>(stream).await?;
    let used = UseInvite { owner_id, now: app.store.log().clock().now() }.decide(&invite.state)?;
    unit.append(stream, &invite, used);
    Ok(())
}

/// Appends the events of a new account. Returns false if the address already has one.
async fn begin(app: &App, unit: &mut Unit<'_>, owner_id: OwnerId, applicant: &Applicant) -> Result<bool, Problem> {
    let Applicant { email, display_name, password_hash, .. } = applicant.clone();
    let (email_hash, email_sealed) = app.store.identity().sealed_email(&email)?;
    let claim = format!("email:{email_hash}");
    let known = app.store.identity().account_with_email(&email).await?.is_some();
    let state = unit.load::<Email>(&claim).await?;
    let claimed = match (RegisterOwner { owner_id }).decide(&state.state) {
        // The cached state may be out of date: the address may be free again.
        Err(OwnerError::EmailTaken) if unit.is_fresh() => return Ok(false),
        // Under the form in which an earlier version stored the address.
        Ok(_) if known => return Ok(false),
        decided => decided?,
    };
    unit.append(&claim, &state, claimed);
    unit.begin(owner_id, [OwnerEvent::from(OwnerRegistered { owner_id, display_name })]);
    unit.write_side(IdentityChange::Account { owner_id, email_hash, email_sealed, password_hash });
    Ok(true)
}

fn opened(owner_id: OwnerId, display_name: String, created_at: DateTime<Utc>) -> Answer {
    let account = Account { id: owner_id.to_string(), display_name, operator: false, created_at, deletion: None };
    Answer { subject: Some(owner_id.to_string()), ..created(format!("/api/v1/accounts/{owner_id}"), &account) }
}

/// Opens the account without mail. A caller who does not know the password cannot distinguish a new account from an existing
/// one: the answer is the same, and its id belongs to no account.
async fn open_now(app: &Arc<App>, applicant: Applicant, key: &Key) -> Result<HttpResponse, Problem> {
    let owner_id = OwnerId::new(app.store.log().clock().uuid());
    let now = app.store.log().clock().now();
    let done = app
        .store
        .log()
        .transact(Some(owner_id.into()), async |unit| {
            if !unit.is_fresh() {
                // A second run on fresh states confirms that an address is taken. A free one takes a second run, too.
                return Err(Problem::from(OwnerError::EmailTaken));
            }
            use_invite(app, unit, applicant.invite.as_deref(), owner_id).await?;
            if !begin(app, unit, owner_id, &applicant).await? {
                // The same amount of work for an account that does not exist.
                unit.write_side(IdentityChange::SessionsEnded { holder: owner_id.to_string() });
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

/// Sends the token by mail. The account is opened when the caller sends the token back.
async fn announce(app: &Arc<App>, applicant: Applicant, key: &Key) -> Result<HttpResponse, Problem> {
    let (hash, _) = app.store.identity().sealed_email(&applicant.email)?;
    let mailbox = Mailbox { app, hash: &hash, email: &applicant.email };
    let payload = serde_json::to_string(&applicant).unwrap_or_default();
    let done = app
        .store
        .log()
        .transact(None, async |unit| {
            let is_known = app.store.identity().account_with_email(&applicant.email).await?.is_some();
            if mailbox.has_capacity(unit).await? {
                let token = mails::new_token();
                let topic = if is_known { Topic::KnownAccount } else { Topic::ConfirmAccount(&token) };
                mailbox.send(unit, topic)?;
                // No mail contains this token, so that it is useless. Storing it takes the same amount of work.
                unit.write_side(mails::token(app, &token, MailPurpose::Registration, None, &payload)?);
            }
            unit.answer(key.ticket(), |_| Answer { status: 202, ..shown(&MailAnnounced::new()) });
            Ok::<_, Problem>(())
        })
        .await?;
    key.answered(done)
}

/// Confirm a new account with a token from a mail
///
/// A token is valid once. The account can log in from then on.
#[utoipa::path(
    operation_id = "confirmAccount",
    tag = "Identity",
    request_body = Confirmation,
    responses(
        (status = 201, description = "The account", body = Account, headers(("Location" = String))),
        (status = 403, description = "`invalid_mail_token`, `invalid_invite`"),
        (status = 409, description = "`mail_not_configured`"),
    ),
)]
#[post("/account-confirmations")]
pub(crate) async fn confirm(
    request: HttpRequest,
    submission: Submission<Confirmation>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let done = confirm_account(&app_of(&request), &body.token, &key).await?;
    key.answered(done)
}

/// Opens the account that a token from a mail confirms.
pub async fn confirm_account(app: &Arc<App>, token: &str, key: &Key) -> Result<Done<()>, Problem> {
    mails::require(app)?;
    let token_hash = sha256_hex(token);
    let owner_id = OwnerId::new(app.store.log().clock().uuid());
    app.store
        .log()
        .transact(Some(owner_id.into()), async |unit| {
            let token = app.store.identity().mail_token(&token_hash, MailPurpose::Registration).await?;
            let payload = token.ok_or_else(mails::invalid_token)?.payload;
            let applicant: Applicant = serde_json::from_str(&payload).map_err(|error| Problem::internal(&error))?;
            use_invite(app, unit, applicant.invite.as_deref(), owner_id).await?;
            if !begin(app, unit, owner_id, &applicant).await? {
                return Err(mails::invalid_token());
            }
            unit.write_side(IdentityChange::MailTokenUsed { token_hash: token_hash.clone() });
            let display_name = applicant.display_name;
            unit.answer(key.ticket(), move |recorded| {
                let created_at = recorded.first().map(|event| event.recorded_at).unwrap_or_default();
                opened(owner_id, display_name.clone(), created_at)
            });
            Ok::<_, Problem>(())
        })
        .await
}

/// Show an owner
///
/// The answer contains only public data.
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
    let owner = app.store.identity().owner(owner_id).await?.ok_or_else(|| Problem::not_found("owner"))?;
    let departure = if owner.deleted { app.store.identity().departure(owner_id).await? } else { None };
    Ok(etag::answer(&request, &Account::new(owner, departure)))
}
