//! Operations that the agent cards declare as unsupported (specification, section 3.3.4).

use actix_web::{HttpRequest, HttpResponse};
use buildtrack_http::{auth::Read, problem::Problem};

use super::entering::{enter, unsupported};

/// The extended card: `capabilities.extendedAgentCard` is false.
pub(super) async fn extended_card(request: HttpRequest) -> Result<HttpResponse, Problem> {
    enter::<Read>(&request).await?;
    Err(unsupported("There is no extended agent card: the public card is complete."))
}
