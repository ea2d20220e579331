//! The response body of one live stream: a cursor on the log.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::web::{Bytes, BytesMut};
use buildtrack_http::{
    app::App,
    rights::{Ending, Right},
    streaming::Permit,
};
use buildtrack_store::{Interest, StoreError, clock::jitter};
use futures_util::{FutureExt, Stream, future::LocalBoxFuture};
use tokio::time::{Instant, Sleep, sleep};

use super::{
    frames::{self, Gap},
    hub::{Hub, Key, Next, Subscription},
    types::Types,
};

/// Events that a stream reads in one step while it catches up.
pub(crate) const STEP: i64 = 100;
/// Fraction of the maximum age by which streams may end earlier, so that clients do not reconnect at the same time.
const AGE_SPREAD: f64 = 0.1;
/// Bytes after which a chunk takes no more events.
const CHUNK: usize = 32 * 1024;

/// The parameters of a stream.
#[derive(Debug, Clone)]
pub(crate) struct StreamQuery {
    pub(crate) interest: Interest,
    pub(crate) types: Types,
}

/// The body of a live stream.
pub(crate) struct Live {
    app: Arc<App>,
    live: Arc<Hub>,
    key: Key,
    query: StreamQuery,
    /// The last position that was sent to the client.
    sent_up_to: i64,
    /// The first chunk, sent before all others.
    first: Option<Bytes>,
    phase: Phase,
    keep_alive: Pin<Box<Sleep>>,
    interval: Duration,
    /// When the stream reaches its maximum age.
    ends_at: Instant,
    right_ended: LocalBoxFuture<'static, Ending>,
    _permit: Permit,
}

enum Phase {
    /// Reading the log from the database.
    Behind(LocalBoxFuture<'static, Result<Step, StoreError>>),
    /// Subscribed at the hub.
    Following,
    /// The stream has ended, or ends after the last returned frame.
    Ended,
}

/// One step of catching up.
enum Step {
    /// The stream is subscribed at the hub.
    Subscribed,
    /// The log was read up to `reached`.
    Read { chunk: Bytes, reached: i64 },
}

impl Live {
    /// Begins after `after`, or with a gap if that is further back than streams reach.
    pub(crate) fn new(
        (app, live): (Arc<App>, Arc<Hub>),
        query: StreamQuery,
        (after, head): (i64, i64),
        (permit, right): (Permit, Right),
    ) -> Self {
        let reach = i64::from(app.settings.live_reach);
        let cursor = after.max(head.saturating_sub(reach));
        let mut first = BytesMut::from(&frames::greeting(after)[..]);
        if cursor > after {
            metrics::counter!("buildtrack_live_gaps_total", "reason" => "too_far_behind").increment(1);
            first.extend_from_slice(&frames::gap(Gap::TooFarBehind { after, up_to: cursor }));
        }
        let key = live.enter();
        let interval = Duration::from_secs(app.settings.live_keep_alive.get().into());
        // Random, so that streams that began together do not end together.
        let age = Duration::from_secs(app.settings.live_age.get().into()).mul_f64(1.0 - AGE_SPREAD * jitter());
        Self {
            phase: Phase::Behind(step((Arc::clone(&app), Arc::clone(&live)), key, query.clone(), cursor).boxed_local()),
            app,
            live,
            key,
            query,
            sent_up_to: cursor,
            first: Some(first.freeze()),
            keep_alive: Box::pin(sleep(interval)),
            interval,
            ends_at: Instant::now() + age,
            right_ended: async move { right.ended().await }.boxed_local(),
            _permit: permit,
        }
    }

    fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if !matches!(self.phase, Phase::Ended)
                && let Poll::Ready(ending) = self.right_ended.poll_unpin(context)
            {
                self.phase = Phase::Ended;
                return Poll::Ready(Some(frames::right_ended(self.sent_up_to, ending)));
            }
            if Instant::now() >= self.ends_at && !matches!(self.phase, Phase::Ended) {
                self.phase = Phase::Ended;
                return Poll::Ready(Some(frames::end(self.sent_up_to)));
            }
            match &mut self.phase {
                Phase::Ended => return Poll::Ready(None),
                Phase::Behind(_) if self.app.stopping.is_cancelled() => self.phase = Phase::Ended,
                Phase::Behind(step) => match step.poll_unpin(context) {
                    Poll::Pending => return self.poll_keep_alive(context, None),
                    Poll::Ready(Ok(Step::Subscribed)) => self.phase = Phase::Following,
                    Poll::Ready(Ok(Step::Read { chunk, reached })) => {
                        self.catch_up(reached);
                        if !chunk.is_empty() {
                            return self.sent(reached, chunk);
                        }
                    }
                    Poll::Ready(Err(error)) => {
                        // The client reconnects with the last position that it received.
                        tracing::warn!(%error, "a live stream could not read the log; it ends");
                        self.phase = Phase::Ended;
                    }
                },
                Phase::Following => match self.live.next(self.key, context, &self.app.store) {
                    Next::Frame(position, frame) => return self.sent(position, frame),
                    Next::Nothing(position) => return self.poll_keep_alive(context, Some(position)),
                    Next::Stale(after) => self.catch_up(after),
                    Next::Lost(after) => {
                        metrics::counter!("buildtrack_live_gaps_total", "reason" => "too_slow").increment(1);
                        self.phase = Phase::Ended;
                        return Poll::Ready(Some(frames::gap(Gap::TooSlow { after })));
                    }
                    Next::Ended => self.phase = Phase::Ended,
                },
            }
        }
    }

    /// Reads the log from this position.
    fn catch_up(&mut self, reached: i64) {
        let step = step((Arc::clone(&self.app), Arc::clone(&self.live)), self.key, self.query.clone(), reached);
        self.phase = Phase::Behind(step.boxed_local());
    }

    fn sent(&mut self, position: i64, bytes: Bytes) -> Poll<Option<Bytes>> {
        self.sent_up_to = position;
        self.keep_alive.as_mut().reset(Instant::now() + self.interval);
        Poll::Ready(Some(bytes))
    }

    /// Sends a keep-alive if nothing was sent for an interval.
    fn poll_keep_alive(&mut self, context: &mut Context<'_>, position: Option<i64>) -> Poll<Option<Bytes>> {
        if self.keep_alive.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        let moved = position.filter(|position| *position > self.sent_up_to);
        let bytes = frames::keep_alive(moved);
        self.sent(moved.unwrap_or(self.sent_up_to), bytes)
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
        self.live.exit(self.key);
    }
}

/// Subscribes the stream at the hub, or reads the next part of the log before its events.
async fn step(
    (app, live): (Arc<App>, Arc<Hub>),
    key: Key,
    query: StreamQuery,
    cursor: i64,
) -> Result<Step, StoreError> {
    live.ready().await;
    let StreamQuery { interest, types } = query;
    let stays = match interest {
        Interest::Agent(id) => {
            let _permit = live.read_permit().await;
            app.store.locations().stays(id.into()).await?
        }
        _ => vec![],
    };
    let subscription = Subscription { interest, types: types.clone(), cursor, stays };
    let Err(until) = live.subscribe(key, subscription, &app.store) else { return Ok(Step::Subscribed) };
    let _permit = live.read_permit().await;
    let part = app.store.locations().public_part(interest, cursor, until, STEP).await?;
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
