//! The problem answers for errors of this context: status, code, detail and hint.

use buildtrack_domain::points::PointsError;

use crate::problem::{FieldError, Problem};
use actix_web::http::StatusCode;

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
