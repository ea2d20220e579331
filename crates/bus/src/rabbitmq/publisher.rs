use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use futures_util::{FutureExt, future::BoxFuture};
use lapin::{
    Channel,
    options::{BasicPublishOptions, ConfirmSelectOptions},
};
use tokio::{
    sync::Mutex,
    time::{sleep, timeout},
};

use super::{
    backoff::Backoff,
    connections::{Link, while_open},
    messages::{self, Message},
    topology::{EVENTS, Topology},
};
use crate::{BusError, Confirmation, Notice};

/// Maximum number of unconfirmed messages.
const WINDOW: usize = 1000;
/// Attempts at the first message of a channel, and the pause between them.
const FIRST_ATTEMPTS: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// Time limit of its confirmation, after which the publisher opens another channel.
const FIRST_WAIT: Duration = Duration::from_secs(10);

/// Publishes on its own channel, in the order of the calls, without waiting for earlier confirmations.
#[derive(Debug)]
pub(super) struct Publisher {
    link: Arc<Link>,
    topology: Topology,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    open: Option<OpenChannel>,
    backoff: Backoff,
}

/// A channel in use.
#[derive(Debug)]
struct OpenChannel {
    channel: Channel,
    /// Set if a message was not confirmed, or its confirmation was not awaited.
    broken: Arc<AtomicBool>,
}

impl Publisher {
    pub(super) fn new(link: &Arc<Link>, topology: &Topology) -> Self {
        Self { link: Arc::clone(link), topology: topology.clone(), state: Mutex::default() }
    }

    pub(super) async fn publish(&self, notices: &[Notice]) -> Result<Confirmation, BusError> {
        if notices.is_empty() {
            return Ok(Confirmation::immediate());
        }
        let (started, count) = (Instant::now(), notices.len() as u64);
        let confirmed = self.send(notices.iter().map(|notice| self.message(notice)).collect()).await?;
        Ok(Confirmation::when(async move {
            confirmed.await?;
            metrics::counter!("buildtrack_bus_published_total").increment(count);
            metrics::histogram!("buildtrack_bus_publish_seconds").record(started.elapsed());
            Ok(())
        }))
    }

    fn message(&self, notice: &Notice) -> Message {
        Message {
            position: notice.position,
            exchange: EVENTS,
            routing_key: notice.event_type.clone(),
            mandatory: self.topology.wants(&notice.event_type),
            body: messages::body(notice),
            properties: messages::properties(&notice.event_type),
        }
    }

    /// Sends messages in order. The returned future completes when all are confirmed. If it fails or is dropped, the next
    /// call opens a new channel.
    pub(super) async fn send(
        &self,
        messages: Vec<Message>,
    ) -> Result<impl Future<Output = Result<(), BusError>> + Send + use<>, BusError> {
        let mut state = self.state.lock().await;
        // Taken out of the state, so that a cancelled call leaves no channel behind.
        let mut open = state.open.take();
        if open.as_ref().is_some_and(|open| open.broken.load(Ordering::Acquire)) {
            open = None;
            state.backoff.failed();
        }
        state.backoff.wait().await;
        let sent = match open.filter(|open| open.channel.status().connected()) {
            Some(open) => enqueue(&open.channel, messages).await.map(|unconfirmed| (open, unconfirmed)),
            None => self.begin(messages).await,
        };
        match sent {
            Ok((open, unconfirmed)) => {
                state.backoff.succeeded();
                let channel = open.channel.clone();
                let guard = ConfirmGuard { broken: Arc::clone(&open.broken), confirmed: false };
                state.open = Some(open);
                Ok(async move {
                    while_open(&channel, confirmed(unconfirmed)).await?;
                    guard.disarm();
                    Ok(())
                })
            }
            Err(error) => {
                state.backoff.failed();
                Err(error)
            }
        }
    }

    /// Opens a channel and sends these messages first.
    async fn begin(&self, messages: Vec<Message>) -> Result<(OpenChannel, VecDeque<Unconfirmed>), BusError> {
        let channel = confirming(&self.link, &self.topology).await?;
        let unconfirmed = begin_on(&channel, messages).await?;
        Ok((OpenChannel { channel, broken: Arc::default() }, unconfirmed))
    }
}

/// Marks the channel as broken when dropped, unless all messages were confirmed.
struct ConfirmGuard {
    broken: Arc<AtomicBool>,
    confirmed: bool,
}

impl ConfirmGuard {
    fn disarm(mut self) {
        self.confirmed = true;
    }
}

impl Drop for ConfirmGuard {
    fn drop(&mut self) {
        if !self.confirmed {
            self.broken.store(true, Ordering::Release);
        }
    }
}

/// Opens a channel in confirm mode and declares the topology.
pub(super) async fn confirming(link: &Arc<Link>, topology: &Topology) -> Result<Channel, BusError> {
    let channel = link.channel().await?;
    while_open(&channel, async {
        topology.declare(&channel).await?;
        Ok(channel.confirm_select(ConfirmSelectOptions::default()).await?)
    })
    .await?;
    Ok(channel)
}

/// Sends messages in order on an unused channel.
///
/// A quorum queue that is electing its leader refuses the first message of an unknown publisher. So the first message is sent
/// alone and retried before any other follows. If the broker never confirms it, the caller retries on another channel.
async fn begin_on(channel: &Channel, mut messages: Vec<Message>) -> Result<VecDeque<Unconfirmed>, BusError> {
    let rest = messages.split_off(messages.len().min(1));
    let mut attempts = 1;
    let first = || async {
        let sent = timeout(FIRST_WAIT, send_on(channel, messages.clone())).await;
        sent.unwrap_or(Err(BusError::Silent(FIRST_WAIT.as_secs())))
    };
    while let Err(error) = first().await {
        if attempts == FIRST_ATTEMPTS || !matches!(error, BusError::NotTaken { .. }) {
            return Err(error);
        }
        attempts += 1;
        sleep(FIRST_PAUSE).await;
    }
    enqueue(channel, rest).await
}

/// Sends messages in order on a channel in confirm mode, and returns when all are confirmed.
pub(super) async fn send_on(channel: &Channel, messages: Vec<Message>) -> Result<(), BusError> {
    let unconfirmed = enqueue(channel, messages).await?;
    while_open(channel, confirmed(unconfirmed)).await
}

/// A confirmation that the broker has not sent yet.
type Unconfirmed = BoxFuture<'static, Result<(), BusError>>;

/// Queues messages for writing in order, with at most [`WINDOW`] of them unconfirmed. Returns the pending confirmations.
async fn enqueue(channel: &Channel, messages: Vec<Message>) -> Result<VecDeque<Unconfirmed>, BusError> {
    while_open(channel, async {
        let mut unconfirmed: VecDeque<Unconfirmed> = VecDeque::with_capacity(WINDOW.min(messages.len()));
        for message in messages {
            if unconfirmed.len() == WINDOW
                && let Some(oldest) = unconfirmed.pop_front()
            {
                oldest.await?;
            }
            let mut sending = confirmation(channel.clone(), message).boxed();
            // The first poll queues the message for writing; the order of these polls is the order of the messages.
            match poll_fn(|context: &mut Context<'_>| Poll::Ready(sending.as_mut().poll(context))).await {
                Poll::Ready(outcome) => outcome?,
                Poll::Pending => unconfirmed.push_back(sending),
            }
        }
        Ok(unconfirmed)
    })
    .await
}

async fn confirmed(unconfirmed: VecDeque<Unconfirmed>) -> Result<(), BusError> {
    for sending in unconfirmed {
        sending.await?;
    }
    Ok(())
}

async fn confirmation(channel: Channel, message: Message) -> Result<(), BusError> {
    let options = BasicPublishOptions { mandatory: message.mandatory, ..Default::default() };
    let (exchange, routing_key) = (message.exchange.into(), message.routing_key.into());
    let written = channel.basic_publish(exchange, routing_key, options, &message.body, message.properties).await?;
    match written.await? {
        lapin::Confirmation::Ack(None) => Ok(()),
        lapin::Confirmation::Ack(Some(returned)) | lapin::Confirmation::Nack(Some(returned)) => {
            Err(BusError::not_taken(message.position, returned.reply_text.as_str()))
        }
        lapin::Confirmation::Nack(None) => Err(BusError::not_taken(message.position, "refused")),
        lapin::Confirmation::NotRequested => Err(BusError::not_taken(message.position, "not confirmed")),
    }
}
