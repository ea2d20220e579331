use std::fmt;

use buildtrack_macros::boxed;
use futures_util::{FutureExt, future::BoxFuture};

use crate::{BusError, Consumer, DeadLetter, Notice, Queue, local::Local, rabbitmq::RabbitMq};

/// The transport of notices from the log to its consumers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Bus(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Local(Local),
    RabbitMq(RabbitMq),
}

/// Notices that were published and are not confirmed yet.
#[must_use = "notices may be lost until they are confirmed"]
pub struct Confirmation(BoxFuture<'static, Result<(), BusError>>);

#[boxed]
impl Confirmation {
    pub(crate) fn immediate() -> Self {
        Self::when(std::future::ready(Ok(())))
    }

    pub(crate) fn when(confirmed: impl Future<Output = Result<(), BusError>> + Send + 'static) -> Self {
        Self(confirmed.boxed())
    }

    /// Returns when the notices are durable in every bound queue. A caller that drops this must publish the notices again.
    pub async fn confirmed(self) -> Result<(), BusError> {
        self.0.await
    }
}

impl fmt::Debug for Confirmation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Confirmation").finish_non_exhaustive()
    }
}

/// Calls the same method of either bus.
macro_rules! either {
    ($bus:expr, $inner:ident => $body:expr) => {
        match &$bus.0 {
            Kind::Local($inner) => $body,
            Kind::RabbitMq($inner) => $body,
        }
    };
}

#[boxed]
impl Bus {
    /// An in-process bus with these queues. It loses everything when the process ends.
    pub fn local(queues: &[Queue]) -> Self {
        Self(Kind::Local(Local::new(queues)))
    }

    /// RabbitMQ at `amqp://` or `amqps://`, with these queues, which are declared before anything is published.
    ///
    /// The bus connects on first use and reconnects when necessary. While the broker is unreachable, only
    /// [`publish`](Self::publish) fails.
    pub fn connect(url: &str, queues: &[Queue]) -> Result<Self, BusError> {
        Ok(Self(Kind::RabbitMq(RabbitMq::new(url, queues)?)))
    }

    /// Tries to connect once, for the process's start. [`BusError::AccessDenied`] requires other settings;
    /// [`BusError::Unreachable`] may be temporary. A local bus always succeeds.
    pub async fn check(&self) -> Result<(), BusError> {
        match &self.0 {
            Kind::Local(_) => Ok(()),
            Kind::RabbitMq(bus) => bus.check().await,
        }
    }

    /// Whether published notices survive this process. If not, the publisher must publish from each consumer's offset when
    /// the process starts.
    pub fn is_durable(&self) -> bool {
        matches!(self.0, Kind::RabbitMq(_))
    }

    /// Publishes in order, and returns when all notices are durable in every bound queue.
    ///
    /// After an error any part of the notices may have been published: the caller publishes all of them again. While the
    /// broker is unreachable, each call takes longer to fail, up to 5 s, so callers need no backoff of their own. When a
    /// queue is full, the call waits (backpressure).
    pub async fn publish(&self, notices: &[Notice]) -> Result<(), BusError> {
        self.begin_publishing(notices).await?.confirmed().await
    }

    /// Like [`publish`](Self::publish), but returns when all notices are sent, in the order of the calls. More may follow
    /// before they are confirmed. After an error of a call or of its confirmation, the caller publishes its notices and all
    /// later ones again.
    pub async fn begin_publishing(&self, notices: &[Notice]) -> Result<Confirmation, BusError> {
        either!(self, bus => bus.publish(notices).await)
    }

    /// A consumer of `queue`. Its unacknowledged notices return to the queue when it is dropped.
    pub fn consume(&self, queue: &Queue) -> Consumer {
        match &self.0 {
            Kind::Local(bus) => Consumer::local(bus.consume(queue)),
            Kind::RabbitMq(bus) => Consumer::rabbitmq(bus.consume(queue)),
        }
    }

    /// Number of notices in the queue that no consumer holds.
    pub async fn depth(&self, queue: &Queue) -> Result<u64, BusError> {
        either!(self, bus => bus.depth(queue).await)
    }

    /// The queue's dead letters, the oldest first. They stay in place.
    pub async fn dead_letters(&self, queue: &Queue, limit: usize) -> Result<Vec<DeadLetter>, BusError> {
        either!(self, bus => bus.dead_letters(queue, limit).await)
    }

    /// Number of the queue's dead letters.
    pub async fn dead_letter_count(&self, queue: &Queue) -> Result<u64, BusError> {
        either!(self, bus => bus.dead_letter_count(queue).await)
    }

    /// Moves the oldest dead letters back into the queue, at most `limit` and none twice. Returns their number. A dead letter
    /// is removed only after its notice is durable in the queue.
    pub async fn replay_dead_letters(&self, queue: &Queue, limit: usize) -> Result<usize, BusError> {
        either!(self, bus => bus.replay_dead_letters(queue, limit).await)
    }
}
