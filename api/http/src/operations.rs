//! Health checks and metrics for operators.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode};
use buildtrack_store::StoreError;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    guard::{app_of, state_of},
    problem::Problem,
    router::Router,
};

/// The timeout of the database query in the readiness check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// The tags of these operations in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] = &[("Operations", "Health and metrics")];

/// Whether the worker in this process makes progress. The binary supplies it, because the worker is another crate.
pub type WorkerCheck = Box<dyn Fn() -> bool + Send + Sync>;

/// What the operations of this file show.
pub struct Operations {
    /// The metrics of this process.
    pub metrics: Option<PrometheusHandle>,
    /// None if the worker does not run in this process.
    pub worker_check: Option<WorkerCheck>,
    /// Every setting as `config check` prints it, without secrets, as of the start.
    pub settings: Vec<(String, String)>,
}

/// The routes of this file, for the application of the server or of the document.
pub fn routes<S: Router>(application: S) -> S {
    application.service(show_liveness).service(show_readiness).service(show_metrics)
}

/// The answer of a health check that succeeded.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Health {
    /// `ok`.
    #[schema(example = "ok")]
    pub status: String,
    /// The server's version.
    pub version: String,
    /// The last position of the log that this process knows.
    #[schema(example = 42)]
    pub position: i64,
}

impl Health {
    fn of(request: &HttpRequest) -> Self {
        let position = app_of(request).store.log().tail().head();
        Self { status: "ok".into(), version: env!("CARGO_PKG_VERSION").into(), position }
    }
}

/// The answer of a readiness check that succeeded.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Readiness {
    /// `ok`.
    #[schema(example = "ok")]
    pub status: String,
    /// The server's version.
    pub version: String,
    /// The last position of the log that this process knows.
    #[schema(example = 42)]
    pub position: i64,
    /// The machine's clock, compared with the reference of all times.
    pub clock: ClockReading,
}

/// The machine's clock, compared with its reference: the database's clock on PostgreSQL, and the machine's monotonic clock
/// otherwise.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClockReading {
    /// How many seconds the machine's clock is ahead of its reference; negative if it is behind.
    #[schema(example = 3600.25)]
    pub skew_seconds: f64,
    /// Whether the machine's clock is wrong by more than a second, so that the server corrects the times that it writes.
    pub corrected: bool,
}

impl Readiness {
    fn of(request: &HttpRequest) -> Self {
        let Health { status, version, position } = Health::of(request);
        let app = app_of(request);
        let clock = app.store.log().clock();
        // Milliseconds: two readings of the clocks are microseconds apart.
        let skew_seconds = (clock.skew() * 1000.0).round() / 1000.0;
        Self { status, version, position, clock: ClockReading { skew_seconds, corrected: clock.is_corrected() } }
    }
}

/// Show whether the process runs
///
/// The answer needs no database. Supervisors restart a process that does not give it.
#[utoipa::path(operation_id = "showLiveness", tag = "Operations", responses((status = 200, description = "The process runs", body = Health)))]
#[get("/livez")]
pub(crate) async fn show_liveness(request: HttpRequest) -> HttpResponse {
    HttpResponse::Ok().json(Health::of(&request))
}

/// Show whether the server can serve requests
///
/// The check succeeds if the database answers, the writer, the follower of the log and the worker in this process have made progress
/// within five seconds, and storage is sufficient for writes. A broker that is away does not fail it: the server accepts events. Nor
/// does a wrong clock, which `clock` states: the server corrects the times that it writes.
#[utoipa::path(
    operation_id = "showReadiness",
    tag = "Operations",
    responses(
        (status = 200, description = "The server can serve requests", body = Readiness),
        (status = 503, description = "`unavailable`, `storage_low`"),
    ),
)]
#[get("/readyz")]
pub(crate) async fn show_readiness(request: HttpRequest) -> Result<HttpResponse, Problem> {
    check_readiness(&request).await?;
    Ok(HttpResponse::Ok().json(Readiness::of(&request)))
}

/// Why the server cannot serve requests, if it cannot.
pub async fn check_readiness(request: &HttpRequest) -> Result<(), Problem> {
    let app = app_of(request);
    tokio::time::timeout(CHECK_TIMEOUT, app.store.log().check())
        .await
        .map_err(|_| not_ready("The database did not answer within two seconds."))??;
    if !app.store.log().tail().is_alive() {
        return Err(not_ready("The database has not answered a read of the log, or a write, for five seconds."));
    }
    if state_of::<Operations>(request).worker_check.as_ref().is_some_and(|is_alive| !is_alive()) {
        return Err(not_ready("The worker in this process has made no progress for five seconds."));
    }
    if app.store.log().storage().is_low() {
        return Err(StoreError::StorageLow.into());
    }
    Ok(())
}

fn not_ready(detail: &str) -> Problem {
    let hint = "Repeat the request after the time in Retry-After.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail, hint).retryable(Some(CHECK_TIMEOUT))
}

/// Show the metrics in the Prometheus text format
///
/// The guide explains each metric. The request is not counted against a limit.
#[utoipa::path(
    operation_id = "showMetrics",
    tag = "Operations",
    responses((status = 200, description = "The metrics", body = String, content_type = "text/plain")),
)]
#[get("/metrics")]
pub(crate) async fn show_metrics(request: HttpRequest) -> HttpResponse {
    // Updates the storage metric for this answer, even if the server had no writes.
    app_of(&request).store.log().storage().is_low();
    buildtrack_traces::measure_process();
    let text = state_of::<Operations>(&request).metrics.as_ref().map(PrometheusHandle::render);
    HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text.unwrap_or_default())
}
