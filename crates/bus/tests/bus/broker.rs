//! The test broker at `TEST_AMQP_URL`, by default on the standard port. Without a broker the tests fail.

use std::{
    env, process,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use buildtrack_bus::{Bus, Consumer, Notice, Queue, Received};
use chrono::{DateTime, Utc};
use lapin::{Connection, ConnectionProperties, options::QueueDeleteOptions};

pub(crate) fn url() -> String {
    env::var("TEST_AMQP_URL").unwrap_or_else(|_| "amqp://guest:guest@127.0.0.1:5672/%2f".to_owned())
}

/// The two implementations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Local,
    RabbitMq,
}

/// Names unique to one test, on a shared broker.
#[derive(Debug)]
pub(crate) struct Namespace {
    name: String,
    url: Option<String>,
    queues: Vec<String>,
}

impl Namespace {
    pub(crate) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Local => Self::named(None),
            Kind::RabbitMq => Self::at(url()),
        }
    }

    pub(crate) fn at(url: String) -> Self {
        Self::named(Some(url))
    }

    fn named(url: Option<String>) -> Self {
        static NAMESPACES: AtomicU32 = AtomicU32::new(0);
        let (process, namespace) = (process::id(), NAMESPACES.fetch_add(1, Ordering::Relaxed));
        Self { name: format!("t{process}-{namespace}-{}", started()), url, queues: vec![] }
    }

    /// A queue for the events of this test whose type, without its prefix, matches the pattern.
    pub(crate) fn queue(&mut self, name: &str, pattern: &str) -> Queue {
        let name = format!("{}-{name}", self.name);
        self.queues.push(name.clone());
        Queue::new(&name, [self.event_type(pattern)])
    }

    pub(crate) fn event_type(&self, event_type: &str) -> String {
        format!("{}.{event_type}", self.name)
    }

    pub(crate) fn notice(&self, position: i64, event_type: &str) -> Notice {
        Notice::new(position, self.event_type(event_type))
    }

    pub(crate) fn notices(&self, positions: impl IntoIterator<Item = i64>) -> Vec<Notice> {
        positions.into_iter().map(|position| self.notice(position, "message.posted")).collect()
    }

    pub(crate) fn bus(&self, queues: &[Queue]) -> Bus {
        match &self.url {
            Some(url) => Bus::connect(url, queues).unwrap(),
            None => Bus::local(queues),
        }
    }
}

/// Deletes the test's queues, even if the test fails.
impl Drop for Namespace {
    fn drop(&mut self) {
        let Some(url) = self.url.clone() else { return };
        let queues = std::mem::take(&mut self.queues);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(delete(&url, queues));
        })
        .join()
        .ok();
    }
}

async fn delete(url: &str, queues: Vec<String>) {
    let Ok(connection) = Connection::connect(url, ConnectionProperties::default()).await else { return };
    for queue in queues {
        for name in [format!("buildtrack.{queue}"), format!("buildtrack.{queue}.dead")] {
            let Ok(channel) = connection.create_channel().await else { return };
            channel.queue_delete(name.into(), QueueDeleteOptions::default()).await.ok();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "distinguishes runs with the same process id")]
fn started() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

pub(crate) fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

/// The next notices. Panics instead of waiting forever.
pub(crate) async fn next(consumer: &mut Consumer, max: usize) -> Vec<Received> {
    tokio::time::timeout(Duration::from_secs(30), consumer.next(max)).await.expect("nothing arrived")
}

/// Receives exactly `count` notices.
pub(crate) async fn take(consumer: &mut Consumer, count: usize) -> Vec<Received> {
    let mut received = vec![];
    while received.len() < count {
        received.extend(next(consumer, count - received.len()).await);
    }
    received
}

pub(crate) async fn nothing_arrives(consumer: &mut Consumer) -> bool {
    tokio::time::timeout(Duration::from_millis(300), consumer.next(1)).await.is_err()
}

pub(crate) fn positions<'a>(received: impl IntoIterator<Item = &'a Received>) -> Vec<i64> {
    received.into_iter().map(|received| received.notice.position).collect()
}

/// Polls until the condition holds, because a broker's counters lag.
pub(crate) async fn eventually<Look: Future<Output = bool>>(mut look: impl FnMut() -> Look) {
    for _ in 0..300 {
        if look().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the condition never became true");
}
