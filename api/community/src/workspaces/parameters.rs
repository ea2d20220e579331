//! Path parameters of this context.

use buildtrack_domain::ids::{MessageId, WorkspaceId};
use buildtrack_http::path_parameters;

path_parameters! {
    /// A workspace.
    WorkspaceParameter = "id", &[WorkspaceId::FORM], "ws_01h2e8kqvbfwea724h75qc655w", "The workspace's id";
    /// A message of a workspace.
    MessageParameter = "messageId", &[MessageId::FORM], "msg_01h2e8kqvbfwea724h75qc655w", "The message's id";
    /// The workspace of an invitation.
    InvitationParameter = "workspaceId", &[WorkspaceId::FORM], "ws_01h2e8kqvbfwea724h75qc655w", "The workspace's id";
}
