//! Projection of the arena's events into their read tables.

use std::collections::BTreeSet;

use buildtrack_domain::{
    arena::{
        enrolment::EnrolmentEvent,
        ladder::{Outcome, ResultRecorded, StandingEvent},
        matches::{MatchCreated, MatchEvent, MatchFinished, Mode, PANEL_NAME, Phase, TurnOpened},
        tasks::League,
    },
    event::Event,
};

use super::{head_to_head, panels, seasons, tournaments};
use crate::{
    StoreError,
    database::{Tx, Value, values},
    log::Recorded,
};

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    for recorded in events {
        match &recorded.event {
            Some(Event::Enrolment(event)) => project_enrolment(tx, recorded, event).await?,
            Some(Event::Match(event)) => project_match(tx, recorded, event).await?,
            Some(Event::HeadToHead(event)) => head_to_head::projection::project(tx, recorded, event).await?,
            Some(Event::Tournament(event)) => tournaments::projection::project(tx, recorded, event).await?,
            Some(Event::Standing(StandingEvent::Recorded(data))) => record_result(tx, recorded, data).await?,
            _ => {}
        }
    }
    Ok(())
}

async fn project_enrolment(tx: &mut Tx<'_>, recorded: &Recorded, event: &EnrolmentEvent) -> Result<(), StoreError> {
    match event {
        EnrolmentEvent::Enrolled(data) => {
            let words =
                |leagues: &BTreeSet<League>| leagues.iter().map(|league| league.as_str()).collect::<Vec<_>>().join(" ");
            tx.execute(
                "INSERT INTO arena_enrolments (agent_id, owner_id, endpoint_url, leagues, accepts_challenges, position, \
                 enrolled_at, judges) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (agent_id) DO UPDATE SET \
                 owner_id = excluded.owner_id, endpoint_url = excluded.endpoint_url, leagues = excluded.leagues, \
                 accepts_challenges = excluded.accepts_challenges, judges = excluded.judges",
                values![
                    data.agent_id.to_string(),
                    data.owner_id.to_string(),
                    &data.endpoint_url,
                    words(&data.leagues),
                    data.accepts_challenges,
                    recorded.position,
                    recorded.recorded_at,
                    words(&data.judges),
                ],
            )
            .await?;
        }
        EnrolmentEvent::Withdrawn(data) => {
            tx.execute("DELETE FROM arena_enrolments WHERE agent_id = $1", values![data.agent_id.to_string()]).await?;
        }
        EnrolmentEvent::TokenRotated(_) => {}
    }
    Ok(())
}

async fn project_match(tx: &mut Tx<'_>, recorded: &Recorded, event: &MatchEvent) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    match event {
        MatchEvent::Created(data) => create(tx, recorded, data).await?,
        MatchEvent::TurnOpened(data) => open_turn(tx, data, id).await?,
        MatchEvent::Answered(data) => settle(tx, recorded, data.seat, false).await?,
        MatchEvent::Missed(data) => settle(tx, recorded, data.seat, data.excused).await?,
        MatchEvent::Revealed(_) | MatchEvent::VoteRevealed(_) => {}
        MatchEvent::PanelDrawn(data) => panels::draw(tx, recorded, data).await?,
        MatchEvent::VoteCast(data) => panels::settle(tx, recorded, (data.turn, data.panel, data.judge)).await?,
        MatchEvent::VoteMissed(data) => panels::settle(tx, recorded, (data.turn, data.panel, data.judge)).await?,
        MatchEvent::Judged(data) => {
            if data.judge.starts_with(PANEL_NAME) {
                panels::close(tx, id).await?;
            }
            for result in data.results.iter().filter(|result| result.score > 0) {
                tx.execute(
                    "UPDATE arena_seats SET total = total + $3 WHERE match_id = $1 AND seat = $2",
                    values![id, i64::from(result.seat), i64::from(result.score)],
                )
                .await?;
            }
        }
        MatchEvent::Finished(data) => finish(tx, recorded, data).await?,
        MatchEvent::Voided(data) => {
            panels::close(tx, id).await?;
            let (ending, evidence) = (data.reason.as_str(), Some(data.evidence.as_str()));
            end(tx, recorded, Phase::Void, Ended { ending, winner: None, evidence }).await?;
        }
    }
    Ok(())
}

async fn create(tx: &mut Tx<'_>, recorded: &Recorded, data: &MatchCreated) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    tx.execute(
        "INSERT INTO arena_matches (id, position, league, mode, phase, seats, turn, turn_count, task_id, waiting, opened_at, \
         deadline, due_at, winner_id, ending, evidence, created_at, ended_position, ended_at) \
         VALUES ($1, $2, $3, $4, $5, $6, 0, $7, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, $8, NULL, NULL)",
        values![
            id,
            recorded.position,
            data.league.as_str(),
            data.mode.as_str(),
            Phase::Playing.as_str(),
            count(data.seats.len()),
            i64::from(data.turn_count),
            recorded.recorded_at,
        ],
    )
    .await?;
    for (number, seat) in (0_i64..).zip(&data.seats) {
        tx.execute(
            "INSERT INTO arena_seats (match_id, seat, position, agent_id, agent_name, agent_model, owner_id, charged_to, ranked, \
             channel, playing, settled, total, place, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, NULL, $13)",
            values![
                id,
                number,
                recorded.position,
                seat.agent_id.to_string(),
                &seat.agent.name,
                &seat.agent.model,
                seat.owner_id.to_string(),
                data.challenger_id.unwrap_or(seat.owner_id).to_string(),
                data.is_rated(),
                seat.channel.as_str(),
                true,
                false,
                recorded.recorded_at,
            ],
        )
        .await?;
    }
    tx.execute(
        "INSERT INTO arena_days (day, matches) VALUES ($1, 1) \
         ON CONFLICT (day) DO UPDATE SET matches = arena_days.matches + 1",
        values![recorded.recorded_at.date_naive().to_string()],
    )
    .await?;
    Ok(())
}

async fn open_turn(tx: &mut Tx<'_>, data: &TurnOpened, id: &str) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE arena_matches SET turn = $2, task_id = $3, opened_at = $4, deadline = $5, due_at = $5, \
         waiting = (SELECT count(*) FROM arena_seats WHERE match_id = $1 AND NOT excused) WHERE id = $1",
        values![id, i64::from(data.turn), &data.task.id, data.opened_at, data.due_at],
    )
    .await?;
    tx.execute("UPDATE arena_seats SET settled = excused WHERE match_id = $1", values![id]).await?;
    Ok(())
}

/// A seat answered or missed the open turn, or skips the match. The last one makes the match due.
async fn settle(tx: &mut Tx<'_>, recorded: &Recorded, seat: u16, excused: bool) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    tx.execute(
        "UPDATE arena_seats SET settled = $3, playing = $4, excused = $5 WHERE match_id = $1 AND seat = $2",
        values![id, i64::from(seat), true, !excused, excused],
    )
    .await?;
    tx.execute(
        "UPDATE arena_matches SET waiting = waiting - 1, due_at = CASE WHEN waiting = 1 THEN $2 ELSE due_at END \
         WHERE id = $1",
        values![id, recorded.recorded_at],
    )
    .await?;
    Ok(())
}

async fn finish(tx: &mut Tx<'_>, recorded: &Recorded, data: &MatchFinished) -> Result<(), StoreError> {
    let winner = data.winner.map(|winner| winner.to_string());
    end(tx, recorded, Phase::Finished, Ended { ending: data.ending.as_str(), winner, evidence: None }).await?;
    for placing in &data.placings {
        tx.execute(
            "UPDATE arena_seats SET place = $3 WHERE match_id = $1 AND seat = $2",
            values![&*recorded.stream, i64::from(placing.seat), i64::from(placing.place)],
        )
        .await?;
    }
    Ok(())
}

/// How a match ended.
struct Ended<'a> {
    ending: &'static str,
    winner: Option<String>,
    evidence: Option<&'a str>,
}

async fn end(tx: &mut Tx<'_>, recorded: &Recorded, phase: Phase, ended: Ended<'_>) -> Result<(), StoreError> {
    let Ended { ending, winner, evidence } = ended;
    tx.execute(
        "UPDATE arena_matches SET phase = $2, winner_id = $3, ending = $4, evidence = $5, waiting = 0, due_at = NULL, \
         ended_position = $6, ended_at = $7 WHERE id = $1",
        values![&*recorded.stream, phase.as_str(), winner, ending, evidence, recorded.position, recorded.recorded_at],
    )
    .await?;
    tx.execute("UPDATE arena_seats SET playing = $2 WHERE match_id = $1", values![&*recorded.stream, false]).await?;
    Ok(())
}

async fn record_result(tx: &mut Tx<'_>, recorded: &Recorded, data: &ResultRecorded) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO arena_results (position, agent_id, league, match_id, mode, opponents, opponent_id, outcome, place, score, \
         rating_before_milli, rating_milli, deviation_milli, recorded_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        values![
            recorded.position,
            data.agent_id.to_string(),
            data.league.as_str(),
            data.match_id.to_string(),
            data.mode.as_str(),
            i64::from(data.opponents),
            data.opponent_id.map(|opponent| opponent.to_string()),
            data.outcome.as_str(),
            i64::from(data.place),
            i64::from(data.score),
            data.before.rating_milli,
            data.after.rating_milli,
            data.after.deviation_milli,
            recorded.recorded_at,
        ],
    )
    .await?;
    if data.mode != Mode::Ranked {
        return Ok(());
    }
    seasons::projection::record(tx, recorded, data).await?;
    update_standing(tx, recorded, data, None).await
}

/// Adds a result to the standing of its agent: of all time, or of a season.
pub(super) async fn update_standing(
    tx: &mut Tx<'_>,
    recorded: &Recorded,
    data: &ResultRecorded,
    season: Option<&str>,
) -> Result<(), StoreError> {
    let (table, key) = match season {
        Some(_) => ("arena_season_standings", "season, league, agent_id"),
        None => ("arena_standings", "league, agent_id"),
    };
    let season_column = season.map_or("", |_| "season, ");
    let season_value = season.map_or("", |_| "$12, ");
    let statement = format!(
        "INSERT INTO {table} ({season_column}league, agent_id, rating_milli, deviation_milli, volatility_nano, rank_milli, \
         won, drew, lost, position, updated_at) VALUES ({season_value}$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
         ON CONFLICT ({key}) DO UPDATE SET rating_milli = excluded.rating_milli, \
         deviation_milli = excluded.deviation_milli, volatility_nano = excluded.volatility_nano, \
         rank_milli = excluded.rank_milli, won = {table}.won + excluded.won, drew = {table}.drew + excluded.drew, \
         lost = {table}.lost + excluded.lost, position = excluded.position, updated_at = excluded.updated_at"
    );
    let counted = |outcome| i64::from(data.outcome == outcome);
    let mut values = vec![
        Value::from(data.league.as_str()),
        data.agent_id.to_string().into(),
        data.after.rating_milli.into(),
        data.after.deviation_milli.into(),
        data.after.volatility_nano.into(),
        data.after.rank_milli().into(),
        counted(Outcome::Won).into(),
        counted(Outcome::Drew).into(),
        counted(Outcome::Lost).into(),
        recorded.position.into(),
        recorded.recorded_at.into(),
    ];
    values.extend(season.map(Value::from));
    tx.execute(&statement, &values).await?;
    Ok(())
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
