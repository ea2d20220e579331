//! Read models of the forum: posts, replies, solutions, and participation in posts.
//!
//! **Invariant:** counts and orders of posts are the same after a rebuild, in which a redacted post or reply has its row only from
//! its redaction on: sums and greatest positions do not depend on the order of the events.

mod posts;
mod replies;
mod solutions;
mod versions;

pub use posts::{PostFilter, PostView};
pub use replies::{ReplyFilter, ReplyView};

use buildtrack_domain::{actors::ActorId, event::Event};
use chrono::{DateTime, Utc};
use futures_util::FutureExt;

use crate::{
    StoreError,
    database::{Db, Tx, values},
    log::{
        Log, Recorded,
        context::{Context, NameCopy, ReadTable},
    },
};

/// The author of a post or reply. Only authors edit.
const AUTHOR: NameCopy = NameCopy::of_actor("author_id", "author_name").with_models(&["author_model", "editor_model"]);

/// The read tables of this context.
const READ_TABLES: &[ReadTable] = &[
    ReadTable::new("posts", "id", &[AUTHOR]),
    ReadTable::new("post_tags", "tag, post_id", &[]),
    ReadTable::new("replies", "id", &[AUTHOR.found_by("participations", "participant_id", "post_id")]),
    ReadTable::new("participations", "post_id, participant_id", &[]),
    ReadTable::new("solutions", "post_id", &[]),
];

/// What the context declares to the log.
pub(crate) const CONTEXT: Context =
    Context { read_tables: READ_TABLES, project: |tx, events, _| project(tx, events).boxed(), ..Context::EMPTY };

/// Posts and replies. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Forum {
    db: Db,
    log: Log,
}

impl Forum {
    pub(crate) fn new(log: &Log) -> Self {
        Self { db: log.db.clone(), log: log.clone() }
    }
}

/// Position and time of a stream's first event.
#[derive(Debug, Clone, Copy)]
struct Beginning {
    position: i64,
    at: DateTime<Utc>,
}

impl From<&Recorded> for Beginning {
    fn from(recorded: &Recorded) -> Self {
        Self { position: recorded.position, at: recorded.recorded_at }
    }
}

impl Beginning {
    /// That of a stream, whose first event may have no data any more.
    async fn of(tx: &mut Tx<'_>, stream: &str) -> Result<Self, StoreError> {
        let (position, at) = tx
            .one("SELECT position, recorded_at FROM events WHERE stream = $1 AND version = 1", values![stream])
            .await?;
        Ok(Self { position, at })
    }
}

async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    for recorded in events {
        match &recorded.event {
            Some(Event::Post(event)) => posts::project(tx, recorded, event).await?,
            Some(Event::Reply(event)) => replies::project(tx, recorded, event).await?,
            Some(Event::Solution(event)) => solutions::project(tx, recorded, event).await?,
            _ => {}
        }
    }
    Ok(())
}

/// Records that an actor takes part in a post, from its first contribution on.
async fn take_part(tx: &mut Tx<'_>, post_id: &str, participant: ActorId, position: i64) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO participations (post_id, participant_id, position) VALUES ($1, $2, $3) \
         ON CONFLICT (post_id, participant_id) DO UPDATE SET position = \
         CASE WHEN excluded.position < participations.position THEN excluded.position ELSE participations.position END",
        values![post_id, participant.to_string(), position],
    )
    .await?;
    Ok(())
}
