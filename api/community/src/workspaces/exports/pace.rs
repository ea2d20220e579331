//! The pace of an export: it costs as much of its caller's rate limit as the requests that would read the same pages.

use actix_web::{HttpRequest, web::Bytes};
use buildtrack_http::{
    app::App,
    guard::CallersLimit,
    problem::Problem,
    rights::Right,
    streaming::{Holder, Permit, take_stream_permit},
};
use buildtrack_store::StoreError;
use futures_util::{Stream, TryStreamExt, stream};

/// The number of steps that count as one request against the caller's rate limit. The request itself pays for the first ones.
const STEPS_PER_REQUEST: u32 = 5;

/// The speed of one export: it holds a permit for a live stream, and its steps count against the caller's rate limit.
pub(super) struct Pace {
    limit: CallersLimit,
    paid: u32,
    right: Right,
    _permit: Permit,
}

impl Pace {
    pub(super) fn of(app: &App, request: &HttpRequest) -> Result<Self, Problem> {
        let permit = take_stream_permit(app, &Holder::of(app, request))?;
        let (limit, right) = (CallersLimit::of(request), Right::of(app, request));
        Ok(Self { limit, paid: STEPS_PER_REQUEST, right, _permit: permit })
    }

    /// Waits until the next step may be read.
    async fn step(&mut self) -> Result<(), Interrupted> {
        if self.paid == 0 {
            let is_admitted = tokio::select! {
                admitted = self.limit.admit() => admitted?,
                ending = self.right.ended() => return Err(Interrupted::RightEnded(ending.reason())),
            };
            if !is_admitted {
                return Err(Interrupted::Stopping);
            }
            self.paid = STEPS_PER_REQUEST;
        }
        self.paid -= 1;
        self.right.ending().map_or(Ok(()), |ending| Err(Interrupted::RightEnded(ending.reason())))
    }
}

/// Why an export ends early.
#[derive(Debug, thiserror::Error)]
pub(super) enum Interrupted {
    #[error("the server stops")]
    Stopping,
    #[error("the caller's right ended: {0}")]
    RightEnded(&'static str),
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
        pace.step().await?;
        Ok(steps.try_next().await?.map(|bytes| (bytes, (pace, steps))))
    });
    paced.inspect_err(|error| tracing::warn!(%error, "an export was interrupted"))
}
