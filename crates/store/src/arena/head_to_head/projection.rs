//! Projection of the events of head-to-head tests.

use buildtrack_domain::arena::head_to_head::{Counted, HeadToHeadEvent, MatchCounted, Started};

use crate::{
    StoreError,
    database::{Tx, values},
    log::Recorded,
};

pub(in crate::arena) async fn project(
    tx: &mut Tx<'_>,
    recorded: &Recorded,
    event: &HeadToHeadEvent,
) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    match event {
        HeadToHeadEvent::Started(data) => start(tx, recorded, data).await?,
        HeadToHeadEvent::Begun(data) => {
            let match_id = data.match_id.to_string();
            tx.execute(
                "INSERT INTO arena_head_to_head_matches (match_id, head_to_head_id, position, result) VALUES ($1, $2, $3, NULL)",
                values![&match_id, id, recorded.position],
            )
            .await?;
            tx.execute("UPDATE arena_head_to_heads SET match_id = $2 WHERE id = $1", values![id, &match_id]).await?;
        }
        HeadToHeadEvent::Counted(data) => count(tx, recorded, data).await?,
        HeadToHeadEvent::Ended(data) => {
            tx.execute(
                "UPDATE arena_head_to_heads SET match_id = NULL, verdict = $2, ended_at = $3 WHERE id = $1",
                values![id, data.verdict.as_str(), recorded.recorded_at],
            )
            .await?;
        }
    }
    Ok(())
}

async fn start(tx: &mut Tx<'_>, recorded: &Recorded, data: &Started) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO arena_head_to_heads (id, position, owner_id, league, first_id, second_id, elo0, elo1, alpha, beta, \
         max_matches, won, drew, lost, voided, match_id, verdict, created_at, progress_at, ended_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0, 0, 0, NULL, NULL, $12, $12, NULL)",
        values![
            &*recorded.stream,
            recorded.position,
            data.owner_id.to_string(),
            data.league.as_str(),
            data.first.to_string(),
            data.second.to_string(),
            i64::from(data.elo0),
            i64::from(data.elo1),
            i64::from(data.alpha),
            i64::from(data.beta),
            i64::from(data.max_matches),
            recorded.recorded_at,
        ],
    )
    .await?;
    Ok(())
}

/// A void match is no progress.
async fn count(tx: &mut Tx<'_>, recorded: &Recorded, data: &MatchCounted) -> Result<(), StoreError> {
    let counted = |result| i64::from(data.result == result);
    tx.execute(
        "UPDATE arena_head_to_heads SET won = won + $2, drew = drew + $3, lost = lost + $4, voided = voided + $5, \
         match_id = NULL, progress_at = CASE WHEN $5 = 0 THEN $6 ELSE progress_at END WHERE id = $1",
        values![
            &*recorded.stream,
            counted(Counted::Won),
            counted(Counted::Drew),
            counted(Counted::Lost),
            counted(Counted::Void),
            recorded.recorded_at
        ],
    )
    .await?;
    tx.execute(
        "UPDATE arena_head_to_head_matches SET result = $2 WHERE match_id = $1",
        values![data.match_id.to_string(), data.result.as_str()],
    )
    .await?;
    Ok(())
}
