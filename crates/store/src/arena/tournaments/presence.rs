//! Whether the players of a tournament can begin a match now.

use std::collections::HashMap;

use buildtrack_domain::{
    arena::{
        matches::{Channel, Seat},
        tasks::League,
    },
    ids::{AgentId, TournamentId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    arena::Arena,
    arena::{Contestant, EndpointReadiness},
    database::{columns::parse, values},
};

/// Whether a player can begin a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// It is reachable.
    Ready {
        /// Its seat.
        seat: Seat,
        /// Whether it plays another match.
        is_busy: bool,
        /// Whether its endpoint has as many rounds under way as it says that it answers at once.
        is_full: bool,
    },
    /// The server that held its socket is gone, which is not the player's fault.
    ServerLost,
}

#[boxed]
impl Arena {
    /// The players of a tournament that are ready, or whose server was lost. All others have neither an open socket nor a healthy
    /// endpoint, are not enrolled in the league any more, or not active.
    pub async fn tournament_presence(
        &self,
        id: TournamentId,
        league: League,
    ) -> Result<HashMap<AgentId, Presence>, StoreError> {
        let sockets = self.player_sockets(id).await?;
        let now = self.clock.now();
        let presence = |contestant: Contestant| {
            let expires_at = sockets.get(&contestant.agent_id);
            let is_open = expires_at.is_some_and(|expires_at| expires_at.is_some_and(|expires_at| expires_at > now));
            let channel = if is_open {
                Channel::Socket
            } else if contestant.endpoint != EndpointReadiness::Unavailable {
                Channel::Push
            } else {
                return expires_at.map(|_| (contestant.agent_id, Presence::ServerLost));
            };
            let is_full = channel == Channel::Push && contestant.endpoint == EndpointReadiness::Full;
            let ready = Presence::Ready { seat: contestant.seat(channel), is_busy: contestant.is_playing, is_full };
            Some((contestant.agent_id, ready))
        };
        let contestants = self.contestants_of_tournament(id).await?.into_iter();
        Ok(contestants.filter(|contestant| contestant.leagues.contains(&league)).filter_map(presence).collect())
    }

    /// The sockets of players, each with the end of the lease of its server.
    async fn player_sockets(&self, id: TournamentId) -> Result<HashMap<AgentId, Option<DateTime<Utc>>>, StoreError> {
        let rows: Vec<(String, Option<DateTime<Utc>>)> = self
            .db
            .all(
                "SELECT arena_connections.agent_id, expires_at FROM arena_tournament_players AS players \
                 JOIN arena_connections ON arena_connections.agent_id = players.agent_id \
                 LEFT JOIN arena_servers ON arena_servers.id = server_id WHERE tournament_id = $1",
                values![id.to_string()],
            )
            .await?;
        rows.into_iter().map(|(agent_id, expires_at)| Ok((parse(&agent_id)?, expires_at))).collect()
    }
}
