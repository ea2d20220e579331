//! The reader task of live streams: it follows the tail while there are streams, and delivers new events to the hub.

use std::{sync::Arc, time::Duration};

use buildtrack_http::app::App;
use buildtrack_store::{
    Store, StoreError,
    log::{PublicEvent, Withheld},
};
use tokio::time::{Instant, sleep};

use super::{
    frames,
    hub::{Entry, Hub},
};

/// Number of recent events loaded at the start, so that clients that reconnect after a restart find them in the cache.
const LAST: i64 = 1024;
/// Events in one read.
const STEP: i64 = 100;
/// Delay between two reads below a full step. Events that arrive meanwhile are delivered together and wake each stream
/// once.
const PAUSE: Duration = Duration::from_millis(10);
/// Bytes of frames that are delivered together: an eighth of the cache.
const BATCH_BYTES: usize = 1024 * 1024;
/// The events of a debate after which a motion may be shown in full.
const OPENING: [&str; 3] = ["match.turn_judged", "match.finished", "match.voided"];
/// Delay after a failed read.
const RECOVERY: Duration = Duration::from_secs(1);

/// Follows the log until the server stops.
pub async fn follow(app: Arc<App>, live: Arc<Hub>) {
    let following = async {
        let mut rewinds = app.store.log().tail().rewinds();
        loop {
            let found = app.store.log().tail().rewinds();
            if std::mem::replace(&mut rewinds, found) != found {
                // Clients reconnect with their last position and learn the new end of the log.
                live.rewind();
            }
            while !live.is_wanted() {
                live.unload();
                live.wanted.notified().await;
            }
            if let Err(error) = step(&app.store, &live).await {
                tracing::warn!(%error, "reading the log for live streams failed; the server retries");
                sleep(RECOVERY).await;
            }
        }
    };
    app.stopping.run_until_cancelled(following).await;
    live.end();
}

async fn step(store: &Store, hub: &Hub) -> Result<(), StoreError> {
    let Some(position) = hub.position() else { return load(store, hub).await };
    store.log().tail().wait_past(position).await;
    let (begun, read_at) = (Instant::now(), store.log().tail().head());
    let events = store.log().public_log(position, STEP).await?;
    let full = i64::try_from(events.len()).unwrap_or(i64::MAX) == STEP;
    deliver(store, hub, events, read_at).await?;
    if !full {
        hub.caught_up(begun);
        sleep(PAUSE).await;
    }
    Ok(())
}

async fn load(store: &Store, hub: &Hub) -> Result<(), StoreError> {
    let head = store.log().tail().head();
    let mut position = (head - LAST).max(0);
    hub.begin(position);
    while position < head {
        let read_at = store.log().tail().head();
        let events = store.log().public_log(position, STEP.min(head - position)).await?;
        let Some(last) = events.last() else { break };
        position = last.event.position;
        deliver(store, hub, events, read_at).await?;
    }
    hub.open();
    Ok(())
}

async fn deliver(store: &Store, hub: &Hub, events: Vec<PublicEvent>, read_at: i64) -> Result<(), StoreError> {
    let (mut entries, mut bytes) = (Vec::with_capacity(events.len()), 0);
    for event in events {
        if event.event.event_type.ends_with(".redacted") {
            refresh(store, hub, hub.positions_of(&event.event.stream)).await?;
        }
        if let Some(subject) = event.event.stream.strip_prefix("moderation:") {
            refresh(store, hub, hub.positions_of(subject)).await?;
        }
        if OPENING.contains(&event.event.event_type.as_str()) {
            refresh(store, hub, hub.sealed_positions_of(&event.event.stream)).await?;
        }
        let entry = entry(store, event, read_at).await?;
        bytes += entry.frame.len();
        entries.push(entry);
        if bytes > BATCH_BYTES {
            hub.deliver(std::mem::take(&mut entries));
            bytes = 0;
            // Gives streams time to take the delivered events before later ones displace them from the cache.
            sleep(PAUSE).await;
        }
    }
    hub.deliver(entries);
    Ok(())
}

/// Replaces these cached frames before the event is delivered that redacts or hides them, or opens their seal.
async fn refresh(store: &Store, hub: &Hub, positions: Vec<i64>) -> Result<(), StoreError> {
    for position in positions {
        let read_at = store.log().tail().head();
        if let Some(event) = store.log().public_log(position - 1, 1).await?.pop() {
            let is_sealed = is_sealed(&event);
            hub.replace(position, (frames::event(event), is_sealed), read_at);
        }
    }
    Ok(())
}

async fn entry(store: &Store, event: PublicEvent, read_at: i64) -> Result<Entry, StoreError> {
    let (position, stream, event_type) =
        (event.event.position, event.event.stream.as_str().into(), event.event.event_type.as_str().into());
    let belonging = store.locations().belonging(&event).await?;
    let is_sealed = is_sealed(&event);
    Ok(Entry { position, stream, event_type, belonging, frame: frames::event(event), is_sealed, read_at })
}

fn is_sealed(event: &PublicEvent) -> bool {
    event.withheld == Some(Withheld::Sealed)
}
