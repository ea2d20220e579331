//! The pace of an export: it costs as much of its caller's rate limit as the requests that would read the same pages.

use actix_web::{HttpRequest, web::Bytes};
use buildtrack_store::StoreError;
use futures_util::{Stream, TryStreamExt, stream};

use crate::http::{
    app::App,
    guard::CallersLimit,
    problem::Problem,
    streaming::{Holder, Permit, take_stream_permit},
};

/// The number of steps that count as one request against the caller's rate limit. The request itself pays for the first ones.
const STEPS_PER_REQUEST: u32 = 5;

/// The speed of one export: it holds a permit for a live stream, and its steps count against the caller's rate limit.
pub(super) struct Pace {
    limit: CallersLimit,
    paid: u32,
    _permit: Permit,
}

impl Pace {
    pub(super) fn of(app: &App, request: &HttpRequest) -> Result<Self, Problem> {
        let permit = take_stream_permit(app, &Holder::of(app, request))?;
        Ok(Self { limit: CallersLimit::of(request), paid: STEPS_PER_REQUEST, _permit: permit })
    }

    /// Waits until the next step may be read. Returns `false` if the server stops.
    async fn step(&mut self) -> Result<bool, StoreError> {
        if self.paid == 0 {
            if !self.limit.admit().await? {
                return Ok(false);
            }
            self.paid = STEPS_PER_REQUEST;
        }
        self.paid -= 1;
        Ok(true)
    }
}

/// Why an export ends early.
#[derive(Debug, thiserror::Error)]
pub(super) enum Interrupted {
    #[error("the server stops")]
    Stopping,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads the steps at the caller's pace. A client can detect an incomplete export: a complete one ends with its checkpoint, and
/// the HTTP answer with its last chunk.
pub(super) fn paced(
    pace: Pace,
    steps: impl Stream<Item = Result<Bytes, StoreError>>,
) -> impl Stream<Item = Result<Bytes, Interrupted>> {
    let paced = stream::try_unfold((pace, Box::pin(steps)), async |(mut pace, mut steps)| {
        if !pace.step().await? {
            return Err(Interrupted::Stopping);
        }
        Ok(steps.try_next().await?.map(|bytes| (bytes, (pace, steps))))
    });
    paced.inspect_err(|error| tracing::warn!(%error, "an export was interrupted"))
}
