//! The deliveries of an endpoint: their list, each with its attempts, and sending one again.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use askama::Template;
use buildtrack_community::webhooks::deliveries::{Waits, cancel_delivery, found, push_again};
use buildtrack_domain::{ids::DeliveryId, webhooks::Wait};
use buildtrack_http::{
    app::App,
    auth::{Caller, Read, Webhooks},
    guard::app_of,
    page::{IdCursor, Page},
    problem::{Problem, shortened},
    query::path_id,
};
use buildtrack_pages::{self as pages, Frame, Pager, Trail, filters};
use buildtrack_store::{AttemptView, DeliveryFilter, DeliveryStatus, DeliveryView};
use chrono::{DateTime, Utc};

use super::{Own, pages::EXCERPT, portal_of};

use crate::{Portal, SignedIn, answer, form::Pressed, frame, notices::notice_of, refused, see};

/// The deliveries of a page.
const DELIVERIES: i64 = 30;
/// The attempts that a page shows, the last ones.
const ATTEMPTS: usize = 20;

/// A delivery with its state in words.
#[derive(Debug)]
struct DeliveryShown {
    view: DeliveryView,
    /// The key of the state.
    state: &'static str,
    /// The class of the state.
    tone: &'static str,
    /// The key of the reason why a pending delivery waits.
    wait: Option<&'static str>,
}

impl DeliveryShown {
    fn of(view: DeliveryView, waits: &Waits) -> Self {
        let (state, tone) = words(view.status);
        Self { state, tone, wait: waits.reason(&view).map(|(wait, _)| reason(wait)), view }
    }

    fn is_pending(&self) -> bool {
        self.view.status == DeliveryStatus::Pending
    }
}

/// The key of a state, and the class of its words.
fn words(status: DeliveryStatus) -> (&'static str, &'static str) {
    match status {
        DeliveryStatus::Pending => ("portal-webhooks-delivery-pending", ""),
        DeliveryStatus::Delivered => ("portal-webhooks-delivery-delivered", "good"),
        DeliveryStatus::Failed => ("portal-webhooks-delivery-failed", "bad"),
        DeliveryStatus::Cancelled => ("portal-webhooks-delivery-cancelled", ""),
    }
}

/// The key of the reason why a delivery waits.
fn reason(wait: Wait) -> &'static str {
    match wait {
        Wait::Breaker => "portal-webhooks-wait-breaker",
        Wait::Target => "portal-webhooks-wait-target",
        Wait::Verification => "portal-webhooks-wait-verification",
        Wait::Order => "portal-webhooks-wait-order",
        Wait::Retry => "portal-webhooks-wait-retry",
        Wait::Worker => "portal-webhooks-wait-worker",
    }
}

/// A filter of the list, as a link.
struct StateChoice {
    label: &'static str,
    address: String,
    is_current: bool,
}

#[derive(Template)]
#[template(path = "portal/webhook-deliveries.html")]
struct DeliveriesPage {
    frame: Frame,
    portal: Portal,
    own: Own,
    section: &'static str,
    choices: Vec<StateChoice>,
    deliveries: Vec<DeliveryShown>,
    /// The address of this page.
    here: String,
    pager: Pager,
}

/// The deliveries of an endpoint, newest first.
#[get("/webhooks/{id}/deliveries")]
pub(super) async fn list(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    _: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    let (mut parameters, trail) = Trail::read(&request, &["status", "cursor"]);
    let status = parameters.get("status", "pending, delivered, failed or cancelled");
    let beyond = parameters.get("cursor", "the cursor of a link").map(|IdCursor(id)| id);
    parameters.finish()?;
    let app = app_of(&request);
    let own = Own::of(&app, &id, &owner).await?;
    let (webhook_id, limit) = (Some(own.webhook.id), DELIVERIES + 1);
    let filter = DeliveryFilter { webhook_id, status, beyond, limit, ..DeliveryFilter::default() };
    let rows = app.store.webhooks().deliveries(own.agent.id, &filter).await?;
    let waits = Waits::of(&app, &rows).await?;
    let page = Page::shown_by_id(rows, DELIVERIES, |row| row.id, |row| DeliveryShown::of(row, &waits));
    let shown = DeliveriesPage {
        frame: frame(&own.name()),
        portal: portal_of(&request),
        section: "deliveries",
        choices: choices(&own, status),
        deliveries: page.items,
        here: address(&own, status, beyond.map(cursor).as_deref()),
        pager: trail
            .pager(page.next_cursor.as_deref(), "portal-webhooks-earlier", |cursor| address(&own, status, cursor)),
        own,
    };
    answer(&request, &shown)
}

/// The cursor of the page that begins below this delivery.
fn cursor(id: DeliveryId) -> String {
    format!("{}{id}", IdCursor::<DeliveryId>::MARK)
}

fn address(own: &Own, status: Option<DeliveryStatus>, cursor: Option<&str>) -> String {
    let parts = [
        status.map(|status| format!("status={}", status.as_str())),
        cursor.map(|cursor| format!("cursor={}", pages::encoded(cursor))),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    let query = if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) };
    own.address(&format!("/deliveries{query}"))
}

fn choices(own: &Own, current: Option<DeliveryStatus>) -> Vec<StateChoice> {
    let all = DeliveryStatus::ALL.map(|status| (words(status).0, Some(status)));
    let all = std::iter::once(("portal-webhooks-delivery-all", None)).chain(all);
    all.map(|(label, status)| StateChoice { label, address: address(own, status, None), is_current: status == current })
        .collect()
}

/// An attempt with the beginning of what the endpoint answered.
#[derive(Debug)]
struct AttemptShown {
    number: i64,
    started_at: DateTime<Utc>,
    took: String,
    status: Option<i64>,
    error: Option<String>,
    response: Option<String>,
}

impl From<AttemptView> for AttemptShown {
    fn from(view: AttemptView) -> Self {
        Self {
            number: view.number,
            started_at: view.started_at,
            took: pages::seconds(view.duration_ms.unsigned_abs()),
            status: view.status_code,
            error: view.error,
            response: view.response.map(|text| shortened(text, EXCERPT)).filter(|text| !text.is_empty()),
        }
    }
}

#[derive(Template)]
#[template(path = "portal/webhook-delivery.html")]
struct DeliveryPage {
    frame: Frame,
    portal: Portal,
    own: Own,
    section: &'static str,
    delivery: DeliveryShown,
    /// The last attempts, the last one first.
    attempts: Vec<AttemptShown>,
    /// The number of earlier attempts, which are not shown.
    earlier: usize,
}

/// A delivery with its attempts.
#[get("/webhooks/{id}/deliveries/{delivery}")]
pub(super) async fn show(
    request: HttpRequest,
    ids: Path<(String, String)>,
    owner: SignedIn,
    _: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    let notices = [("resent", "portal-webhooks-resent"), ("cancelled", "portal-webhooks-cancelled")];
    let notice = notice_of(&request, &notices)?;
    let app = app_of(&request);
    let (own, id) = delivery_of(&app, &ids, &owner).await?;
    let page = delivery_page(&request, own, id).await?;
    answer(&request, &DeliveryPage { portal: Portal { notice, ..portal_of(&request) }, ..page })
}

/// The endpoint and the delivery to it that a path names.
async fn delivery_of(app: &App, ids: &(String, String), owner: &SignedIn) -> Result<(Own, DeliveryId), Problem> {
    let own = Own::of(app, &ids.0, owner).await?;
    let view = found(app, own.agent.id, path_id(&ids.1, "delivery")?).await?;
    if view.webhook_id == own.webhook.id { Ok((own, view.id)) } else { Err(Problem::not_found("delivery")) }
}

async fn delivery_page(request: &HttpRequest, own: Own, id: DeliveryId) -> Result<DeliveryPage, Problem> {
    let app = app_of(request);
    let view = found(&app, own.agent.id, id).await?;
    let waits = Waits::of(&app, std::slice::from_ref(&view)).await?;
    let attempts = app.store.webhooks().attempts(id).await?;
    Ok(DeliveryPage {
        frame: frame(view.push_type.as_str()),
        portal: portal_of(request),
        own,
        section: "deliveries",
        delivery: DeliveryShown::of(view, &waits),
        earlier: attempts.len().saturating_sub(ATTEMPTS),
        attempts: attempts.into_iter().rev().take(ATTEMPTS).map(AttemptShown::from).collect(),
    })
}

/// Sends a delivery again.
#[post("/webhooks/{id}/deliveries/{delivery}/resend")]
pub(super) async fn resend(
    request: HttpRequest,
    ids: Path<(String, String)>,
    owner: SignedIn,
    caller: Caller<Webhooks>,
    _: Pressed,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (own, id) = delivery_of(&app, &ids, &owner).await?;
    match push_again(&app, (own.agent.id, id), &caller).await {
        Ok(_) => Ok(see(&own.address(&format!("/deliveries/{id}?done=resent")))),
        Err(problem) => Err(refused_act(&request, own, id, problem).await),
    }
}

/// Cancels a pending delivery.
#[post("/webhooks/{id}/deliveries/{delivery}/cancellation")]
pub(super) async fn cancel(
    request: HttpRequest,
    ids: Path<(String, String)>,
    owner: SignedIn,
    caller: Caller<Webhooks>,
    _: Pressed,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (own, id) = delivery_of(&app, &ids, &owner).await?;
    match cancel_delivery(&app, (own.agent.id, id), &caller).await {
        Ok(_) => Ok(see(&own.address(&format!("/deliveries/{id}?done=cancelled")))),
        Err(problem) => Err(refused_act(&request, own, id, problem).await),
    }
}

/// Returns the problem, and keeps the delivery's page.
async fn refused_act(request: &HttpRequest, own: Own, id: DeliveryId, problem: Problem) -> Problem {
    match delivery_page(request, own, id).await {
        Ok(page) => refused(request, problem, portal_of(request), move |portal| DeliveryPage { portal, ..page }),
        Err(problem) => problem,
    }
}
