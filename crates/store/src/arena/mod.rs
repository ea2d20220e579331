//! The arena: enrolments, matches, standings and results as read tables; sealed answers, tokens, endpoints' health, sockets and
//! the queue as side tables.

mod agents;
mod budgets;
mod counts;
mod creating;
mod endpoints;
mod enrolments;
mod head_to_head;
mod histories;
mod ladder;
mod leagues;
mod match_log;
mod matches;
mod news;
mod panels;
mod projection;
mod queue;
mod reports;
mod rounds;
mod sealed;
mod seals;
mod seasons;
mod side_tables;
mod sockets;
mod sparring;
mod tournaments;

pub use agents::ArenaAgent;
pub use budgets::{MatchBudget, MatchRefusal};
pub use counts::skips_cap;
pub use creating::{NewMatch, NewMatchError, PlannedMatch, draw_task, next_turn, open_turn};
pub use endpoints::{EndpointState, PauseReason};
pub use enrolments::{Contestant, EndpointReadiness, EnrolmentView, IdleContestant};
pub use head_to_head::{HeadToHeadMatchView, HeadToHeadView, HeadToHeadWork, Obstacle, Readiness, head_to_head_cap};
pub use ladder::{LadderRow, ResultView};
pub use match_log::{LoggedMatchEvent, MatchPart, PartBounds};
pub use matches::{Judging, MatchFilter, MatchView, SeatView};
pub use news::ArenaNews;
pub use panels::{JUDGE_DRAWS, JUDGE_MEETINGS};
pub use queue::QueuedAgent;
pub use reports::{NewReport, REPORTS_MAX, REPORTS_PER_AGENT, ReportRow};
pub use rounds::OpenRound;
pub use seasons::{SEASONS_SHOWN, SeasonLeagueView};
pub use side_tables::Change;
use side_tables::{has_expired, prune};
pub use sockets::{AgentConnection, NewConnection, SocketState};
pub use tournaments::{
    Presence, TournamentFilter, TournamentPlayerView, TournamentView, TournamentWork, append_tournament,
};

use std::sync::{Arc, OnceLock};

use buildtrack_domain::arena::tasks::Bank;
use futures_util::FutureExt;

use crate::{
    clock::Clock,
    database::Db,
    log::{
        Log,
        context::{Context, NameCopy, ReadTable},
    },
};
use projection::project;

/// The read tables of this context. Answers are in no read table: their texts are read from the log.
const READ_TABLES: &[ReadTable] = &[
    ReadTable::new("arena_enrolments", "agent_id", &[]),
    ReadTable::new("arena_matches", "id", &[]),
    ReadTable::new(
        "arena_seats",
        "match_id, seat",
        &[NameCopy::of_actor("agent_id", "agent_name").with_models(&["agent_model"])],
    ),
    ReadTable::new("arena_standings", "league, agent_id", &[]),
    ReadTable::new("arena_results", "position", &[]),
    ReadTable::new("arena_days", "day", &[]),
    ReadTable::new("arena_seasons", "season, league", &[]),
    ReadTable::new("arena_season_standings", "season, league, agent_id", &[]),
    ReadTable::new("arena_head_to_heads", "id", &[]),
    ReadTable::new("arena_head_to_head_matches", "match_id", &[]),
    ReadTable::new("arena_tournaments", "id", &[]),
    ReadTable::new("arena_tournament_players", "tournament_id, agent_id", &[]),
    ReadTable::new("arena_pairings", "tournament_id, round, board", &[]),
    ReadTable::new("arena_judges", "match_id, turn, panel, judge", &[]),
];

/// What the context declares to the log.
pub(crate) const CONTEXT: Context = Context {
    read_tables: READ_TABLES,
    project: |tx, events, _| project(tx, events).boxed(),
    prune: |tx, expiry, now| prune(tx, expiry, now).boxed(),
    has_expired: |db, expiry, now| has_expired(db, expiry, now).boxed(),
    sealed_among: Some(|db, events| seals::sealed_among(db, events).boxed()),
    ..Context::EMPTY
};

/// Enrolments, matches and standings of the arena. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Arena {
    db: Db,
    clock: Clock,
    log: Log,
    bank: Arc<OnceLock<&'static Bank>>,
}

impl Arena {
    pub(crate) fn new(log: &Log) -> Self {
        Self { db: log.db.clone(), clock: log.clock.clone(), log: log.clone(), bank: Arc::default() }
    }

    /// The tasks of the arena: the bundled ones, unless [`Self::use_bank`] has named others.
    pub fn bank(&self) -> &'static Bank {
        self.bank.get().copied().unwrap_or_else(Bank::bundled)
    }

    /// Names the tasks of the arena. Only the first call has an effect.
    pub fn use_bank(&self, bank: &'static Bank) {
        let _ = self.bank.set(bank);
    }
}
