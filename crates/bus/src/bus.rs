use std::fmt;

use futures_util::{FutureExt, future::BoxFuture};

use crate::{BusError, Consumer, DeadLetter, Notice, Queue, local::Local, rabbitmq::RabbitMq};

/// The way from the log to its consumers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Bus(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Local(Local),
    RabbitMq(RabbitMq),
}

/// What was published and is on its way.
#[must_use = "nothing is known to be safe before it is confirmed"]
pub struct Confirmation(BoxFuture<'static, Result<(), BusError>>);

impl Confirmation {
    pub(crate) fn immediate() -> Self {
        Self::when(std::future::ready(Ok(())))
    }

    pub(crate) fn when(confirmed: impl Future<Output = Result<(), BusError>> + Send + 'static) -> Self {
        Self(confirmed.boxed())
    }

    /// Comes back when it is safe in every queue that wants it. Whoever gives this up publishes it again.
    pub async fn confirmed(self) -> Result<(), BusError> {
        self.0.await
    }
}

impl fmt::Debug for Confirmation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Confirmation").finish_non_exhaustive()
    }
}

/// Does the same on either.
macro_rules! either {
    ($bus:expr, $inner:ident => $body:expr) => {
        match &$bus.0 {
            Kind::Local($inner) => $body,
            Kind::RabbitMq($inner) => $body,
        }
    };
}

impl Bus {
    /// A bus within this process, with these queues. It forgets everything with the process.
    pub fn local(queues: &[Queue]) -> Self {
        Self(Kind::Local(Local::new(queues)))
    }

    /// RabbitMQ at `amqp://` or `amqps://`, with these queues, which are there before anything is published. It connects
    /// when it is first used, and again whenever it must; a broker that is away fails nothing but a
    /// [`publish`](Self::publish).
    pub fn connect(url: &str, queues: &[Queue]) -> Result<Self, BusError> {
        Ok(Self(Kind::RabbitMq(RabbitMq::new(url, queues)?)))
    }

    /// Tries the connection once, for the process's start: [`BusError::AccessDenied`] needs another address, and
    /// [`BusError::Unreachable`] may pass. A local bus is always there.
    pub async fn check(&self) -> Result<(), BusError> {
        match &self.0 {
            Kind::Local(_) => Ok(()),
            Kind::RabbitMq(bus) => bus.check().await,
        }
    }

    /// Whether what was published outlives this process. Where not, each consumer has to be told again from where it
    /// stood when the process starts.
    pub fn is_durable(&self) -> bool {
        matches!(self.0, Kind::RabbitMq(_))
    }

    /// Publishes in order, and is done when all of it is safe in every queue that wants it. After an error any part of
    /// it may have been published: the caller publishes all of it again. While the broker is away each call takes longer
    /// to fail, up to 5 s, so that whoever repeats needs no pauses of his own; where room is missing it waits.
    pub async fn publish(&self, notices: &[Notice]) -> Result<(), BusError> {
        self.begin_publishing(notices).await?.confirmed().await
    }

    /// The same, but done when all of it is on its way, in the order of the calls: more may follow before it is confirmed.
    /// After an error of a call or of its confirmation, that and whatever followed is to be published again.
    pub async fn begin_publishing(&self, notices: &[Notice]) -> Result<Confirmation, BusError> {
        either!(self, bus => bus.publish(notices).await)
    }

    /// A consumer of `queue`. What it holds goes back to the queue when it is dropped.
    pub fn consume(&self, queue: &Queue) -> Consumer {
        match &self.0 {
            Kind::Local(bus) => Consumer::local(bus.consume(queue)),
            Kind::RabbitMq(bus) => Consumer::rabbitmq(bus.consume(queue)),
        }
    }

    /// How many notices wait in the queue that no consumer holds.
    pub async fn depth(&self, queue: &Queue) -> Result<u64, BusError> {
        either!(self, bus => bus.depth(queue).await)
    }

    /// The queue's dead letters, the oldest first, without taking them.
    pub async fn dead_letters(&self, queue: &Queue, limit: usize) -> Result<Vec<DeadLetter>, BusError> {
        either!(self, bus => bus.dead_letters(queue, limit).await)
    }

    /// How many dead letters the queue has.
    pub async fn dead_letter_count(&self, queue: &Queue) -> Result<u64, BusError> {
        either!(self, bus => bus.dead_letter_count(queue).await)
    }

    /// Puts the oldest dead letters back into the queue, at most `limit` and none twice; says how many. None is taken
    /// from the dead letters before it is safe in the queue.
    pub async fn replay_dead_letters(&self, queue: &Queue, limit: usize) -> Result<usize, BusError> {
        either!(self, bus => bus.replay_dead_letters(queue, limit).await)
    }
}
