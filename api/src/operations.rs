//! For operators: whether it lives, whether it can work, how it does.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode};
use buildtrack_store::StoreError;
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::{guard::app_of, problem::Problem};

/// How long the database may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(2);

/// A healthy answer.
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
        let position = app_of(request).store.tail().head();
        Self { status: "ok".into(), version: env!("CARGO_PKG_VERSION").into(), position }
    }
}

/// Whether the process runs.
#[utoipa::path(operation_id = "showLiveness", tag = "Operations", responses((status = 200, description = "It runs", body = Health)))]
#[get("/livez")]
pub(crate) async fn livez(request: HttpRequest) -> HttpResponse {
    HttpResponse::Ok().json(Health::of(&request))
}

/// Whether it can do its work: the database answers, and there is room to write.
#[utoipa::path(
    operation_id = "showReadiness",
    tag = "Operations",
    responses(
        (status = 200, description = "It can", body = Health),
        (status = 503, description = "`unavailable`, `storage_low`", body = Problem, content_type = "application/problem+json"),
    ),
)]
#[get("/readyz")]
pub(crate) async fn readyz(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let slow = |_| {
        let detail = "The database has not answered in time.";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail, "Try again after the wait.")
            .retryable(Some(PATIENCE))
    };
    let app = app_of(&request);
    tokio::time::timeout(PATIENCE, app.store.check()).await.map_err(slow)??;
    if !app.store.tail().is_alive() {
        let detail = "The database has been silent for five seconds to those who follow the log, or to a write.";
        let silent = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail, "Try again after the wait.");
        return Err(silent.retryable(Some(PATIENCE)));
    }
    if app.store.storage().is_low() {
        return Err(StoreError::StorageLow.into());
    }
    Ok(HttpResponse::Ok().json(Health::of(&request)))
}

/// Shows measurements in Prometheus' text format.
#[utoipa::path(
    operation_id = "showMetrics",
    tag = "Operations",
    responses((status = 200, description = "Measurements", body = String, content_type = "text/plain")),
)]
#[get("/metrics")]
pub(crate) async fn metrics(request: HttpRequest) -> HttpResponse {
    // Measured for this answer, whether or not there are writes.
    app_of(&request).store.storage().is_low();
    buildtrack_traces::measure_process();
    let text = app_of(&request).metrics.as_ref().map(metrics_exporter_prometheus::PrometheusHandle::render);
    HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text.unwrap_or_default())
}
