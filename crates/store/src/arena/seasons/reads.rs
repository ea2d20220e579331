//! The list of seasons.

use buildtrack_domain::arena::{seasons::Season, tasks::League};
use buildtrack_macros::boxed;

use crate::{StoreError, arena::Arena, database::values};

/// The number of seasons that the list shows: three years.
pub const SEASONS_SHOWN: i64 = 12;

/// The ranked matches of a season in one league.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeasonLeagueView {
    /// The season.
    pub season: Season,
    /// The league.
    pub league: League,
    /// The number of ranked matches that finished.
    pub matches: i64,
}

#[boxed]
impl Arena {
    /// The latest [`SEASONS_SHOWN`] seasons with a ranked match, newest first, one row a league.
    pub async fn seasons(&self) -> Result<Vec<SeasonLeagueView>, StoreError> {
        let rows: Vec<(String, String, i64)> = self
            .db
            .all(
                "SELECT season, league, matches FROM arena_seasons WHERE season IN \
                 (SELECT DISTINCT season FROM arena_seasons ORDER BY season DESC LIMIT $1) ORDER BY season DESC, league",
                values![SEASONS_SHOWN],
            )
            .await?;
        let damaged = |_| StoreError::Damaged("a season's name or league".into());
        let row = |(season, league, matches): (String, String, i64)| {
            let (season, league) = (season.parse().map_err(damaged)?, league.parse().map_err(damaged)?);
            Ok(SeasonLeagueView { season, league, matches })
        };
        rows.into_iter().map(row).collect()
    }
}
