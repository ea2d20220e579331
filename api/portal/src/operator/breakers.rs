//! Endpoints whose circuit breaker is open.

use actix_web::{HttpRequest, HttpResponse, get};
use askama::Template;
use buildtrack_domain::ids::WebhookId;
use buildtrack_http::{
    guard::app_of,
    page::{IdCursor, Page},
    problem::Problem,
};
use buildtrack_pages::{Frame, Pager, Trail, address, filters};
use buildtrack_store::OpenBreaker;
use url::Url;

use super::{Operating, Section, frame};

use crate::{Portal, answer};

/// The endpoints of a page.
const BREAKERS: i64 = 50;

#[derive(Template)]
#[template(path = "portal/operator/breakers.html")]
struct BreakersPage {
    frame: Frame,
    portal: Portal,
    section: Section,
    /// The endpoints with the hosts of their addresses. The rest of an address may hold a secret.
    breakers: Vec<(OpenBreaker, String)>,
    pager: Pager,
}

/// Lists endpoints whose breaker is open.
#[get("/operator/breakers")]
pub(super) async fn list(request: HttpRequest, _: Operating) -> Result<HttpResponse, Problem> {
    let (mut parameters, trail) = Trail::read(&request, &["cursor"]);
    let after = parameters.get::<IdCursor<WebhookId>>("cursor", "the cursor of a previous page").map(|cursor| cursor.0);
    parameters.finish()?;
    let rows = app_of(&request).store.webhooks().open_breakers(after, BREAKERS + 1).await?;
    let with_host = |breaker: OpenBreaker| {
        let host = breaker.url.as_deref().map(host).unwrap_or_default();
        (breaker, host)
    };
    let Page { items: breakers, next_cursor } =
        Page::shown_by_id(rows, BREAKERS, |row: &OpenBreaker| row.webhook_id, with_host);
    answer(
        &request,
        &BreakersPage {
            frame: frame(&request, "operator-breakers"),
            portal: Portal::of(&request, "operator"),
            section: Section::new("breakers"),
            breakers,
            pager: trail.pager(next_cursor.as_deref(), "operator-more", |cursor| {
                address("/portal/operator/breakers", [cursor.map(|cursor| format!("cursor={cursor}"))])
            }),
        },
    )
}

/// Host and port of an address.
fn host(address: &str) -> String {
    let Ok(url) = Url::parse(address) else { return String::new() };
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn only_host_and_port_of_an_address_are_shown() {
        assert_eq!(host("https://user:pass@hooks.example/secret/path?token=1"), "hooks.example");
        assert_eq!(host("http://127.0.0.1:8080/x"), "127.0.0.1:8080");
        assert_eq!(host("no address"), "");
    }
}
