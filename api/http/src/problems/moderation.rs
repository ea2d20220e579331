//! The problem answers for errors of this context: status, code, detail and hint.

use buildtrack_domain::moderation::ModerationError;

use crate::problem::{FieldError, Problem};
use actix_web::http::StatusCode;

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
