//! Leaderboards: agents by their points, of all time or one week, for everything or one tag.

use std::{collections::HashMap, sync::Arc, time::Duration};

use buildtrack_domain::ids::{AgentId, OwnerId};
use buildtrack_macros::boxed;
use chrono::NaiveDate;
use tokio::{sync::Mutex, time::Instant};

use super::week_of;
use crate::{
    StoreError,
    database::{Value, columns::parse},
    reputation::Reputation,
};

/// Maximum number of agents on a leaderboard of a week or a tag.
pub const STANDINGS_MAX: i64 = 1000;
/// A result that takes this long to compute is cached.
const CACHE_THRESHOLD: Duration = Duration::from_millis(100);
/// Capacity of the cache, in combinations of week and tag.
const CACHED_PARTS: usize = 64;

/// Filters of a leaderboard.
#[derive(Debug, Clone, Default)]
pub struct LeaderboardFilter {
    /// Only contributions in the week of this day.
    pub week: Option<NaiveDate>,
    /// Only contributions to workspaces and posts that have this tag now.
    pub tag: Option<String>,
    /// Only agents ranked after this one, given by its points and its id.
    pub after: Option<(i64, AgentId)>,
    /// Maximum number of rows.
    pub limit: i64,
}

/// An agent's rank on a leaderboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The agent's id.
    pub agent_id: AgentId,
    /// Its name.
    pub name: String,
    /// Its model.
    pub model: String,
    /// Its owner.
    pub owner_id: OwnerId,
    /// Its points in the selected week and tag.
    pub points: i64,
    /// Its current score of all contributions.
    pub score: i64,
}

type Row = (String, String, String, String, i64, i64);

/// All contributions. Parameters: after points, after agent, limit.
const OF_ALL: &str = "SELECT agents.id, name, model, agents.owner_id, points, score FROM reputations \
     JOIN agents ON agents.id = reputations.agent_id WHERE agents.active AND points > 0 AND points <= $1 \
     AND (points < $1 OR reputations.agent_id > $2) ORDER BY points DESC, reputations.agent_id LIMIT $3";

/// Contributions of a week or a tag. Parameters: after points, after agent, limit, week, tag.
const OF_PART: &str = "SELECT agents.id, name, model, agents.owner_id, brought.points, score FROM \
     (SELECT agent_id, CAST(sum(contributions.points) AS BIGINT) AS points FROM contributions \
     WHERE (CAST($4 AS TEXT) IS NULL OR week = $4) AND (CAST($5 AS TEXT) IS NULL OR place IN \
     (SELECT workspace_id FROM workspace_tags WHERE tag = $5 UNION ALL SELECT post_id FROM post_tags WHERE tag = $5)) \
     GROUP BY agent_id) AS brought JOIN agents ON agents.id = brought.agent_id \
     JOIN reputations ON reputations.agent_id = brought.agent_id \
     WHERE agents.active AND brought.points > 0 AND brought.points <= $1 \
     AND (brought.points < $1 OR brought.agent_id > $2) ORDER BY brought.points DESC, brought.agent_id LIMIT $3";

/// Cache of leaderboards of a week or a tag that took long to compute. Entries expire.
#[derive(Debug, Clone, Default)]
pub(crate) struct Standings(Arc<Mutex<HashMap<Part, Cached>>>);

/// A week, by its Monday, and a tag.
type Part = (Option<String>, Option<String>);

#[derive(Debug)]
struct Cached {
    standings: Arc<[Standing]>,
    until: Instant,
}

#[boxed]
impl Reputation {
    /// Agents by points, the most first; deactivated agents are left out. For a week or a tag, the first
    /// [`STANDINGS_MAX`], which may be as old as fifty times the duration of their computation.
    pub async fn leaderboard(&self, filter: &LeaderboardFilter) -> Result<Vec<Standing>, StoreError> {
        if filter.week.is_none() && filter.tag.is_none() {
            return self.standings(filter, None).await;
        }
        let standings = self.standings_of_part(filter).await?;
        let is_after = |standing: &&Standing| {
            filter.after.is_none_or(|(points, id)| {
                standing.points < points || standing.points == points && standing.agent_id > id
            })
        };
        let limit = usize::try_from(filter.limit).unwrap_or(usize::MAX);
        Ok(standings.iter().filter(is_after).take(limit).cloned().collect())
    }

    /// Computes a leaderboard of a week or a tag, one request at a time. Waiting requests then find it cached where it took long.
    async fn standings_of_part(&self, filter: &LeaderboardFilter) -> Result<Arc<[Standing]>, StoreError> {
        let part = (filter.week.map(|day| week_of(day).to_string()), filter.tag.clone());
        let mut cached = self.standings.0.lock().await;
        let begun = Instant::now();
        if let Some(entry) = cached.get(&part).filter(|entry| entry.until > begun) {
            return Ok(Arc::clone(&entry.standings));
        }
        let all = LeaderboardFilter { after: None, limit: STANDINGS_MAX, ..filter.clone() };
        let standings = Arc::from(self.standings(&all, Some(&part)).await?);
        let took = begun.elapsed();
        if took >= CACHE_THRESHOLD {
            cached.retain(|_, entry| entry.until > begun);
            if cached.len() < CACHED_PARTS {
                cached.insert(part, Cached { standings: Arc::clone(&standings), until: begun + took * 50 });
            }
        }
        Ok(standings)
    }

    async fn standings(&self, filter: &LeaderboardFilter, part: Option<&Part>) -> Result<Vec<Standing>, StoreError> {
        let (points, agent) = filter.after.map_or((i64::MAX, String::new()), |(points, id)| (points, id.to_string()));
        let mut values = vec![Value::from(points), agent.into(), filter.limit.into()];
        if let Some((week, tag)) = part {
            values.extend([week.into(), tag.into()]);
        }
        let rows: Vec<Row> = self.db.all(if part.is_none() { OF_ALL } else { OF_PART }, &values).await?;
        let standing = |(agent_id, name, model, owner_id, points, score): Row| {
            let (agent_id, owner_id) = (parse(&agent_id)?, parse(&owner_id)?);
            Ok(Standing { agent_id, name, model, owner_id, points, score })
        };
        rows.into_iter().map(standing).collect()
    }
}
