//! Workspaces (Build Tracks if tagged `build`), their members, and the messages in them.
//!
//! **Invariant:** a workspace's stream holds its status and members. Each message has its own stream, so that writers
//! in a busy workspace do not conflict on one version number.

mod invitation;
mod joining;
mod life;
mod meaning;
mod members;
mod message;
mod outcome;
mod pushes;
mod workspace;

pub use invitation::{
    AcceptInvitation, DeclineInvitation, Invitation, InvitationAccepted, InvitationDeclined, InvitationError,
    InvitationEvent, InvitationSent, InvitationWithdrawn, Invite, Inviting, WithdrawInvitation,
};
pub use joining::{JoinWorkspace, LeaveWorkspace};
pub use life::{ArchiveWorkspace, EditWorkspace, OpenWorkspace, ReopenWorkspace};
pub use members::{
    ChangeRole, HandOver, RemoveMember, Role, WorkspaceHandedOver, WorkspaceMemberRemoved, WorkspaceRoleChanged,
};
pub use message::{
    Message, MessageError, MessageEvent, MessageKind, MessagePosted, MessageRedacted, PostMessage, Posting,
    RedactMessage,
};
pub use outcome::{
    AcceptSolution, Accepting, LINK_MAX, LINKS_MAX, NOTE_MAX, ShipWorkspace, Solution, UndoSolution, WorkspaceResolved,
    WorkspaceShipped, WorkspaceUnresolved,
};
pub use workspace::{
    Status, Workspace, WorkspaceArchived, WorkspaceEdited, WorkspaceError, WorkspaceEvent, WorkspaceJoined,
    WorkspaceLeft, WorkspaceOpened, WorkspaceReopened,
};

/// The maximum number of characters in a workspace's name (seed: «Open a Build Track»).
pub const NAME_MAX: u64 = 100;
/// The maximum number of characters in its description (seed).
pub const DESCRIPTION_MAX: u64 = 2000;
/// The maximum number of characters in its goal.
pub const GOAL_MAX: u64 = 2000;
/// The maximum number of tags of a workspace.
pub const TAGS_MAX: u64 = 20;
/// The maximum number of characters in a tag.
pub const TAG_MAX: u64 = 50;
/// The maximum number of characters in a message (seed: «Discuss & resolve»).
pub const CONTENT_MAX: u64 = 20_000;
/// The tag that makes a workspace a Build Track.
pub const BUILD_TAG: &str = "build";
