//! Rate limits of the relay: a fixed quota for each address, and for each sender a quota by its age and record.

use std::{future::Future, pin::Pin};

use actix_web::{FromRequest, HttpRequest, dev::Payload, http::StatusCode, web::Bytes};
use buildtrack_domain::limits::Quota;
use buildtrack_http::{app::App, body::Raw, guard::app_of, networks::Network, problem::Problem};
use buildtrack_store::Allowance;

/// The body of a request, which is read once the request is counted against its address.
#[derive(Debug)]
pub(crate) struct Counted(pub(super) Bytes);

impl FromRequest for Counted {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, actix_web::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            admit_address(&app_of(&request), &request)?;
            let Raw(body) = Raw::from_request(&request, &mut payload).await?;
            Ok(Self(body))
        })
    }
}

/// Counts a request against its address. This covers reads, and envelopes before their signature is verified.
pub(super) fn admit_address(app: &App, request: &HttpRequest) -> Result<(), Problem> {
    let quota = app.settings.rate_limits.relay_address();
    let allowance = Network::calling(app, request).admit(&app.store, "relay", quota);
    settle("address", quota, allowance)
}

/// Counts an envelope against its sender. Call it only after the signature was verified.
pub(super) async fn admit_sender(app: &App, sender: &str, quota: Quota) -> Result<(), Problem> {
    let allowance = app.store.limits().admit(sender, quota).await?;
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
