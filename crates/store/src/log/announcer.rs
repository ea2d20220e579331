//! Tells whoever reads in this process what was committed, by itself or by others.

use super::{Tail, heard::Heard, lately::Lately, news::News, recent::Recent};
use crate::{Recorded, changes::Changes, repeats::Repeats, states::States};

/// What is to be told. Cheap to clone.
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
    /// A batch is durable: what it changed is forgotten before anybody hears of it.
    pub(crate) fn committed(&self, news: &News) {
        self.hear(news);
        self.reached(news.until);
    }

    /// The same of a batch of this process's own.
    pub(crate) fn wrote<'r>(&self, news: &News, recorded: impl Iterator<Item = &'r Recorded>) {
        self.hear(news);
        self.recent.remember(recorded);
        self.reached(news.until);
    }

    /// What is not told of it, the poll finds.
    fn hear(&self, News { after, until, types, touched }: &News) {
        let Some(touched) = touched else { return self.changes.forget_all() };
        for stream in touched {
            self.changes.forget_at(stream, *until);
        }
        self.heard.hear(*after, *until, types);
    }

    /// The database has lost the last events that this process knew, as after a failover to a replica that was behind: all that
    /// is remembered is dropped, and this process goes on from where the log ends now. **Invariant:** the tail says so last, when
    /// a follower that looks again finds nothing that was lost.
    pub(crate) fn rewound(&self, remembered: i64, position: i64) {
        tracing::error!(
            remembered,
            position,
            "the database has lost events that this process knew of; what it remembers is dropped"
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

    /// The log is known to end here.
    pub(crate) fn reached(&self, position: i64) {
        self.recent.reached(position);
        self.tail.reached(position);
    }
}
