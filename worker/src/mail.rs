//! Outgoing mail: reads messages from the queue table and hands them to the SMTP server, in one process at a time. A failed
//! message is retried with growing delays and given up after some hours.

use std::time::Duration;

use buildtrack_domain::{identity::EmailAddress, ids::MailId};
use buildtrack_settings::Settings;
use buildtrack_store::{DueMail, IdentityChange, Mail, Store, StoreError};
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{Mailbox, header::ContentType},
    transport::smtp::authentication::Credentials,
};
use tokio_util::sync::CancellationToken;
use url::{Host, Url};

use crate::leased::{LeasedTask, Next, Schedule};

/// Pause between two polls of the queue.
const EVERY: Duration = Duration::from_secs(2);
/// Messages per poll.
const MESSAGES: i64 = 20;
/// Time limit of the SMTP server for one message.
const SMTP_TIMEOUT: Duration = Duration::from_secs(20);
/// Seconds before each retry of a failed message. After the last retry the message is given up.
const RETRIES: [u64; 6] = [30, 120, 600, 1800, 3600, 7200];

/// A client of the SMTP server.
#[derive(Clone)]
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl std::fmt::Debug for Mailer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Mailer").field("from", &self.from).finish_non_exhaustive()
    }
}

/// Why the mailer cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The sender address is not a mailbox.
    #[error("BUILDTRACK_MAIL_FROM is {0:?}; expected a mailbox such as Buildtrack <build@example.org>")]
    From(String),
    /// The settings of the SMTP server are unusable.
    #[error("BUILDTRACK_SMTP_URL: {0}")]
    Server(lettre::transport::smtp::Error),
}

/// Why one message was not sent.
#[derive(Debug, thiserror::Error)]
enum SendError {
    #[error("the recipient address is not a mailbox")]
    Address,
    #[error("the message cannot be built: {0}")]
    Message(#[from] lettre::error::Error),
    #[error("{0}")]
    Server(#[from] lettre::transport::smtp::Error),
}

impl Mailer {
    /// The mailer that the settings describe; `None` if they configure no mail.
    pub fn of(settings: &Settings) -> Result<Option<Self>, MailError> {
        let (Some(server), Some(from)) = (&settings.smtp_url, &settings.mail_from) else { return Ok(None) };
        let from: Mailbox = from.parse().map_err(|_| MailError::From(from.clone()))?;
        let address: EmailAddress = from.email.to_string().parse().map_err(|_| MailError::From(from.to_string()))?;
        let email = address.as_str().parse().map_err(|_| MailError::From(from.to_string()))?;
        let from = Mailbox { email, ..from };
        let transport = transport(server.url()).map_err(MailError::Server)?;
        Ok(Some(Self { transport, from }))
    }

    async fn send(&self, id: MailId, mail: &Mail) -> Result<(), SendError> {
        // Mails that an earlier version queued have the address as it was written.
        let to: EmailAddress = mail.to.parse().map_err(|_| SendError::Address)?;
        // The same for each attempt: a server that accepted the message and could not say so recognises it.
        let message_id = format!("<{id}@{}>", self.from.email.domain());
        let message = Message::builder()
            .message_id(Some(message_id))
            .from(self.from.clone())
            .to(to.as_str().parse().map_err(|_| SendError::Address)?)
            .subject(mail.subject.clone())
            .header(ContentType::TEXT_PLAIN)
            .body(mail.text.clone())?;
        self.transport.send(message).await?;
        Ok(())
    }
}

/// TLS from the start (`smtps`) or by STARTTLS. Plain text only to the loopback interface.
fn transport(url: &Url) -> Result<AsyncSmtpTransport<Tokio1Executor>, lettre::transport::smtp::Error> {
    type Transport = AsyncSmtpTransport<Tokio1Executor>;
    let host = url.host_str().unwrap_or_default();
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    } || host == "127.0.0.1";
    let mut builder = match url.scheme() {
        "smtps" => Transport::relay(host)?,
        _ if is_here => Transport::builder_dangerous(host),
        _ => Transport::starttls_relay(host)?,
    };
    if let Some(port) = url.port() {
        builder = builder.port(port);
    }
    if let (user, Some(password)) = (url.username(), url.password()) {
        let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        builder = builder.credentials(Credentials::new(decoded(user), decoded(password)));
    }
    Ok(builder.timeout(Some(SMTP_TIMEOUT)).build())
}

/// Sends the messages in the queue.
pub(crate) struct MailQueue {
    pub(crate) store: Store,
    pub(crate) mailer: Mailer,
}

impl LeasedTask for MailQueue {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, "mail", Duration::from_mins(2));

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, StoreError> {
        send_due(&self.store, &self.mailer).await.map(Next::now_if)
    }
}

/// Sends the messages that are due. True if there may be more.
pub(crate) async fn send_due(store: &Store, mailer: &Mailer) -> Result<bool, StoreError> {
    let due = store.identity().mails_due(MESSAGES).await?;
    let full = i64::try_from(due.len()).unwrap_or(i64::MAX) == MESSAGES;
    for mail in due {
        attempt(store, mailer, mail).await?;
    }
    Ok(full)
}

async fn attempt(store: &Store, mailer: &Mailer, due: DueMail) -> Result<(), StoreError> {
    let DueMail { id, mail, attempts } = due;
    let (outcome, next_at) = match mailer.send(id, &mail).await {
        Ok(()) => ("sent", None),
        Err(error) => {
            let permanent = matches!(&error, SendError::Address | SendError::Message(_))
                || matches!(&error, SendError::Server(error) if error.is_permanent());
            let wait = usize::try_from(attempts).ok().and_then(|number| RETRIES.get(number)).filter(|_| !permanent);
            let next_at = wait.map(|seconds| store.log().clock().after(Duration::from_secs(*seconds)));
            // The server's reply may quote the address, which must not appear in the log.
            let is_given_up = next_at.is_none();
            tracing::warn!(%id, attempts, is_given_up, permanent, "the SMTP server did not accept a message");
            (if is_given_up { "given_up" } else { "failed" }, next_at)
        }
    };
    metrics::counter!("buildtrack_mails_total", "outcome" => outcome).increment(1);
    store.log().write_side(vec![IdentityChange::MailAttempted { id, next_at }]).await
}
