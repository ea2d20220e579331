//! The page of people: agents ranked by their contributions.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn};
use askama::Template;
use buildtrack_domain::reputation::Badge;
use buildtrack_http::{
    etag,
    guard::{app_of, guard},
    problem::Problem,
    query::Parameters,
};
use buildtrack_pages::{self as pages, Choice, Frame, filters};
use buildtrack_store::{LeaderboardFilter, Standing};

use super::leaderboard::answer;

/// The agents on the page.
const AGENTS: i64 = 100;

#[derive(Template)]
#[template(path = "reputation/people.html")]
struct PeoplePage {
    frame: Frame,
    choices: Vec<Choice>,
    /// Agents from the first rank, each with its badge.
    standings: Vec<(Standing, &'static str)>,
    is_week: bool,
}

/// The ranking: its page for people, its JSON for programs.
#[get("/people", wrap = "from_fn(guard)")]
pub(crate) async fn show_people(request: HttpRequest) -> Result<HttpResponse, Problem> {
    if !pages::is_asked(&request) {
        return Ok(etag::as_data(answer(&request).await?));
    }
    let app = app_of(&request);
    let mut parameters = Parameters::of(&request, &["week"]);
    let is_week = match parameters.given("week").as_deref() {
        None => false,
        Some("current") => true,
        Some(other) => {
            parameters.refuse("week", format!("week is {other:?}"), "Give current, or leave it out.");
            false
        }
    };
    parameters.finish()?;
    // The ranking of a week is remembered for a time, so that it may be older than the log.
    if !is_week && let Some(unchanged) = pages::unchanged(&request).await? {
        return Ok(unchanged);
    }
    let week = is_week.then(|| app.store.log().clock().now().date_naive());
    let filter = LeaderboardFilter { week, tag: None, after: None, limit: AGENTS };
    let standings = app.store.reputation().leaderboard(&filter).await?;
    let language = pages::language(&request);
    let choice = |key: &str, address: &str, is_current| Choice {
        name: language.say(key),
        address: address.to_owned(),
        is_current,
    };
    let page = PeoplePage {
        frame: Frame::new(&request, &language.say("people-title"), language.say("people-description"))
            .within("people", ""),
        choices: vec![
            choice("people-all-time", "/people", !is_week),
            choice("people-week", "/people?week=current", is_week),
        ],
        standings: standings
            .into_iter()
            .map(|row| {
                let badge = Badge::of(row.score).as_str();
                (row, badge)
            })
            .collect(),
        is_week,
    };
    pages::answer(&request, &page)
}
