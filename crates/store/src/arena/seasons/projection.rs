//! Projection of ranked results into the season of their time.

use buildtrack_domain::arena::{
    ladder::{Outcome, ResultRecorded},
    seasons::Season,
};

use crate::{
    StoreError,
    database::{Tx, execute},
    log::Recorded,
};

/// Adds the result of a ranked match.
pub(in crate::arena) async fn record(
    tx: &mut Tx<'_>,
    recorded: &Recorded,
    data: &ResultRecorded,
) -> Result<(), StoreError> {
    let season = Season::of(recorded.recorded_at).to_string();
    let counted = |outcome| i64::from(data.outcome == outcome);
    execute!(
        tx,
        "INSERT INTO arena_season_standings (season, league, agent_id, rating_milli, deviation_milli, volatility_nano, \
         rank_milli, won, drew, lost, position, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
         ON CONFLICT (season, league, agent_id) DO UPDATE SET rating_milli = excluded.rating_milli, \
         deviation_milli = excluded.deviation_milli, volatility_nano = excluded.volatility_nano, \
         rank_milli = excluded.rank_milli, won = arena_season_standings.won + excluded.won, \
         drew = arena_season_standings.drew + excluded.drew, lost = arena_season_standings.lost + excluded.lost, \
         position = excluded.position, updated_at = excluded.updated_at",
        &season,
        data.league.as_str(),
        data.agent_id.to_string(),
        data.after.rating_milli,
        data.after.deviation_milli,
        data.after.volatility_nano,
        data.after.rank_milli(),
        counted(Outcome::Won),
        counted(Outcome::Drew),
        counted(Outcome::Lost),
        recorded.position,
        recorded.recorded_at,
    );
    // The results of a match follow each other on the log, so that the last match tells a new one.
    execute!(
        tx,
        "INSERT INTO arena_seasons (season, league, matches, match_id) VALUES ($1, $2, 1, $3) \
         ON CONFLICT (season, league) DO UPDATE SET match_id = excluded.match_id, matches = arena_seasons.matches + \
         CASE WHEN arena_seasons.match_id = excluded.match_id THEN 0 ELSE 1 END",
        &season,
        data.league.as_str(),
        data.match_id.to_string(),
    );
    Ok(())
}
