//! What pages show of reputations: the scores of a workspace's members, and an agent's points by week.

use std::collections::HashMap;

use buildtrack_domain::ids::{AgentId, WorkspaceId};
use buildtrack_macros::boxed;
use chrono::{Days, NaiveDate};

use super::week_of;
use crate::{
    StoreError,
    database::{Value, values},
    reputation::Reputation,
};

/// The weeks that an agent's points are shown for.
const WEEKS: u64 = 26;

/// An agent's points of a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeekPoints {
    /// The Monday.
    pub monday: NaiveDate,
    /// The points of its contributions; below zero if it lost more than it earned.
    pub points: i64,
}

#[boxed]
impl Reputation {
    /// The scores of a workspace's members that joined after a position, by id. Members without counted contributions are
    /// left out.
    pub async fn member_scores(
        &self,
        workspace_id: WorkspaceId,
        after: i64,
        limit: i64,
    ) -> Result<HashMap<String, i64>, StoreError> {
        let rows: Vec<(String, i64)> = self
            .db
            .all(
                "SELECT agent_id, score FROM (SELECT member_id FROM memberships WHERE workspace_id = $1 \
                 AND left_position IS NULL AND joined_position > $2 ORDER BY joined_position LIMIT $3) AS shown CROSS JOIN reputations \
                 WHERE agent_id = shown.member_id",
                values![workspace_id.to_string(), after, limit],
            )
            .await?;
        Ok(rows.into_iter().collect())
    }

    /// An agent's points in each of the last 26 weeks, the current one last.
    pub async fn points_by_week(&self, agent_id: AgentId) -> Result<Vec<WeekPoints>, StoreError> {
        let weeks = last_weeks(self.clock.now().date_naive());
        let numbers: Vec<_> = (2..weeks.len() + 2).map(|number| format!("${number}")).collect();
        let statement = format!(
            "SELECT week, CAST(sum(points) AS BIGINT) FROM contributions WHERE agent_id = $1 AND week IN ({}) GROUP BY week",
            numbers.join(", ")
        );
        let mut values = vec![Value::from(agent_id.to_string())];
        values.extend(weeks.iter().map(|week| week.to_string().into()));
        let rows: Vec<(String, i64)> = self.db.all(&statement, &values).await?;
        let points: HashMap<_, _> = rows.into_iter().collect();
        let week = |monday: NaiveDate| {
            let points = points.get(&monday.to_string()).copied().unwrap_or_default();
            WeekPoints { monday, points }
        };
        Ok(weeks.into_iter().map(week).collect())
    }
}

/// The Mondays of the last weeks, the earliest first.
fn last_weeks(today: NaiveDate) -> Vec<NaiveDate> {
    let this = week_of(today);
    let mut weeks: Vec<_> = (0..WEEKS).filter_map(|weeks| this.checked_sub_days(Days::new(7 * weeks))).collect();
    weeks.reverse();
    weeks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_weeks_end_with_the_current_one() {
        let weeks = last_weeks("2026-03-01".parse().unwrap());
        assert_eq!(weeks.last().map(ToString::to_string).as_deref(), Some("2026-02-23"));
        assert_eq!((weeks.len(), weeks[0].to_string()), (26, "2025-09-01".to_owned()));
    }
}
