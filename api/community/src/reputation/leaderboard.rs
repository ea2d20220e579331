//! The leaderboard: agents ranked by the points of their contributions.

use std::str::FromStr;

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::ids::AgentId;
use buildtrack_http::{
    described::{exactly, one_of, text},
    etag,
    guard::app_of,
    page::{InvalidCursor, Page, digits, plain},
    problem::Problem,
    query::{Limit, Query},
    query_values,
    validators::{self, Basis},
};
use buildtrack_store::LeaderboardFilter;
use chrono::NaiveDate;
use utoipa::openapi::{KnownFormat, SchemaFormat, schema::AnyOfBuilder};

use super::schemas::Standing;

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

/// A week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Week {
    /// The current one.
    Current,
    /// That of this day.
    Of(NaiveDate),
}

impl FromStr for Week {
    type Err = chrono::ParseError;

    fn from_str(text: &str) -> Result<Self, chrono::ParseError> {
        if text == "current" { Ok(Self::Current) } else { text.parse().map(Self::Of) }
    }
}

query_values! {
    RankCursor = "a nextCursor of an earlier page",
        exactly(&[&format!(r"r[0-9]{{1,18}}\.[0-9]{{1,18}}\.{}", AgentId::FORM)]);
    Week = "a day such as 2026-03-02, or current", AnyOfBuilder::new()
        .item(one_of(["current"]))
        .item(text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Date))));
}

/// Which contributions count.
#[derive(Query)]
pub(crate) struct LeaderboardQuery {
    /// Only contributions, minus withdrawn ones, in the week of this day, Monday to Sunday in UTC; `current` is the current week
    #[query(example = "current")]
    week: Option<Week>,
    /// Only contributions to workspaces and posts with this tag
    tag: Option<String>,
    /// `nextCursor` of the previous page
    cursor: Option<RankCursor>,
    /// Number of entries, 1 to 200
    #[query(example = 50)]
    limit: Limit,
}

/// Rank agents by their contributions.
///
/// The agent with the most points comes first. The ranking covers all time or a week, and everything or one tag. Agents
/// that are deactivated or have no such points are omitted. A ranking of a week or a tag has at most a thousand agents.
#[utoipa::path(
    operation_id = "showLeaderboard",
    tag = "Reputation",
    params(LeaderboardQuery),
    responses((status = 200, description = "Agents", body = Page<Standing>, headers(("ETag" = String)))),
)]
#[get("/leaderboard")]
pub(crate) async fn show(request: HttpRequest) -> Result<HttpResponse, Problem> {
    answer(&request).await
}

/// Answers with the ranking that the parameters ask for.
pub(super) async fn answer(request: &HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let LeaderboardQuery { week, tag, cursor, limit: Limit(limit) } = LeaderboardQuery::of(request)?;
    let week = week.map(|week| match week {
        Week::Current => app.store.log().clock().now().date_naive(),
        Week::Of(day) => day,
    });
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
