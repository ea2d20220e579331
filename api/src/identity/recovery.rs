//! A forgotten password, replaced with the token of a message.
//!
//! **Invariant:** whether an address has an account is told to the address alone.

use actix_web::{HttpRequest, HttpResponse, post};
use buildtrack_store::{Answer, Kept, MailPurpose, sha256_hex};

use super::{
    account_schemas::{MailAnnounced, Reset, ResetRequest},
    accounts::address,
    credentials::{set_password, told},
    letters::{self, Mailbox, Topic},
};
use crate::http::{
    answers::{nothing, shown},
    body::Submission,
    guard::app_of,
    networks::Network,
    problem::Problem,
};

/// Sends a message with which a new password can be set, where the address has an account. The answer is the same either way.
#[utoipa::path(
    operation_id = "requestPasswordReset",
    tag = "Identity",
    request_body = ResetRequest,
    responses(
        (status = 202, description = "Where the address has an account, the message tells what to do", body = MailAnnounced),
        (status = 409, description = "`mail_not_configured`", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "`mail_queue_full`", body = Problem, content_type = "application/problem+json", headers(("Retry-After" = i64))),
    ),
)]
#[post("/password-resets")]
pub(crate) async fn request_reset(
    request: HttpRequest,
    submission: Submission<ResetRequest>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    letters::require(&app)?;
    let (hash, _) = address(&app, &body.email)?;
    let done = app
        .store
        .transact(None, async |unit| {
            let known = app.store.account(&hash).await?.map(|(owner_id, _)| owner_id);
            let mailbox = Mailbox { app: &app, hash: &hash, email: body.email.trim() };
            if let (true, Some(owner_id)) = (mailbox.has_room().await?, known) {
                let token = letters::new_token();
                mailbox.send(unit, Topic::Reset(&token))?;
                unit.keep(letters::token(&app, &token, MailPurpose::Reset, Some(owner_id), "")?);
            } else {
                // A write all the same, so that both take as long.
                unit.keep(Kept::MailTokenUsed { token_hash: hash.clone() });
            }
            unit.answer(key.ticket(), |_| Answer { status: 202, ..shown(&MailAnnounced::new()) });
            Ok::<_, Problem>(())
        })
        .await?;
    key.answered(done)
}

/// Sets a new password with the token of a message; all sessions of the owner end.
#[utoipa::path(
    operation_id = "setNewPassword",
    tag = "Identity",
    request_body = Reset,
    responses(
        (status = 204, description = "The new password counts: log in"),
        (status = 403, description = "`invalid_mail_token`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`mail_not_configured`", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "`busy`: too many logins at once", body = Problem, content_type = "application/problem+json", headers(("Retry-After" = i64))),
    ),
)]
#[post("/new-passwords")]
pub(crate) async fn set_new_password(
    request: HttpRequest,
    submission: Submission<Reset>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    letters::require(&app)?;
    let token_hash = sha256_hex(&body.token);
    // A guess costs a look-up, and no password hash.
    app.store.mail_token(&token_hash, MailPurpose::Reset).await?.ok_or_else(letters::invalid_token)?;
    let password_hash = app.passwords.hash(Network::calling(&app, &request), body.new_password).await?;
    let done = app
        .store
        .transact(None, async |unit| {
            let token = app.store.mail_token(&token_hash, MailPurpose::Reset).await?;
            let owner_id = token.and_then(|token| token.owner_id).ok_or_else(letters::invalid_token)?;
            let account = app.store.account_of(owner_id).await?.ok_or_else(letters::invalid_token)?;
            set_password(unit, owner_id, &password_hash, true).await?;
            unit.keep(Kept::SessionsEnded { holder: owner_id.to_string() });
            told(&app, unit, &account, Topic::PasswordChanged).await?;
            unit.answer(key.ticket(), |_| nothing());
            Ok::<_, Problem>(())
        })
        .await?;
    key.answered(done)
}
