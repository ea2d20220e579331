//! Payloads of pushes, built from the log for each attempt, so that a redaction also applies to queued deliveries.

use buildtrack_domain::webhooks::{BATCH, BODY_MAX, batch_body};
use buildtrack_store::{Delivery, Store, StoreError, sha256_hex};
use chrono::{DateTime, Utc};

use super::client::Traced;

/// Bytes of a batch body around its events.
const BATCH_OVERHEAD: usize = 200;

/// The payload of one push.
#[derive(Debug)]
pub(crate) struct Payload {
    pub(crate) body: String,
    /// The push type, or `batch`.
    pub(crate) event: &'static str,
    /// The id of the delivery or of the batch; the same deliveries always give the same id.
    pub(crate) id: String,
    /// The events in the body.
    pub(crate) events: Vec<Traced>,
}

/// Deliveries classified by their next step.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    /// They are in this push.
    pub(crate) sent: Vec<Delivery>,
    /// Their event was redacted; there is nothing left to send.
    pub(crate) gone: Vec<Delivery>,
    /// Their event cannot be read. An operator may repair the log.
    pub(crate) damaged: Vec<Delivery>,
    /// They wait for the next push.
    pub(crate) left: Vec<Delivery>,
}

/// Builds one push from the first deliveries of one endpoint: at most `batch` events, below the maximum body size. `None` if
/// no delivery can be sent.
pub(crate) async fn build(
    store: &Store,
    deliveries: Vec<Delivery>,
    batch: usize,
    public_url: &String,
) -> Result<(Option<Payload>, Sorted), StoreError> {
    let mut sorted = Sorted::default();
    let (mut entries, mut length, mut alone, mut last) =
        (Vec::new(), BATCH_OVERHEAD, None, DateTime::<Utc>::UNIX_EPOCH);
    let (mut full, mut events) = (false, Vec::new());
    for delivery in deliveries {
        if full || sorted.sent.len() >= batch.max(1) {
            sorted.left.push(delivery);
            continue;
        }
        let recorded = match store.log().recorded_at(delivery.position).await {
            Ok(recorded) => recorded,
            Err(StoreError::Damaged(error)) => {
                tracing::error!(delivery = %delivery.id, error, "the event of a delivery cannot be read");
                sorted.damaged.push(delivery);
                continue;
            }
            Err(error) => return Err(error),
        };
        let push = recorded.as_ref().and_then(|recorded| Some((recorded.event.as_ref()?.push()?, recorded)));
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
    let payload = match (&*sorted.sent, alone) {
        ([delivery], Some(body)) => {
            Some(Payload { body, event: delivery.push_type.as_str(), id: delivery.id.to_string(), events })
        }
        ([first, ..], _) => {
            let body = batch_body(first.agent_id, &entries, last);
            Some(Payload { body, event: BATCH, id: id_of(&sorted.sent), events })
        }
        ([], _) => None,
    };
    Ok((payload, sorted))
}

/// The id of a batch is derived from its deliveries, so a receiver can drop repeats: if another attempt holds other
/// deliveries, the id changes.
fn id_of(deliveries: &[Delivery]) -> String {
    let ids: Vec<_> = deliveries.iter().map(|delivery| delivery.id.to_string()).collect();
    format!("batch_{}", &sha256_hex(ids.join(" "))[..32])
}
