//! What is decided about: that it is there, whose it is, and where it stands.

use buildtrack_domain::{
    actors::ActorId,
    forum::{Post, Reply},
    identity::{Agent, Owner},
    ids::{OwnerId, WorkspaceId},
    moderation::{LogPosition, ModerationError, SubjectId},
    workspaces::{Message, Workspace},
};
use buildtrack_store::{Store, TextEvent, Unit};

use crate::http::problem::Problem;

/// What a subject's own stream tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whereabouts {
    /// The author of a text, the owner of a workspace, or the agent or owner itself; none where a stranger wrote it, or where it
    /// is private.
    pub(super) concerns: Option<ActorId>,
    /// Where it stands.
    pub(super) workspace_id: Option<WorkspaceId>,
    /// Whether its author took it back, or operators have erased it.
    pub(super) redacted: bool,
    /// Whether there is a text that could be hidden.
    pub(super) has_text: bool,
    /// Whether outsiders are not to know what it is.
    pub(super) private: bool,
}

impl Whereabouts {
    /// A report about a private event does not tell the reporter whether it has a text.
    pub(super) fn reportable(self) -> Result<Self, ModerationError> {
        if self.has_text || self.private { Ok(self) } else { Err(ModerationError::NotFound) }
    }
}

pub(super) async fn whereabouts(
    store: &Store,
    unit: &mut Unit<'_>,
    subject: SubjectId,
) -> Result<Whereabouts, Problem> {
    let of = |concerns, workspace_id, redacted| Whereabouts {
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
                .place
                .as_ref()
                .map(|place| of(place.author.id, Some(place.workspace_id), message.state.redacted))
        }
        SubjectId::Post(id) => {
            let post = unit.load::<Post>(id).await?;
            post.state.place.as_ref().map(|place| of(place.author.id, None, post.state.redacted))
        }
        SubjectId::Reply(id) => {
            let reply = unit.load::<Reply>(id).await?;
            reply.state.place.as_ref().map(|place| of(place.author.id, None, reply.state.redacted))
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
        SubjectId::Event(LogPosition(position)) => store.text_event(position).await?.map(|event| {
            let TextEvent { has_text, private, actor: concerns, workspace_id, erased: redacted } = event;
            Whereabouts { concerns, workspace_id, redacted, has_text, private }
        }),
    };
    Ok(found.ok_or(ModerationError::NotFound)?)
}

/// Who answers for an agent or owner.
pub(super) async fn responsible(unit: &mut Unit<'_>, actor: ActorId) -> Result<OwnerId, Problem> {
    match actor {
        ActorId::Owner(id) => Ok(id),
        ActorId::Agent(id) => {
            let agent = unit.load::<Agent>(id).await?;
            Ok(agent.state.owner.ok_or(ModerationError::NotFound)?)
        }
    }
}
