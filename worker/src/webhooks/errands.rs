//! What the sender has to tell the database about deliveries that it does not try: one message at a time, in which
//! goes whatever has come up during the last.

use std::collections::HashMap;

use buildtrack_domain::ids::{DeliveryId, WebhookId};
use buildtrack_store::{Kept, Store, WaitsFor};
use chrono::{DateTime, Utc};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

use super::lanes::LetGo;
use crate::pause::BACK_OFF;

/// What is to be told. Nothing depends on it: what is not told becomes due when its lease is over.
pub(crate) struct Errands {
    store: Store,
    message: Message,
    under_way: JoinSet<()>,
}

#[derive(Default)]
struct Message {
    postponed: HashMap<WebhookId, (DateTime<Utc>, Option<i64>)>,
    put_off: HashMap<(WebhookId, WaitsFor), (DateTime<Utc>, Vec<DeliveryId>)>,
    given_back: LetGo,
    untried: LetGo,
}

impl Errands {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, message: Message::default(), under_way: JoinSet::new() }
    }

    /// Nothing that waits for the endpoint is to be tried before `until`, unless its breaker is closed more often than
    /// `resets` says.
    pub(crate) fn postpone(&mut self, webhook_id: WebhookId, until: DateTime<Utc>, resets: Option<i64>) {
        self.message.postponed.insert(webhook_id, (until, resets));
    }

    /// There was no room for the delivery: anybody may take it up now. It was this process's own until `until`.
    pub(crate) fn give_back(&mut self, delivery: DeliveryId, until: Instant) {
        self.message.given_back.push((delivery, until));
    }

    /// The database has failed, so that these could not be tried: anybody may, soon after it is back.
    pub(crate) fn try_soon(&mut self, deliveries: LetGo) {
        self.message.untried.extend(deliveries);
    }

    /// Nobody needs to take the delivery up before `until`.
    pub(crate) fn put_off(
        &mut self,
        (webhook_id, waits_for): (WebhookId, WaitsFor),
        delivery: DeliveryId,
        until: DateTime<Utc>,
    ) {
        self.message.put_off.entry((webhook_id, waits_for)).or_insert((until, vec![])).1.push(delivery);
    }

    /// Tells what has come up, unless the last message is still under way.
    pub(crate) fn go(&mut self) {
        if self.under_way.is_empty() && !self.message.is_empty() {
            self.under_way.spawn(std::mem::take(&mut self.message).tell(self.store.clone()));
        }
    }

    /// Waits until a message has been delivered; for ever where none is under way.
    pub(crate) async fn done(&mut self) {
        if self.under_way.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

impl Message {
    fn is_empty(&self) -> bool {
        let Self { postponed, put_off, given_back, untried } = self;
        postponed.is_empty() && put_off.is_empty() && given_back.is_empty() && untried.is_empty()
    }

    /// Tells it, and what is anybody's from then on, however long the database takes to come back.
    async fn tell(mut self, store: Store) {
        loop {
            // Where a lease is over, somebody else may have taken the delivery up.
            let now = Instant::now();
            self.given_back.retain(|(_, until)| now < *until);
            self.untried.retain(|(_, until)| now < *until);
            if self.is_empty() {
                return;
            }
            let Err(error) = store.keep(self.kept(store.clock().now())).await else { return };
            tracing::debug!(%error, "deliveries that are not tried stay as they are for now");
            self.postponed.clear();
            self.put_off.clear();
            sleep(BACK_OFF).await;
        }
    }

    fn kept(&self, now: DateTime<Utc>) -> Vec<Kept> {
        let mut kept: Vec<_> = self
            .postponed
            .iter()
            .map(|(id, until)| Kept::Postponed { webhook_id: *id, until: until.0, resets: until.1 })
            .collect();
        let put_off = self.put_off.iter().map(|((_, waits_for), (at, deliveries))| Kept::GivenBack {
            deliveries: deliveries.clone(),
            at: *at,
            waits_for: Some(*waits_for),
        });
        kept.extend(put_off);
        for (let_go, at) in [(&self.given_back, now), (&self.untried, now + BACK_OFF)] {
            if !let_go.is_empty() {
                let deliveries = let_go.iter().map(|(id, _)| *id).collect();
                kept.push(Kept::GivenBack { deliveries, at, waits_for: None });
            }
        }
        kept
    }
}
