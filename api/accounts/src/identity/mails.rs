//! Mails to owners: composed here and sealed into the queue; the worker sends them.
//!
//! **Invariant:** a mail contains no text chosen by an anonymous caller, so that the server cannot be used to send messages.

use std::{sync::Arc, time::Duration};

use actix_web::{HttpRequest, http::StatusCode};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_domain::{budgets::Budget, ids::OwnerId, notifications::test_text};
use buildtrack_http::{app::App, auth::OwnerCaller, networks::Network, problem::Problem};
use buildtrack_store::{
    IdentityChange, Mail, MailPurpose, NewMail, NewMailToken, Purpose, Unit, clock, mails_cap, mails_to_address_cap,
    sha256_hex,
};

/// The maximum number of mails to one address within an hour.
const PER_ADDRESS: u32 = 5;
/// Further mails to one address within an hour: notices of what was done with its account.
const NOTICES: u32 = 5;
/// The mails that callers of a network ask for within an hour without a session: a tenth of all, within these bounds.
const PER_NETWORK: (u64, u64) = (30, 60);
/// The mails of a /48 network: a quarter of all, within these bounds.
const PER_SITE: (u64, u64) = (60, 240);
/// This part of all mails is for notices.
const SHARE_OF_NOTICES: u32 = 10;
/// The reason of a refusal for which all mails are counted.
const QUEUE_FULL: &str = "mail_queue_full";
/// The prefix of a token in a mail.
const PREFIX: &str = "btm_";

/// The recipient of a mail.
pub(super) struct Mailbox<'a> {
    pub(super) app: &'a Arc<App>,
    /// The keyed hash of the address.
    pub(super) hash: &'a str,
    /// The address.
    pub(super) email: &'a str,
}

/// The subject of a mail.
#[derive(Debug, Clone, Copy)]
pub(super) enum Topic<'t> {
    /// Confirms a new account with a token.
    ConfirmAccount(&'t str),
    /// Says that the address already has an account.
    KnownAccount,
    /// Confirms a change of address with a token.
    ConfirmEmail(&'t str),
    /// Says that the new address already has its own account.
    KnownEmail,
    /// Notifies the old address of a change.
    EmailMoved,
    /// Sets a new password with a token.
    Reset(&'t str),
    /// Notifies the owner of a changed password.
    PasswordChanged,
    /// Shows that mails arrive.
    Test,
}

/// Whether the server can send mail.
pub fn is_configured(app: &App) -> bool {
    app.settings.smtp_url.is_some()
}

/// Returns an error if the server cannot send mail.
pub(crate) fn require(app: &App) -> Result<(), Problem> {
    if is_configured(app) {
        return Ok(());
    }
    let detail = "This server has no mail configured: BUILDTRACK_SMTP_URL is not set.";
    let hint = "Ask the operator of the server to set a new password: `buildtrack admin reset-password OWNER`.";
    Err(Problem::new(StatusCode::CONFLICT, "mail_not_configured", detail, hint))
}

/// Sends the owner a mail that shows that mails arrive.
pub async fn send_test(app: &Arc<App>, owner: &OwnerCaller) -> Result<(), Problem> {
    require(app)?;
    let account =
        app.store.identity().account_of(owner.owner_id).await?.ok_or_else(|| Problem::not_found("account"))?;
    let mailbox = Mailbox { app, hash: &account.email_hash, email: &account.email };
    owner
        .caller
        .transact(app, async |unit, _| {
            if mailbox.has_capacity(unit).await? { mailbox.send(unit, Topic::Test) } else { Err(address_full()) }
        })
        .await?;
    Ok(())
}

/// 429: the limit of the address permits no further mail.
fn address_full() -> Problem {
    let detail = format!("Your address has received {PER_ADDRESS} mails within the last hour.");
    let hint = "Wait until an hour has passed since the first of them.";
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail, hint);
    problem.retryable(Some(Duration::from_mins(10)))
}

/// 503: the limit of all mails permits no further mail.
fn queue_full() -> Problem {
    let detail = "This server has reached its hourly limit of mails.";
    let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "mail_queue_full", detail, "Repeat the request later.");
    problem.retryable(Some(Duration::from_mins(10)))
}

/// Takes one of the mails that callers of a network can ask for, so that few networks do not use up those of the server. Addresses with
/// and without an account count alike.
pub(super) fn spend_of_network(app: &App, request: &HttpRequest) -> Result<(), Problem> {
    let network = Network::calling(app, request);
    let all = u64::from(app.settings.mails_per_hour.get());
    let hourly = |mails: u64, (least, most)| Budget::new(mails.clamp(least, most), Duration::from_hours(1));
    let budgets = [
        (format!("mails for {}", network.host()), hourly(all / 10, PER_NETWORK)),
        (format!("mails for the site {}", network.site_or_host().host()), hourly(all / 4, PER_SITE)),
    ];
    app.store.limits().spend_here(&budgets, 1).map(drop).map_err(|overdrawn| {
        metrics::counter!("buildtrack_refused_total", "reason" => "mails_per_network").increment(1);
        let detail = "Callers of your network have asked for as many mails as a network may within an hour.";
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail, "Repeat the request later.");
        problem.retryable(Some(overdrawn.retry_after))
    })
}

/// Creates a token, which only a mail may contain.
pub(super) fn new_token() -> String {
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(clock::random::<32>()))
}

/// Returns the side-table row of a mail token.
pub(super) fn token(
    app: &App,
    token: &str,
    purpose: MailPurpose,
    owner_id: Option<OwnerId>,
    payload: &str,
) -> Result<IdentityChange, Problem> {
    let payload_sealed = app.store.log().secret().seal(Purpose::MailToken, payload)?;
    Ok(IdentityChange::MailToken(Box::new(NewMailToken {
        token_hash: sha256_hex(token),
        purpose,
        owner_id,
        payload_sealed,
    })))
}

/// 403: the token is unknown, used or expired.
pub(super) fn invalid_token() -> Problem {
    let detail = "The token from the mail is unknown, used, or older than an hour.";
    let hint = "Request a new mail, and use the token from the newest one.";
    Problem::new(StatusCode::FORBIDDEN, "invalid_mail_token", detail, hint)
}

impl Mailbox<'_> {
    /// Whether the limit of the address permits another mail. A full queue is an error for known and unknown addresses alike. Mails
    /// that are sent at the same moment count each other when they are enqueued.
    pub(super) async fn has_capacity(&self, unit: &mut Unit<'_>) -> Result<bool, Problem> {
        let all = self.app.settings.mails_per_hour.get();
        match self.refusal(unit, (all - all / SHARE_OF_NOTICES, PER_ADDRESS)).await? {
            Some(QUEUE_FULL) => Err(queue_full()),
            refusal => Ok(refusal.is_none()),
        }
    }

    /// Whether the limits permit a notice. They leave room that mails which anonymous callers ask for cannot take: such mails must not
    /// keep an owner from learning that the account changed hands.
    pub(super) async fn has_capacity_for_notice(&self, unit: &mut Unit<'_>) -> Result<bool, Problem> {
        let all = self.app.settings.mails_per_hour.get();
        Ok(self.refusal(unit, (all, PER_ADDRESS + NOTICES)).await?.is_none())
    }

    /// Why these limits of all mails and of those to the address permit no further one.
    async fn refusal(
        &self,
        unit: &mut Unit<'_>,
        (in_all, to_address): (u32, u32),
    ) -> Result<Option<&'static str>, Problem> {
        let now = self.app.store.log().clock().now();
        let refusal = if !unit.fits(mails_cap(now, in_all)).await? {
            QUEUE_FULL
        } else if !unit.fits(mails_to_address_cap(self.hash, now, to_address)).await? {
            "mails_per_address"
        } else {
            return Ok(None);
        };
        metrics::counter!("buildtrack_refused_total", "reason" => refusal).increment(1);
        Ok(Some(refusal))
    }

    /// Adds a mail to the queue.
    pub(super) fn send(&self, unit: &mut Unit<'_>, topic: Topic<'_>) -> Result<(), Problem> {
        self.send_if(unit, true, topic)
    }

    /// Adds a mail to the queue, or does the same work for a mail that is not sent.
    pub(super) fn send_if(&self, unit: &mut Unit<'_>, is_sent: bool, topic: Topic<'_>) -> Result<(), Problem> {
        let (subject, text) = compose(&self.app.public_url, topic);
        let mail = Mail { to: self.email.to_owned(), subject, text };
        let mail = NewMail { is_sent, ..NewMail::seal(self.app.store.log(), self.hash, &mail)? };
        unit.write_side(IdentityChange::Mail(Box::new(mail)));
        Ok(())
    }
}

fn compose(url: &str, topic: Topic<'_>) -> (String, String) {
    let with_token = |what: &str, (page, path): (&str, &str), field: &str, token: &str| {
        format!(
            "{what}\n\nToken: {token}\n\nEnter it within an hour, once, on this page:\n\n  {url}/portal/{page}\n\n\
             Programs send it:\n\n  POST {url}/api/v1/{path}\n  {{\"token\": \"{token}\"{field}}}\n\n\
             If you did not ask for this, do nothing: the token expires.\n"
        )
    };
    let (subject, text) = match topic {
        Topic::ConfirmAccount(token) => {
            let what = "Someone, probably you, wants to open an account with this e-mail address.";
            ("Confirm your account", with_token(what, ("confirmations/account", "account-confirmations"), "", token))
        }
        Topic::KnownAccount => {
            let text = "Someone, probably you, wanted to open an account with this e-mail address. The address already has one: log \
                        in, or ask for a new password.\n";
            ("You have an account", text.to_owned())
        }
        Topic::ConfirmEmail(token) => {
            let what = "Someone, probably you, wants to move an account to this e-mail address.";
            ("Confirm your e-mail address", with_token(what, ("confirmations/email", "email-confirmations"), "", token))
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
            let fields = ("new-password", "new-passwords");
            ("Set a new password", with_token(what, fields, ", \"newPassword\": \"...\"", token))
        }
        Topic::Test => ("A test", test_text(url)),
        Topic::PasswordChanged => {
            let text = "Your password was changed, and all other sessions have ended. If that was not you, ask for a new \
                        password now.\n";
            ("Your password was changed", text.to_owned())
        }
    };
    (format!("{subject} ({url})"), text)
}
