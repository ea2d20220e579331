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

/// How many messages may be on their way that the broker has not confirmed.
const WINDOW: usize = 1000;
/// How often the first message of a channel is sent, and the pause before it is sent again.
const FIRST_TRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// How long it may stay unconfirmed until another channel is tried.
const FIRST_WAIT: Duration = Duration::from_secs(10);

/// Publishes on a channel of its own: in the order of the calls, whether or not those before are confirmed yet.
#[derive(Debug)]
pub(super) struct Publisher {
    link: Arc<Link>,
    topology: Topology,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    line: Option<Line>,
    backoff: Backoff,
}

/// A channel that is published on.
#[derive(Debug)]
struct Line {
    channel: Channel,
    /// Something on it was not confirmed, or nobody waited until it was.
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

    /// Sends in order; what it gives is done when all of it is confirmed. Whoever gives that up or sees it fail leaves
    /// nothing behind that the next one could stand on: he begins with a new channel.
    pub(super) async fn send(
        &self,
        messages: Vec<Message>,
    ) -> Result<impl Future<Output = Result<(), BusError>> + Send + use<>, BusError> {
        let mut state = self.state.lock().await;
        // Taken out: whoever gives up in the middle leaves none behind.
        let mut line = state.line.take();
        if line.as_ref().is_some_and(|line| line.broken.load(Ordering::Acquire)) {
            line = None;
            state.backoff.failed();
        }
        state.backoff.wait().await;
        let sent = match line.filter(|line| line.channel.status().connected()) {
            Some(line) => put_in_line(&line.channel, messages).await.map(|unconfirmed| (line, unconfirmed)),
            None => self.begin(messages).await,
        };
        match sent {
            Ok((line, unconfirmed)) => {
                state.backoff.succeeded();
                let channel = line.channel.clone();
                let care = Care { broken: Arc::clone(&line.broken), confirmed: false };
                state.line = Some(line);
                Ok(async move {
                    while_open(&channel, confirmed(unconfirmed)).await?;
                    care.end();
                    Ok(())
                })
            }
            Err(error) => {
                state.backoff.failed();
                Err(error)
            }
        }
    }

    /// A new channel, with these as the first on it.
    async fn begin(&self, messages: Vec<Message>) -> Result<(Line, VecDeque<Unconfirmed>), BusError> {
        let channel = confirming(&self.link, &self.topology).await?;
        let unconfirmed = begin_on(&channel, messages).await?;
        Ok((Line { channel, broken: Arc::default() }, unconfirmed))
    }
}

/// Breaks the line when it is dropped, unless all was confirmed.
struct Care {
    broken: Arc<AtomicBool>,
    confirmed: bool,
}

impl Care {
    fn end(mut self) {
        self.confirmed = true;
    }
}

impl Drop for Care {
    fn drop(&mut self) {
        if !self.confirmed {
            self.broken.store(true, Ordering::Release);
        }
    }
}

/// A new channel that confirms, with the topology declared.
pub(super) async fn confirming(link: &Arc<Link>, topology: &Topology) -> Result<Channel, BusError> {
    let channel = link.channel().await?;
    while_open(&channel, async {
        topology.declare(&channel).await?;
        Ok(channel.confirm_select(ConfirmSelectOptions::default()).await?)
    })
    .await?;
    Ok(channel)
}

/// Sends in order on a channel on which nothing was sent yet. A quorum queue that is busy choosing its leader refuses the
/// first message of a publisher that it does not know: that one goes alone, and again, before any is behind it. Where nothing
/// is ever said of it, whoever tries again does so on another channel.
async fn begin_on(channel: &Channel, mut messages: Vec<Message>) -> Result<VecDeque<Unconfirmed>, BusError> {
    let rest = messages.split_off(messages.len().min(1));
    let mut tries = 1;
    let first = || async {
        let sent = timeout(FIRST_WAIT, send_on(channel, messages.clone())).await;
        sent.unwrap_or(Err(BusError::Silent(FIRST_WAIT.as_secs())))
    };
    while let Err(error) = first().await {
        if tries == FIRST_TRIES || !matches!(error, BusError::NotTaken { .. }) {
            return Err(error);
        }
        tries += 1;
        sleep(FIRST_PAUSE).await;
    }
    put_in_line(channel, rest).await
}

/// Sends in order on a channel that confirms, and is done when all of it is confirmed.
pub(super) async fn send_on(channel: &Channel, messages: Vec<Message>) -> Result<(), BusError> {
    let unconfirmed = put_in_line(channel, messages).await?;
    while_open(channel, confirmed(unconfirmed)).await
}

/// What the broker has not confirmed yet.
type Unconfirmed = BoxFuture<'static, Result<(), BusError>>;

/// Puts messages in the line of what is written, in order, with at most [`WINDOW`] of them unconfirmed; gives those that are.
async fn put_in_line(channel: &Channel, messages: Vec<Message>) -> Result<VecDeque<Unconfirmed>, BusError> {
    while_open(channel, async {
        let mut unconfirmed: VecDeque<Unconfirmed> = VecDeque::with_capacity(WINDOW.min(messages.len()));
        for message in messages {
            if unconfirmed.len() == WINDOW
                && let Some(oldest) = unconfirmed.pop_front()
            {
                oldest.await?;
            }
            let mut sending = confirmation(channel.clone(), message).boxed();
            // The first look puts the message in the line of what is written; the order of these looks is its order.
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
