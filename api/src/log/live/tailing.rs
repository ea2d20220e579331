//! The one reader of the log: it follows the tail while there are streams, and hands on what it reads.

use std::{sync::Arc, time::Duration};

use buildtrack_store::{Store, StoreError, log::PublicEvent};
use tokio::time::{Instant, sleep};

use super::{
    frames,
    hub::{Entry, Hub},
};
use crate::app::App;

/// How many events it begins with: who comes back after a restart finds what was missed here.
const LAST: i64 = 1024;
/// Events in one read.
const STEP: i64 = 100;
/// Between two reads of less: what happens meanwhile is handed on together, and wakes each stream once.
const PAUSE: Duration = Duration::from_millis(10);
/// Bytes of frames that are handed on together: an eighth of those that are kept.
const TOGETHER: usize = 1024 * 1024;
/// After a read that failed.
const RECOVERY: Duration = Duration::from_secs(1);

/// Follows the log until the server stops.
pub(crate) async fn follow(app: Arc<App>) {
    let following = async {
        let mut rewinds = app.store.tail().rewinds();
        loop {
            let found = app.store.tail().rewinds();
            if std::mem::replace(&mut rewinds, found) != found {
                // Clients come back with what they were told last, and learn where the log ends.
                app.live.rewind();
            }
            while !app.live.is_wanted() {
                app.live.unload();
                app.live.wanted.notified().await;
            }
            if let Err(error) = step(&app.store, &app.live).await {
                tracing::warn!(%error, "the log cannot be followed for live streams");
                sleep(RECOVERY).await;
            }
        }
    };
    app.stopping.run_until_cancelled(following).await;
    app.live.end();
}

async fn step(store: &Store, hub: &Hub) -> Result<(), StoreError> {
    let Some(position) = hub.position() else { return load(store, hub).await };
    store.tail().beyond(position).await;
    let (begun, read_at) = (Instant::now(), store.tail().head());
    let events = store.public_log(position, STEP).await?;
    let full = i64::try_from(events.len()).unwrap_or(i64::MAX) == STEP;
    hand_on(store, hub, events, read_at).await?;
    if !full {
        hub.caught_up(begun);
        sleep(PAUSE).await;
    }
    Ok(())
}

async fn load(store: &Store, hub: &Hub) -> Result<(), StoreError> {
    let head = store.tail().head();
    let mut position = (head - LAST).max(0);
    hub.begin(position);
    while position < head {
        let read_at = store.tail().head();
        let events = store.public_log(position, STEP.min(head - position)).await?;
        let Some(last) = events.last() else { break };
        position = last.event.position;
        hand_on(store, hub, events, read_at).await?;
    }
    hub.open();
    Ok(())
}

async fn hand_on(store: &Store, hub: &Hub, events: Vec<PublicEvent>, read_at: i64) -> Result<(), StoreError> {
    let (mut entries, mut bytes) = (Vec::with_capacity(events.len()), 0);
    for event in events {
        if event.event.event_type.ends_with(".redacted") {
            refresh(store, hub, &event.event.stream).await?;
        }
        if let Some(subject) = event.event.stream.strip_prefix("moderation:") {
            refresh(store, hub, subject).await?;
        }
        let entry = entry(store, event, read_at).await?;
        bytes += entry.frame.len();
        entries.push(entry);
        if bytes > TOGETHER {
            hub.hand_on(std::mem::take(&mut entries));
            bytes = 0;
            // What was handed on is taken before what follows takes its place among the last events.
            sleep(PAUSE).await;
        }
    }
    hub.hand_on(entries);
    Ok(())
}

/// What was redacted or hidden leaves the memory before anybody hears of it.
async fn refresh(store: &Store, hub: &Hub, stream: &str) -> Result<(), StoreError> {
    for position in hub.positions_of(stream) {
        let read_at = store.tail().head();
        if let Some(event) = store.public_log(position - 1, 1).await?.pop() {
            hub.replace(position, frames::event(event), read_at);
        }
    }
    Ok(())
}

async fn entry(store: &Store, event: PublicEvent, read_at: i64) -> Result<Entry, StoreError> {
    let (position, stream, event_type) =
        (event.event.position, event.event.stream.as_str().into(), event.event.event_type.as_str().into());
    let belonging = store.belonging(&event).await?;
    Ok(Entry { position, stream, event_type, belonging, frame: frames::event(event), read_at })
}
