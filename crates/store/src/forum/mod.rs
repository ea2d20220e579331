//! The forum as it is read: posts, replies, solutions, and who has taken part in what.
//!
//! **Invariant:** whatever counts or orders posts comes out the same in a rebuild, where the row of a post or a reply that
//! was taken back is made only where that happened: sums and greatest positions do not depend on the order.

mod posts;
mod replies;
mod solutions;
mod versions;

pub use posts::{PostFilter, PostView};
pub use replies::{ReplyFilter, ReplyView};

use buildtrack_domain::{actors::ActorId, event::Event};
use chrono::{DateTime, Utc};

use crate::{
    Recorded, StoreError,
    db::{Tx, execute, within},
};

/// Where something began on the log, and when.
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
        let (position, at) = within!(tx, |connection| {
            sqlx::query_as("SELECT position, recorded_at FROM events WHERE stream = $1 AND version = 1")
                .bind(stream)
                .fetch_one(connection)
                .await?
        });
        Ok(Self { position, at })
    }
}

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
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

/// Somebody has taken part in a post, there if not before.
async fn take_part(tx: &mut Tx<'_>, post_id: &str, participant: ActorId, position: i64) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO participations (post_id, participant_id, position) VALUES ($1, $2, $3) \
         ON CONFLICT (post_id, participant_id) DO UPDATE SET position = \
         CASE WHEN excluded.position < participations.position THEN excluded.position ELSE participations.position END",
        post_id,
        participant.to_string(),
        position,
    );
    Ok(())
}
