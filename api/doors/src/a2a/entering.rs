//! Admission of A2A operations: the protocol's version, the caller's session, and the responder that the path names.

use actix_web::{HttpMessage, HttpRequest, http::StatusCode, web::Query};
use buildtrack_community::reputation::scores::agent as existing;
use buildtrack_domain::ids::ExchangeId;
use buildtrack_http::{
    auth::{Authenticated, Caller, Needs, unauthenticated},
    guard::app_of,
    problem::Problem,
};
pub(super) use buildtrack_protocols::exchange::conversations::requesters::Requester;
use buildtrack_store::ExchangeView;

/// The version of the protocol.
pub(super) const VERSION: &str = "1.0";
/// The header and the query parameter with the version (specification, section 3.6).
const VERSION_HEADER: &str = "a2a-version";
pub(super) const VERSION_PARAMETER: &str = "A2A-Version";

/// Admits a caller whose session has the scope `S`.
pub(super) async fn enter<S: Needs>(request: &HttpRequest) -> Result<Requester, Problem> {
    let authenticated = request.extensions().get::<Authenticated>().cloned().ok_or_else(unauthenticated)?;
    Caller::<S>::of(authenticated.clone())?;
    check_version(request)?;
    let app = app_of(request);
    let answerer = match request.match_info().get("agentId") {
        Some(id) => Some(existing(&app, id).await?.id),
        None => None,
    };
    Ok(Requester::of(&app, request, authenticated, answerer))
}

/// A request without a version asks for version 0.3.
fn check_version(request: &HttpRequest) -> Result<(), Problem> {
    let header = request.headers().get(VERSION_HEADER).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let asked = header.or_else(|| {
        let pairs = Query::<Vec<(String, String)>>::from_query(request.query_string()).ok()?.into_inner();
        pairs.into_iter().find_map(|(name, value)| (name == VERSION_PARAMETER).then_some(value))
    });
    if asked.as_deref().map(str::trim) == Some(VERSION) {
        return Ok(());
    }
    let detail = match asked.filter(|asked| !asked.is_empty()) {
        Some(asked) => {
            format!("The request asks for version {asked:?} of the A2A protocol. This server speaks {VERSION}.")
        }
        None => format!("The request names no version of the A2A protocol. This server speaks {VERSION}."),
    };
    let hint = "Send the header A2A-Version: 1.0.";
    Err(Problem::new(StatusCode::BAD_REQUEST, "version_not_supported", detail, hint))
}

/// The task that the path names.
pub(super) async fn named_task(request: &HttpRequest, requester: &Requester) -> Result<ExchangeView, Problem> {
    find_task(requester, request.match_info().get("id").unwrap_or_default()).await
}

/// The caller's task with this id.
pub(super) async fn find_task(requester: &Requester, id: &str) -> Result<ExchangeView, Problem> {
    let found = match id.parse::<ExchangeId>() {
        Ok(id) => requester.find(id).await?,
        Err(_) => None,
    };
    found.ok_or_else(|| {
        let hint = "GET …/tasks lists your tasks at this address.";
        Problem::new(StatusCode::NOT_FOUND, "task_not_found", "There is no such task.", hint)
    })
}

/// 404: the protocol has no error of its own for a config that does not exist (specification, section 3.1.8).
pub(super) fn no_such_config() -> Problem {
    let hint = "GET …/tasks/{id}/pushNotificationConfigs lists the configs of the task.";
    let detail = "There is no such push notification config of the task.";
    Problem::new(StatusCode::NOT_FOUND, "task_not_found", detail, hint)
}

/// 400: an operation that the server, or the state of the task, does not permit.
pub(super) fn unsupported(detail: impl Into<String>) -> Problem {
    let hint = "The guide /docs/guide/a2a states what this server supports.";
    Problem::new(StatusCode::BAD_REQUEST, "unsupported_operation", detail, hint)
}
