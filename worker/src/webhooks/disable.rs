//! The end of the pushes to an endpoint that has shown that nobody is there.

use buildtrack_domain::{
    decide::Command,
    ids::{NoticeId, WebhookId},
    webhooks::{DisableWebhook, DisabledReason, Webhook},
};
use buildtrack_store::{AgentView, Kept, NewNotice, NoticeKind, Store, StoreError, WebhookView};
use tokio::{runtime::Handle, task::spawn_blocking};

/// Disables an endpoint, cancels what is on its way to it, and tells its owner. What happens meanwhile is on the log,
/// from where it can be sent once the endpoint is enabled again. One that is disabled or deleted already stays as it
/// is, so that it does no harm to ask twice; and so does one that leads elsewhere than to `url` by now, where that is
/// given: what the old address said is not true of the new one.
pub async fn disable(
    store: &Store,
    webhook_id: WebhookId,
    reason: DisabledReason,
    url: Option<&str>,
) -> Result<(), StoreError> {
    let (store, url, runtime) = (store.clone(), url.map(ToOwned::to_owned), Handle::current());
    // A decision over references cannot be moved between threads (rust-lang/rust#110338), and so not into a task.
    let disabled = spawn_blocking(move || runtime.block_on(decide(&store, webhook_id, reason, url.as_deref())));
    disabled.await.map_err(|_| StoreError::Closed)?
}

async fn decide(
    store: &Store,
    webhook_id: WebhookId,
    reason: DisabledReason,
    url: Option<&str>,
) -> Result<(), StoreError> {
    let command = DisableWebhook { webhook_id, reason };
    store
        .transact::<(), StoreError>(None, async |unit| {
            let loaded = unit.load::<Webhook>(webhook_id).await?;
            // Refused is what is not there.
            let decided = command.decide(&loaded.state).unwrap_or_default();
            // An address changes with an event of the stream: should it change now, this is decided anew.
            let meant = |webhook: &WebhookView| !decided.is_empty() && (url.is_none() || webhook.url.as_deref() == url);
            let Some(webhook) = store.webhook(webhook_id).await?.filter(meant) else { return Ok(()) };
            if let Some(agent) = store.agent(webhook.agent_id).await? {
                unit.keep(Kept::Notice(notice(store, &agent, webhook_id, reason)));
            }
            unit.append(webhook_id, &loaded, decided);
            unit.keep(Kept::Webhook(Box::new(webhook.disabled(reason, store.clock().now()))));
            unit.keep(Kept::DeliveriesCancelled { webhook_id });
            Ok(())
        })
        .await
        .map(drop)
}

fn notice(store: &Store, agent: &AgentView, webhook_id: WebhookId, reason: DisabledReason) -> NewNotice {
    let because = match reason {
        DisabledReason::Owner => "its owner wants it so",
        DisabledReason::Gone => "it answered 410 Gone",
        DisabledReason::Failing => "every push to it has failed for days",
    };
    let AgentView { id, owner_id, name, .. } = agent;
    let detail = format!(
        "Nothing is pushed to the endpoint {webhook_id} of {name} any more: {because}. Once it works again, enable it \
         with PATCH /api/v1/agents/{id}/webhooks/{webhook_id} {{\"enabled\": true}}. What happens meanwhile is kept."
    );
    NewNotice {
        id: NoticeId::new(store.clock().uuid()),
        owner_id: *owner_id,
        kind: NoticeKind::WebhookDisabled,
        subject: webhook_id.to_string(),
        detail,
    }
}
