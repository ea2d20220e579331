//! One log line for each failed login, with the client's address for fail2ban and similar tools.

use actix_web::{
    Error,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
};

use super::{
    addresses::client_address,
    guard::app_of,
    problem::{Cause, Problem},
};

/// The target of the log line, for filters.
const TARGET: &str = "buildtrack::login";

/// Middleware: a request rejected as `wrong_credentials` writes one line with target `buildtrack::login`, message `login failed`
/// and the field `client`, an IP address. The line contains no names, e-mail addresses or passwords.
pub async fn log_failed_logins(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let response = next.call(request).await?;
    let problem = response.response().error().and_then(|error| error.as_error::<Problem>());
    if problem.is_some_and(|problem| problem.cause == Cause::FailedLogin) {
        let client = client_address(&app_of(response.request()), response.request());
        tracing::warn!(target: TARGET, %client, "login failed");
    }
    Ok(response)
}
