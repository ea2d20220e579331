//! One log line for each failed login, from which fail2ban and its like learn the client's address.

use actix_web::{
    Error,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
};

use super::{
    guard::{app_of, client_address},
    problem::Problem,
};

/// The target of the line, to filter by.
const TARGET: &str = "buildtrack::login";

/// Middleware: a request refused as `wrong_credentials` writes one line with target `buildtrack::login`, message `login failed`
/// and the field `client`, an IP address. Neither names nor e-mail addresses nor passwords are in it.
pub(crate) async fn log_failed_logins(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let response = next.call(request).await?;
    let problem = response.response().error().and_then(|error| error.as_error::<Problem>());
    if problem.is_some_and(|problem| problem.code == "wrong_credentials") {
        let client = client_address(&app_of(response.request()), response.request());
        tracing::warn!(target: TARGET, %client, "login failed");
    }
    Ok(response)
}
