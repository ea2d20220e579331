//! Ends what acts for an agent, as its own removal does: on behalf of its owner, or because the consent has ended under which it was made.

use buildtrack_domain::{
    arena::enrolment::{Enrolment, EnrolmentStream, RotateToken},
    decide::Command,
    identity::{Access, AccessKind},
    ids::{AgentId, NoticeId, WebhookId},
    relay::directory::{Link, LinkEvent, Linking, UnlinkDid},
    webhooks::{DisableWebhook, DisabledReason, Webhook},
};

use buildtrack_macros::boxed;

use crate::{
    Store, StoreError,
    arena::Change as ArenaChange,
    exchange::Change as ExchangeChange,
    identity::Change as IdentityChange,
    log::{Done, Unit},
    webhooks::{Change as WebhookChange, NewNotice, NoticeKind, WebhookView},
};

/// Ends something that acts for an agent, with its origin. Nothing changes where it is gone. A webhook endpoint is disabled, so that the
/// owner can see it and decide: it may have been another's before a client changed it. Its origin stays with its address.
#[boxed]
pub async fn end_access(store: &Store, unit: &mut Unit<'_>, access: &Access) -> Result<(), StoreError> {
    let agent_id = access.agent_id;
    match access.kind {
        AccessKind::ArenaToken => end_arena_token(unit, agent_id).await?,
        AccessKind::ArenaEndpoint => end_arena_endpoint(unit, agent_id).await?,
        AccessKind::Webhook => {
            disable_webhook(store, unit, access).await?;
            return Ok(());
        }
        AccessKind::Did => unlink_did(unit, agent_id).await?,
        AccessKind::PushConfig => {
            if let Some((exchange_id, id)) = access.config() {
                unit.write_side(ExchangeChange::TaskPushRemoved { exchange_id, id: id.to_owned() });
            }
        }
    }
    unit.write_side(IdentityChange::OriginDeleted { access: access.clone() });
    Ok(())
}

/// Ends something whose consent has ended, unless it was made anew since.
pub async fn end_fallen_access(store: &Store, access: &Access) -> Result<(), StoreError> {
    let ended: Result<Done<()>, StoreError> = store
        .log()
        .transact(None, async |unit| {
            // What makes it anew changes the stream, so that this commit conflicts: read the origin after it.
            load_stream(unit, access).await?;
            let Some(origin) = store.identity().origin(access.kind, &access.subject).await? else { return Ok(()) };
            if !store.identity().has_fallen(&origin).await? {
                return Ok(());
            }
            if access.kind != AccessKind::Webhook {
                return end_access(store, unit, access).await;
            }
            if let Some(webhook) = disable_webhook(store, unit, access).await? {
                notify_owner(store, unit, &webhook).await?;
            }
            Ok(())
        })
        .await;
    ended.map(drop)
}

/// Disables an endpoint. Returns it unless it received no pushes before.
async fn disable_webhook(
    store: &Store,
    unit: &mut Unit<'_>,
    access: &Access,
) -> Result<Option<WebhookView>, StoreError> {
    let Ok(webhook_id) = access.subject.parse::<WebhookId>() else { return Ok(None) };
    let loaded = unit.load::<Webhook>(webhook_id).await?;
    let reason = DisabledReason::Owner;
    let disabled = DisableWebhook { webhook_id, reason }.decide(&loaded.state).unwrap_or_default();
    // Read after the stream, whose version the commit names: the row changes with it.
    let Some(webhook) =
        store.webhooks().webhook(webhook_id).await?.filter(|row| row.agent_id == access.agent_id && row.is_on())
    else {
        return Ok(None);
    };
    if disabled.is_empty() {
        return Ok(None);
    }
    unit.append(webhook_id, &loaded, disabled);
    unit.write_side(WebhookChange::Webhook(Box::new(webhook.clone().disabled(reason, store.log().clock().now()))));
    unit.write_side(WebhookChange::DeliveriesCancelled { webhook_id });
    Ok(Some(webhook))
}

/// Tells the owner that an endpoint fell with the consent of a client.
async fn notify_owner(store: &Store, unit: &mut Unit<'_>, webhook: &WebhookView) -> Result<(), StoreError> {
    let Some(agent) = store.identity().agent(webhook.agent_id).await? else { return Ok(()) };
    let (webhook_id, id) = (webhook.id, agent.id);
    let detail = format!(
        "The server has stopped pushing to the endpoint {webhook_id} of {}: a program gave it its address, and the \
         program's access as the agent has ended. To use the endpoint again, give it another address with PATCH \
         /api/v1/agents/{id}/webhooks/{webhook_id} {{\"url\": …, \"enabled\": true}}. Events meanwhile stay on the log and \
         can be replayed.",
        agent.name
    );
    unit.write_side(WebhookChange::Notice(NewNotice {
        id: NoticeId::new(store.log().clock().uuid()),
        owner_id: agent.owner_id,
        kind: NoticeKind::WebhookDisabled,
        subject: webhook_id.to_string(),
        detail,
    }));
    Ok(())
}

async fn load_stream(unit: &mut Unit<'_>, access: &Access) -> Result<(), StoreError> {
    match access.kind {
        AccessKind::ArenaToken | AccessKind::ArenaEndpoint => {
            unit.load::<Enrolment>(EnrolmentStream(access.agent_id)).await.map(drop)
        }
        AccessKind::Webhook => unit.load::<Webhook>(&access.subject).await.map(drop),
        AccessKind::Did => unit.load::<Linking>(Linking::stream(access.agent_id)).await.map(drop),
        AccessKind::PushConfig => Ok(()),
    }
}

async fn end_arena_token(unit: &mut Unit<'_>, agent_id: AgentId) -> Result<(), StoreError> {
    let stream = EnrolmentStream(agent_id);
    let state = unit.load::<Enrolment>(stream).await?;
    unit.append(stream, &state, RotateToken { agent_id }.decide(&state.state).unwrap_or_default());
    unit.write_side(ArenaChange::TokenRemoved { agent_id });
    Ok(())
}

async fn end_arena_endpoint(unit: &mut Unit<'_>, agent_id: AgentId) -> Result<(), StoreError> {
    let stream = EnrolmentStream(agent_id);
    let state = unit.load::<Enrolment>(stream).await?;
    unit.append(stream, &state, state.state.remove_endpoint());
    unit.write_side(ArenaChange::EndpointRemoved { agent_id });
    Ok(())
}

async fn unlink_did(unit: &mut Unit<'_>, agent_id: AgentId) -> Result<(), StoreError> {
    let slot = unit.load::<Linking>(Linking::stream(agent_id)).await?;
    let Some(did) = &slot.state.did else { return Ok(()) };
    let link = unit.load::<Link>(did.link_stream()).await?;
    let unlinked = UnlinkDid { agent_id }.decide(&slot.state).unwrap_or_default();
    let freed = unlinked.iter().map(LinkEvent::other_side).collect();
    unit.append(did.link_stream(), &link, unlinked);
    unit.append(Linking::stream(agent_id), &slot, freed);
    Ok(())
}
