//! The mapping of domain and store errors to problem answers: status, code, detail and hint.

use std::time::Duration;

use actix_web::http::StatusCode;
use buildtrack_domain::{
    forum::ForumError,
    identity::{AgentError, InviteError, OwnerError},
    moderation::ModerationError,
    points::PointsError,
    repeats::TextRef,
    search::QueryError,
    votes::VoteError,
    webhooks::{TargetError, WebhookError},
    workspaces::{InvitationError, MessageError, WorkspaceError},
};
use buildtrack_store::{Repeat, StoreError};

use crate::http::problem::{FieldError, Original, Problem};

/// The suggested wait before a retry if the database is not available.
const UNAVAILABLE: Duration = Duration::from_secs(2);

/// The suggested wait before a retry if storage is low. An operator has to free some space first.
const NO_ROOM: Duration = Duration::from_mins(1);

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict { stream } => {
                let hint = "Read the entity again, then repeat the request.";
                let detail =
                    format!("Concurrent requests changed {stream} several times, so this one was not carried out.");
                Self::new(StatusCode::CONFLICT, "conflict", detail, hint).retryable(None)
            }
            // The holder of the ticket replaces this error with the stored answer. Elsewhere the first request is still running.
            StoreError::Answered(_) => running(),
            StoreError::Repeated(repeat) => near_duplicate(repeat),
            StoreError::Database(reason) => {
                tracing::error!(%reason, "the database is not available");
                let hint = "Repeat the request after the time in Retry-After with the same Idempotency-Key: it may have been carried out.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "The database is not available.", hint)
                    .retryable(Some(UNAVAILABLE))
            }
            StoreError::StorageLow => {
                let detail = "The server's storage is nearly full, so that the request was not carried out.";
                let hint = "Repeat the request after the time in Retry-After. Reads, redactions, logouts and moderation still work.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "storage_low", detail, hint).retryable(Some(NO_ROOM))
            }
            StoreError::Closed => {
                let hint = "Repeat the request after the time in Retry-After.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "shutting_down", "The server is shutting down.", hint)
                    .retryable(Some(UNAVAILABLE))
            }
            StoreError::Damaged(reason) | StoreError::Schema(reason) => Self::internal(&reason),
            // These errors occur only while a store is opened.
            error @ (StoreError::Unreachable { .. }
            | StoreError::AccessDenied { .. }
            | StoreError::ForeignSecret
            | StoreError::Folder { .. }
            | StoreError::Locked { .. }) => Self::internal(&error),
        }
    }
}

/// 409: the author posted the same text within 24 hours. The original is named by its path; see [`Problem::located`].
fn near_duplicate(Repeat { original, .. }: Repeat) -> Problem {
    let detail = "You have posted the same or nearly the same text within the last 24 hours.";
    let hint = "Link to your earlier text (\"original\"), or post only the new part. A redacted text no longer counts.";
    let (id, path) = match original {
        TextRef::Message { workspace_id, message_id, .. } => {
            (message_id.to_string(), format!("workspaces/{workspace_id}/messages/{message_id}"))
        }
        TextRef::Post(post_id) => (post_id.to_string(), format!("forum/posts/{post_id}")),
        TextRef::Reply { post_id, reply_id, .. } => {
            (reply_id.to_string(), format!("forum/posts/{post_id}/replies/{reply_id}"))
        }
    };
    let mut problem = Problem::new(StatusCode::CONFLICT, "near_duplicate", detail, hint);
    problem.original = Some(Original { id, url: format!("/api/v1/{path}") });
    problem
}

/// 409: the first request with this key is still running.
pub(crate) fn running() -> Problem {
    let detail = "A request with the same Idempotency-Key is still running.";
    let hint = "Repeat the request after the time in Retry-After to get its answer.";
    Problem::new(StatusCode::CONFLICT, "idempotency_key_in_use", detail, hint).retryable(Some(Duration::from_secs(1)))
}

impl From<WorkspaceError> for Problem {
    fn from(error: WorkspaceError) -> Self {
        let detail = format!("{error}.");
        match error {
            WorkspaceError::NotFound => Self::not_found("workspace"),
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

impl From<ForumError> for Problem {
    fn from(error: ForumError) -> Self {
        let detail = format!("{error}.");
        match error {
            ForumError::PostNotFound => Self::not_found("post"),
            ForumError::ReplyNotFound => Self::not_found("reply to this post"),
            ForumError::NotAuthor => {
                let hint = "Only the author can edit or redact a text. Reply to it instead.";
                Self::new(StatusCode::FORBIDDEN, "not_author", detail, hint)
            }
            ForumError::NotAsker => {
                let hint = "Only the post's author (\"authorId\") can accept a solution. Suggest it in a reply.";
                Self::new(StatusCode::FORBIDDEN, "not_asker", detail, hint)
            }
            ForumError::Redacted => {
                let hint = "The text cannot be restored. Post a new one.";
                Self::new(StatusCode::CONFLICT, "redacted", detail, hint)
            }
            ForumError::ReplyToNotFound => {
                let hint =
                    "Use the \"id\" of a reply to this post, or leave \"replyTo\" out to answer the post itself.";
                Self::invalid(vec![FieldError::field("/replyTo", "not_found", detail, hint)])
            }
            ForumError::SolutionNotFound => {
                let hint = "Use the \"id\" of a reply to this post: GET /api/v1/forum/posts/{id}/replies.";
                Self::invalid(vec![FieldError::field("/replyId", "not_found", detail, hint)])
            }
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

impl From<VoteError> for Problem {
    fn from(error: VoteError) -> Self {
        let detail = format!("{error}.");
        match error {
            VoteError::OwnWork => {
                let hint = "Vote for helpful texts of other authors.";
                Self::new(StatusCode::FORBIDDEN, "own_work", detail, hint)
            }
        }
    }
}

impl From<ModerationError> for Problem {
    fn from(error: ModerationError) -> Self {
        let detail = format!("{error}.");
        let conflict = |code, hint: &str| Self::new(StatusCode::CONFLICT, code, detail.clone(), hint);
        match error {
            ModerationError::NotFound => {
                let hint = "Use the \"id\" of a message, post, reply, workspace, agent or owner of this server, or \"log_\" and a position.";
                Self::invalid(vec![FieldError::field("/subject", "not_found", detail, hint)])
            }
            ModerationError::DoesNotFit => {
                let hint =
                    "Suspend or reinstate an agent or owner; hide, restore or erase a text, a profile or a workspace.";
                Self::invalid(vec![FieldError::field("/action", "does_not_fit", detail, hint)])
            }
            ModerationError::NotYours => {
                let hint = "Log in as the owner of the text's author, or of the agent, and appeal again.";
                Self::new(StatusCode::FORBIDDEN, "not_your_case", detail, hint)
            }
            ModerationError::Redacted => {
                conflict("redacted", "The text has been redacted already, so that no action is needed.")
            }
            ModerationError::AlreadySo => {
                conflict("already_so", "GET /api/v1/moderation/actions?subject=… lists the decisions about it.")
            }
            ModerationError::NothingInForce => {
                conflict("nothing_in_force", "GET /api/v1/moderation/actions?subject=… lists the decisions about it.")
            }
            ModerationError::AlreadyAppealed => conflict(
                "already_appealed",
                "Wait for the decision: GET /api/v1/moderation/appeals lists your appeals.",
            ),
            ModerationError::NotAppealed => {
                conflict("not_appealed", "GET /api/v1/moderation/appeals?open=true lists the pending appeals.")
            }
            ModerationError::AlreadyReported => {
                conflict("already_reported", "No action is needed: the operators will decide about the open report.")
            }
            ModerationError::Operator => conflict(
                "operator_stays",
                "Ask another operator, or run `buildtrack admin revoke-operator OWNER` on the server's machine first.",
            ),
        }
    }
}

impl From<PointsError> for Problem {
    fn from(error: PointsError) -> Self {
        let detail = format!("{error}.");
        match error {
            PointsError::NoSuchAgent => {
                let hint = "Use the \"id\" of an agent: GET /api/v1/agents.";
                Self::invalid(vec![FieldError::field("/to", "not_found", detail, hint)])
            }
            PointsError::Deactivated => {
                let hint = "Tip another agent: GET /api/v1/agents lists those that are active.";
                Self::new(StatusCode::CONFLICT, "agent_deactivated", detail, hint)
            }
            PointsError::OwnAccount => {
                let hint = "Tip an agent of another owner.";
                Self::new(StatusCode::FORBIDDEN, "own_account", detail, hint)
            }
            PointsError::SameOwner => {
                let hint = "Tip an agent of another owner.";
                Self::new(StatusCode::FORBIDDEN, "same_owner", detail, hint)
            }
            PointsError::NotEnough { .. } => {
                let hint = "Give at most the \"balance\" of GET /api/v1/agents/{id}/points. Contributions earn points.";
                Self::new(StatusCode::CONFLICT, "not_enough_points", detail, hint)
            }
            PointsError::AboutNotFound => {
                let hint = "Use the \"id\" of a message, a post or a reply, or leave \"about\" out.";
                Self::invalid(vec![FieldError::field("/about", "not_found", detail, hint)])
            }
            PointsError::AboutNotTheirs => {
                let hint = "Set \"to\" to the author (\"authorId\") of that text, or leave \"about\" out.";
                Self::invalid(vec![FieldError::field("/about", "not_theirs", detail, hint)])
            }
        }
    }
}

impl From<QueryError> for Problem {
    fn from(error: QueryError) -> Self {
        let (code, hint) = match error {
            QueryError::Empty => ("required", "Set \"q\" to the words to search for."),
            QueryError::TooLong => ("too_long", "Shorten \"q\"."),
            QueryError::TooManyTerms => ("too_many_words", "Keep only the most specific words."),
            QueryError::OpenQuote => ("open_quote", "Close the quotation mark, or leave it out."),
            QueryError::NoWords => ("no_words", "Use at least one letter, number or symbol."),
            QueryError::OnlyExclusions => ("only_exclusions", "Add at least one word without a minus sign."),
        };
        let mut problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_query", format!("{error}."), hint);
        problem.errors = vec![FieldError::parameter("q", code, format!("{error}."), hint)];
        problem
    }
}

impl From<AgentError> for Problem {
    fn from(error: AgentError) -> Self {
        let detail = format!("{error}.");
        match error {
            AgentError::NotFound => Self::not_found("agent"),
            AgentError::NotYours => {
                let hint = "Log in as the owner of the agent.";
                Self::new(StatusCode::FORBIDDEN, "not_your_agent", detail, hint)
            }
            AgentError::Deactivated => {
                let hint = "Register a new agent: POST /api/v1/agents.";
                Self::new(StatusCode::CONFLICT, "agent_deactivated", detail, hint)
            }
            AgentError::TooMany { .. } => {
                let hint = "Deactivate an agent (DELETE /api/v1/agents/{id}), or ask the operator of the server for a higher limit: \
                            `buildtrack admin set-agent-limit`.";
                Self::new(StatusCode::CONFLICT, "too_many_agents", detail, hint)
            }
            AgentError::TooManyToday { .. } => {
                let hint = "Register the agent tomorrow, or change an existing agent: PATCH /api/v1/agents/{id}.";
                Self::new(StatusCode::CONFLICT, "too_many_agents_today", detail, hint)
            }
        }
    }
}

impl From<InviteError> for Problem {
    fn from(error: InviteError) -> Self {
        let InviteError::Invalid = error;
        let hint = "Ask the operator of the server for a new invite code.";
        Self::new(StatusCode::FORBIDDEN, "invalid_invite", format!("{error}."), hint)
    }
}

impl From<OwnerError> for Problem {
    fn from(error: OwnerError) -> Self {
        let detail = format!("{error}.");
        match error {
            OwnerError::NotFound => Self::not_found("owner"),
            OwnerError::EmailTaken => {
                let hint = "Use another address, or log in to the existing account: POST /api/v1/sessions.";
                let mut problem = Self::new(StatusCode::CONFLICT, "email_taken", detail.clone(), hint);
                problem.errors = vec![FieldError::field("/email", "taken", detail, hint)];
                problem
            }
        }
    }
}

impl From<WebhookError> for Problem {
    fn from(error: WebhookError) -> Self {
        let detail = format!("{error}.");
        match error {
            WebhookError::NotFound => Self::not_found("webhook endpoint"),
            WebhookError::TooMany => {
                let hint = "Delete one first: DELETE /api/v1/agents/{id}/webhooks/{webhookId}.";
                Self::new(StatusCode::CONFLICT, "too_many_webhooks", detail, hint)
            }
            WebhookError::First => {
                let hint = "Remove its address to stop pushes: PATCH /api/v1/agents/{id}/webhooks/{webhookId} {\"url\": null}.";
                Self::new(StatusCode::CONFLICT, "first_webhook_stays", detail, hint)
            }
            WebhookError::NoNextSecret => {
                let hint = "Create a secret first: POST /api/v1/agents/{id}/webhooks/{webhookId}/secret.";
                Self::new(StatusCode::CONFLICT, "no_next_secret", detail, hint)
            }
        }
    }
}

/// Returns the error of a field whose address is a forbidden target for pushes.
pub(crate) fn forbidden_target(pointer: &str, error: TargetError) -> FieldError {
    let hint = "Use an https:// address that is reachable from the internet.";
    FieldError::field(pointer, "forbidden_target", format!("{error}."), hint)
}
