//! Rate limits of the relay: a fixed quota for each address, and for each sender a quota by its age and record.

use actix_web::{HttpRequest, http::StatusCode};
use buildtrack_domain::limits::Quota;
use buildtrack_store::Allowance;

use crate::http::{app::App, networks::Network, problem::Problem};

/// Counts a request against its address. This covers reads, and envelopes before their signature is verified.
pub(super) fn admit_address(app: &App, request: &HttpRequest) -> Result<(), Problem> {
    let quota = app.settings.rate_limits.relay_address();
    let allowance = Network::calling(app, request).admit(&app.store, "relay", quota);
    settle("address", quota, allowance)
}

/// Counts an envelope against its sender. Call it only after the signature was verified.
pub(super) async fn admit_sender(app: &App, sender: &str, quota: Quota) -> Result<(), Problem> {
    let allowance = app.store.admit(sender, quota).await?;
    settle("sender", quota, allowance)
}

fn settle(subject: &'static str, quota: Quota, allowance: Allowance) -> Result<(), Problem> {
    if allowance.allowed {
        return Ok(());
    }
    metrics::counter!("buildtrack_rate_limited_total", "policy" => format!("relay-{subject}")).increment(1);
    let detail = format!("The limit of {} a minute for this {subject} is exceeded.", quota.requests());
    let hint = "Wait for Retry-After seconds. GET /v1/limits shows the limits and how they grow.";
    Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail, hint)
        .retryable(Some(allowance.retry_after)))
}
