//! Projection of the events of tournaments.

use buildtrack_domain::{
    arena::tournaments::{Phase, RoundOpened, TournamentCreated, TournamentEvent},
    ids::AgentId,
};

use crate::{
    StoreError,
    database::{Tx, values},
    log::Recorded,
};

pub(in crate::arena) async fn project(
    tx: &mut Tx<'_>,
    recorded: &Recorded,
    event: &TournamentEvent,
) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    match event {
        TournamentEvent::Created(data) => create(tx, recorded, data).await,
        TournamentEvent::Joined(data) => add_player(tx, id, data.agent_id).await,
        TournamentEvent::Left(data) => remove_player(tx, id, data.agent_id).await,
        TournamentEvent::Started(data) => {
            tx.execute(
                "UPDATE arena_tournaments SET phase = $2, rounds = $3, started_at = $4, progress_at = $4 WHERE id = $1",
                values![id, Phase::Running.as_str(), i64::from(data.rounds), recorded.recorded_at],
            )
            .await?;
            Ok(())
        }
        TournamentEvent::RoundOpened(data) => open_round(tx, id, data).await,
        TournamentEvent::Begun(data) => {
            set_match(tx, id, (data.round, data.board), Some(data.match_id.to_string())).await
        }
        TournamentEvent::Voided(data) => set_match(tx, id, (data.round, data.board), None).await,
        TournamentEvent::Scored(data) => {
            tx.execute(
                "UPDATE arena_pairings SET result = $4 WHERE tournament_id = $1 AND round = $2 AND board = $3",
                values![id, i64::from(data.round), i64::from(data.board), data.result.as_str()],
            )
            .await?;
            tx.execute(
                "UPDATE arena_tournaments SET progress_at = $2 WHERE id = $1",
                values![id, recorded.recorded_at],
            )
            .await?;
            Ok(())
        }
        // The state of the tournament, which is read from the log, has the places.
        TournamentEvent::Placed(_) => Ok(()),
        TournamentEvent::Finished(data) => {
            let winner = data.winner.map(|winner| winner.to_string());
            end(tx, recorded, Phase::Finished, (winner, None)).await
        }
        TournamentEvent::Cancelled(data) => {
            end(tx, recorded, Phase::Cancelled, (None, Some(data.reason.as_str()))).await
        }
    }
}

async fn create(tx: &mut Tx<'_>, recorded: &Recorded, data: &TournamentCreated) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO arena_tournaments (id, position, owner_id, league, system, phase, players, players_max, round, rounds, \
         winner_id, reason, created_at, started_at, progress_at, ended_at) \
         VALUES ($1, $2, $3, $4, $5, $6, 0, $7, 0, $8, NULL, NULL, $9, NULL, $9, NULL)",
        values![
            &*recorded.stream,
            recorded.position,
            data.owner_id.to_string(),
            data.league.as_str(),
            data.system.as_str(),
            Phase::Registering.as_str(),
            i64::from(data.players_max),
            data.rounds.map(i64::from),
            recorded.recorded_at,
        ],
    )
    .await?;
    Ok(())
}

async fn add_player(tx: &mut Tx<'_>, id: &str, agent_id: AgentId) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO arena_tournament_players (tournament_id, agent_id) VALUES ($1, $2)",
        values![id, agent_id.to_string()],
    )
    .await?;
    count_players(tx, id, 1).await
}

async fn remove_player(tx: &mut Tx<'_>, id: &str, agent_id: AgentId) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM arena_tournament_players WHERE tournament_id = $1 AND agent_id = $2",
        values![id, agent_id.to_string()],
    )
    .await?;
    count_players(tx, id, -1).await
}

async fn count_players(tx: &mut Tx<'_>, id: &str, more: i64) -> Result<(), StoreError> {
    tx.execute("UPDATE arena_tournaments SET players = players + $2 WHERE id = $1", values![id, more]).await?;
    Ok(())
}

async fn open_round(tx: &mut Tx<'_>, id: &str, data: &RoundOpened) -> Result<(), StoreError> {
    let round = i64::from(data.round);
    tx.execute("UPDATE arena_tournaments SET round = $2 WHERE id = $1", values![id, round]).await?;
    for (board, _) in (1_i64..).zip(&data.pairings) {
        tx.execute(
            "INSERT INTO arena_pairings (tournament_id, round, board, match_id, result) VALUES ($1, $2, $3, NULL, NULL)",
            values![id, round, board],
        )
        .await?;
    }
    Ok(())
}

/// The match that a pairing plays; `None` while it waits for one.
async fn set_match(
    tx: &mut Tx<'_>,
    id: &str,
    (round, board): (u16, u16),
    match_id: Option<String>,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE arena_pairings SET match_id = $4 WHERE tournament_id = $1 AND round = $2 AND board = $3",
        values![id, i64::from(round), i64::from(board), match_id],
    )
    .await?;
    Ok(())
}

async fn end(
    tx: &mut Tx<'_>,
    recorded: &Recorded,
    phase: Phase,
    (winner, reason): (Option<String>, Option<&'static str>),
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE arena_tournaments SET phase = $2, winner_id = $3, reason = $4, ended_at = $5 WHERE id = $1",
        values![&*recorded.stream, phase.as_str(), winner, reason, recorded.recorded_at],
    )
    .await?;
    Ok(())
}
