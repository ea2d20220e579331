//! How much an address and a sender may send: the address by itself, the sender by its age and record.

use std::time::Duration;

use actix_web::{HttpRequest, http::StatusCode};
use buildtrack_domain::{limits::Quota, relay::allowed};
use buildtrack_store::Allowance;

use crate::{
    app::App,
    http::{guard::client_address, problem::Problem},
};

/// How long what an agent has done is taken for what it has done.
const KNOWN: Duration = Duration::from_mins(1);
/// How many agents' records are remembered.
const CAPACITY: u64 = 10_000;

/// Sender → what it is allowed at the moment.
pub(crate) type Allowances = moka::sync::Cache<String, Quota>;

pub(crate) fn allowances() -> Allowances {
    moka::sync::Cache::builder().max_capacity(CAPACITY).time_to_live(KNOWN).build()
}

/// Counts a request against its address: reading, and what has to be verified before its sender is known.
pub(super) fn admit_address(app: &App, request: &HttpRequest) -> Result<(), Problem> {
    let address = client_address(app, request);
    let quota = app.settings.rate_limits.relay_address();
    let allowance = app.store.admit_here(&format!("relay {address}"), quota);
    settle("address", quota, allowance)
}

/// Counts an envelope against its sender, whose signature was verified.
pub(super) async fn admit_sender(app: &App, sender: &str) -> Result<(), Problem> {
    let quota = quota_of(app, sender).await?;
    let allowance = app.store.admit(sender, quota).await?;
    settle("sender", quota, allowance)
}

/// What a sender is allowed a minute.
pub(super) async fn quota_of(app: &App, sender: &str) -> Result<Quota, Problem> {
    if let Some(known) = app.relay.allowances.get(sender) {
        return Ok(known);
    }
    let record = app.store.relay_record(sender).await?;
    let age = record.since.map(|since| app.store.clock().now() - since).unwrap_or_default();
    let quota = allowed(app.settings.rate_limits.relay(), age, record.completed, record.failed);
    app.relay.allowances.insert(sender.to_string(), quota);
    Ok(quota)
}

fn settle(whose: &'static str, quota: Quota, allowance: Allowance) -> Result<(), Problem> {
    if allowance.allowed {
        return Ok(());
    }
    metrics::counter!("buildtrack_rate_limited_total", "policy" => format!("relay-{whose}")).increment(1);
    let detail = format!("More than {} a minute of this {whose}.", quota.requests());
    let hint = "Wait for Retry-After seconds. GET /v1/limits tells what is allowed, and how it grows.";
    Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail, hint)
        .retryable(Some(allowance.retry_after)))
}
