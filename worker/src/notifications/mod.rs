//! Notifications of owners: mails and messages to chats about unread items in their inboxes, in one process at a time.
//!
//! **Invariant:** each channel reports each item at least once, unless it was read, hidden or removed before. The position that
//! was reported is stored after a message to a chat, and in the same commit as a mail, which the mail queue then sends.
//! **Invariant:** a channel gets at most one message in each interval, which covers everything new.

mod chats;

use std::time::Duration;

use buildtrack_domain::{
    decide::Command,
    ids::OwnerId,
    notifications::{
        Channel, ChatForm, Digest, FAILURES_MAX, Notifications, Setting, StopChannel, StopReason, chat_body, retry_wait,
    },
};
use buildtrack_store::{
    Cap, DueChannel, IdentityChange, Mail, NewMail, NotificationChange, Notified, Purpose, SideChange, Store,
    StoreError, mails_cap, mails_to_address_cap,
};
use futures_util::future::join_all;
use tokio_util::sync::CancellationToken;

use crate::{
    decisions::on_thread,
    leased::{LeasedTask, Next, Schedule},
};

pub use chats::ChatClient;
use chats::PostError;

/// Pause between two polls.
const EVERY: Duration = Duration::from_secs(5);
/// Channels of one kind per poll. Messages to these chats are posted concurrently.
const CHANNELS: i64 = 20;
/// Mails to one address within an hour after which no digest is added, so that mails about the account still pass.
const MAILS_TO_ADDRESS: u32 = 3;
/// Wait of a digest for which the mail queue has no room.
const QUEUE_WAIT: Duration = Duration::from_mins(10);

/// Tells owners what is unread.
#[derive(Debug, Clone)]
pub(crate) struct Notifier {
    pub(crate) store: Store,
    pub(crate) chats: ChatClient,
    pub(crate) public_url: String,
    /// The limit of all mails within an hour, of which digests take half.
    pub(crate) mails_per_hour: u32,
    /// Whether the server sends mail.
    pub(crate) is_mailing: bool,
}

impl LeasedTask for Notifier {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, "notifications", Duration::from_mins(2));

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, StoreError> {
        self.tell_due().await.map(Next::now_if)
    }
}

impl Notifier {
    /// Tells the owners whose channels are due. True if there may be more.
    pub(crate) async fn tell_due(&self) -> Result<bool, StoreError> {
        let mut due = self.store.notifications().due(Channel::Chat, CHANNELS).await?;
        let mut has_more = is_full(&due);
        if self.is_mailing {
            let mails = self.store.notifications().due(Channel::Mail, CHANNELS).await?;
            has_more |= is_full(&mails);
            due.extend(mails);
        }
        // A failure of one channel must not delay the others.
        let results = join_all(due.iter().map(|due| self.tell(due))).await;
        results.into_iter().collect::<Result<(), StoreError>>()?;
        Ok(has_more)
    }

    async fn tell(&self, due: &DueChannel) -> Result<(), StoreError> {
        let digest = self.store.notifications().digest(due.owner_id, due.notified_to).await?;
        match due.setting {
            // Everything that was unread is hidden.
            _ if digest.parts.is_empty() => self.store.log().write_side([self.notified(due, &digest, false)]).await,
            Setting::Chat(form) => self.tell_chat(due, form, &digest).await,
            Setting::Mail(_) => self.tell_by_mail(due, &digest).await,
        }
    }

    async fn tell_chat(&self, due: &DueChannel, form: ChatForm, digest: &Digest) -> Result<(), StoreError> {
        let Ok(url) = self.store.log().secret().open(Purpose::ChatAddress, &due.address_sealed) else {
            return self.fail(due, "the address was sealed with another secret", None).await;
        };
        let (body, now) = (chat_body(form, &digest.text(&self.public_url)), self.store.log().clock().now());
        match self.chats.post(&url, body, now).await {
            Ok(_) => {
                count(Channel::Chat, "sent");
                self.store.log().write_side([self.notified(due, digest, true)]).await
            }
            Err(PostError::Busy(wait)) => self.postpone(due, wait).await,
            Err(error) if error.is_gone() => self.stop(due, StopReason::Gone).await,
            Err(error) => {
                let wait = if let PostError::Status { wait, .. } = error { wait } else { None };
                self.fail(due, &error.to_string(), wait).await
            }
        }
    }

    async fn tell_by_mail(&self, due: &DueChannel, digest: &Digest) -> Result<(), StoreError> {
        let Some(account) = self.store.identity().account_of(due.owner_id).await? else {
            return self.store.log().write_side([self.notified(due, digest, false)]).await;
        };
        let subject = format!("{} ({})", digest.subject(), self.public_url);
        let mail = Mail { to: account.email, subject, text: digest.text(&self.public_url) };
        let queued = IdentityChange::Mail(Box::new(NewMail::seal(self.store.log(), &account.email_hash, &mail)?));
        let now = self.store.log().clock().now();
        let caps =
            [mails_to_address_cap(&account.email_hash, now, MAILS_TO_ADDRESS), mails_cap(now, self.mails_per_hour / 2)];
        let (store, changes) = (self.store.clone(), [queued.into(), self.notified(due, digest, true)]);
        if !on_thread(move || async move { write_within(&store, caps, changes).await }).await?? {
            return self.postpone(due, QUEUE_WAIT).await;
        }
        count(Channel::Mail, "sent");
        Ok(())
    }

    fn notified(&self, due: &DueChannel, digest: &Digest, is_sent: bool) -> SideChange {
        let interval = if is_sent { due.setting.interval() } else { Duration::ZERO };
        let notified = Notified {
            owner_id: due.owner_id,
            channel: due.setting.channel(),
            address_sealed: due.address_sealed.clone(),
            notified_to: digest.up_to,
            is_sent,
            next_at: self.store.log().clock().after(interval),
        };
        NotificationChange::Notified(Box::new(notified)).into()
    }

    async fn postpone(&self, due: &DueChannel, wait: Duration) -> Result<(), StoreError> {
        let (owner_id, channel) = (due.owner_id, due.setting.channel());
        // At least a second, so that a channel is never due again at once.
        let next_at = self.store.log().clock().after(wait.max(Duration::from_secs(1)));
        count(channel, "postponed");
        self.store.log().write_side([NotificationChange::Postponed { owner_id, channel, next_at }]).await
    }

    async fn fail(&self, due: &DueChannel, failure: &str, asked: Option<Duration>) -> Result<(), StoreError> {
        let (owner_id, channel, failures) = (due.owner_id, due.setting.channel(), due.failures + 1);
        count(channel, "failed");
        tracing::warn!(%owner_id, failures, failure, "a message to an owner's chat was not accepted");
        if failures >= FAILURES_MAX {
            return self.stop(due, StopReason::Failing).await;
        }
        let next_at = self.store.log().clock().after(retry_wait(failures).max(asked.unwrap_or_default()));
        let (address_sealed, failure) = (due.address_sealed.clone(), failure.to_owned());
        let failed = NotificationChange::Failed { owner_id, channel, address_sealed, failure, next_at };
        self.store.log().write_side([failed]).await
    }

    /// Turns a channel off, unless its owner has set another address meanwhile.
    async fn stop(&self, due: &DueChannel, reason: StopReason) -> Result<(), StoreError> {
        let (store, due) = (self.store.clone(), due.clone());
        count(due.setting.channel(), "stopped");
        on_thread(move || async move {
            let (owner_id, channel) = (due.owner_id, due.setting.channel());
            decide_stop(&store, (owner_id, channel), &due.address_sealed, reason).await
        })
        .await?
    }
}

async fn decide_stop(
    store: &Store,
    (owner_id, channel): (OwnerId, Channel),
    address_sealed: &str,
    reason: StopReason,
) -> Result<(), StoreError> {
    let stream = Notifications::stream(owner_id);
    store
        .log()
        .transact::<(), StoreError>(None, async |unit| {
            let loaded = unit.load::<Notifications>(&stream).await?;
            // A change of the address appends to the stream. If one commits now, this transaction conflicts and decides anew.
            let channels = store.notifications().channels(owner_id).await?;
            let mut same = channels.iter().filter(|view| view.setting.channel() == channel);
            if same.any(|view| view.address_sealed == address_sealed) {
                let Ok(events) = StopChannel { owner_id, channel, reason }.decide(&loaded.state);
                unit.append(&stream, &loaded, events);
                unit.write_side(NotificationChange::Stopped { owner_id, channel, reason });
            }
            Ok(())
        })
        .await
        .map(drop)
}

fn is_full(due: &[DueChannel]) -> bool {
    i64::try_from(due.len()).unwrap_or(i64::MAX) == CHANNELS
}

/// Writes the changes if all caps permit them. Returns whether they did.
async fn write_within(store: &Store, caps: [Cap; 2], changes: [SideChange; 2]) -> Result<bool, StoreError> {
    let done = store.log().transact::<bool, StoreError>(None, async |unit| {
        for cap in caps.clone() {
            if !unit.fits(cap).await? {
                return Ok(false);
            }
        }
        for change in changes.clone() {
            unit.write_side(change);
        }
        Ok(true)
    });
    Ok(done.await?.value)
}

fn count(channel: Channel, outcome: &'static str) {
    metrics::counter!("buildtrack_notifications_total", "channel" => channel.as_str(), "outcome" => outcome)
        .increment(1);
}
