//! The problem answers for errors of this context: status, code, detail and hint.

use buildtrack_domain::search::QueryError;

use crate::problem::{FieldError, Problem};
use actix_web::http::StatusCode;

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
