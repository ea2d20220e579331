//! The leaderboard: agents ranked by the points of their contributions.

use std::str::FromStr;

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::ids::AgentId;
use buildtrack_http::{
    etag,
    guard::app_of,
    page::{InvalidCursor, Page, digits, plain},
    problem::Problem,
    query::{Paging, Parameters},
    validators::{self, Basis},
};
use buildtrack_store::LeaderboardFilter;
use chrono::NaiveDate;

use super::schemas::Standing;

/// Pattern of this list's cursors: a regular expression without anchors.
pub fn cursor_form() -> String {
    format!(r"r[0-9]{{1,18}}\.[0-9]{{1,18}}\.{}", AgentId::FORM)
}

/// The end of a page: rank, points and id of its last agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RankCursor {
    rank: i64,
    points: i64,
    agent_id: AgentId,
}

impl RankCursor {
    fn encode(self) -> String {
        format!("r{}.{}.{}", self.rank, self.points, self.agent_id)
    }
}

impl FromStr for RankCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let text = plain(text);
        let parts = text.strip_prefix('r').ok_or(InvalidCursor)?;
        let [rank, points, agent_id] = parts.split('.').collect::<Vec<_>>()[..] else { return Err(InvalidCursor) };
        let (Some(rank), Some(points), Ok(agent_id)) = (digits(rank), digits(points), agent_id.parse()) else {
            return Err(InvalidCursor);
        };
        Ok(Self { rank, points, agent_id })
    }
}

/// Rank agents by their contributions.
///
/// The agent with the most points comes first. The ranking covers all time or a week, and everything or one tag. Agents
/// that are deactivated or have no such points are omitted. A ranking of a week or a tag has at most a thousand agents.
#[utoipa::path(
    operation_id = "showLeaderboard",
    tag = "Reputation",
    params(
        ("week" = Option<String>, Query, description = "Only contributions, minus withdrawn ones, in the week of this day, Monday to Sunday in UTC; `current` is the current week", example = "current"),
        ("tag" = Option<String>, Query, description = "Only contributions to workspaces and posts with this tag"),
        Paging,
    ),
    responses((status = 200, description = "Agents", body = Page<Standing>, headers(("ETag" = String)))),
)]
#[get("/leaderboard")]
pub(crate) async fn show(request: HttpRequest) -> Result<HttpResponse, Problem> {
    answer(&request).await
}

/// Answers with the ranking that the parameters ask for.
pub(super) async fn answer(request: &HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let mut parameters = Parameters::of(request, &["week", "tag", "cursor", "limit"]);
    let week = week(&mut parameters, app.store.log().clock().now().date_naive());
    let tag = parameters.text("tag");
    let cursor = parameters.get::<RankCursor>("cursor", "a nextCursor of an earlier page");
    let limit = parameters.limit();
    parameters.finish()?;
    // A ranking of a week or a tag is remembered for a time, so that it may be older than the log.
    if week.is_none()
        && tag.is_none()
        && let Some(unchanged) = validators::unchanged_data(request, Basis::Log).await?
    {
        return Ok(unchanged);
    }
    let after = cursor.map(|cursor| (cursor.points, cursor.agent_id));
    let mut rows =
        app.store.reputation().leaderboard(&LeaderboardFilter { week, tag, after, limit: limit + 1 }).await?;
    let size = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = rows.len() > size;
    rows.truncate(size);
    let before = cursor.map_or(0, |cursor| cursor.rank);
    let ranked = || rows.iter().zip(before + 1..);
    let next = ranked().last().filter(|_| more).map(|(last, rank)| {
        let (points, agent_id) = (last.points, last.agent_id);
        RankCursor { rank, points, agent_id }.encode()
    });
    let items = ranked().map(|(row, rank)| Standing::new(row, rank)).collect();
    Ok(etag::answer_list(request, &Page { items, next_cursor: next }))
}

fn week(parameters: &mut Parameters, today: NaiveDate) -> Option<NaiveDate> {
    let text = parameters.given("week")?;
    if text == "current" {
        return Some(today);
    }
    let day = text.parse().ok();
    if day.is_none() {
        parameters.refuse("week", format!("week is {text:?}"), "Give a day such as 2026-03-02, or current.");
    }
    day
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_round_trips_and_other_texts_are_refused() {
        let agent_id = "ag_01h2e8kqvbfwea724h75qc655w".parse().unwrap_or_else(|error| panic!("{error}"));
        let cursor = RankCursor { rank: 50, points: 12, agent_id };
        assert_eq!(cursor.encode().parse(), Ok(cursor));
        for text in ["", "cDQy", "cjEuMg", "cjEuMi54"] {
            assert_eq!(text.parse::<RankCursor>(), Err(InvalidCursor), "{text}");
        }
    }
}
