//! What the servers that hold sockets follow on the log.

use buildtrack_domain::ids::{AgentId, MatchId};
use buildtrack_macros::boxed;

use crate::{
    StoreError,
    arena::Arena,
    database::{columns::parse, values},
};

/// A change that concerns agents with a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArenaNews {
    /// A turn of the match began, or the match ended.
    Match(MatchId),
    /// The agent's arena token was replaced.
    TokenRotated(AgentId),
    /// The agent left the arena.
    Withdrawn(AgentId),
}

#[boxed]
impl Arena {
    /// What is new for agents with a socket after a position, and the position up to which up to `limit` events were read.
    pub async fn news(&self, after: i64, limit: i64) -> Result<(Vec<ArenaNews>, i64), StoreError> {
        let rows: Vec<(i64, String, String)> = self
            .db
            .all(
                "SELECT position, type, stream FROM events WHERE position > $1 ORDER BY position LIMIT $2",
                values![after, limit],
            )
            .await?;
        let reached = rows.last().map_or(after, |(position, ..)| *position);
        let news = rows.iter().filter_map(|(_, event_type, stream)| match &**event_type {
            "match.turn_opened" | "match.panel_drawn" | "match.finished" | "match.voided" => {
                Some(parse(stream).map(ArenaNews::Match))
            }
            "arena.token_rotated" => Some(parse(stream.trim_start_matches("arena:")).map(ArenaNews::TokenRotated)),
            "arena.withdrawn" => Some(parse(stream.trim_start_matches("arena:")).map(ArenaNews::Withdrawn)),
            _ => None,
        });
        Ok((news.collect::<Result<_, _>>()?, reached))
    }
}
