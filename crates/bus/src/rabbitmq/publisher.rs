use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use futures_util::{FutureExt, future::BoxFuture};
use lapin::{
    Channel, Confirmation,
    options::{BasicPublishOptions, ConfirmSelectOptions},
};
use tokio::{sync::Mutex, time::sleep};

use super::{
    backoff::Backoff,
    connections::{Link, while_open},
    messages::{self, Message},
    topology::{EVENTS, Topology},
};
use crate::{BusError, Notice};

/// How many messages may be on their way that the broker has not confirmed.
const WINDOW: usize = 1000;
/// How often the first message of a channel is sent, and the pause before it is sent again.
const FIRST_TRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// Publishes on a channel of its own, one caller at a time.
#[derive(Debug)]
pub(super) struct Publisher {
    link: Arc<Link>,
    topology: Topology,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// One on which everything so far was confirmed.
    channel: Option<Channel>,
    backoff: Backoff,
}

impl Publisher {
    pub(super) fn new(link: &Arc<Link>, topology: &Topology) -> Self {
        Self { link: Arc::clone(link), topology: topology.clone(), state: Mutex::default() }
    }

    pub(super) async fn publish(&self, notices: &[Notice]) -> Result<(), BusError> {
        if notices.is_empty() {
            return Ok(());
        }
        let started = Instant::now();
        self.send(notices.iter().map(|notice| self.message(notice)).collect()).await?;
        metrics::counter!("buildtrack_bus_published_total").increment(notices.len() as u64);
        metrics::histogram!("buildtrack_bus_publish_seconds").record(started.elapsed());
        Ok(())
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

    /// Sends in order, and is done when all of it is confirmed.
    pub(super) async fn send(&self, messages: Vec<Message>) -> Result<(), BusError> {
        let mut state = self.state.lock().await;
        state.backoff.wait().await;
        // Taken out: whoever gives up in the middle leaves none behind.
        let channel = state.channel.take().filter(|channel| channel.status().connected());
        let outcome = match channel {
            Some(channel) => send_on(&channel, messages).await.map(|()| channel),
            None => match confirming(&self.link, &self.topology).await {
                Ok(channel) => begin_on(&channel, messages).await.map(|()| channel),
                Err(error) => Err(error),
            },
        };
        match outcome {
            Ok(channel) => {
                state.channel = Some(channel);
                state.backoff.succeeded();
                Ok(())
            }
            Err(error) => {
                state.backoff.failed();
                Err(error)
            }
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
/// first message of a publisher that it does not know: that one goes alone, and again, before any is behind it.
async fn begin_on(channel: &Channel, mut messages: Vec<Message>) -> Result<(), BusError> {
    let rest = messages.split_off(messages.len().min(1));
    let mut tries = 1;
    while let Err(error) = send_on(channel, messages.clone()).await {
        if tries == FIRST_TRIES || !matches!(error, BusError::NotTaken { .. }) {
            return Err(error);
        }
        tries += 1;
        sleep(FIRST_PAUSE).await;
    }
    send_on(channel, rest).await
}

/// Sends in order on a channel that confirms, with at most [`WINDOW`] messages unconfirmed.
pub(super) async fn send_on(channel: &Channel, messages: Vec<Message>) -> Result<(), BusError> {
    while_open(channel, async {
        let mut unconfirmed: VecDeque<BoxFuture<'_, Result<(), BusError>>> = VecDeque::with_capacity(WINDOW);
        for message in messages {
            if unconfirmed.len() == WINDOW
                && let Some(oldest) = unconfirmed.pop_front()
            {
                oldest.await?;
            }
            let mut sending = confirmed(channel, message).boxed();
            // The first look puts the message in the line of what is written; the order of these looks is its order.
            match poll_fn(|context: &mut Context<'_>| Poll::Ready(sending.as_mut().poll(context))).await {
                Poll::Ready(outcome) => outcome?,
                Poll::Pending => unconfirmed.push_back(sending),
            }
        }
        for sending in unconfirmed {
            sending.await?;
        }
        Ok(())
    })
    .await
}

async fn confirmed(channel: &Channel, message: Message) -> Result<(), BusError> {
    let options = BasicPublishOptions { mandatory: message.mandatory, ..Default::default() };
    let (exchange, routing_key) = (message.exchange.into(), message.routing_key.into());
    let written = channel.basic_publish(exchange, routing_key, options, &message.body, message.properties).await?;
    match written.await? {
        Confirmation::Ack(None) => Ok(()),
        Confirmation::Ack(Some(returned)) | Confirmation::Nack(Some(returned)) => {
            Err(BusError::not_taken(message.position, returned.reply_text.as_str()))
        }
        Confirmation::Nack(None) => Err(BusError::not_taken(message.position, "refused")),
        Confirmation::NotRequested => Err(BusError::not_taken(message.position, "not confirmed")),
    }
}
