//! Enqueues, leases, releases, settles, resends and cancels deliveries.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{Arc, PoisonError},
    time::Duration,
};

use buildtrack_domain::ids::{DeliveryId, WebhookId};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::{
    Claim, ClaimLimits, ClaimedDeliveries, Delivery, DeliveryRow, NewDelivery, Outcome, Streak, Verdict, WaitsFor,
    types::{Choice, ClaimedRows},
};
use crate::{
    StoreError,
    database::{Tx, values},
    log::commit::Commit,
    log::context::SideChange,
    webhooks::Webhooks,
    webhooks::{Change, postgres, sqlite},
};

#[boxed]
impl Webhooks {
    /// Commits these changes. Returns the new deliveries, without those that already existed.
    pub async fn enqueue(
        &self,
        changes: impl IntoIterator<Item = impl Into<SideChange>>,
    ) -> Result<Vec<Delivery>, StoreError> {
        let changes: Vec<SideChange> = changes.into_iter().map(Into::into).collect();
        let new = changes.iter().filter_map(|change| match change.of() {
            Some(Change::Deliveries(deliveries)) => Some(deliveries.clone()),
            _ => None,
        });
        let new: Vec<_> = new.flatten().collect();
        let enqueued = self.log.commit(Commit { side_changes: changes, ..Commit::default() }).await?.enqueued;
        let known = |delivery: NewDelivery| {
            let previous = *enqueued.get(&delivery.id)?;
            Some(Delivery { previous: Some(previous), ..delivery.into() })
        };
        Ok(new.into_iter().filter_map(known).collect())
    }

    /// Leases up to `limit` due deliveries for `lease`. After that another process may claim them.
    pub async fn claim_due(&self, lease: Duration, limit: usize) -> Result<Vec<Delivery>, StoreError> {
        let limits = ClaimLimits { all: limit, endpoints: HashMap::new() };
        Ok(self.claim_due_within(lease, limits).await?.deliveries)
    }

    /// Like [`Webhooks::claim_due`], but also with a limit for single endpoints. The limit of all is that of the deliveries that the
    /// claim looks at: if an endpoint with a lower limit has many that are due, a claim takes fewer, and the next one must
    /// exclude that endpoint to reach the others.
    pub async fn claim_due_within(
        &self,
        lease: Duration,
        limits: ClaimLimits,
    ) -> Result<ClaimedDeliveries, StoreError> {
        // Use the writer only if a delivery is due.
        if self.next_due().await?.is_none_or(|due| due > self.clock.now()) {
            return Ok(ClaimedDeliveries::default());
        }
        self.claim_deliveries(lease, Choice::Next(limits)).await
    }

    /// Leases this delivery for `lease`, if it is due.
    pub async fn claim_one(&self, lease: Duration, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        Ok(self.claim_deliveries(lease, Choice::One(id.to_string())).await?.deliveries.pop())
    }

    async fn claim_deliveries(&self, lease: Duration, choice: Choice) -> Result<ClaimedDeliveries, StoreError> {
        let claim = Claim { until: self.clock.after(lease), choice, claimed: Arc::default() };
        self.log.write_side([Change::Claim(claim.clone())]).await?;
        let ClaimedRows { rows, is_partial } =
            std::mem::take(&mut *claim.claimed.lock().unwrap_or_else(PoisonError::into_inner));
        // An unreadable delivery stays leased until its lease expires; the others proceed.
        let readable = |claimed: DeliveryRow| {
            let unreadable = |error: &StoreError| {
                metrics::counter!("buildtrack_unreadable_rows_total", "table" => "deliveries").increment(1);
                tracing::error!(%error, "a stored delivery cannot be read and is skipped");
            };
            claimed.delivery().inspect_err(unreadable).ok()
        };
        let mut deliveries: Vec<_> = rows.into_iter().filter_map(readable).collect();
        deliveries.sort_by_key(|delivery| delivery.position);
        Ok(ClaimedDeliveries { deliveries, is_partial })
    }
}

impl Claim {
    /// Leases the deliveries. A repeated transaction replaces the result.
    pub(crate) async fn run(&self, tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        let claimed = claim(tx, self, now).await?;
        *self.claimed.lock().unwrap_or_else(PoisonError::into_inner) = claimed;
        Ok(())
    }
}

async fn claim(tx: &mut Tx<'_>, claim: &Claim, now: DateTime<Utc>) -> Result<ClaimedRows, StoreError> {
    let (ids, is_partial) = match &claim.choice {
        Choice::Next(limits) => {
            let due = due(tx, limits, now).await?;
            let is_partial = due.len() >= limits.all;
            (limits.choose(due), is_partial)
        }
        Choice::One(id) => (vec![id.clone()], false),
    };
    if ids.is_empty() {
        return Ok(ClaimedRows { rows: vec![], is_partial });
    }
    let rows = match tx {
        Tx::Postgres(connection) => postgres::lease(connection, &ids, now, claim.until).await?,
        Tx::Sqlite(script) => sqlite::lease(script.connection().await?, &ids, now, claim.until).await?,
    };
    Ok(ClaimedRows { rows, is_partial })
}

/// The first due deliveries (id and endpoint), except those of excluded endpoints.
async fn due(tx: &mut Tx<'_>, limits: &ClaimLimits, now: DateTime<Utc>) -> Result<Vec<(String, String)>, StoreError> {
    let (limit, except) = (i64::try_from(limits.all).unwrap_or(i64::MAX), limits.excluded());
    match tx {
        Tx::Postgres(connection) => postgres::due(connection, now, limit, &except).await,
        Tx::Sqlite(script) => sqlite::due(script.connection().await?, now, limit, &except).await,
    }
}

/// Inserts the deliveries and records the outcomes. Returns the new deliveries, each with the position of the previous one of its
/// endpoint.
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
    let placed = insert_deliveries(tx, deliveries, now).await?;
    if outcomes.is_empty() {
        return Ok(placed);
    }
    match tx {
        Tx::Postgres(connection) => postgres::record_outcomes(connection, outcomes).await?,
        Tx::Sqlite(script) => sqlite::record_outcomes(script, outcomes).await?,
    }
    if !streaks.is_empty() {
        match tx {
            Tx::Postgres(connection) => postgres::note_streaks(connection, &streaks).await?,
            Tx::Sqlite(script) => sqlite::note_streaks(script, &streaks).await?,
        }
    }
    Ok(placed)
}

/// Inserts deliveries that do not exist yet, each linked to the previous one of its endpoint.
async fn insert_deliveries(
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
        Tx::Postgres(connection) => postgres::insert_deliveries(connection, &once, now).await?,
        Tx::Sqlite(script) => sqlite::insert_deliveries(script, &once, now).await?,
    };
    let mut previous: HashMap<_, _> = placed.into_iter().collect();
    let behind = |delivery: &&NewDelivery| Some((delivery.id, previous.remove(&delivery.id.to_string())?));
    Ok(once.iter().filter_map(behind).collect())
}

/// Opens an endpoint's breaker and postpones its pending deliveries, unless the breaker was closed since `resets` was read. Without
/// `resets` it always opens the breaker.
pub(crate) async fn postpone(
    tx: &mut Tx<'_>,
    id: WebhookId,
    until: DateTime<Utc>,
    resets: Option<i64>,
) -> Result<(), StoreError> {
    let opened = tx
        .execute(
            "UPDATE webhook_progress SET open_until = CASE WHEN open_until > $2 THEN open_until ELSE $2 END \
         WHERE webhook_id = $1 AND resets = coalesce($3, resets)",
            values![id.to_string(), until, resets],
        )
        .await?;
    if opened > 0 {
        tx.execute(
            "UPDATE deliveries SET next_at = $2, waits_for = 'breaker' \
             WHERE webhook_id = $1 AND status = 'pending' AND next_at < $2",
            values![id.to_string(), until],
        )
        .await?;
    }
    Ok(())
}

/// Releases leased deliveries: they become due at `at`. `waits_for` records the reason. If the reason is a breaker that was closed
/// meanwhile, they become due at once.
pub(crate) async fn release(
    tx: &mut Tx<'_>,
    ids: &[DeliveryId],
    at: DateTime<Utc>,
    waits_for: Option<WaitsFor>,
) -> Result<(), StoreError> {
    let (ids, waits_for): (Vec<_>, _) =
        (ids.iter().map(ToString::to_string).collect(), waits_for.map(WaitsFor::as_str));
    match tx {
        Tx::Postgres(connection) => postgres::release_deliveries(connection, &ids, at, waits_for).await,
        Tx::Sqlite(script) => sqlite::release_deliveries(script.connection().await?, &ids, at, waits_for).await,
    }
}

/// Makes a delivery due now, regardless of its status. Its attempts continue to be numbered.
pub(crate) async fn resend(tx: &mut Tx<'_>, id: DeliveryId, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE deliveries SET status = 'pending', step = 0, next_at = $2, settled_at = NULL, expires_at = NULL, \
         waits_for = NULL WHERE id = $1",
        values![id.to_string(), now],
    )
    .await?;
    Ok(())
}

/// Cancels a pending delivery.
pub(crate) async fn cancel(tx: &mut Tx<'_>, id: DeliveryId, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE deliveries SET status = 'cancelled', settled_at = $2 WHERE id = $1 AND status = 'pending'",
        values![id.to_string(), now],
    )
    .await?;
    Ok(())
}

/// Cancels an endpoint's pending deliveries. The events stay on the log, and can be replayed.
pub(crate) async fn cancel_all(tx: &mut Tx<'_>, id: WebhookId, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE deliveries SET status = 'cancelled', settled_at = $2 WHERE webhook_id = $1 AND status = 'pending'",
        values![id.to_string(), now],
    )
    .await?;
    Ok(())
}

/// Summarizes a batch of outcomes, in their order, for each endpoint.
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
