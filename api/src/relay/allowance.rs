//! How much an address and a sender may send: the address by itself, the sender by its age and record.

use actix_web::{HttpRequest, http::StatusCode};
use buildtrack_domain::limits::Quota;
use buildtrack_store::Allowance;

use crate::{
    app::App,
    http::{networks::Network, problem::Problem},
};

/// Counts a request against its address: reading, and what has to be verified before its sender is known.
pub(super) fn admit_address(app: &App, request: &HttpRequest) -> Result<(), Problem> {
    let quota = app.settings.rate_limits.relay_address();
    let allowance = Network::calling(app, request).admit(app, "relay", quota);
    settle("address", quota, allowance)
}

/// Counts an envelope against its sender, whose signature was verified.
pub(super) async fn admit_sender(app: &App, sender: &str, quota: Quota) -> Result<(), Problem> {
    let allowance = app.store.admit(sender, quota).await?;
    settle("sender", quota, allowance)
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
