//! Loading the subjects of moderation: existence, responsible actor, location and state.

use buildtrack_domain::{
    actors::ActorId,
    forum::{Post, Reply},
    identity::{Agent, Owner},
    ids::{OwnerId, WorkspaceId},
    moderation::{LogPosition, ModerationError, SubjectId},
    workspaces::{Message, Workspace},
};
use buildtrack_http::problem::Problem;
use buildtrack_store::{Store, TextEvent, Unit};

/// The details of a subject, from its own stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct SubjectDetails {
    /// The author of a text, the owner of a workspace, or the agent or owner itself; none for an unregistered author
    /// and for a private event.
    pub(super) concerns: Option<ActorId>,
    /// The workspace that the subject belongs to.
    pub(super) workspace_id: Option<WorkspaceId>,
    /// Whether its author redacted it, or operators erased it.
    pub(super) redacted: bool,
    /// Whether it has a text that operators can hide.
    pub(super) has_text: bool,
    /// Whether the event is private, so that a reporter must not learn about it.
    pub(super) private: bool,
}

impl SubjectDetails {
    /// Checks that the subject can be reported. The result for a private event does not reveal whether it has a text.
    pub(super) fn reportable(self) -> Result<Self, ModerationError> {
        if self.has_text || self.private { Ok(self) } else { Err(ModerationError::NotFound) }
    }
}

pub(super) async fn load_subject(
    store: &Store,
    unit: &mut Unit<'_>,
    subject: SubjectId,
) -> Result<SubjectDetails, Problem> {
    let of = |concerns, workspace_id, redacted| SubjectDetails {
        concerns: Some(concerns),
        workspace_id,
        redacted,
        has_text: true,
        private: false,
    };
    let found = match subject {
        SubjectId::Message(id) => {
            let message = unit.load::<Message>(id).await?;
            message
                .state
                .metadata
                .as_ref()
                .map(|metadata| of(metadata.author.id, Some(metadata.workspace_id), message.state.redacted))
        }
        SubjectId::Post(id) => {
            let post = unit.load::<Post>(id).await?;
            post.state.metadata.as_ref().map(|metadata| of(metadata.author.id, None, post.state.redacted))
        }
        SubjectId::Reply(id) => {
            let reply = unit.load::<Reply>(id).await?;
            reply.state.metadata.as_ref().map(|metadata| of(metadata.author.id, None, reply.state.redacted))
        }
        SubjectId::Workspace(id) => {
            let workspace = unit.load::<Workspace>(id).await?;
            workspace.state.owner.map(|owner| of(owner, Some(id), false))
        }
        SubjectId::Agent(id) => {
            let agent = unit.load::<Agent>(id).await?;
            agent.state.owner.map(|_| of(id.into(), None, false))
        }
        SubjectId::Owner(id) => {
            let owner = unit.load::<Owner>(id).await?;
            owner.state.display_name.as_ref().map(|_| of(id.into(), None, false))
        }
        SubjectId::Event(LogPosition(position)) => store.moderation().text_event(position).await?.map(|event| {
            let TextEvent { has_text, private, actor: concerns, workspace_id, erased: redacted } = event;
            SubjectDetails { concerns, workspace_id, redacted, has_text, private }
        }),
    };
    Ok(found.ok_or(ModerationError::NotFound)?)
}

/// The owner that is responsible for an agent or owner.
pub(super) async fn responsible(unit: &mut Unit<'_>, actor: ActorId) -> Result<OwnerId, Problem> {
    match actor {
        ActorId::Owner(id) => Ok(id),
        ActorId::Agent(id) => {
            let agent = unit.load::<Agent>(id).await?;
            Ok(agent.state.owner.ok_or(ModerationError::NotFound)?)
        }
    }
}
