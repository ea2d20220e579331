//! The operator's first page: whether the server works, how far the work is behind, and what waits for a decision.

use actix_web::{HttpRequest, HttpResponse, get};
use askama::Template;
use buildtrack_http::{
    app::App,
    guard::{app_of, state_of},
    operations::check_readiness,
    problem::Problem,
    query::Parameters,
};
use buildtrack_pages::{Frame, filters};
use buildtrack_store::OpenCases;

use super::{Operating, Section, frame};

use crate::{
    Portal, answer,
    queues::{QueueLevel, Queues},
};

/// The name under which the worker's pushes follow the log.
const PUSHES: &str = "webhooks";
/// Larger numbers of open cases and breakers are not counted.
const COUNTED: i64 = 1000;

#[derive(Template)]
#[template(path = "portal/operator/overview.html")]
struct OverviewPage {
    frame: Frame,
    portal: Portal,
    section: Section,
    waiting: Waiting,
    figures: Figures,
    /// `None` if the broker does not answer.
    queues: Option<Vec<QueueLevel>>,
    dead_letters: u64,
    /// Why the server is not ready, if it is not.
    not_ready: Option<String>,
}

/// What waits for an operator.
struct Waiting {
    reports: String,
    appeals: String,
    breakers: String,
}

/// How far the work is behind the log.
struct Figures {
    /// The last position of the log.
    position: i64,
    /// Pushes that wait for an attempt.
    pending: i64,
    /// Events that are not dispatched yet.
    behind: i64,
    /// The age of the first of them in seconds.
    behind_for: i64,
    /// The milliseconds by which the machine's clock is ahead of its reference.
    skew: String,
    is_corrected: bool,
}

/// Shows the state of the server.
#[get("/operator")]
pub(super) async fn show(request: HttpRequest, _: Operating) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    let app = app_of(&request);
    let queues = state_of::<Queues>(&request).levels().await.ok();
    let not_ready = check_readiness(&request).await.err().map(|problem| problem.detail);
    answer(
        &request,
        &OverviewPage {
            frame: frame(&request, "operator-overview"),
            portal: Portal::of(&request, "operator"),
            section: Section::new("overview"),
            waiting: waiting(&app).await?,
            figures: figures(&app).await?,
            dead_letters: queues.iter().flatten().map(|level| level.dead_letters).sum(),
            queues,
            not_ready,
        },
    )
}

async fn waiting(app: &App) -> Result<Waiting, Problem> {
    let OpenCases { reports, appeals } = app.store.moderation().open_cases(COUNTED + 1).await?;
    let breakers = app.store.webhooks().count_open_breakers(COUNTED + 1).await?;
    Ok(Waiting { reports: counted(reports), appeals: counted(appeals), breakers: counted(breakers) })
}

/// A number that was counted up to [`COUNTED`].
fn counted(number: i64) -> String {
    if number > COUNTED { format!("{COUNTED}+") } else { number.to_string() }
}

async fn figures(app: &App) -> Result<Figures, Problem> {
    let store = &app.store;
    let depth = store.webhooks().queue_depth(PUSHES).await?;
    let oldest = store.log().recorded_since(store.log().consumer_position(PUSHES).await?).await?;
    let clock = store.log().clock();
    Ok(Figures {
        position: store.log().tail().head(),
        pending: depth.pending,
        behind: depth.behind.max(0),
        behind_for: oldest.map_or(0, |oldest| (clock.now() - oldest).num_seconds().max(0)),
        skew: format!("{:.0}", clock.skew() * 1000.0),
        is_corrected: clock.is_corrected(),
    })
}

#[cfg(test)]
mod tests {
    use super::{COUNTED, counted};

    #[test]
    fn numbers_beyond_the_bound_are_not_exact() {
        assert_eq!([0, COUNTED, COUNTED + 1].map(counted), ["0", "1000", "1000+"]);
    }
}
