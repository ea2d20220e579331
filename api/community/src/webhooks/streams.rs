//! Live streams of the pushes to an agent, for the agent and its owner: the bodies that its webhook endpoints receive.
//!
//! A stream is a sequence of polls, each with a permit to read. The next poll runs when the client has received the previous
//! result, so the server buffers nothing for slow clients.

use std::{convert::Infallible, sync::Arc, time::Duration};

use actix_web::web::{Bytes, BytesMut};
use buildtrack_domain::ids::AgentId;
use buildtrack_http::{
    app::App,
    problem::Problem,
    rights::{Ending, Right},
    streaming::Permit,
    waiting::poll_until,
};
use buildtrack_store::clock::jitter;
use futures_util::{Stream, StreamExt, stream};
use tokio::time::Instant;

use super::{delivery_schemas::AgentEvents, events::Reader};

pub(super) use crate::log::live::{
    frames::{self, Gap},
    hub::Hub,
};

/// Pushes in one chunk.
const STEP: i64 = 50;
/// Fraction of the maximum age by which streams may end earlier, so that clients do not reconnect at the same time.
const AGE_SPREAD: f64 = 0.1;

/// A stream's position, its caller's right and its end time.
pub(super) struct Pushes {
    app: Arc<App>,
    hub: Arc<Hub>,
    agent_id: AgentId,
    /// Pushes are not public, so the stream ends with its caller's right.
    right: Right,
    /// The position up to which the log was read.
    reached: i64,
    /// The last position that the client knows.
    sent_up_to: i64,
    ends_at: Instant,
    has_ended: bool,
    _permit: Permit,
}

impl Pushes {
    /// Begins after `after`, or with a gap if that is further back than streams reach.
    pub(super) fn follow(
        (app, hub): (Arc<App>, Arc<Hub>),
        agent_id: AgentId,
        (after, head): (i64, i64),
        (permit, right): (Permit, Right),
    ) -> impl Stream<Item = Result<Bytes, Infallible>> + 'static {
        let reached = after.max(head.saturating_sub(i64::from(app.settings.live_reach)));
        let mut first = BytesMut::from(&frames::greeting(after)[..]);
        if reached > after {
            metrics::counter!("buildtrack_live_gaps_total", "reason" => "too_far_behind").increment(1);
            first.extend_from_slice(&frames::gap(Gap::TooFarBehind { after, up_to: reached }));
        }
        let age = Duration::from_secs(app.settings.live_age.get().into()).mul_f64(1.0 - AGE_SPREAD * jitter());
        let pushes = Self {
            app,
            hub,
            agent_id,
            right,
            reached,
            sent_up_to: reached,
            ends_at: Instant::now() + age,
            has_ended: false,
            _permit: permit,
        };
        let frames = stream::unfold(pushes, async |mut pushes| Some((Ok(pushes.next().await?), pushes)));
        stream::once(async move { Ok(first.freeze()) }).chain(frames)
    }

    /// The next frames; none at the end of the stream.
    async fn next(&mut self) -> Option<Bytes> {
        if self.has_ended || self.app.stopping.is_cancelled() {
            return None;
        }
        if Instant::now() >= self.ends_at {
            self.has_ended = true;
            return Some(frames::end(self.reached));
        }
        let Ok(events) = self.read().await else {
            // The stream ends on an error; the client reconnects with the last position that it received.
            self.has_ended = true;
            return self.right.ending().map(|ending| frames::right_ended(self.reached, ending));
        };
        self.reached = events.next;
        if events.items.is_empty() {
            let moved = (self.reached > self.sent_up_to).then_some(self.reached);
            self.sent_up_to = self.reached;
            return Some(frames::keep_alive(moved));
        }
        let mut chunk = BytesMut::new();
        for event in &events.items {
            chunk.extend_from_slice(&frames::push(event.sequence, &event.event, event.body.get()));
            self.sent_up_to = event.sequence;
        }
        Some(chunk.freeze())
    }

    /// The next events, or an empty page after the keep-alive time.
    async fn read(&self) -> Result<AgentEvents, Problem> {
        let keep_alive = Duration::from_secs(self.app.settings.live_keep_alive.get().into());
        let wait = keep_alive.min(self.ends_at.saturating_duration_since(Instant::now()));
        let nothing = |events: &AgentEvents| events.items.is_empty().then_some(events.next);
        let look = async |seen: i64| {
            let _permit = self.hub.read_permit().await;
            let reader = Reader { app: &self.app, agent_id: self.agent_id, limit: STEP };
            reader.read_after(seen.max(self.reached)).await
        };
        let events = poll_until((&self.app, &self.right), wait, nothing, look).await?;
        self.right.check(&self.app).await.map_err(Ending::problem)?;
        Ok(events)
    }
}
