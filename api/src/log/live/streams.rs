//! One answer that does not end: a cursor on the log.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::web::{Bytes, BytesMut};
use buildtrack_store::{Interest, StoreError, clock::jitter};
use futures_util::{FutureExt, Stream, future::LocalBoxFuture};
use tokio::time::{Instant, Sleep, sleep};

use super::{
    frames::{self, Gap},
    hub::{Arrival, Key, Next},
    types::Types,
};
use crate::{app::App, http::streaming::Place};

/// Events read in one step by a stream that catches up.
const STEP: i64 = 100;
/// The part of their age by which streams may end before it.
const AGE_SPREAD: f64 = 0.1;
/// Bytes of a chunk at which no more events are put into it.
const CHUNK: usize = 32 * 1024;

/// What somebody asked to be shown.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) interest: Interest,
    pub(crate) types: Types,
}

/// An endless body.
pub(crate) struct Live {
    app: Arc<App>,
    key: Key,
    wish: Wish,
    /// The last position that the client was told.
    told: i64,
    /// What is sent before anything else.
    first: Option<Bytes>,
    phase: Phase,
    keep_alive: Pin<Box<Sleep>>,
    interval: Duration,
    /// When it has to make place.
    ends_at: Instant,
    _place: Place,
}

enum Phase {
    /// On the way to the end of the log.
    Behind(LocalBoxFuture<'static, Result<Step, StoreError>>),
    /// Handed what comes.
    Following,
    /// It has ended, or will after what was just given.
    Over,
}

/// One step of catching up.
enum Step {
    /// The stream has its place.
    Arrived,
    /// The log was read up to here.
    Read { chunk: Bytes, reached: i64 },
}

impl Live {
    /// Begins beyond `after`; further back than a stream reaches it begins with a gap.
    pub(crate) fn new(app: Arc<App>, wish: Wish, after: i64, head: i64, place: Place) -> Self {
        let reach = i64::from(app.settings.live_reach);
        let cursor = after.max(head.saturating_sub(reach));
        let mut first = BytesMut::from(&frames::greeting(after)[..]);
        if cursor > after {
            metrics::counter!("buildtrack_live_gaps_total", "reason" => "too_far_behind").increment(1);
            first.extend_from_slice(&frames::gap(Gap::TooFarBehind { after, up_to: cursor }));
        }
        let key = app.live.enter();
        let interval = Duration::from_secs(app.settings.live_keep_alive.get().into());
        // Spread, so that streams that began together do not end together.
        let age = Duration::from_secs(app.settings.live_age.get().into()).mul_f64(1.0 - AGE_SPREAD * jitter());
        Self {
            phase: Phase::Behind(step(Arc::clone(&app), key, wish.clone(), cursor).boxed_local()),
            app,
            key,
            wish,
            told: cursor,
            first: Some(first.freeze()),
            keep_alive: Box::pin(sleep(interval)),
            interval,
            ends_at: Instant::now() + age,
            _place: place,
        }
    }

    fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if Instant::now() >= self.ends_at && !matches!(self.phase, Phase::Over) {
                self.phase = Phase::Over;
                return Poll::Ready(Some(frames::end(self.told)));
            }
            match &mut self.phase {
                Phase::Over => return Poll::Ready(None),
                Phase::Behind(_) if self.app.stopping.is_cancelled() => self.phase = Phase::Over,
                Phase::Behind(step) => match step.poll_unpin(context) {
                    Poll::Pending => return self.poll_keep_alive(context, None),
                    Poll::Ready(Ok(Step::Arrived)) => self.phase = Phase::Following,
                    Poll::Ready(Ok(Step::Read { chunk, reached })) => {
                        self.go_on(reached);
                        if !chunk.is_empty() {
                            return self.sent(reached, chunk);
                        }
                    }
                    Poll::Ready(Err(error)) => {
                        // The client comes back with the last position it was told.
                        tracing::warn!(%error, "a live stream cannot catch up");
                        self.phase = Phase::Over;
                    }
                },
                Phase::Following => match self.app.live.next(self.key, context, &self.app.store) {
                    Next::Frame(position, frame) => return self.sent(position, frame),
                    Next::Nothing(position) => return self.poll_keep_alive(context, Some(position)),
                    Next::Stale(after) => self.go_on(after),
                    Next::Lost(after) => {
                        metrics::counter!("buildtrack_live_gaps_total", "reason" => "too_slow").increment(1);
                        self.phase = Phase::Over;
                        return Poll::Ready(Some(frames::gap(Gap::TooSlow { after })));
                    }
                    Next::Over => self.phase = Phase::Over,
                },
            }
        }
    }

    /// Catches up from where the log was read to.
    fn go_on(&mut self, reached: i64) {
        let step = step(Arc::clone(&self.app), self.key, self.wish.clone(), reached);
        self.phase = Phase::Behind(step.boxed_local());
    }

    fn sent(&mut self, position: i64, bytes: Bytes) -> Poll<Option<Bytes>> {
        self.told = position;
        self.keep_alive.as_mut().reset(Instant::now() + self.interval);
        Poll::Ready(Some(bytes))
    }

    /// Says that it is still there, where nothing was said for a while.
    fn poll_keep_alive(&mut self, context: &mut Context<'_>, position: Option<i64>) -> Poll<Option<Bytes>> {
        if self.keep_alive.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        let moved = position.filter(|position| *position > self.told);
        let bytes = frames::keep_alive(moved);
        self.sent(moved.unwrap_or(self.told), bytes)
    }
}

impl Stream for Live {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        self.poll_frame(context).map(|bytes| bytes.map(Ok))
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.app.live.exit(self.key);
    }
}

/// Takes the stream's place at the hub, or reads some of what lies before.
async fn step(app: Arc<App>, key: Key, wish: Wish, cursor: i64) -> Result<Step, StoreError> {
    app.live.ready().await;
    let Wish { interest, types } = wish;
    let stays = match interest {
        Interest::Agent(id) => {
            let _turn = app.live.turn().await;
            app.store.stays(id.into()).await?
        }
        _ => vec![],
    };
    let arrival = Arrival { interest, types: types.clone(), cursor, stays };
    let Err(until) = app.live.arrive(key, arrival, &app.store) else { return Ok(Step::Arrived) };
    let _turn = app.live.turn().await;
    let part = app.store.public_part(interest, cursor, until, STEP).await?;
    let (mut chunk, mut reached) = (BytesMut::new(), cursor);
    for event in part.events {
        if chunk.len() >= CHUNK {
            return Ok(Step::Read { chunk: chunk.freeze(), reached });
        }
        reached = event.event.position;
        if types.include(&event.event.event_type) {
            chunk.extend_from_slice(&frames::event(event));
        }
    }
    Ok(Step::Read { chunk: chunk.freeze(), reached: part.reached.max(cursor) })
}
