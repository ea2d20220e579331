//! The event log: gap-free positions in commit order, typed conflicts, a hash chain, group commit.
//!
//! **Invariant:** the writer assigns positions only under the head's lock, so a reader that has seen a position can see all earlier
//! ones. **Invariant:** a caller gets its answer only when its events are durable.

pub(crate) mod announcer;
mod answers;
pub(crate) mod batch;
mod caps;
pub(crate) mod changes;
mod checkpoint;
pub(crate) mod commit;
pub(crate) mod commit_notification;
mod consumers;
pub(crate) mod context;
mod deleted_names;
pub(crate) mod follower;
mod follower_connection;
pub(crate) mod handle;
pub(crate) mod head;
mod leases;
pub(crate) mod lookup;
pub(crate) mod masks;
pub(crate) mod near_duplicates;
mod postgres;
mod reader;
pub(crate) mod recent;
pub(crate) mod recent_reads;
mod recorded;
mod resealing;
mod side_tables;
mod sqlite;
pub(crate) mod states;
pub(crate) mod storage;
mod tail;
mod times;
mod transaction;
mod unit;
mod versions;
pub(crate) mod wal;
pub(crate) mod watermark;
pub(crate) mod writer;
mod writer_health;

use std::sync::Arc;

use buildtrack_domain::log::{Hash, Salt};
use chrono::{DateTime, Utc};

pub use answers::{Answer, Ticket};
pub use caps::Cap;
pub use checkpoint::{Checkpoint, PublicKey, SignedHead, SignedTrack, signed_head, signed_track, signed_with};
use context::Context;
pub use context::{Expiry, SideChange};
use futures_util::FutureExt;
pub use handle::Log;
pub use reader::{LoggedEvent, PublicEvent, Withheld};
pub use recorded::Recorded;
pub use side_tables::Change;
pub(crate) use side_tables::TextRemoval;
use side_tables::{has_expired, prune};
pub use storage::{Storage, StorageLimits};
pub use tail::Tail;
pub use unit::{Done, Loaded, Unit};

/// What the log's own side tables declare.
pub(crate) const CONTEXT: Context = Context {
    prune: |tx, expiry, now| prune(tx, expiry, now).boxed(),
    has_expired: |db, expiry, now| has_expired(db, expiry, now).boxed(),
    ..Context::EMPTY
};

/// One row of the log, ready to insert.
#[derive(Debug)]
pub(crate) struct EventRow {
    pub(crate) position: i64,
    pub(crate) stream: Arc<str>,
    pub(crate) version: i64,
    pub(crate) event_type: &'static str,
    pub(crate) data: String,
    pub(crate) salt: Salt,
    /// Whether the hash covers the sealed header.
    pub(crate) sealed: bool,
    pub(crate) data_hash: Hash,
    pub(crate) metadata: Arc<str>,
    pub(crate) recorded_at: DateTime<Utc>,
    pub(crate) hash: Hash,
}
