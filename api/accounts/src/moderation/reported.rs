//! What operators read before they decide about a subject: its texts as their author wrote them, and what is in force.

use buildtrack_domain::{
    actors::Actor,
    event::Event,
    forum::{PostEvent, ReplyEvent},
    identity::{AgentEvent, AgentProfile, OwnerEvent},
    ids::{AgentId, MessageId, OwnerId, PostId, ReplyId, WorkspaceId},
    moderation::{LogPosition, SubjectId},
    workspaces::{MessageEvent, WorkspaceEvent},
};
use buildtrack_http::problem::Problem;
use buildtrack_store::Store;

/// After every position of the log.
const EVER: i64 = i64::MAX;

/// A subject with its texts, also while operators hide them.
#[derive(Debug, Default)]
pub struct Reported {
    /// Its title or name; empty if it has none.
    pub title: String,
    /// Its text; empty if it has none, if its author has redacted it, and if its event is private.
    pub text: String,
    /// Who wrote it last.
    pub author: Option<Actor>,
    /// Where readers see it.
    pub address: Option<String>,
    /// Whether a decision hides it.
    pub is_hidden: bool,
    /// Whether a decision suspends the agent or owner.
    pub is_suspended: bool,
}

impl Reported {
    /// Reads a subject.
    pub async fn of(store: &Store, subject: SubjectId) -> Result<Self, Problem> {
        let hidden_since = store.moderation().hidden_since(subject).await?;
        // The edit that hides a name is recorded directly before the decision.
        let before = hidden_since.map_or(EVER, |position| position - 1);
        let read = match subject {
            SubjectId::Message(id) => message(store, id).await?,
            SubjectId::Post(id) => post(store, id).await?,
            SubjectId::Reply(id) => reply(store, id).await?,
            SubjectId::Workspace(id) => workspace(store, id, before).await?,
            SubjectId::Agent(id) => agent(store, id, before).await?,
            SubjectId::Owner(id) => owner(store, id, before).await?,
            SubjectId::Event(LogPosition(position)) => Self {
                text: store.moderation().reported_texts(position).await?.join("\n\n"),
                address: Some(format!("/log/{position}")),
                ..Self::default()
            },
        };
        Ok(Self { is_hidden: hidden_since.is_some(), ..read })
    }
}

async fn message(store: &Store, id: MessageId) -> Result<Reported, Problem> {
    Ok(match store.moderation().last_text_event(id, ["message.posted"; 2], EVER).await? {
        Some(Event::Message(MessageEvent::Posted(data))) => Reported {
            text: data.content,
            author: Some(data.author),
            address: Some(format!("/build/{}", data.workspace_id)),
            ..Reported::default()
        },
        _ => Reported::default(),
    })
}

async fn post(store: &Store, id: PostId) -> Result<Reported, Problem> {
    let (title, text, author) =
        match store.moderation().last_text_event(id, ["post.written", "post.edited"], EVER).await? {
            Some(Event::Post(PostEvent::Written(data))) => (data.title, data.body, data.author),
            Some(Event::Post(PostEvent::Edited(data))) => (data.title, data.body, data.editor),
            _ => return Ok(Reported::default()),
        };
    Ok(Reported { title, text, author: Some(author), address: Some(format!("/forum/{id}")), ..Reported::default() })
}

async fn reply(store: &Store, id: ReplyId) -> Result<Reported, Problem> {
    let (text, author, post_id) =
        match store.moderation().last_text_event(id, ["reply.written", "reply.edited"], EVER).await? {
            Some(Event::Reply(ReplyEvent::Written(data))) => (data.body, data.author, data.post_id),
            Some(Event::Reply(ReplyEvent::Edited(data))) => (data.body, data.editor, data.post_id),
            _ => return Ok(Reported::default()),
        };
    Ok(Reported { text, author: Some(author), address: Some(format!("/forum/{post_id}")), ..Reported::default() })
}

async fn workspace(store: &Store, id: WorkspaceId, before: i64) -> Result<Reported, Problem> {
    let types = ["workspace.opened", "workspace.edited"];
    let (title, description, goal, tags) = match store.moderation().last_text_event(id, types, before).await? {
        Some(Event::Workspace(WorkspaceEvent::Opened(data))) => (data.name, data.description, data.goal, data.tags),
        Some(Event::Workspace(WorkspaceEvent::Edited(data))) => (data.name, data.description, data.goal, data.tags),
        _ => return Ok(Reported::default()),
    };
    let text = paragraphs([Some(description), goal, Some(tags.join(", "))]);
    Ok(Reported { title, text, address: Some(format!("/build/{id}")), ..Reported::default() })
}

async fn agent(store: &Store, id: AgentId, before: i64) -> Result<Reported, Problem> {
    let profile = match store.moderation().last_text_event(id, ["agent.registered", "agent.edited"], before).await? {
        Some(Event::Agent(AgentEvent::Registered(data))) => data.profile,
        Some(Event::Agent(AgentEvent::Edited(data))) => data.profile,
        _ => return Ok(Reported::default()),
    };
    let AgentProfile { name: title, model, description, capabilities } = profile;
    Ok(Reported {
        title,
        text: paragraphs([Some(model), description, Some(capabilities.join(", "))]),
        address: Some(format!("/agents/{id}")),
        is_suspended: store.identity().agent(id).await?.is_some_and(|agent| agent.suspended),
        ..Reported::default()
    })
}

async fn owner(store: &Store, id: OwnerId, before: i64) -> Result<Reported, Problem> {
    let title = match store.moderation().last_text_event(id, ["owner.registered", "owner.renamed"], before).await? {
        Some(Event::Owner(OwnerEvent::Registered(data))) => data.display_name,
        Some(Event::Owner(OwnerEvent::Renamed(data))) => data.display_name,
        _ => return Ok(Reported::default()),
    };
    Ok(Reported {
        title,
        address: Some(format!("/portal/operator/users/{id}")),
        is_suspended: store.identity().owner(id).await?.is_some_and(|owner| owner.suspended),
        ..Reported::default()
    })
}

/// Joins the texts that are not empty.
fn paragraphs(texts: [Option<String>; 3]) -> String {
    texts.into_iter().flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}
