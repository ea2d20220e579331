//! Follows the log and publishes a notice of every event, in order: one process at a time, under a lease that moves
//! within seconds when its holder is gone.
//!
//! **Invariant:** the saved position never runs ahead of what the bus has taken over, so that whoever goes on from it
//! leaves no event out. Some are published again after a fault; consumers count each event once. **Invariant:** what a
//! broker took over and lost, with its disk or with a queue that was deleted, is published again.

use std::{mem, ops::RangeInclusive, time::Duration};

use buildtrack_bus::{Bus, BusError, Confirmation, Notice};
use buildtrack_store::{Kept, Store, StoreError};
use buildtrack_traces::{Begun, Event};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout, timeout_at},
};
use tokio_util::sync::CancellationToken;

use crate::{
    pause::{BACK_OFF, pause},
    webhooks::{self, CONSUMER},
};

/// The consumer whose position is how far the log was published, and the lease under which that is done.
const PUBLISHER: &str = "publisher";
/// How long one process publishes before another may. It is renewed long before.
const LEASE: Duration = Duration::from_secs(5);
const RENEWAL: Duration = Duration::from_secs(1);
/// How soon a process that waits for its turn asks again.
const TURN: Duration = Duration::from_millis(500);
/// Notices published at once, and how often more may be published while those before are not confirmed yet.
const NOTICES: usize = 1000;
const AHEAD: usize = 16;
/// How often the position is saved, which has to wait its turn among the writes of consumers.
const SAVE: Duration = Duration::from_millis(500);
/// How often it is looked for events that the bus has lost. Those that are missing at two looks running are.
const SEARCH: Duration = Duration::from_secs(5);

#[derive(Debug, thiserror::Error)]
enum PublishError {
    #[error(transparent)]
    Bus(#[from] BusError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the database has lost its last events; the log is published from where its consumer stands")]
    Rewound,
}

/// The last look for lost events.
#[derive(Debug)]
struct Search {
    at: Instant,
    /// Up to where the log was published then.
    published: i64,
    /// The first event that the consumer had not dealt with.
    first_missing: Option<i64>,
}

/// Notices on their way.
struct Underway {
    notices: Vec<Notice>,
    begun: Begun,
    confirmation: Confirmation,
}

/// Publishes the log.
#[derive(Debug)]
pub(crate) struct Publisher {
    store: Store,
    bus: Bus,
    holder: String,
}

impl Publisher {
    pub(crate) fn new(store: Store, bus: Bus) -> Self {
        let holder = store.clock().uuid().to_string();
        Self { store, bus, holder }
    }

    /// Publishes until `stop`, whenever it is this process's turn.
    pub(crate) async fn run(self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            match self.store.lease(PUBLISHER, &self.holder, LEASE).await {
                Ok(true) => self.take_turn(stop).await,
                Ok(false) => pause(TURN, stop).await,
                Err(error) => {
                    tracing::warn!(%error, "whose turn it is to publish the log is not known; trying again");
                    pause(BACK_OFF, stop).await;
                }
            }
        }
        if let Err(error) = self.store.release(PUBLISHER, &self.holder).await {
            tracing::debug!(%error, "the lease for publishing was not given back; it ends by itself");
        }
    }

    /// Publishes while the lease is this process's own.
    async fn take_turn(&self, stop: &CancellationToken) {
        tokio::select! {
            published = self.publish(stop) => {
                if let Err(error) = published {
                    tracing::warn!(%error, "the log is not published; trying again");
                    pause(BACK_OFF, stop).await;
                }
            }
            () = self.keep_lease() => tracing::info!("another process publishes the log"),
            () = stop.cancelled() => {}
        }
    }

    /// Comes back when the lease is lost, or cannot be known to be kept.
    async fn keep_lease(&self) {
        let mut renewed = Instant::now();
        while renewed.elapsed() < LEASE {
            sleep(RENEWAL).await;
            match timeout(LEASE, self.store.lease(PUBLISHER, &self.holder, LEASE)).await {
                Ok(Ok(true)) => renewed = Instant::now(),
                Ok(Ok(false)) => return,
                Ok(Err(_)) | Err(_) => {}
            }
        }
    }

    async fn publish(&self, stop: &CancellationToken) -> Result<(), PublishError> {
        // Whatever the consumer has dealt with need not be told again. A bus that forgets with its process has to be told
        // everything else, one that does not what was not saved.
        let mut published = self.store.consumer_position(CONSUMER).await?;
        let mut saved = published;
        if self.bus.is_durable() {
            saved = self.store.consumer_position(PUBLISHER).await?;
            published = published.max(saved);
        }
        let (sender, underway) = mpsc::channel(AHEAD);
        tokio::try_join!(self.follow(published, sender, stop), self.settle(published, saved, underway))?;
        Ok(())
    }

    /// Follows the log, and publishes what it says.
    async fn follow(
        &self,
        mut position: i64,
        sender: mpsc::Sender<Underway>,
        stop: &CancellationToken,
    ) -> Result<(), PublishError> {
        let rewinds = self.store.tail().rewinds();
        while !stop.is_cancelled() {
            if self.store.tail().rewinds() != rewinds {
                return Err(PublishError::Rewound);
            }
            let events = self.store.announced(position, NOTICES).await?;
            let Some(last) = events.last().map(|(position, _)| *position) else {
                // Running out of time is as good as news.
                drop(timeout(SEARCH, self.store.tail().beyond(position)).await);
                continue;
            };
            // Fails where what settles them has failed, which is told there.
            drop(sender.send(self.announce(events).await?).await);
            position = last;
        }
        Ok(())
    }

    /// Waits until what is on its way is confirmed, saves how far that is, and looks for what was lost.
    async fn settle(
        &self,
        mut published: i64,
        mut saved: i64,
        mut underway: mpsc::Receiver<Underway>,
    ) -> Result<(), PublishError> {
        let mut saved_at = Instant::now();
        let mut search = Search { at: Instant::now(), published, first_missing: None };
        loop {
            let again_at = if saved < published { saved_at + SAVE } else { search.at + SEARCH };
            match timeout_at(again_at, underway.recv()).await {
                Ok(Some(underway)) => {
                    let last = underway.notices.last().map_or(published, |notice| notice.position);
                    self.confirm(underway).await?;
                    published = last;
                }
                Ok(None) => return Ok(()),
                Err(_) => {}
            }
            if saved < published && saved_at.elapsed() >= SAVE {
                self.save(saved, published).await?;
                (saved, saved_at) = (published, Instant::now());
            }
            if search.at.elapsed() >= SEARCH {
                for stretch in self.lost(&mut search, published).await? {
                    self.publish_again(stretch).await?;
                }
            }
        }
    }

    async fn announce(&self, events: Vec<(i64, String)>) -> Result<Underway, PublishError> {
        let notices: Vec<_> =
            events.into_iter().map(|(position, event_type)| Notice::new(position, event_type)).collect();
        let begun = buildtrack_traces::begin();
        let confirmation = self.bus.begin_publishing(&notices).await?;
        Ok(Underway { notices, begun, confirmation })
    }

    async fn confirm(&self, Underway { notices, begun, confirmation }: Underway) -> Result<(), PublishError> {
        confirmation.confirmed().await?;
        self.trace(begun, &notices).await;
        Ok(())
    }

    /// What had been published at the last look already, is still missing at this one, and waits nowhere: neither in
    /// the queue nor, as far as their number tells, among the dead letters.
    async fn lost(&self, search: &mut Search, published: i64) -> Result<Vec<RangeInclusive<i64>>, PublishError> {
        if !self.bus.is_durable() {
            search.at = Instant::now();
            return Ok(vec![]);
        }
        let missing = self.store.missing(CONSUMER, published).await?;
        let first_missing = missing.first().map(|stretch| *stretch.start());
        let before = mem::replace(search, Search { at: Instant::now(), published, first_missing });
        if first_missing.is_none() || first_missing != before.first_missing {
            return Ok(vec![]);
        }
        let lost = missing.into_iter().map(|stretch| *stretch.start()..=before.published.min(*stretch.end()));
        let lost: Vec<_> = lost.filter(|stretch| !stretch.is_empty()).collect();
        let events: i64 = lost.iter().map(|stretch| stretch.end() - stretch.start() + 1).sum();
        let queue = webhooks::queue();
        if self.bus.depth(&queue).await? > 0 || self.bus.dead_letter_count(&queue).await? >= events.unsigned_abs() {
            return Ok(vec![]);
        }
        tracing::warn!(events, first = first_missing, "the bus has lost events; they are published again");
        Ok(lost)
    }

    async fn publish_again(&self, stretch: RangeInclusive<i64>) -> Result<(), PublishError> {
        let mut published = stretch.start() - 1;
        while published < *stretch.end() {
            let mut events = self.store.announced(published, NOTICES).await?;
            events.retain(|(position, _)| position <= stretch.end());
            let Some(last) = events.last().map(|(position, _)| *position) else { break };
            self.confirm(self.announce(events).await?).await?;
            published = last;
        }
        Ok(())
    }

    /// Shows in the events' traces that they were published. Their hashes are read for that alone.
    async fn trace(&self, begun: Begun, notices: &[Notice]) {
        let Some(first) = notices.first().filter(|_| buildtrack_traces::is_on()) else { return };
        // Without them they are not seen here, and published all the same.
        let hashes = self.store.hashes(first.position - 1, notices.len()).await.unwrap_or_default();
        let events = notices.iter().zip(&hashes).map(|(notice, (_, hash))| Event {
            position: notice.position,
            event_type: Some(&notice.event_type),
            hash,
        });
        buildtrack_traces::published(begun, events);
    }

    async fn save(&self, from: i64, to: i64) -> Result<(), StoreError> {
        if !self.bus.is_durable() {
            return Ok(());
        }
        self.store.keep(vec![Kept::Consumed { consumer: PUBLISHER, from, to }]).await
    }
}
