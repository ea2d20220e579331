//! The operations `message:send` and `message:stream`.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode};
use buildtrack_domain::exchange::conversations::Phase;
use buildtrack_http::{
    auth::Write,
    body::Raw,
    problem::{FieldError, Problem},
};
use buildtrack_store::ExchangeView;

use super::{
    entering::{enter, find_task, unsupported},
    messages::{PUSH_CONFIG, Sent, parse},
    pushes,
    shapes::TaskResponse,
    streams,
    tasks::{answer, reload},
};
pub(super) use buildtrack_protocols::exchange::conversations::requesters::{Asked, Requester};

/// `POST /message:send`: answers once the request has its outcome, or at once if the client asks for that. This server answers
/// its own requests in any case.
pub(super) async fn send(request: HttpRequest, body: Raw) -> Result<HttpResponse, Problem> {
    let requester = enter::<Write>(&request).await?;
    let sent = parse(&requester.app, &body.0, Sent::read).await?;
    let (history, waits) = (sent.history, !sent.returns_immediately || requester.answerer.is_none());
    let asked = ask(&request, &requester, sent).await?;
    if waits {
        requester.settle(&asked).await?;
    }
    Ok(answer(&TaskResponse { task: &reload(&requester, asked.exchange_id(), history).await? }))
}

/// `POST /message:stream`: the task, and its updates until the request has its outcome.
pub(super) async fn stream(request: HttpRequest, body: Raw) -> Result<HttpResponse, Problem> {
    let requester = enter::<Write>(&request).await?;
    let sent = parse(&requester.app, &body.0, Sent::read).await?;
    let history = sent.history;
    let asked = ask(&request, &requester, sent).await?;
    let task = reload(&requester, asked.exchange_id(), history).await?;
    Ok(streams::sent(requester, asked, &task))
}

/// Records the message as a request of a new exchange, or of the named one, and where its updates are pushed.
async fn ask(request: &HttpRequest, requester: &Requester, sent: Sent) -> Result<Asked, Problem> {
    let earlier = match &sent.task_id {
        Some(id) => Some(continued(requester, id, sent.context_id.as_deref()).await?),
        None if sent.context_id.is_some() => {
            return Err(unsupported("Each task is a context of its own. Send no contextId with a new task."));
        }
        None => None,
    };
    let push = match sent.push {
        Some(wanted) => {
            let admitted = pushes::admit(request, requester, wanted, PUSH_CONFIG).await?;
            Some(pushes::row(requester, admitted, (None, false))?)
        }
        None => None,
    };
    let asked = requester.ask(sent.question, push, earlier.as_ref()).await?;
    asked.map_err(|rule| unsupported(format!("{rule}.")))
}

/// The task that a message continues.
async fn continued(requester: &Requester, id: &str, context_id: Option<&str>) -> Result<ExchangeView, Problem> {
    let view = find_task(requester, id).await?;
    if context_id.is_some_and(|context_id| context_id != id) {
        let hint = "Omit contextId, or repeat that of the task.";
        let detail = "contextId is not that of the task";
        let mut problem = Problem::new(StatusCode::BAD_REQUEST, "invalid_params", format!("{detail}."), hint);
        problem.errors = vec![FieldError::field("/message/contextId", "invalid", detail, hint)];
        return Err(problem);
    }
    let is_open = matches!(view.phase, Phase::Waiting | Phase::Open);
    if !is_open || !view.conversation {
        return Err(unsupported(
            "The task accepts no further message. A task of several rounds begins with \"multiround\": true in the metadata of \
             its first message.",
        ));
    }
    Ok(view)
}
