//! Replays to an endpoint: the form for a span of past events, and the progress of each.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use askama::Template;
use buildtrack_community::webhooks::{
    delivery_schemas::NewReplay,
    replays::{start_replay, stop},
};
use buildtrack_domain::ids::ReplayId;
use buildtrack_http::{
    auth::{Caller, Read, Webhooks},
    guard::app_of,
    problem::Problem,
    query::path_id,
};
use buildtrack_pages::{Frame, filters};
use buildtrack_store::{ReplayStatus, ReplayView};
use serde_json::{Map, Value};

use super::{Own, forms, portal_of};

use crate::{
    Portal, SignedIn, answer,
    form::{Entered, Pressed},
    frame,
    notices::notice_of,
    refused, see,
};

/// The replays on the page, newest first.
const REPLAYS: i64 = 10;
/// The members of the body, each with a field of the form.
const SINCE_POSITION: &str = "sincePosition";
const SINCE_TIME: &str = "sinceTime";
const UNTIL_POSITION: &str = "untilPosition";

/// A replay with its progress.
#[derive(Debug)]
struct ReplayShown {
    view: ReplayView,
    /// The key of the state.
    state: &'static str,
    /// The class of the state.
    tone: &'static str,
    /// The positions that it has passed, of those that it covers.
    passed: i64,
    span: i64,
}

impl From<ReplayView> for ReplayShown {
    fn from(view: ReplayView) -> Self {
        let (state, tone) = match view.status {
            ReplayStatus::Running => ("portal-webhooks-replay-running", ""),
            ReplayStatus::Done => ("portal-webhooks-replay-done", "good"),
            ReplayStatus::Cancelled => ("portal-webhooks-replay-cancelled", ""),
        };
        let is_done = view.status == ReplayStatus::Done;
        let span = (view.until_position - view.from_position).max(1);
        let passed = if is_done { span } else { view.position - view.from_position };
        Self { view, state, tone, passed, span }
    }
}

impl ReplayShown {
    fn is_running(&self) -> bool {
        self.view.status == ReplayStatus::Running
    }
}

#[derive(Template)]
#[template(path = "portal/webhook-replays.html")]
struct ReplaysPage {
    frame: Frame,
    portal: Portal,
    own: Own,
    section: &'static str,
    replays: Vec<ReplayShown>,
    /// The number of events of the span that was counted.
    counted: Option<i64>,
    since_position: String,
    since_time: String,
    until_position: String,
    /// The errors of the form.
    errors: Vec<String>,
}

impl ReplaysPage {
    async fn of(request: &HttpRequest, own: Own, entered: &Entered) -> Result<Self, Problem> {
        let replays = app_of(request).store.webhooks().replays(own.webhook.id, None, REPLAYS).await?;
        Ok(Self {
            frame: frame(&own.name()),
            portal: portal_of(request),
            own,
            section: "replays",
            replays: replays.into_iter().map(ReplayShown::from).collect(),
            counted: None,
            since_position: entered.text(SINCE_POSITION).to_owned(),
            since_time: entered.text(SINCE_TIME).to_owned(),
            until_position: entered.text(UNTIL_POSITION).to_owned(),
            errors: vec![],
        })
    }

    fn is_running(&self) -> bool {
        self.replays.iter().any(ReplayShown::is_running)
    }
}

/// The replays to an endpoint.
#[get("/webhooks/{id}/replays")]
pub(super) async fn show(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    _: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    let notices = [("begun", "portal-webhooks-replay-begun"), ("cancelled", "portal-webhooks-replay-ended")];
    let notice = notice_of(&request, &notices)?;
    let own = Own::of(&app_of(&request), &id, &owner).await?;
    let page = ReplaysPage::of(&request, own, &Entered::default()).await?;
    answer(&request, &ReplaysPage { portal: Portal { notice, ..portal_of(&request) }, ..page })
}

/// Begins a replay, or counts the events of its span, as the button says.
#[post("/webhooks/{id}/replays")]
pub(super) async fn start(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    caller: Caller<Webhooks>,
    form: Pressed,
) -> Result<HttpResponse, Problem> {
    let (app, entered) = (app_of(&request), form.0);
    let own = Own::of(&app, &id, &owner).await?;
    let begun = async {
        let body: NewReplay = forms::read(&app, &span(&entered)).await?;
        let replay = start_replay(&app, own.named(), &caller, &body).await?;
        Ok::<_, Problem>((replay, body.dry_run))
    };
    match begun.await {
        Ok((planned, true)) => {
            let page = ReplaysPage::of(&request, own, &entered).await?;
            answer(&request, &ReplaysPage { counted: Some(planned.total), ..page })
        }
        Ok(_) => Ok(see(&own.address("/replays?done=begun"))),
        Err(problem) => Err(refused_span(&request, own, &entered, problem).await),
    }
}

/// The body that the form stands for. Fields that were left empty are left out.
fn span(entered: &Entered) -> Value {
    let given = |name| Some(entered.text(name)).filter(|text| !text.is_empty());
    let fields = [
        (SINCE_POSITION, given(SINCE_POSITION).map(forms::number)),
        (SINCE_TIME, given(SINCE_TIME).map(|text| Value::from(time(text)))),
        (UNTIL_POSITION, given(UNTIL_POSITION).map(forms::number)),
        ("dryRun", Some(Value::from(entered.text("dryRun") == "true"))),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.collect::<Map<_, _>>())
}

/// A time in UTC as RFC 3339 writes it. Browsers leave out the zone, and seconds that are zero (HTML, section 2.3.5).
fn time(text: &str) -> String {
    match text.len() {
        16 => format!("{text}:00Z"),
        19 | 23 => format!("{text}Z"),
        _ => text.to_owned(),
    }
}

async fn refused_span(request: &HttpRequest, own: Own, entered: &Entered, problem: Problem) -> Problem {
    let errors = problem.errors.iter().map(|error| match error.pointer.as_deref() {
        None | Some("") => error.message.clone(),
        Some(pointer) => format!("{}: {}", pointer.trim_start_matches('/'), error.message),
    });
    let errors = errors.collect();
    match ReplaysPage::of(request, own, entered).await {
        Ok(page) => refused(request, problem, portal_of(request), move |portal| ReplaysPage { portal, errors, ..page }),
        Err(problem) => problem,
    }
}

/// Cancels a running replay.
#[post("/webhooks/{id}/replays/{replay}/cancellation")]
pub(super) async fn cancel(
    request: HttpRequest,
    ids: Path<(String, String)>,
    owner: SignedIn,
    caller: Caller<Webhooks>,
    _: Pressed,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let own = Own::of(&app, &ids.0, &owner).await?;
    let id: ReplayId = path_id(&ids.1, "replay")?;
    match stop(&app, own.named(), id, &caller).await {
        Ok(_) => Ok(see(&own.address("/replays?done=cancelled"))),
        Err(problem) => Err(refused_span(&request, own, &Entered::default(), problem).await),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_span_begins_at_a_position_or_a_time_in_utc() {
        let entered = |fields: &[(&str, &str)]| {
            Entered::of(fields.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
        };
        let body = |fields: &[(&str, &str)]| span(&entered(fields));
        assert_eq!(
            body(&[("sincePosition", "0"), ("sinceTime", ""), ("dryRun", "true")]),
            json!({ "sincePosition": 0, "dryRun": true })
        );
        for (text, sent) in [
            ("2026-03-01T12:00", "2026-03-01T12:00:00Z"),
            ("2026-03-01T12:00:05", "2026-03-01T12:00:05Z"),
            ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"),
            ("noon", "noon"),
        ] {
            assert_eq!(body(&[("sinceTime", text)]), json!({ "sinceTime": sent, "dryRun": false }));
        }
    }
}
