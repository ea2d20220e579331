//! Dead letters: events that a consumer of a queue could not process.

use actix_web::{HttpRequest, HttpResponse, get, post};
use askama::Template;
use buildtrack_accounts::identity::acts;
use buildtrack_bus::DeadLetter;
use buildtrack_domain::identity::Act;
use buildtrack_http::{
    guard::{app_of, state_of},
    problem::Problem,
};
use buildtrack_pages::{Frame, filters};

use super::{Operating, Section, frame, reason};

use crate::{
    Portal, answer,
    form::{Entered, Pressed},
    notices::notice_of,
    queues::Queues,
    refused, see,
};

/// The most dead letters that are shown of a queue.
const SHOWN: usize = 100;
/// The most dead letters of a queue that one click puts back.
const REPLAYED: usize = 1000;

#[derive(Template)]
#[template(path = "portal/operator/dead-letters.html")]
struct DeadLettersPage {
    frame: Frame,
    portal: Portal,
    section: Section,
    /// Whether they survive the process.
    is_durable: bool,
    /// The dead letters with the names of their queues.
    letters: Vec<(String, DeadLetter)>,
    most: usize,
    entered: Entered,
}

async fn page(request: &HttpRequest, done: Option<&'static str>, entered: Entered) -> Result<DeadLettersPage, Problem> {
    let queues = state_of::<Queues>(request);
    Ok(DeadLettersPage {
        frame: frame(request, "operator-letters"),
        portal: Portal::of(request, "operator"),
        section: Section { tab: "letters", done },
        is_durable: queues.is_durable(),
        letters: queues.dead_letters(SHOWN).await?,
        most: REPLAYED,
        entered,
    })
}

/// Lists dead letters, the oldest first.
#[get("/operator/dead-letters")]
pub(super) async fn list(request: HttpRequest, _: Operating) -> Result<HttpResponse, Problem> {
    let done = notice_of(&request, &[("replayed", "operator-letters-done")])?;
    answer(&request, &page(&request, done, Entered::default()).await?)
}

/// Puts dead letters back into their queues.
#[post("/operator/dead-letters")]
pub(super) async fn replay(
    request: HttpRequest,
    operator: Operating,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let Pressed(entered) = pressed;
    let replayed = async {
        let why = reason(&entered)?;
        let queues = state_of::<Queues>(&request);
        // A broker that is away is noticed before the act is recorded.
        queues.levels().await?;
        acts::note_act(&app_of(&request), &operator.0, Act::ReplayDeadLetters, &why).await?;
        queues.replay(REPLAYED).await
    }
    .await;
    let Err(problem) = replayed else { return Ok(see("/portal/operator/dead-letters?done=replayed")) };
    let page = page(&request, None, entered).await?;
    Err(refused(&request, problem, Portal::of(&request, "operator"), move |portal| DeadLettersPage { portal, ..page }))
}
