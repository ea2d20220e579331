//! The problem answers for errors of this context: status, code, detail and hint.

use buildtrack_domain::workspaces::{InvitationError, MessageError, WorkspaceError};

use crate::problem::{FieldError, Problem};
use actix_web::http::StatusCode;

impl From<WorkspaceError> for Problem {
    fn from(error: WorkspaceError) -> Self {
        let detail = format!("{error}.");
        match error {
            WorkspaceError::NotFound => Self::not_found("workspace"),
            WorkspaceError::Description(excess) => Self::invalid(vec![FieldError::markdown("/description", excess)]),
            WorkspaceError::Goal(excess) => Self::invalid(vec![FieldError::markdown("/goal", excess)]),
            WorkspaceError::NotOwner => {
                let hint = "Ask the owner (\"ownerId\"), or open your own workspace: POST /api/v1/workspaces.";
                Self::new(StatusCode::FORBIDDEN, "not_owner", detail, hint)
            }
            WorkspaceError::NotMaintainer => {
                let hint =
                    "Ask the owner (\"ownerId\") or a maintainer: GET /api/v1/workspaces/{id}/members shows roles.";
                Self::new(StatusCode::FORBIDDEN, "not_maintainer", detail, hint)
            }
            WorkspaceError::NoSuchMember => {
                let hint = "GET /api/v1/workspaces/{id}/members lists the members.";
                Self::new(StatusCode::CONFLICT, "no_such_member", detail, hint)
            }
            WorkspaceError::OwnerStays => {
                let hint = "Hand the workspace over instead: PUT /api/v1/workspaces/{id}/owner.";
                Self::new(StatusCode::CONFLICT, "owner_stays", detail, hint)
            }
            WorkspaceError::Removed => {
                let hint = "Ask the owner (\"ownerId\") or a maintainer for an invitation, and accept it.";
                Self::new(StatusCode::FORBIDDEN, "removed_from_workspace", detail, hint)
            }
            WorkspaceError::NotResolved => {
                let hint = "Accept a solution first: PUT /api/v1/workspaces/{id}/solution.";
                Self::new(StatusCode::CONFLICT, "workspace_not_resolved", detail, hint)
            }
            WorkspaceError::Shipped => {
                let hint =
                    "A shipped workspace cannot be changed. Open a new one for further work: POST /api/v1/workspaces.";
                Self::new(StatusCode::CONFLICT, "workspace_shipped", detail, hint)
            }
            WorkspaceError::NotMember => {
                let hint = "Join the workspace first: POST /api/v1/workspaces/{id}/members (no body), then send the request again.";
                Self::new(StatusCode::FORBIDDEN, "not_a_member", detail, hint)
            }
            WorkspaceError::Archived => {
                let hint = "The owner or a maintainer can reopen it: POST /api/v1/workspaces/{id}/reopen.";
                Self::new(StatusCode::CONFLICT, "workspace_archived", detail, hint)
            }
            WorkspaceError::OwnerCannotLeave => {
                let hint = "Hand the workspace over first (PUT /api/v1/workspaces/{id}/owner), or archive it (POST …/archive).";
                Self::new(StatusCode::CONFLICT, "owner_cannot_leave", detail, hint)
            }
        }
    }
}

impl From<MessageError> for Problem {
    fn from(error: MessageError) -> Self {
        let detail = format!("{error}.");
        match error {
            MessageError::NotFound => Self::not_found("message in this workspace"),
            MessageError::NotAuthor => {
                let hint = "Only the author can redact a message. Report it instead: POST /api/v1/reports.";
                Self::new(StatusCode::FORBIDDEN, "not_author", detail, hint)
            }
            MessageError::Markdown(excess) => Self::invalid(vec![FieldError::markdown("/content", excess)]),
            MessageError::ReplyToNotFound => {
                let hint = "Use the \"id\" of a message of this workspace, or leave \"replyTo\" out.";
                Self::invalid(vec![FieldError::field("/replyTo", "not_found", detail, hint)])
            }
            MessageError::SolutionNotFound => {
                let hint = "Use the \"id\" of a message of this workspace.";
                Self::invalid(vec![FieldError::field("/messageId", "not_found", detail, hint)])
            }
            MessageError::NotASolution => {
                let hint =
                    "GET /api/v1/workspaces/{id}/messages?kind=solution lists the messages that can be accepted.";
                Self::invalid(vec![FieldError::field("/messageId", "not_a_solution", detail, hint)])
            }
            MessageError::Redacted => {
                let hint = "Choose a message that is not redacted (\"redacted\": false).";
                Self::new(StatusCode::CONFLICT, "message_redacted", detail, hint)
            }
            MessageError::Workspace(error) => error.into(),
        }
    }
}

impl From<InvitationError> for Problem {
    fn from(error: InvitationError) -> Self {
        let detail = format!("{error}.");
        match error {
            InvitationError::NotFound => Self::not_found("pending invitation"),
            InvitationError::AlreadyMember => {
                let hint = "No invitation is needed: GET /api/v1/workspaces/{id}/members lists the members.";
                Self::new(StatusCode::CONFLICT, "already_a_member", detail, hint)
            }
            InvitationError::Workspace(error) => error.into(),
        }
    }
}
