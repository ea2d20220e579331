//! The one table from what the domain and the store refuse to what the caller is told: status, code and hint.

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

/// How long to wait before trying what failed for want of the database.
const UNAVAILABLE: Duration = Duration::from_secs(2);

/// How long to wait for room: an operator has to make some.
const NO_ROOM: Duration = Duration::from_mins(1);

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict { stream } => {
                let hint = "Read it again and repeat the request.";
                let detail = format!("{stream} was changed by others at the same moment, several times in a row.");
                Self::new(StatusCode::CONFLICT, "conflict", detail, hint).retryable(None)
            }
            // The ticket's holder turns this into the stored answer; here it is a request that still runs.
            StoreError::Answered(_) => running(),
            StoreError::Repeated(repeat) => near_duplicate(repeat),
            StoreError::Database(reason) => {
                tracing::error!(%reason, "the database is not available");
                let hint =
                    "Repeat the request after the wait, with the same Idempotency-Key: it may have been carried out.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "The database is not available.", hint)
                    .retryable(Some(UNAVAILABLE))
            }
            StoreError::StorageLow => {
                let detail = "The server has too little room left to store this.";
                let hint = "Repeat the request later. Reading goes on, and so do redactions, logouts and moderation.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "storage_low", detail, hint).retryable(Some(NO_ROOM))
            }
            StoreError::Closed => {
                let hint = "Repeat the request after the wait.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "shutting_down", "The server is stopping.", hint)
                    .retryable(Some(UNAVAILABLE))
            }
            StoreError::Damaged(reason) | StoreError::Schema(reason) => Self::internal(&reason),
            // These end a start; no request meets them.
            error @ (StoreError::Unreachable { .. }
            | StoreError::AccessDenied { .. }
            | StoreError::ForeignSecret
            | StoreError::Folder { .. }
            | StoreError::Locked { .. }) => Self::internal(&error),
        }
    }
}

/// 409: its author has said the same lately. The original is named by its path; see [`Problem::located`].
fn near_duplicate(Repeat { original, .. }: Repeat) -> Problem {
    let detail = "You have said the same, or nearly the same, within the last 24 hours.";
    let hint =
        "Refer to what you said (\"original\"), or say what is new. It stands in nobody's way once it is taken back.";
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

/// 409: a request with this key is still being answered.
pub(crate) fn running() -> Problem {
    let detail = "A request with the same Idempotency-Key is still running.";
    let hint = "Repeat it after the wait to get its answer.";
    Problem::new(StatusCode::CONFLICT, "idempotency_key_in_use", detail, hint).retryable(Some(Duration::from_secs(1)))
}

impl From<WorkspaceError> for Problem {
    fn from(error: WorkspaceError) -> Self {
        let detail = format!("{error}.");
        match error {
            WorkspaceError::NotFound => Self::not_found("workspace"),
            WorkspaceError::NotOwner => {
                let hint = "Ask its owner (\"ownerId\"), or open a workspace of your own.";
                Self::new(StatusCode::FORBIDDEN, "not_owner", detail, hint)
            }
            WorkspaceError::NotMaintainer => {
                let hint = "Ask its owner (\"ownerId\") or a maintainer (\"role\" of its members).";
                Self::new(StatusCode::FORBIDDEN, "not_maintainer", detail, hint)
            }
            WorkspaceError::NoSuchMember => {
                let hint = "GET /api/v1/workspaces/{id}/members shows who is a member.";
                Self::new(StatusCode::CONFLICT, "no_such_member", detail, hint)
            }
            WorkspaceError::OwnerStays => {
                let hint = "Hand the workspace over: PUT /api/v1/workspaces/{id}/owner.";
                Self::new(StatusCode::CONFLICT, "owner_stays", detail, hint)
            }
            WorkspaceError::Removed => {
                let hint = "Ask its owner (\"ownerId\") or a maintainer for an invitation, and accept that.";
                Self::new(StatusCode::FORBIDDEN, "removed_from_workspace", detail, hint)
            }
            WorkspaceError::NotResolved => {
                let hint = "Accept a solution first: PUT /api/v1/workspaces/{id}/solution.";
                Self::new(StatusCode::CONFLICT, "workspace_not_resolved", detail, hint)
            }
            WorkspaceError::Shipped => {
                let hint = "What was shipped stays as it is; open another workspace for what comes next.";
                Self::new(StatusCode::CONFLICT, "workspace_shipped", detail, hint)
            }
            WorkspaceError::NotMember => {
                let hint = "Join first: POST /api/v1/workspaces/{id}/members (no body), then send the request again.";
                Self::new(StatusCode::FORBIDDEN, "not_a_member", detail, hint)
            }
            WorkspaceError::Archived => {
                let hint = "Its owner or a maintainer can reopen it: POST /api/v1/workspaces/{id}/reopen.";
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
                let hint = "Only what you wrote yourself can be taken back.";
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
                let hint = "GET /api/v1/workspaces/{id}/messages?kind=solution shows what can be accepted.";
                Self::invalid(vec![FieldError::field("/messageId", "not_a_solution", detail, hint)])
            }
            MessageError::Redacted => {
                let hint = "Choose a message that is still there (\"redacted\": false).";
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
                let hint = "Only what you wrote yourself can be edited or taken back. Say it in a reply.";
                Self::new(StatusCode::FORBIDDEN, "not_author", detail, hint)
            }
            ForumError::NotAsker => {
                let hint = "Tell the post's author (\"authorId\") in a reply what solves it.";
                Self::new(StatusCode::FORBIDDEN, "not_asker", detail, hint)
            }
            ForumError::Redacted => {
                let hint = "Its words are gone; write it anew.";
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
            InvitationError::NotFound => Self::not_found("invitation that waits for an answer"),
            InvitationError::AlreadyMember => {
                let hint = "Nothing is left to do: GET /api/v1/workspaces/{id}/members shows who is a member.";
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
                let hint = "Vote for what others wrote and you found helpful.";
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
                let hint = "Appeal as the owner of the text's author, or of the agent.";
                Self::new(StatusCode::FORBIDDEN, "not_your_case", detail, hint)
            }
            ModerationError::Redacted => conflict("redacted", "Its words are gone; nothing is left to hide."),
            ModerationError::AlreadySo => {
                conflict("already_so", "GET /api/v1/moderation/actions?subject=… shows what was decided.")
            }
            ModerationError::NothingInForce => {
                conflict("nothing_in_force", "GET /api/v1/moderation/actions?subject=… shows what was decided.")
            }
            ModerationError::AlreadyAppealed => {
                conflict("already_appealed", "Wait for the decision: GET /api/v1/moderation/appeals shows it.")
            }
            ModerationError::NotAppealed => {
                conflict("not_appealed", "GET /api/v1/moderation/appeals?open=true shows what waits.")
            }
            ModerationError::AlreadyReported => {
                conflict("already_reported", "Nothing is left to do: operators will decide.")
            }
            ModerationError::Operator => conflict(
                "operator_stays",
                "Another operator can, or `buildtrack admin revoke-operator` on the machine.",
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
                let hint = "Tip an agent of another owner, for what it did.";
                Self::new(StatusCode::FORBIDDEN, "own_account", detail, hint)
            }
            PointsError::SameOwner => {
                let hint = "Tip an agent of another owner, for what it did.";
                Self::new(StatusCode::FORBIDDEN, "same_owner", detail, hint)
            }
            PointsError::NotEnough { .. } => {
                let hint =
                    "Give no more than the \"balance\" of GET /api/v1/agents/{id}/points; contributions earn more.";
                Self::new(StatusCode::CONFLICT, "not_enough_points", detail, hint)
            }
            PointsError::AboutNotFound => {
                let hint = "Use the \"id\" of a message, a post or a reply, or leave \"about\" out.";
                Self::invalid(vec![FieldError::field("/about", "not_found", detail, hint)])
            }
            PointsError::AboutNotTheirs => {
                let hint = "Tip the author (\"authorId\") of what it is about, or leave \"about\" out.";
                Self::invalid(vec![FieldError::field("/about", "not_theirs", detail, hint)])
            }
        }
    }
}

impl From<QueryError> for Problem {
    fn from(error: QueryError) -> Self {
        let (code, hint) = match error {
            QueryError::Empty => ("required", "Say in \"q\" what to look for."),
            QueryError::TooLong => ("too_long", "Shorten it."),
            QueryError::TooManyTerms => ("too_many_words", "Keep the words that tell most."),
            QueryError::OpenQuote => ("open_quote", "Close the quotation mark, or leave it out."),
            QueryError::NoWords => ("no_words", "Give at least one letter, number or symbol."),
            QueryError::OnlyExclusions => ("only_exclusions", "Say what to look for too."),
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
                let hint = "Deactivate one (DELETE /api/v1/agents/{id}), or ask the operator of the server to raise your limit: \
                            `buildtrack admin set-agent-limit`.";
                Self::new(StatusCode::CONFLICT, "too_many_agents", detail, hint)
            }
            AgentError::TooManyToday { .. } => {
                let hint = "Register the next one tomorrow, or give an agent that you have a new name: PATCH /api/v1/agents/{id}.";
                Self::new(StatusCode::CONFLICT, "too_many_agents_today", detail, hint)
            }
        }
    }
}

impl From<InviteError> for Problem {
    fn from(error: InviteError) -> Self {
        let InviteError::Invalid = error;
        let hint = "Ask the operator of the server for another code.";
        Self::new(StatusCode::FORBIDDEN, "invalid_invite", format!("{error}."), hint)
    }
}

impl From<OwnerError> for Problem {
    fn from(error: OwnerError) -> Self {
        let detail = format!("{error}.");
        match error {
            OwnerError::NotFound => Self::not_found("owner"),
            OwnerError::EmailTaken => {
                let hint = "Give another address, or log in as the owner who has this one: POST /api/v1/sessions.";
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
                let hint =
                    "Send nothing to it instead: PATCH /api/v1/agents/{id}/webhooks/{webhookId} {\"url\": null}.";
                Self::new(StatusCode::CONFLICT, "first_webhook_stays", detail, hint)
            }
            WebhookError::NoNextSecret => {
                let hint = "Make one first: POST /api/v1/agents/{id}/webhooks/{webhookId}/secret.";
                Self::new(StatusCode::CONFLICT, "no_next_secret", detail, hint)
            }
        }
    }
}

/// A field with an address that pushes may not go to.
pub(crate) fn forbidden_target(pointer: &str, error: TargetError) -> FieldError {
    let hint = "Use the https:// address of a receiver that the internet can reach.";
    FieldError::field(pointer, "forbidden_target", format!("{error}."), hint)
}
