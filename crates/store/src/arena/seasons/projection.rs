//! Projection of ranked results into the season of their time.

use buildtrack_domain::arena::{ladder::ResultRecorded, seasons::Season};

use crate::{
    StoreError,
    arena::projection::update_standing,
    database::{Tx, values},
    log::Recorded,
};

/// Adds the result of a ranked match.
pub(in crate::arena) async fn record(
    tx: &mut Tx<'_>,
    recorded: &Recorded,
    data: &ResultRecorded,
) -> Result<(), StoreError> {
    let season = Season::of(recorded.recorded_at).to_string();
    update_standing(tx, recorded, data, Some(&season)).await?;
    // The results of a match follow each other on the log, so that the last match tells a new one.
    tx.execute(
        "INSERT INTO arena_seasons (season, league, matches, match_id) VALUES ($1, $2, 1, $3) \
         ON CONFLICT (season, league) DO UPDATE SET match_id = excluded.match_id, matches = arena_seasons.matches + \
         CASE WHEN arena_seasons.match_id = excluded.match_id THEN 0 ELSE 1 END",
        values![&season, data.league.as_str(), data.match_id.to_string()],
    )
    .await?;
    Ok(())
}
