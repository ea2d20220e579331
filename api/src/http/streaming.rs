//! Answers that take long: live streams, and polls that wait. Each holds a connection, and so a place.

use std::{net::IpAddr, sync::Arc, time::Duration};

use actix_web::http::StatusCode;
use buildtrack_store::Held;
use tokio::sync::OwnedSemaphorePermit;

use super::problem::Problem;
use crate::app::App;

/// How soon to come back where there is no place.
const LATER: Duration = Duration::from_secs(5);

/// A place among the streams of this process, and among those of an address.
pub(crate) type Place = (OwnedSemaphorePermit, Held);

/// One of the places that an address may have, and one of all.
pub(crate) fn place(app: &App, address: IpAddr) -> Result<Place, Problem> {
    let most = app.settings.live_streams_per_address;
    let held = app.store.hold_here(&format!("live {address}"), most).ok_or_else(|| {
        let detail = format!("This address holds {most} live streams, and no more.");
        let hint = "End one of them, or follow more with one: GET /api/v1/live takes types.";
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_streams_held", detail, hint).retryable(Some(LATER))
    })?;
    let place = Arc::clone(&app.streams).try_acquire_owned().map_err(|_| too_many(app))?;
    Ok((place, held))
}

fn too_many(app: &App) -> Problem {
    let detail = format!("This server holds {} live streams, and no more.", app.settings.live_streams);
    let hint = "Try again after the wait, or read GET /api/v1/log?after= now and then.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_streams", detail, hint).retryable(Some(LATER))
}
