//! Recovery of an account whose password was forgotten, with a token from a mail.
//!
//! **Invariant:** only the mail reveals whether an address has an account.

use actix_web::{HttpRequest, HttpResponse, post};
use buildtrack_http::{
    answers::{nothing, shown},
    body::Submission,
    guard::{app_of, state_of},
    idempotency::Key,
    networks::Network,
    problem::Problem,
};
use buildtrack_store::{Answer, Done, IdentityChange, MailPurpose, sha256_hex};

use super::{
    Identity,
    account_schemas::{MailAnnounced, Reset, ResetRequest},
    credentials::{notify, set_password},
    mails::{self, Mailbox, Topic},
};

/// Request a mail to set a new password
///
/// If the address has an account, the server sends a token to it. The answer is the same in both cases. Send the token to
/// `POST /api/v1/new-passwords`.
#[utoipa::path(
    operation_id = "requestPasswordReset",
    tag = "Identity",
    request_body = ResetRequest,
    responses(
        (status = 202, description = "If the address has an account, the mail contains the token and the next step", body = MailAnnounced),
        (status = 409, description = "`mail_not_configured`"),
        (status = 503, description = "`mail_queue_full`", headers(("Retry-After" = i64))),
    ),
)]
#[post("/password-resets")]
pub(crate) async fn request_reset(
    request: HttpRequest,
    submission: Submission<ResetRequest>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let done = send_token(&request, &body.email, &key).await?;
    key.answered(done)
}

/// Sends a token for a new password to an address, if it has an account.
pub async fn send_token(request: &HttpRequest, email: &str, key: &Key) -> Result<Done<()>, Problem> {
    let app = &app_of(request);
    mails::require(app)?;
    mails::spend_of_network(app, request)?;
    let (hash, _) = app.store.identity().sealed_email(email)?;
    app.store
        .log()
        .transact(None, async |unit| {
            let known = app.store.identity().account_with_email(email).await?.map(|(owner_id, _)| owner_id);
            let mailbox = Mailbox { app, hash: &hash, email };
            let has_capacity = mailbox.has_capacity(unit).await?;
            let owner_id = known.filter(|_| has_capacity);
            let token = mails::new_token();
            // Without an account the same statements write a mail that is not sent, and a token that no mail contains.
            mailbox.send_if(unit, owner_id.is_some(), Topic::Reset(&token))?;
            unit.write_side(mails::token(app, &token, MailPurpose::Reset, owner_id, "")?);
            unit.answer(key.ticket(), |_| Answer { status: 202, ..shown(&MailAnnounced::new()) });
            Ok::<_, Problem>(())
        })
        .await
}

/// Set a new password with a token from a mail
///
/// All sessions of the owner end.
#[utoipa::path(
    operation_id = "setNewPassword",
    tag = "Identity",
    request_body = Reset,
    responses(
        (status = 204, description = "The password is changed: log in with it"),
        (status = 403, description = "`invalid_mail_token`"),
        (status = 409, description = "`mail_not_configured`"),
        (status = 503, description = "`busy`: too many password checks at once", headers(("Retry-After" = i64))),
    ),
)]
#[post("/new-passwords")]
pub(crate) async fn set_new_password(
    request: HttpRequest,
    submission: Submission<Reset>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let done = reset(&request, body, &key).await?;
    key.answered(done)
}

/// Sets a new password with a token from a mail.
pub async fn reset(request: &HttpRequest, body: Reset, key: &Key) -> Result<Done<()>, Problem> {
    let app = app_of(request);
    mails::require(&app)?;
    let token_hash = sha256_hex(&body.token);
    // Check the token first, so that a guessed one costs a look-up and no password hash.
    app.store.identity().mail_token(&token_hash, MailPurpose::Reset).await?.ok_or_else(mails::invalid_token)?;
    let password_hash =
        state_of::<Identity>(request).passwords.hash(Network::calling(&app, request), body.new_password).await?;
    app.store
        .log()
        .transact(None, async |unit| {
            let token = app.store.identity().mail_token(&token_hash, MailPurpose::Reset).await?;
            let owner_id = token.and_then(|token| token.owner_id).ok_or_else(mails::invalid_token)?;
            let account = app.store.identity().account_of(owner_id).await?.ok_or_else(mails::invalid_token)?;
            set_password(unit, owner_id, &password_hash, true).await?;
            unit.write_side(IdentityChange::SessionsEnded { holder: owner_id.to_string() });
            notify(&app, unit, &account, Topic::PasswordChanged).await?;
            unit.answer(key.ticket(), |_| nothing());
            Ok::<_, Problem>(())
        })
        .await
}
