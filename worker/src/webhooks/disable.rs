//! Disabling of an endpoint that no longer accepts pushes.

use buildtrack_domain::{
    decide::Command,
    ids::{NoticeId, WebhookId},
    webhooks::{DisableWebhook, DisabledReason, Webhook},
};
use buildtrack_macros::boxed;
use buildtrack_store::{AgentView, NewNotice, NoticeKind, Store, StoreError, WebhookChange, WebhookView};

use crate::decisions::on_thread;

/// Disables an endpoint, cancels its pending deliveries, and notifies its owner. Later events stay on the log and can be
/// replayed once the endpoint is enabled again.
///
/// Idempotent: an endpoint that is disabled or deleted already stays unchanged. So does an endpoint whose address differs
/// from `url`, if given, because a result of the old address does not apply to the new one.
#[boxed]
pub async fn disable(
    store: &Store,
    webhook_id: WebhookId,
    reason: DisabledReason,
    url: Option<&str>,
) -> Result<(), StoreError> {
    let (store, url) = (store.clone(), url.map(ToOwned::to_owned));
    on_thread(move || async move { decide(&store, webhook_id, reason, url.as_deref()).await }).await?
}

async fn decide(
    store: &Store,
    webhook_id: WebhookId,
    reason: DisabledReason,
    url: Option<&str>,
) -> Result<(), StoreError> {
    let command = DisableWebhook { webhook_id, reason };
    store
        .log()
        .transact::<(), StoreError>(None, async |unit| {
            let loaded = unit.load::<Webhook>(webhook_id).await?;
            // The decision refuses an endpoint that does not exist.
            let decided = command.decide(&loaded.state).unwrap_or_default();
            // A change of the address appends to the stream. If one commits now, this transaction conflicts and decides anew.
            let meant = |webhook: &WebhookView| !decided.is_empty() && (url.is_none() || webhook.url.as_deref() == url);
            let Some(webhook) = store.webhooks().webhook(webhook_id).await?.filter(meant) else { return Ok(()) };
            if let Some(agent) = store.identity().agent(webhook.agent_id).await? {
                unit.write_side(WebhookChange::Notice(notice(store, &agent, webhook_id, reason)));
            }
            unit.append(webhook_id, &loaded, decided);
            unit.write_side(WebhookChange::Webhook(Box::new(webhook.disabled(reason, store.log().clock().now()))));
            unit.write_side(WebhookChange::DeliveriesCancelled { webhook_id });
            Ok(())
        })
        .await
        .map(drop)
}

fn notice(store: &Store, agent: &AgentView, webhook_id: WebhookId, reason: DisabledReason) -> NewNotice {
    let because = match reason {
        DisabledReason::Owner => "its owner disabled it",
        DisabledReason::Gone => "it answered 410 Gone",
        DisabledReason::Failing => "every push to it has failed for days",
    };
    let AgentView { id, owner_id, name, .. } = agent;
    let detail = format!(
        "The server has stopped pushing to the endpoint {webhook_id} of {name}: {because}. Once it works again, enable \
         it with PATCH /api/v1/agents/{id}/webhooks/{webhook_id} {{\"enabled\": true}}. Events meanwhile stay on the \
         log and can be replayed."
    );
    NewNotice {
        id: NoticeId::new(store.log().clock().uuid()),
        owner_id: *owner_id,
        kind: NoticeKind::WebhookDisabled,
        subject: webhook_id.to_string(),
        detail,
    }
}
