//! Applies commit notifications in this process: invalidates caches, then advances the watermark and the tail.

use super::{Recorded, changes::Changes, near_duplicates::NearDuplicates, states::States};
use super::{
    Tail, commit_notification::CommitNotification, recent::Recent, recent_reads::RecentReads, watermark::Watermark,
};

/// The parts of the process that a notification updates. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Announcer {
    pub(crate) tail: Tail,
    pub(crate) changes: Changes,
    pub(crate) watermark: Watermark,
    pub(crate) recent: Recent,
    pub(crate) near_duplicates: NearDuplicates,
    pub(crate) states: States,
    pub(crate) recent_reads: RecentReads,
}

impl Announcer {
    /// The parts of a process that starts with the log's head at this position.
    pub(crate) fn at(head: i64) -> Self {
        let changes = Changes::new();
        Self {
            tail: Tail::at(head),
            watermark: Watermark::at(head),
            recent: Recent::default(),
            near_duplicates: NearDuplicates::new(),
            states: States::new(changes.clone()),
            recent_reads: RecentReads::default(),
            changes,
        }
    }

    /// Applies the notification of a durable batch. Invalidates cached values before readers can see the new position. A batch at or
    /// below the watermark was applied already: the database also notifies the process that wrote it, often after readers have
    /// cached newer values.
    pub(crate) fn committed(&self, notification: &CommitNotification) {
        if notification.until > self.watermark.reached() {
            self.invalidate(notification);
        }
        self.reached(notification.until);
    }

    /// Applies the notification of a batch that this process wrote.
    pub(crate) fn wrote<'r>(&self, notification: &CommitNotification, recorded: impl Iterator<Item = &'r Recorded>) {
        self.invalidate(notification);
        self.recent.insert(recorded);
        self.reached(notification.until);
    }

    /// Invalidates cached values and advances the watermark. The poll finds changes that the notification does not list.
    fn invalidate(&self, CommitNotification { after, until, types, invalidated }: &CommitNotification) {
        let Some(invalidated) = invalidated else { return self.changes.invalidate_all() };
        for stream in invalidated {
            self.changes.invalidate_at(stream, *until);
        }
        self.watermark.record(*after, *until, types);
    }

    /// The database has lost the last events that this process knew, for example after a failover to a replica that lagged behind.
    /// Drops all cached values and continues from the log's current end. **Invariant:** the tail is rewound last, so that a reader
    /// which then queries again finds no lost event.
    pub(crate) fn rewound(&self, remembered: i64, position: i64) {
        tracing::error!(
            remembered,
            position,
            "the database has lost events that this process had read; all caches are dropped"
        );
        metrics::counter!("buildtrack_log_rewound_total").increment(1);
        self.recent.rewind(position);
        self.watermark.rewind(position);
        self.near_duplicates.clear();
        self.recent_reads.clear();
        self.states.clear();
        self.changes.rewind();
        self.tail.rewind(position);
    }

    /// The log has reached this position.
    pub(crate) fn reached(&self, position: i64) {
        self.recent.reached(position);
        self.tail.reached(position);
    }
}
