//! Batched reads of events by position: positions requested while one statement runs share the next statement.

use std::{collections::HashMap, mem};

use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
};

use super::LoggedEvent;
use super::{Recorded, postgres, sqlite};
use crate::{
    StoreError,
    database::{Db, Reading},
};

/// Positions that one statement reads.
const POSITIONS: usize = 256;

type Question = (i64, oneshot::Sender<Result<Option<Recorded>, StoreError>>);

/// A handle to the lookup task. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Lookup(mpsc::UnboundedSender<Question>);

impl Lookup {
    /// Starts the task that answers lookups. It ends when the last handle is dropped.
    pub(crate) fn start(db: &Db, tasks: &mut JoinSet<()>) -> Self {
        let (sender, mut asked) = mpsc::unbounded_channel();
        let db = db.clone();
        tasks.spawn(async move {
            let (mut questions, mut retained) = (Vec::new(), None);
            while asked.recv_many(&mut questions, POSITIONS).await > 0 {
                answer(&db, &mut retained, mem::take(&mut questions)).await;
            }
        });
        Self(sender)
    }

    /// The event at one position, read from the database.
    pub(crate) async fn at(&self, position: i64) -> Result<Option<Recorded>, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.0.send((position, reply)).map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

async fn answer(db: &Db, retained: &mut Option<Reading>, questions: Vec<Question>) {
    let positions: Vec<_> = questions.iter().map(|(position, _)| *position).collect();
    // The idle connection may have been lost. The second call opens a new one, so that the callers get an answer.
    let found = match logged(db, retained, &positions).await {
        Err(_) => logged(db, retained, &positions).await,
        found => found,
    };
    for (position, reply) in questions {
        let answer = match &found {
            Ok(events) => events.get(&position).cloned().map(LoggedEvent::into_recorded).transpose(),
            Err(error) => Err(error.again()),
        };
        // A caller that stopped waiting needs no answer.
        drop(reply.send(answer));
    }
}

/// Reads the events at these positions. Keeps the connection for the next call unless the statement fails.
async fn logged(
    db: &Db,
    retained: &mut Option<Reading>,
    positions: &[i64],
) -> Result<HashMap<i64, LoggedEvent>, StoreError> {
    let mut reading = match retained.take() {
        Some(reading) => reading,
        None => Reading::open(db).await?,
    };
    let events = match &mut reading {
        Reading::Postgres(pool) => postgres::logged_at(&*pool, positions).await?,
        Reading::Sqlite(connection) => sqlite::logged_at(&mut **connection, positions).await?,
    };
    *retained = Some(reading);
    Ok(events.into_iter().map(|event| (event.position, event)).collect())
}
