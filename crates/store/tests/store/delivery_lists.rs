//! Lists of deliveries, resending, and retention.

use std::time::Duration;

use buildtrack_domain::{
    ids::{AgentId, DeliveryId, WebhookId},
    webhooks::PushType,
};
use buildtrack_store::{Attempt, DeliveryFilter, DeliveryStatus, NewDelivery, Outcome, Store, Verdict, WebhookChange};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent_id, new_actor},
    database::{Kind, TestDatabase, noon},
};

const MINUTE: Duration = Duration::from_mins(1);

/// Deliveries at intervals of one minute, alternating between two endpoints of one agent, and one of another agent.
struct Stage {
    database: TestDatabase,
    store: Store,
    agent_id: AgentId,
    webhooks: [WebhookId; 2],
    ids: Vec<DeliveryId>,
}

impl Stage {
    async fn with(kind: Kind, types: &[PushType]) -> Self {
        let (database, store) = TestDatabase::with_store(kind).await;
        let agent_id = agent_id(&new_actor(&store));
        let webhooks = [WebhookId::new(store.log().clock().uuid()), WebhookId::new(store.log().clock().uuid())];
        let mut stage = Self { database, store, agent_id, webhooks, ids: vec![] };
        for (position, push_type) in (1..).zip(types) {
            let webhook_id = webhooks[stage.ids.len() % 2];
            let id = stage.deliver(agent_id, webhook_id, position, *push_type).await;
            stage.ids.push(id);
            stage.deliver(self::agent_id(&new_actor(&stage.store)), webhooks[0], position + 100, *push_type).await;
            stage.database.clock.advance(MINUTE);
        }
        stage
    }

    async fn deliver(
        &self,
        agent_id: AgentId,
        webhook_id: WebhookId,
        position: i64,
        push_type: PushType,
    ) -> DeliveryId {
        let (id, next_at) = (DeliveryId::new(self.store.log().clock().uuid()), self.store.log().clock().now());
        let new = NewDelivery { id, webhook_id, agent_id, position, push_type, next_at };
        self.store.log().write_side(vec![WebhookChange::Deliveries(vec![new])]).await.unwrap();
        id
    }

    async fn settle(&self, index: usize, number: i64, status: DeliveryStatus) {
        let now = self.store.log().clock().now();
        let attempt = (number > 0).then_some(Attempt {
            number,
            started_at: now,
            duration_ms: 7,
            status_code: Some(410),
            error: None,
            response: None,
        });
        let settled_at = (status != DeliveryStatus::Pending).then_some(now);
        let outcome = Outcome {
            delivery_id: self.ids[index],
            webhook_id: self.webhooks[index % 2],
            attempt,
            verdict: Verdict::Fails,
            step: 0,
            status,
            next_at: now,
            expires_at: None,
            settled_at,
        };
        self.store.log().write_side(vec![WebhookChange::Outcomes(vec![outcome])]).await.unwrap();
    }

    /// Indexes of the deliveries that match a filter.
    async fn found(&self, filter: DeliveryFilter) -> Vec<usize> {
        let filter = DeliveryFilter { limit: if filter.limit == 0 { 50 } else { filter.limit }, ..filter };
        let views = self.store.webhooks().deliveries(self.agent_id, &filter).await.unwrap();
        views.iter().map(|view| self.ids.iter().position(|id| *id == view.id).unwrap()).collect()
    }
}

const MESSAGE: PushType = PushType::WorkspaceMessage;
const JOIN: PushType = PushType::WorkspaceJoin;

#[apply(both)]
async fn every_filter_lists_deliveries_newest_first(#[case] kind: Kind) {
    let stage = Stage::with(kind, &[MESSAGE, JOIN, MESSAGE, MESSAGE, JOIN]).await;
    stage.settle(0, 1, DeliveryStatus::Delivered).await;
    stage.settle(1, 1, DeliveryStatus::Failed).await;
    stage.settle(2, 1, DeliveryStatus::Cancelled).await;
    let all = DeliveryFilter::default;
    let (first, second) = (Some(stage.webhooks[0]), Some(stage.webhooks[1]));
    let (message, join) = (Some(MESSAGE), Some(JOIN));
    let status = |status| DeliveryFilter { status: Some(status), ..all() };
    assert_eq!(stage.found(all()).await, [4, 3, 2, 1, 0]);
    assert_eq!(stage.found(DeliveryFilter { webhook_id: first, ..all() }).await, [4, 2, 0]);
    assert_eq!(stage.found(DeliveryFilter { push_type: message, ..all() }).await, [3, 2, 0]);
    assert_eq!(stage.found(DeliveryFilter { push_type: join, ..all() }).await, [4, 1]);
    assert_eq!(stage.found(status(DeliveryStatus::Pending)).await, [4, 3]);
    assert_eq!(stage.found(status(DeliveryStatus::Delivered)).await, [0]);
    assert_eq!(stage.found(status(DeliveryStatus::Failed)).await, [1]);
    assert_eq!(stage.found(status(DeliveryStatus::Cancelled)).await, [2]);
    let pending = status(DeliveryStatus::Pending);
    let narrow = DeliveryFilter { webhook_id: second, push_type: message, ..pending.clone() };
    assert_eq!(stage.found(narrow.clone()).await, [3]);
    assert_eq!(stage.found(DeliveryFilter { webhook_id: first, ..narrow }).await, <[usize; 0]>::default());
    assert_eq!(stage.found(DeliveryFilter { webhook_id: first, push_type: join, ..pending }).await, [4]);
    let (one, three) = (Some(noon() + MINUTE), Some(noon() + 3 * MINUTE));
    assert_eq!(stage.found(DeliveryFilter { after: one, before: three, ..all() }).await, [2, 1]);
    let later = Some(noon() + MINUTE + Duration::from_micros(1));
    assert_eq!(stage.found(DeliveryFilter { after: later, before: three, ..all() }).await, [2]);
    assert_eq!(stage.found(DeliveryFilter { limit: 2, ..all() }).await, [4, 3]);
    let beyond = Some(stage.ids[3]);
    assert_eq!(stage.found(DeliveryFilter { beyond, limit: 2, ..all() }).await, [2, 1]);
    assert_eq!(stage.found(DeliveryFilter { beyond, before: three, limit: 2, ..all() }).await, [2, 1]);
}

#[apply(both)]
async fn a_delivery_shows_its_last_attempt_and_a_resent_one_continues_the_count(#[case] kind: Kind) {
    let stage = Stage::with(kind, &[MESSAGE]).await;
    let (store, id) = (&stage.store, stage.ids[0]);
    let view = async || store.webhooks().delivery(stage.agent_id, id).await.unwrap().unwrap();
    stage.settle(0, 1, DeliveryStatus::Pending).await;
    stage.settle(0, 2, DeliveryStatus::Failed).await;
    let failed = view().await;
    assert_eq!((failed.status, failed.attempts, failed.status_code), (DeliveryStatus::Failed, 2, Some(410)));
    assert_eq!(failed.settled_at, Some(store.log().clock().now()));
    stage.database.clock.advance(MINUTE);
    store.log().write_side(vec![WebhookChange::Resent { id }]).await.unwrap();
    let resent = view().await;
    assert_eq!((resent.status, resent.attempts, resent.settled_at), (DeliveryStatus::Pending, 2, None));
    assert_eq!(resent.next_at, store.log().clock().now());
    assert_eq!(store.webhooks().waiting(stage.agent_id, stage.webhooks[0], 9).await.unwrap(), 1);
    store.log().write_side(vec![WebhookChange::DeliveryCancelled { id }]).await.unwrap();
    assert_eq!(view().await.status, DeliveryStatus::Cancelled);
    let numbers: Vec<_> =
        store.webhooks().attempts(id).await.unwrap().into_iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, [1, 2]);
    let other = agent_id(&new_actor(store));
    assert_eq!(store.webhooks().delivery(other, id).await.unwrap(), None);
}

#[apply(both)]
async fn a_delivery_abandoned_before_its_first_attempt_has_no_attempts(#[case] kind: Kind) {
    let stage = Stage::with(kind, &[MESSAGE]).await;
    stage.settle(0, 0, DeliveryStatus::Cancelled).await;
    assert_eq!(stage.store.webhooks().attempts(stage.ids[0]).await.unwrap(), []);
    assert_eq!(stage.found(DeliveryFilter::default()).await, [0]);
}

#[apply(both)]
async fn finished_deliveries_are_pruned_with_their_attempts_after_the_retention(#[case] kind: Kind) {
    let stage = Stage::with(kind, &[MESSAGE; 4]).await;
    for index in [0, 1, 2] {
        stage.settle(index, 1, DeliveryStatus::Delivered).await;
        stage.database.clock.advance(MINUTE);
    }
    let day = Duration::from_hours(24);
    assert!(!stage.store.log().prune(1, day).await.unwrap());
    stage.database.clock.advance(Duration::from_mins(24 * 60 - 2));
    for left in [vec![3, 2, 1], vec![3, 2]] {
        assert!(stage.store.log().prune(1, day).await.unwrap());
        assert_eq!(stage.found(DeliveryFilter::default()).await, left);
    }
    assert!(!stage.store.log().prune(1, day).await.unwrap());
    assert_eq!(stage.database.texts("SELECT delivery_id FROM attempts").await, [stage.ids[2].to_string()]);
}
