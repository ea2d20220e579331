//! What is sent: made anew for each attempt, so that a redaction reaches what is queued.

use buildtrack_domain::webhooks::{BATCH, BODY_MAX, batch_body};
use buildtrack_store::{Delivery, Store, StoreError, sha256_hex};
use chrono::{DateTime, Utc};

use super::{client::Traced, push_of};

/// Bytes that a body of several events has around them.
const AROUND: usize = 200;

/// One push, in words.
#[derive(Debug)]
pub(crate) struct Letter {
    pub(crate) body: String,
    /// What it is called.
    pub(crate) event: &'static str,
    /// Its id, the same whenever the same deliveries are sent.
    pub(crate) id: String,
    /// What it tells of.
    pub(crate) events: Vec<Traced>,
}

/// Deliveries, sorted by what can be done about them.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    /// They go out, in this one push.
    pub(crate) sent: Vec<Delivery>,
    /// There is nothing to send any more.
    pub(crate) gone: Vec<Delivery>,
    /// They cannot be put into words; an operator may mend that.
    pub(crate) damaged: Vec<Delivery>,
    /// They go next time.
    pub(crate) left: Vec<Delivery>,
}

/// Puts the first deliveries of one endpoint into one push of at most `batch` events, below the largest body; nothing
/// where none of them can be sent.
pub(crate) async fn write(
    store: &Store,
    deliveries: Vec<Delivery>,
    batch: usize,
    public_url: &String,
) -> Result<(Option<Letter>, Sorted), StoreError> {
    let mut sorted = Sorted::default();
    let (mut entries, mut length, mut alone, mut last) = (Vec::new(), AROUND, None, DateTime::<Utc>::UNIX_EPOCH);
    let (mut full, mut events) = (false, Vec::new());
    for delivery in deliveries {
        if full || sorted.sent.len() >= batch.max(1) {
            sorted.left.push(delivery);
            continue;
        }
        let recorded = match store.recorded_at(delivery.position).await {
            Ok(recorded) => recorded,
            Err(StoreError::Damaged(error)) => {
                tracing::error!(delivery = %delivery.id, error, "a delivery cannot be put into words");
                sorted.damaged.push(delivery);
                continue;
            }
            Err(error) => return Err(error),
        };
        let push = recorded.as_ref().and_then(|recorded| Some((push_of(recorded.event.as_ref()?)?, recorded)));
        let Some((push, recorded)) = push else {
            sorted.gone.push(delivery);
            continue;
        };
        if batch > 1 {
            let entry = push.entry(delivery.id, delivery.position, recorded.recorded_at, public_url);
            full = length + entry.len() >= BODY_MAX;
            if full && !sorted.sent.is_empty() {
                sorted.left.push(delivery);
                continue;
            }
            length += entry.len() + 1;
            entries.push(entry);
        }
        if alone.is_none() {
            alone = Some(push.body(delivery.agent_id, recorded.recorded_at, public_url));
        }
        last = recorded.recorded_at;
        events.push(Traced { position: recorded.position, hash: recorded.hash });
        sorted.sent.push(delivery);
    }
    let letter = match (&*sorted.sent, alone) {
        ([delivery], Some(body)) => {
            Some(Letter { body, event: delivery.push_type.as_str(), id: delivery.id.to_string(), events })
        }
        ([first, ..], _) => {
            let body = batch_body(first.agent_id, &entries, last);
            Some(Letter { body, event: BATCH, id: id_of(&sorted.sent), events })
        }
        ([], _) => None,
    };
    Ok((letter, sorted))
}

/// A receiver that knows this id has had these very deliveries: where others join them for another attempt, it changes.
fn id_of(deliveries: &[Delivery]) -> String {
    let ids: Vec<_> = deliveries.iter().map(|delivery| delivery.id.to_string()).collect();
    format!("batch_{}", &sha256_hex(ids.join(" "))[..32])
}
