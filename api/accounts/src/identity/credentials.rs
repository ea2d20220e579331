//! Changes of the caller's own password and e-mail address, authorized by the current password.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, post, put};
use buildtrack_domain::{
    decide::Command,
    identity::{ChangeEmail, ChangePassword, Email, Owner},
    ids::OwnerId,
};
use buildtrack_http::{
    answers::{no_content, nothing},
    app::App,
    auth::OwnerCaller,
    body::{Json, Submission},
    guard::{app_of, state_of},
    idempotency::Key,
    networks::Network,
    problem::Problem,
};
use buildtrack_store::{Account, Done, IdentityChange, MailPurpose, Unit, sha256_hex};

use super::{
    Identity,
    account_schemas::{Confirmation, EmailChange, MailAnnounced, PasswordChange},
    mails::{self, Mailbox, Topic},
    password_attempts::Guess,
};

/// Returns the owner's account if the password is right. Attempts are counted per account, over all sessions.
pub(super) async fn verified(
    app: &App,
    request: &HttpRequest,
    owner_id: OwnerId,
    password: String,
) -> Result<Account, Problem> {
    let account = app.store.identity().account_of(owner_id).await?.ok_or_else(wrong_password)?;
    let guess = Guess::admit(app, request, &account.email_hash).await?;
    let is_right = guess.verify(password, Some(account.password_hash.clone())).await?;
    if is_right { Ok(account) } else { Err(wrong_password()) }
}

fn wrong_password() -> Problem {
    let detail = "The password is not the account's current password.";
    let hint = "Check the password. If you have forgotten it, request a mail: POST /api/v1/password-resets.";
    Problem::new(StatusCode::FORBIDDEN, "wrong_password", detail, hint)
}

/// Returns an error if the password has been changed since it was verified.
async fn require_unchanged_password(app: &App, owner_id: OwnerId, account: &Account) -> Result<(), Problem> {
    let now = app.store.identity().account_of(owner_id).await?;
    let is_same = now.is_some_and(|now| now.password_hash == account.password_hash);
    if is_same { Ok(()) } else { Err(wrong_password()) }
}

/// Change the caller's password
///
/// All other sessions of the owner end. Agents and their keys stay unchanged.
#[utoipa::path(
    operation_id = "changePassword",
    tag = "Identity",
    request_body = PasswordChange,
    responses(
        (status = 204, description = "The password is changed"),
        (status = 403, description = "`wrong_password`, `owner_required`, `missing_scope`, `suspended`"),
        (status = 503, description = "`busy`: too many password checks at once", headers(("Retry-After" = i64))),
    ),
    security(("token" = [])),
)]
#[put("/me/password")]
pub(crate) async fn change_password(
    request: HttpRequest,
    owner: OwnerCaller,
    body: Json<PasswordChange>,
) -> Result<HttpResponse, Problem> {
    let Json(change) = body;
    replace_password(&request, &owner, change).await?;
    Ok(no_content())
}

/// Replaces the owner's password, and ends the owner's other sessions.
pub async fn replace_password(
    request: &HttpRequest,
    owner: &OwnerCaller,
    change: PasswordChange,
) -> Result<(), Problem> {
    let app = app_of(request);
    let (PasswordChange { password, new_password }, owner_id) = (change, owner.owner_id);
    let account = verified(&app, request, owner_id, password).await?;
    let password_hash =
        state_of::<Identity>(request).passwords.hash(Network::calling(&app, request), new_password).await?;
    let but = owner.caller.session().id;
    owner
        .caller
        .transact(&app, async |unit, _| {
            require_unchanged_password(&app, owner_id, &account).await?;
            set_password(unit, owner_id, &password_hash, false).await?;
            unit.write_side(IdentityChange::OtherSessionsEnded { holder: owner_id.to_string(), but });
            notify(&app, unit, &account, Topic::PasswordChanged).await
        })
        .await?;
    Ok(())
}

/// Sets the password and invalidates every mail token of the account.
pub(super) async fn set_password(
    unit: &mut Unit<'_>,
    owner_id: OwnerId,
    password_hash: &str,
    by_mail: bool,
) -> Result<(), Problem> {
    let owner = unit.load::<Owner>(owner_id).await?;
    unit.append(owner_id, &owner, ChangePassword { owner_id, by_mail }.decide(&owner.state)?);
    unit.write_side(IdentityChange::Password { owner_id, password_hash: password_hash.to_owned() });
    unit.write_side(IdentityChange::MailTokensEnded { owner_id });
    Ok(())
}

/// Sends the owner a notice by mail, if mail is configured and the limits of the address and the server permit it.
pub(super) async fn notify(
    app: &Arc<App>,
    unit: &mut Unit<'_>,
    account: &Account,
    topic: Topic<'_>,
) -> Result<(), Problem> {
    let mailbox = Mailbox { app, hash: &account.email_hash, email: &account.email };
    if mails::is_configured(app) && mailbox.has_capacity_for_notice(unit).await? {
        mailbox.send(unit, topic)?;
    }
    Ok(())
}

/// Change the caller's e-mail address
///
/// A server without mail changes the address at once. A server with mail sends a token to the new address instead; send the
/// token to `POST /api/v1/email-confirmations`.
#[utoipa::path(
    operation_id = "changeEmail",
    tag = "Identity",
    request_body = EmailChange,
    responses(
        (status = 202, description = "On a server with mail: the mail contains the token and the next step", body = MailAnnounced),
        (status = 204, description = "The address is changed"),
        (status = 403, description = "`wrong_password`, `owner_required`, `missing_scope`, `suspended`"),
        (status = 409, description = "`email_taken`: on a server without mail"),
        (status = 503, description = "`busy`, `mail_queue_full`", headers(("Retry-After" = i64))),
    ),
    security(("token" = [])),
)]
#[put("/me/email")]
pub(crate) async fn change_email(
    request: HttpRequest,
    owner: OwnerCaller,
    body: Json<EmailChange>,
) -> Result<HttpResponse, Problem> {
    let Json(change) = body;
    let is_announced = replace_email(&request, &owner, change).await?;
    Ok(if is_announced { HttpResponse::Accepted().json(MailAnnounced::new()) } else { no_content() })
}

/// Changes the owner's address, or sends a token to the new one if the server has mail. Returns whether it sent a token.
pub async fn replace_email(request: &HttpRequest, owner: &OwnerCaller, change: EmailChange) -> Result<bool, Problem> {
    let app = app_of(request);
    let (EmailChange { password, email }, owner_id) = (change, owner.owner_id);
    let account = verified(&app, request, owner_id, password).await?;
    let announces = mails::is_configured(&app);
    owner
        .caller
        .transact(&app, async |unit, _| {
            require_unchanged_password(&app, owner_id, &account).await?;
            if announces {
                announce(&app, unit, owner_id, &email).await
            } else {
                move_to(&app, unit, owner_id, &email).await
            }
        })
        .await?;
    Ok(announces)
}

/// Sends a token to the new address. Only the mail says whether that address already has an account.
async fn announce(app: &Arc<App>, unit: &mut Unit<'_>, owner_id: OwnerId, email: &str) -> Result<(), Problem> {
    let (hash, _) = app.store.identity().sealed_email(email)?;
    let mailbox = Mailbox { app, hash: &hash, email };
    let is_known = app.store.identity().account_with_email(email).await?.is_some_and(|(holder, _)| holder != owner_id);
    if mailbox.has_capacity(unit).await? {
        let token = mails::new_token();
        mailbox.send(unit, if is_known { Topic::KnownEmail } else { Topic::ConfirmEmail(&token) })?;
        unit.write_side(mails::token(app, &token, MailPurpose::Email, Some(owner_id), email)?);
    }
    Ok(())
}

/// Changes the account's address and notifies the old one.
async fn move_to(app: &Arc<App>, unit: &mut Unit<'_>, owner_id: OwnerId, email: &str) -> Result<(), Problem> {
    let account = app.store.identity().account_of(owner_id).await?.ok_or_else(|| Problem::not_found("owner"))?;
    let (email_hash, email_sealed) = app.store.identity().sealed_email(email)?;
    let (old_stream, new_stream) = (format!("email:{}", account.email_hash), format!("email:{email_hash}"));
    let owner = unit.load::<Owner>(owner_id).await?;
    let new = unit.load::<Email>(&new_stream).await?;
    let (changed, released, claimed) = ChangeEmail { owner_id }.decide(&owner.state, &new.state)?;
    if changed.is_empty() {
        return Ok(());
    }
    let old = unit.load::<Email>(&old_stream).await?;
    unit.append(owner_id, &owner, changed);
    unit.append(&old_stream, &old, released);
    unit.append(&new_stream, &new, claimed);
    unit.write_side(IdentityChange::AccountEmail { owner_id, email_hash, email_sealed });
    unit.write_side(IdentityChange::MailTokensEnded { owner_id });
    notify(app, unit, &account, Topic::EmailMoved).await
}

/// Confirm an e-mail address with a token from a mail
///
/// The account's address changes, and the server notifies the old address by mail.
#[utoipa::path(
    operation_id = "confirmEmail",
    tag = "Identity",
    request_body = Confirmation,
    responses(
        (status = 204, description = "The address is changed"),
        (status = 403, description = "`invalid_mail_token`"),
        (status = 409, description = "`mail_not_configured`, `email_taken`"),
    ),
)]
#[post("/email-confirmations")]
pub(crate) async fn confirm_email(
    request: HttpRequest,
    submission: Submission<Confirmation>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let done = settle_email(&app_of(&request), &body.token, &key).await?;
    key.answered(done)
}

/// Changes an account's address to the one that a token from a mail confirms.
pub async fn settle_email(app: &Arc<App>, token: &str, key: &Key) -> Result<Done<()>, Problem> {
    mails::require(app)?;
    let token_hash = sha256_hex(token);
    app.store
        .log()
        .transact(None, async |unit| {
            let token = app.store.identity().mail_token(&token_hash, MailPurpose::Email).await?;
            let token = token.ok_or_else(mails::invalid_token)?;
            let owner_id = token.owner_id.ok_or_else(mails::invalid_token)?;
            move_to(app, unit, owner_id, &token.payload).await?;
            unit.write_side(IdentityChange::MailTokenUsed { token_hash: token_hash.clone() });
            unit.answer(key.ticket(), |_| nothing());
            Ok::<_, Problem>(())
        })
        .await
}
