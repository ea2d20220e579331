//! Processing of deleted accounts: erases their agents and redacts their texts in small steps, in one process at a time.
//!
//! Each step appends its events to the log. A side table records the progress, which callers can query.

use std::time::Duration;

use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    forum::{LoseSolution, Post, PostEvent, RedactPost, RedactReply, Reply, ReplyEvent, Solution},
    identity::{Agent, EraseAgent, TextRetention},
    ids::{AgentId, MessageId, OwnerId, PostId, ReplyId, WorkspaceId},
    workspaces::{Message, MessageEvent, RedactMessage, Workspace},
};
use buildtrack_store::{DepartureChange, DepartureView, LogChange, OwnText, Store, StoreError, Unit};
use chrono::{DateTime, Utc};
use tokio_util::sync::CancellationToken;

use crate::{
    decisions::on_thread,
    leased::{LeasedTask, Next, Schedule},
};

/// Pause between two polls for unfinished accounts.
const EVERY: Duration = Duration::from_secs(2);
/// Pause between two steps, so that other writers get their turn.
const BREATH: Duration = Duration::from_millis(50);
/// Accounts per poll, and agents or texts per step.
const ACCOUNTS: i64 = 10;
const STEP: i64 = 50;

/// Processes deleted accounts.
pub(crate) struct Departures {
    pub(crate) store: Store,
}

impl LeasedTask for Departures {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, "departures", Duration::from_secs(30));

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, StoreError> {
        Ok(if step(&self.store).await? { Next::After(BREATH) } else { Next::Idle })
    }
}

/// Takes one step for each unfinished account. True if there may be more to do.
pub(crate) async fn step(store: &Store) -> Result<bool, StoreError> {
    let departures = store.identity().unfinished_departures(ACCOUNTS).await?;
    let store = store.clone();
    on_thread(move || async move {
        let mut succeeded = false;
        for departure in departures {
            let owner_id = departure.owner_id;
            // A failure of one account must not delay the others.
            match clear(&store, departure).await {
                Ok(()) => succeeded = true,
                Err(error) => {
                    tracing::warn!(%error, %owner_id, "a step of an account deletion failed; the worker retries it");
                }
            }
        }
        succeeded
    })
    .await
}

async fn clear(store: &Store, departure: DepartureView) -> Result<(), StoreError> {
    let DepartureView { owner_id, texts, .. } = departure;
    let agents = store.identity().unerased(owner_id, STEP).await?;
    for agent in &agents {
        erase(store, *agent).await?;
    }
    let texts = match texts {
        TextRetention::Keep => vec![],
        TextRetention::Redact => store.identity().own_texts(owner_id, STEP).await?,
    };
    let mut redacted = 0;
    for text in &texts {
        redacted += i64::from(redact(store, *text).await?);
    }
    // Texts that yield no redaction are redacted already, so the account is finished.
    note(store, owner_id, redacted, agents.is_empty() && redacted == 0).await
}

async fn note(store: &Store, owner_id: OwnerId, redacted: i64, finished: bool) -> Result<(), StoreError> {
    let finished_at = finished.then(|| store.log().clock().now());
    store.log().write_side(vec![DepartureChange::DepartureStep { owner_id, redacted, finished_at }]).await
}

async fn erase(
    store: &Store,
    (agent_id, position, created_at): (AgentId, i64, DateTime<Utc>),
) -> Result<(), StoreError> {
    let erased = store.log().transact::<(), StoreError>(None, async |unit| {
        let agent = unit.load::<Agent>(agent_id).await?;
        let events = EraseAgent { agent_id, position, created_at }.decide(&agent.state).unwrap_or_default();
        if !events.is_empty() {
            unit.append(agent_id, &agent, events);
            unit.write_side(LogChange::Redaction { stream: agent_id.to_string() });
        }
        Ok(())
    });
    erased.await.map(drop)
}

/// Redacts a text as its author would, but records an author without a name. False if it was redacted before.
async fn redact(store: &Store, text: OwnText) -> Result<bool, StoreError> {
    let done = match text {
        OwnText::Message(workspace_id, id, by) => {
            store.log().transact(None, async |unit| redact_message(unit, workspace_id, id, by).await).await?
        }
        OwnText::Post(id, by) => store.log().transact(None, async |unit| redact_post(unit, id, by).await).await?,
        OwnText::Reply(post_id, id, by) => {
            store.log().transact(None, async |unit| redact_reply(unit, post_id, id, by).await).await?
        }
    };
    Ok(done.value)
}

async fn redact_message(
    unit: &mut Unit<'_>,
    workspace_id: WorkspaceId,
    id: MessageId,
    by: ActorId,
) -> Result<bool, StoreError> {
    let message = unit.load::<Message>(id).await?;
    let mut events = RedactMessage { workspace_id, by }.decide(&message.state).unwrap_or_default();
    for event in &mut events {
        if let MessageEvent::Redacted(data) = event {
            data.author = data.author.clone().without_name();
        }
    }
    let is_redacted = !events.is_empty();
    if is_redacted {
        let workspace = unit.load::<Workspace>(workspace_id).await?;
        unit.append(id, &message, events);
        unit.append(workspace_id, &workspace, workspace.state.without(&message.state));
        unit.write_side(LogChange::Redaction { stream: id.to_string() });
    }
    Ok(is_redacted)
}

async fn redact_post(unit: &mut Unit<'_>, id: PostId, by: ActorId) -> Result<bool, StoreError> {
    let post = unit.load::<Post>(id).await?;
    let mut events = RedactPost { by }.decide(&post.state).unwrap_or_default();
    for event in &mut events {
        if let PostEvent::Redacted(data) = event {
            data.author = data.author.clone().without_name();
        }
    }
    let is_redacted = !events.is_empty();
    if is_redacted {
        unit.append(id, &post, events);
        unit.write_side(LogChange::Redaction { stream: id.to_string() });
    }
    Ok(is_redacted)
}

async fn redact_reply(unit: &mut Unit<'_>, post_id: PostId, id: ReplyId, by: ActorId) -> Result<bool, StoreError> {
    let reply = unit.load::<Reply>(id).await?;
    let mut events = RedactReply { post_id, by }.decide(&reply.state).unwrap_or_default();
    for event in &mut events {
        if let ReplyEvent::Redacted(data) = event {
            data.author = data.author.clone().without_name();
        }
    }
    let is_redacted = !events.is_empty();
    if is_redacted {
        let stream = format!("solution:{post_id}");
        let solution = unit.load::<Solution>(&stream).await?;
        let lost = LoseSolution { post_id, reply_id: id, by }.decide(&solution.state).unwrap_or_default();
        unit.append(&stream, &solution, lost);
        unit.append(id, &reply, events);
        unit.write_side(LogChange::Redaction { stream: id.to_string() });
    }
    Ok(is_redacted)
}
