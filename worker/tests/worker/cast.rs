//! Agents and their actions in these tests, written as events. The domain's rules are not checked here.

use std::time::Duration;

use buildtrack_bus::Bus;
use buildtrack_domain::{
    actors::{Actor, ActorKind},
    forum::{PostEvent, PostWritten, ReplyEvent, ReplyWritten},
    identity::{Agent, AgentDeactivated, AgentEvent, AgentProfile, AgentRegistered, OwnerEvent, OwnerRegistered},
    ids::{AgentId, MessageId, OwnerId, PostId, ReplyId, WebhookId, WorkspaceId},
    mentions::Recipients,
    webhooks::{PushType, Webhook, WebhookChanged, WebhookEvent, WebhookRegistered},
    workspaces::{
        Message, MessageEvent, MessageKind, MessagePosted, Workspace, WorkspaceEvent, WorkspaceJoined, WorkspaceLeft,
        WorkspaceMemberRemoved, WorkspaceOpened, WorkspaceShipped,
    },
};
use buildtrack_store::{IdentityChange, LogChange, Purpose, Store, StoreError, Unit, WebhookChange, WebhookView};
use buildtrack_worker::{Worker, WorkerSettings, queues};

/// An agent with an endpoint, which may have no address.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) actor: Actor,
    pub(crate) agent_id: AgentId,
    pub(crate) owner_id: OwnerId,
    pub(crate) secret: String,
    pub(crate) webhook_id: WebhookId,
}

/// An in-process bus.
pub(crate) fn local_bus() -> Bus {
    Bus::local(&queues())
}

/// Settings of the worker: three retries after 10 seconds each, and calls of at most half a second.
pub(crate) fn settings() -> WorkerSettings {
    WorkerSettings {
        public_url: "https://build.example".into(),
        allow_private_targets: true,
        retry_schedule: "10,10,10".parse().unwrap(),
        call_timeout: Duration::from_millis(500),
        delivery_retention: Duration::from_hours(24),
        envelope_retention: None,
        breaker_wait: Duration::from_millis(100),
        target_rate: buildtrack_settings::TargetRate::default(),
        arena_limits: buildtrack_settings::ArenaLimits::default(),
        cost_guard_mode: buildtrack_settings::CostGuardMode::Enforce,
        python: "python3".into(),
        mails_per_hour: 1000,
    }
}

/// A worker that may call this machine.
pub(crate) fn worker(store: &Store) -> Worker {
    Worker::new(store.clone(), local_bus(), settings()).unwrap()
}

/// Longer than every retry delay of [`settings`] with its jitter, but shorter than a lease.
pub(crate) const RETRY: Duration = Duration::from_secs(12);

pub(crate) async fn commit(
    store: &Store,
    actor: Option<&Actor>,
    decide: impl AsyncFn(&mut Unit<'_>) -> Result<(), StoreError>,
) {
    store.log().transact::<(), StoreError>(actor.map(|actor| actor.id), decide).await.unwrap();
}

/// An owner with an account, whose address is `<owner id>@example.org`.
pub(crate) async fn owner(store: &Store) -> OwnerId {
    let owner_id = OwnerId::new(store.log().clock().uuid());
    let (registered, email) =
        (OwnerRegistered { owner_id, display_name: "Owner".into() }, format!("{owner_id}@example.org"));
    commit(store, None, async |unit| {
        unit.begin(owner_id, [OwnerEvent::from(registered.clone())]);
        unit.write_side(IdentityChange::Account {
            owner_id,
            email_hash: store.log().secret().keyed_hash(&email),
            email_sealed: store.log().secret().seal(Purpose::EmailAddress, &email)?,
            password_hash: "$argon2id$…".into(),
        });
        Ok(())
    })
    .await;
    owner_id
}

/// An agent that receives all events of other actors at `url`.
pub(crate) async fn agent(store: &Store, name: &str, url: Option<String>) -> Member {
    let events = PushType::ALL.into_iter().filter(|event| *event != PushType::ReputationChanged);
    agent_with_events(store, name, url, &events.collect::<Vec<_>>()).await
}

/// An agent that receives these events at `url`.
pub(crate) async fn agent_with_events(store: &Store, name: &str, url: Option<String>, events: &[PushType]) -> Member {
    register(store, (OwnerId::new(store.log().clock().uuid()), name), url, events).await
}

/// An agent of this owner, without an address.
pub(crate) async fn agent_of(store: &Store, owner_id: OwnerId, name: &str) -> Member {
    register(store, (owner_id, name), None, &[]).await
}

async fn register(
    store: &Store,
    (owner_id, name): (OwnerId, &str),
    url: Option<String>,
    events: &[PushType],
) -> Member {
    let (agent_id, webhook_id) = (AgentId::new(store.log().clock().uuid()), WebhookId::new(store.log().clock().uuid()));
    let (model, secret) = ("claude-opus-4-8".to_owned(), format!("whsec_{name:A<32}"));
    let actor = Actor { id: agent_id.into(), name: name.into(), kind: ActorKind::AiAgent, model: Some(model.clone()) };
    let profile = AgentProfile { name: name.into(), model, ..AgentProfile::default() };
    let registered = AgentRegistered { agent_id, owner_id, profile };
    commit(store, None, async |unit| {
        unit.begin(agent_id, [AgentEvent::from(registered.clone())]);
        unit.begin(
            webhook_id,
            [WebhookEvent::from(WebhookRegistered { webhook_id, agent_id, events: events.to_vec() })],
        );
        let secret_sealed = store.log().secret().seal(Purpose::WebhookSecret, &secret)?;
        let webhook = WebhookView::new(webhook_id, agent_id, url.clone(), events.to_vec(), secret_sealed);
        unit.write_side(WebhookChange::Webhook(Box::new(webhook)));
        Ok(())
    })
    .await;
    Member { actor, agent_id, owner_id, secret, webhook_id }
}

/// Changes or removes the address of the agent's endpoint.
pub(crate) async fn moves(store: &Store, member: &Member, url: Option<String>) {
    changes(store, member, |webhook| WebhookView { url: url.clone(), ..webhook }).await;
}

/// Changes the settings of the agent's endpoint.
pub(crate) async fn changes(store: &Store, member: &Member, change: impl Fn(WebhookView) -> WebhookView) {
    let Member { webhook_id, agent_id, .. } = *member;
    commit(store, Some(&member.actor), async |unit| {
        let webhook = unit.load::<Webhook>(webhook_id).await?;
        let events = webhook.state.settings.events.clone();
        let changed = WebhookChanged { webhook_id, agent_id, events, address_changed: false };
        unit.append(webhook_id, &webhook, vec![changed.into()]);
        let Some(stored) = store.webhooks().webhook(webhook_id).await? else { return Err(StoreError::Closed) };
        unit.write_side(WebhookChange::Webhook(Box::new(change(stored))));
        Ok(())
    })
    .await;
}

/// Deactivates the agent.
pub(crate) async fn deactivate(store: &Store, member: &Member) {
    let agent_id = member.agent_id;
    commit(store, None, async |unit| {
        let agent = unit.load::<Agent>(agent_id).await?;
        unit.append(agent_id, &agent, vec![AgentDeactivated { agent_id }.into()]);
        Ok(())
    })
    .await;
}

/// A workspace with these members. The first opens it, the others join one after the other.
pub(crate) async fn workspace(store: &Store, members: &[&Member]) -> WorkspaceId {
    let workspace_id = WorkspaceId::new(store.log().clock().uuid());
    let opened = WorkspaceOpened {
        workspace_id,
        name: "Webhook events".into(),
        description: "Push instead of polling".into(),
        goal: None,
        owner: members[0].actor.clone(),
        tags: vec!["build".into()],
    };
    commit(store, Some(&members[0].actor), async |unit| {
        unit.begin(workspace_id, [WorkspaceEvent::from(opened.clone())]);
        Ok(())
    })
    .await;
    for member in &members[1..] {
        join(store, workspace_id, member).await;
    }
    workspace_id
}

pub(crate) async fn join(store: &Store, workspace_id: WorkspaceId, member: &Member) {
    let workspace_name = "Webhook events".to_owned();
    let joined = WorkspaceJoined { workspace_id, workspace_name, member: member.actor.clone() };
    commit(store, Some(&member.actor), async |unit| {
        let workspace = unit.load::<Workspace>(workspace_id).await?;
        unit.append(workspace_id, &workspace, vec![joined.clone().into()]);
        Ok(())
    })
    .await;
}

pub(crate) async fn leave(store: &Store, workspace_id: WorkspaceId, member: &Member) {
    let left = WorkspaceLeft { workspace_id, member_id: member.actor.id };
    commit(store, Some(&member.actor), async |unit| {
        let workspace = unit.load::<Workspace>(workspace_id).await?;
        unit.append(workspace_id, &workspace, vec![left.clone().into()]);
        Ok(())
    })
    .await;
}

/// `by` removes the member.
pub(crate) async fn remove(store: &Store, workspace_id: WorkspaceId, member: &Member, by: &Member) {
    let removed = WorkspaceMemberRemoved { workspace_id, member_id: member.actor.id, removed_by: by.actor.id };
    commit(store, Some(&by.actor), async |unit| {
        let workspace = unit.load::<Workspace>(workspace_id).await?;
        unit.append(workspace_id, &workspace, vec![removed.clone().into()]);
        Ok(())
    })
    .await;
}

/// Ships the workspace with these tags.
pub(crate) async fn ship(store: &Store, workspace_id: WorkspaceId, by: &Member, tags: &[&str], note: &str) {
    let shipped = WorkspaceShipped {
        workspace_id,
        workspace_name: "Webhook events".into(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        solution_id: MessageId::new(store.log().clock().uuid()),
        note: note.to_owned(),
        links: vec![],
        shipped_by: by.actor.clone(),
    };
    commit(store, Some(&by.actor), async |unit| {
        let workspace = unit.load::<Workspace>(workspace_id).await?;
        unit.append(workspace_id, &workspace, vec![shipped.clone().into()]);
        Ok(())
    })
    .await;
}

pub(crate) async fn post(store: &Store, workspace_id: WorkspaceId, author: &Member, content: &str) -> MessageId {
    post_to(store, workspace_id, author, content, Recipients::default()).await
}

/// A message that mentions the member.
pub(crate) async fn mention(store: &Store, workspace_id: WorkspaceId, author: &Member, member: &Member) -> MessageId {
    let concerns = Recipients { mentions: vec![member.actor.id], answers: vec![] };
    post_to(store, workspace_id, author, "You?", concerns).await
}

async fn post_to(store: &Store, workspace_id: WorkspaceId, by: &Member, text: &str, concerns: Recipients) -> MessageId {
    let (message_id, reply_to) = (MessageId::new(store.log().clock().uuid()), None);
    let (author, kind, content) = (by.actor.clone(), MessageKind::Proposal, text.to_owned());
    let posted = MessagePosted { message_id, workspace_id, author, kind, content, reply_to, concerns };
    commit(store, Some(&posted.author), async |unit| {
        unit.begin(message_id, [MessageEvent::from(posted.clone())]);
        Ok(())
    })
    .await;
    message_id
}

/// A post in the forum.
pub(crate) async fn ask(store: &Store, author: &Member) -> PostId {
    let post_id = PostId::new(store.log().clock().uuid());
    let (author, title, body) = (author.actor.clone(), "How?".to_owned(), "In **Rust**.".to_owned());
    let (tags, concerns) = (vec![], Recipients::default());
    let written = PostWritten { post_id, author, title, body, tags, concerns };
    commit(store, Some(&written.author), async |unit| {
        unit.begin(post_id, [PostEvent::from(written.clone())]);
        Ok(())
    })
    .await;
    post_id
}

pub(crate) async fn answer(store: &Store, post_id: PostId, author: &Member, body: &str) -> ReplyId {
    let reply_id = ReplyId::new(store.log().clock().uuid());
    let (author, body) = (author.actor.clone(), body.to_owned());
    let (post_author_id, reply_to, concerns) = (None, None, Recipients::default());
    let written = ReplyWritten { reply_id, post_id, post_author_id, author, body, reply_to, concerns };
    commit(store, Some(&written.author), async |unit| {
        unit.begin(reply_id, [ReplyEvent::from(written.clone())]);
        Ok(())
    })
    .await;
    reply_id
}

/// The author redacts the message.
pub(crate) async fn redact(store: &Store, message_id: MessageId) {
    commit(store, None, async |unit| {
        let message = unit.load::<Message>(message_id).await?;
        let metadata = message.state.metadata.clone().unwrap();
        unit.append(message_id, &message, vec![MessageEvent::from(metadata)]);
        unit.write_side(LogChange::Redaction { stream: message_id.to_string() });
        Ok(())
    })
    .await;
}
