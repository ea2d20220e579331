//! Deliveries are enqueued, taken up, given back and settled.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    time::Duration,
};

use buildtrack_domain::ids::{DeliveryId, WebhookId};
use chrono::{DateTime, Utc};

use super::{Claim, Delivery, DeliveryRow, NewDelivery, Outcome, Streak, Verdict, WaitsFor, types::Choice};
use crate::{
    Kept, Store, StoreError,
    db::{Tx, execute},
    log::batch::Commit,
    postgres, sqlite,
};

impl Store {
    /// Writes, and comes back with the new deliveries as they are now; those that were there already are left out.
    pub async fn enqueue(&self, kept: Vec<Kept>) -> Result<Vec<Delivery>, StoreError> {
        Ok(self.commit(Commit { kept, ..Commit::default() }).await?.enqueued)
    }

    /// Takes up to `limit` due deliveries for `lease`; after that somebody else may.
    pub async fn claim_due(&self, lease: Duration, limit: i64) -> Result<Vec<Delivery>, StoreError> {
        self.claim_due_except(lease, limit, &[]).await
    }

    /// The same, but none of these endpoints'. Those of one endpoint come in the order of their positions.
    pub async fn claim_due_except(
        &self,
        lease: Duration,
        limit: i64,
        except: &[WebhookId],
    ) -> Result<Vec<Delivery>, StoreError> {
        // The writer is asked only when there is something to take.
        if self.next_due().await?.is_none_or(|due| due > self.clock.now()) {
            return Ok(vec![]);
        }
        let except = except.iter().map(ToString::to_string).collect();
        self.take_up(lease, Choice::Next { limit, except }).await
    }

    /// Takes this one delivery up for `lease`, where it is due.
    pub async fn claim_one(&self, lease: Duration, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        Ok(self.take_up(lease, Choice::One(id.to_string())).await?.pop())
    }

    async fn take_up(&self, lease: Duration, choice: Choice) -> Result<Vec<Delivery>, StoreError> {
        let claim = Some(Claim { until: self.clock.after(lease), choice });
        let committed = self.commit(Commit { claim, ..Commit::default() }).await?;
        let claimed = committed.claimed.into_iter().map(DeliveryRow::delivery);
        let mut deliveries = claimed.collect::<Result<Vec<_>, _>>()?;
        deliveries.sort_by_key(|delivery| delivery.position);
        Ok(deliveries)
    }
}

pub(crate) async fn claim(tx: &mut Tx<'_>, claim: &Claim, now: DateTime<Utc>) -> Result<Vec<DeliveryRow>, StoreError> {
    let Claim { until, choice } = claim;
    match (tx, choice) {
        (Tx::Postgres(connection), Choice::Next { limit, except }) => {
            postgres::claim_due(connection, now, *until, *limit, except).await
        }
        (Tx::Sqlite(script), Choice::Next { limit, except }) => {
            sqlite::claim_due(script.connection().await?, now, *until, *limit, except).await
        }
        (Tx::Postgres(connection), Choice::One(id)) => postgres::claim_one(connection, now, *until, id).await,
        (Tx::Sqlite(script), Choice::One(id)) => sqlite::claim_one(script.connection().await?, now, *until, id).await,
    }
}

/// Writes both, and gives the deliveries that were not there yet, each with the position before it.
pub(crate) async fn write(
    tx: &mut Tx<'_>,
    deliveries: &[NewDelivery],
    outcomes: &[Outcome],
    now: DateTime<Utc>,
) -> Result<HashMap<DeliveryId, Option<i64>>, StoreError> {
    let streaks = streaks(outcomes);
    if let (Tx::Postgres(connection), false, false) = (&mut *tx, deliveries.is_empty(), streaks.is_empty()) {
        let webhooks = deliveries.iter().map(|delivery| delivery.webhook_id.to_string());
        let webhooks: BTreeSet<_> =
            webhooks.chain(streaks.iter().map(|streak| streak.webhook_id.to_string())).collect();
        postgres::lock_progress(connection, &webhooks.into_iter().collect::<Vec<_>>()).await?;
    }
    let placed = place(tx, deliveries, now).await?;
    if outcomes.is_empty() {
        return Ok(placed);
    }
    match tx {
        Tx::Postgres(connection) => postgres::settle(connection, outcomes).await?,
        Tx::Sqlite(script) => sqlite::settle(script, outcomes).await?,
    }
    if !streaks.is_empty() {
        match tx {
            Tx::Postgres(connection) => postgres::note_streaks(connection, &streaks).await?,
            Tx::Sqlite(script) => sqlite::note_streaks(script, &streaks).await?,
        }
    }
    Ok(placed)
}

/// Writes deliveries that are not there yet, each behind the one before it for the same endpoint.
async fn place(
    tx: &mut Tx<'_>,
    deliveries: &[NewDelivery],
    now: DateTime<Utc>,
) -> Result<HashMap<DeliveryId, Option<i64>>, StoreError> {
    if deliveries.is_empty() {
        return Ok(HashMap::new());
    }
    let mut seen = HashSet::new();
    let once: Vec<_> =
        deliveries.iter().filter(|delivery| seen.insert((delivery.position, delivery.webhook_id))).collect();
    let placed = match tx {
        Tx::Postgres(connection) => postgres::place(connection, &once, now).await?,
        Tx::Sqlite(script) => sqlite::place(script, &once, now).await?,
    };
    let mut previous: HashMap<_, _> = placed.into_iter().collect();
    let behind = |delivery: &&NewDelivery| Some((delivery.id, previous.remove(&delivery.id.to_string())?));
    Ok(once.iter().filter_map(behind).collect())
}

/// Opens an endpoint's breaker and puts off all that waits for it, unless the breaker was closed since it stood at
/// `resets`, where that is known.
pub(crate) async fn postpone(
    tx: &mut Tx<'_>,
    id: WebhookId,
    until: DateTime<Utc>,
    resets: Option<i64>,
) -> Result<(), StoreError> {
    let opened = execute!(
        tx,
        "UPDATE webhook_progress SET open_until = CASE WHEN open_until > $2 THEN open_until ELSE $2 END \
         WHERE webhook_id = $1 AND resets = coalesce($3, resets)",
        id.to_string(),
        until,
        resets,
    );
    if opened > 0 {
        execute!(
            tx,
            "UPDATE deliveries SET next_at = $2, waits_for = 'breaker' \
             WHERE webhook_id = $1 AND status = 'pending' AND next_at < $2",
            id.to_string(),
            until,
        );
    }
    Ok(())
}

/// Makes deliveries that were taken up due at `at`; they are put off for this. For a breaker that was closed meanwhile
/// nothing is put off.
pub(crate) async fn give_back(
    tx: &mut Tx<'_>,
    ids: &[DeliveryId],
    at: DateTime<Utc>,
    waits_for: Option<WaitsFor>,
) -> Result<(), StoreError> {
    let (ids, waits_for): (Vec<_>, _) =
        (ids.iter().map(ToString::to_string).collect(), waits_for.map(WaitsFor::as_str));
    match tx {
        Tx::Postgres(connection) => postgres::give_back(connection, &ids, at, waits_for).await,
        Tx::Sqlite(script) => sqlite::give_back(script.connection().await?, &ids, at, waits_for).await,
    }
}

/// What a batch of outcomes, in their order, says of each endpoint.
fn streaks(outcomes: &[Outcome]) -> Vec<Streak> {
    let mut streaks: HashMap<WebhookId, Streak> = HashMap::new();
    for outcome in outcomes {
        let webhook_id = outcome.webhook_id;
        match outcome.verdict {
            Verdict::Works => drop(streaks.insert(webhook_id, Streak::new(webhook_id, true))),
            Verdict::Fails => {
                let streak = streaks.entry(webhook_id).or_insert_with(|| Streak::new(webhook_id, false));
                if let Some(attempt) = &outcome.attempt {
                    streak.since = streak.since.or(Some(attempt.started_at));
                    streak.failures += 1;
                    streak.last_status = attempt.status_code;
                    streak.last_error.clone_from(&attempt.error);
                }
            }
            Verdict::Silent => {}
        }
    }
    streaks.into_values().collect()
}
