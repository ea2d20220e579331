//! Applies commit notifications in this process: invalidates caches, then advances the watermark and the tail.

use super::{Tail, heard::Heard, lately::Lately, news::News, recent::Recent};
use crate::{Recorded, changes::Changes, repeats::Repeats, states::States};

/// The parts of the process that a notification updates. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Announcer {
    pub(crate) tail: Tail,
    pub(crate) changes: Changes,
    pub(crate) heard: Heard,
    pub(crate) recent: Recent,
    pub(crate) repeats: Repeats,
    pub(crate) states: States,
    pub(crate) lately: Lately,
}

impl Announcer {
    /// Applies the notification of a durable batch. Invalidates cached values before readers can see the new position.
    pub(crate) fn committed(&self, news: &News) {
        self.hear(news);
        self.reached(news.until);
    }

    /// Applies the notification of a batch that this process wrote.
    pub(crate) fn wrote<'r>(&self, news: &News, recorded: impl Iterator<Item = &'r Recorded>) {
        self.hear(news);
        self.recent.remember(recorded);
        self.reached(news.until);
    }

    /// Invalidates cached values and advances the watermark. The poll finds changes that the notification does not list.
    fn hear(&self, News { after, until, types, touched }: &News) {
        let Some(touched) = touched else { return self.changes.forget_all() };
        for stream in touched {
            self.changes.forget_at(stream, *until);
        }
        self.heard.hear(*after, *until, types);
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
        self.heard.rewind(position);
        self.repeats.clear();
        self.lately.clear();
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
