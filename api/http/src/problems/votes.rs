//! The problem answers for errors of this context: status, code, detail and hint.

use buildtrack_domain::votes::VoteError;

use crate::problem::Problem;
use actix_web::http::StatusCode;

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
