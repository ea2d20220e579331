//! Messages that the server sends by mail: written here, sealed into the queue, sent by the worker.
//!
//! **Invariant:** a message holds no text that a stranger has chosen, so that no one has this server write for them.

use std::sync::Arc;

use actix_web::http::StatusCode;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_domain::ids::OwnerId;
use buildtrack_store::{Kept, Letter, MailPurpose, NewMail, NewMailToken, Unit, clock, sha256_hex};

use crate::{app::App, http::problem::Problem};

/// Messages to one address within an hour.
const PER_ADDRESS: i64 = 5;
/// How a token that was sent by mail begins.
const PREFIX: &str = "btm_";

/// An address that messages go to.
pub(super) struct Mailbox<'a> {
    pub(super) app: &'a Arc<App>,
    /// The keyed hash of the address.
    pub(super) hash: &'a str,
    /// The address.
    pub(super) email: &'a str,
}

/// What a message is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Topic<'t> {
    /// The token opens the account.
    ConfirmAccount(&'t str),
    /// There is an account already.
    KnownAccount,
    /// The token moves the account to this address.
    ConfirmEmail(&'t str),
    /// This address has an account of its own already.
    KnownEmail,
    /// The account has moved to another address.
    EmailMoved,
    /// The token sets a new password.
    Reset(&'t str),
    /// The password is another one.
    PasswordChanged,
}

/// Whether mail can be sent at all.
pub(super) fn is_configured(app: &App) -> bool {
    app.settings.smtp_url.is_some()
}

/// Refuses what needs mail where none can be sent.
pub(super) fn require(app: &App) -> Result<(), Problem> {
    if is_configured(app) {
        return Ok(());
    }
    let detail = "This server sends no mail: BUILDTRACK_SMTP_URL is not set.";
    let hint = "Ask the operator of the server: `buildtrack admin reset-password` sets a new password.";
    Err(Problem::new(StatusCode::CONFLICT, "mail_not_configured", detail, hint))
}

/// A new token, to be shown in a message only.
pub(super) fn new_token() -> String {
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(clock::random::<32>()))
}

/// The token of a message, as it is kept.
pub(super) fn token(
    app: &App,
    token: &str,
    purpose: MailPurpose,
    owner_id: Option<OwnerId>,
    payload: &str,
) -> Result<Kept, Problem> {
    let payload_sealed = app.store.secret().seal(payload)?;
    Ok(Kept::MailToken(Box::new(NewMailToken { token_hash: sha256_hex(token), purpose, owner_id, payload_sealed })))
}

/// 403: the token is unknown, used or expired.
pub(super) fn invalid_token() -> Problem {
    let detail = "The token of the message is unknown, was used, or is older than an hour.";
    let hint = "Ask for a new message, and use the token of the newest one.";
    Problem::new(StatusCode::FORBIDDEN, "invalid_mail_token", detail, hint)
}

impl Mailbox<'_> {
    /// Whether another message may go to the address. A full queue is refused for known and unknown addresses alike.
    pub(super) async fn has_room(&self) -> Result<bool, Problem> {
        let room = self.app.store.mail_room(self.hash).await?;
        if room.in_all >= i64::from(self.app.settings.mails_per_hour.get()) {
            metrics::counter!("buildtrack_refused_total", "reason" => "mail_queue_full").increment(1);
            let detail = "This server has sent as many messages within the last hour as it may.";
            let wait = std::time::Duration::from_mins(10);
            return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "mail_queue_full", detail, "Try again later.")
                .retryable(Some(wait)));
        }
        let has_room = room.to_address < PER_ADDRESS;
        if !has_room {
            metrics::counter!("buildtrack_refused_total", "reason" => "mails_per_address").increment(1);
        }
        Ok(has_room)
    }

    /// Puts a message into the queue.
    pub(super) fn send(&self, unit: &mut Unit<'_>, topic: Topic<'_>) -> Result<(), Problem> {
        let (subject, text) = words(&self.app.public_url, topic);
        let letter = Letter { to: self.email.to_owned(), subject, text };
        unit.keep(Kept::Mail(Box::new(NewMail::seal(&self.app.store, self.hash, &letter)?)));
        Ok(())
    }
}

fn words(url: &str, topic: Topic<'_>) -> (String, String) {
    let with_token = |what: &str, path: &str, field: &str, token: &str| {
        format!(
            "{what}\n\nToken: {token}\n\nSend it within an hour, once:\n\n  POST {url}/api/v1/{path}\n  {{\"token\": \
             \"{token}\"{field}}}\n\nIf you did not ask for this, do nothing: the token ends by itself.\n"
        )
    };
    let (subject, text) = match topic {
        Topic::ConfirmAccount(token) => {
            let what = "Someone, probably you, wants to open an account with this e-mail address.";
            ("Confirm your account", with_token(what, "account-confirmations", "", token))
        }
        Topic::KnownAccount => {
            let text = "Someone, probably you, wanted to open an account with this e-mail address. It has one already: log \
                        in, or ask for a new password.\n";
            ("You have an account", text.to_owned())
        }
        Topic::ConfirmEmail(token) => {
            let what = "Someone, probably you, wants to move an account to this e-mail address.";
            ("Confirm your e-mail address", with_token(what, "email-confirmations", "", token))
        }
        Topic::KnownEmail => {
            let text = "Someone, probably you, wanted to move an account to this e-mail address. The address has an account of \
                        its own; nothing was changed.\n";
            ("You have an account", text.to_owned())
        }
        Topic::EmailMoved => {
            let text = "Your account has moved to another e-mail address. If that was not you, ask the operator of the server \
                        for help.\n";
            ("Your e-mail address was changed", text.to_owned())
        }
        Topic::Reset(token) => {
            let what = "Someone, probably you, asked for a new password.";
            ("Set a new password", with_token(what, "new-passwords", ", \"newPassword\": \"...\"", token))
        }
        Topic::PasswordChanged => {
            let text = "Your password was changed, and all other sessions have ended. If that was not you, ask for a new \
                        password now.\n";
            ("Your password was changed", text.to_owned())
        }
    };
    (format!("{subject} ({url})"), text)
}
