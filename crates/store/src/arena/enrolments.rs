//! Enrolments, and the agents that a match can be made of.

use buildtrack_domain::{
    actors::{Actor, ActorKind},
    arena::{
        matches::{Channel, Seat},
        tasks::League,
    },
    ids::{AgentId, OwnerId, TournamentId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::{budgets::IS_OTHERS_CHALLENGE, endpoints::has_room, leagues::leagues_of};
use crate::{
    StoreError,
    arena::Arena,
    database::{FromRow, columns::parse, values},
};

/// An agent's enrolment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnrolmentView {
    /// The agent.
    pub agent_id: AgentId,
    /// The base address of its endpoint. Only its owner may see it.
    pub endpoint_url: Option<String>,
    /// The leagues in which it plays.
    pub leagues: Vec<League>,
    /// Whether others may challenge it.
    pub accepts_challenges: bool,
    /// The leagues in which it judges.
    pub judges: Vec<League>,
    /// When it enrolled first.
    pub enrolled_at: DateTime<Utc>,
}

/// Whether an endpoint can be sent a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointReadiness {
    /// It is healthy and not paused, and has fewer rounds under way than it says that it answers at once.
    Ready,
    /// It is healthy and not paused, but has as many rounds under way as it says that it answers at once.
    Full,
    /// It is not healthy, or paused, or the agent has none.
    Unavailable,
}

/// An agent that a match can be made of: it is active and not suspended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contestant {
    /// The agent, with its current profile.
    pub agent: Actor,
    /// Its id.
    pub agent_id: AgentId,
    /// Its owner.
    pub owner_id: OwnerId,
    /// The leagues in which it is enrolled; none if it is not enrolled.
    pub leagues: Vec<League>,
    /// Whether others may challenge it.
    pub accepts_challenges: bool,
    /// Whether its endpoint can be sent a round now.
    pub endpoint: EndpointReadiness,
    /// Whether it plays a match now.
    pub is_playing: bool,
    /// Whether it plays a match now other than a challenge of another owner.
    pub is_taken: bool,
}

/// An agent that may play a ranked match without waiting in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleContestant {
    /// The agent.
    pub contestant: Contestant,
    /// Position of its last ranked match on the log; 0 without one.
    pub last_ranked: i64,
}

impl Contestant {
    /// Its seat in a match.
    pub fn seat(&self, channel: Channel) -> Seat {
        Seat { agent: self.agent.clone(), agent_id: self.agent_id, owner_id: self.owner_id, channel }
    }
}

#[expect(clippy::struct_excessive_bools, reason = "the columns of a row")]
#[derive(FromRow)]
struct Row {
    id: String,
    owner_id: String,
    name: String,
    model: String,
    leagues: Option<String>,
    accepts_challenges: Option<bool>,
    well: bool,
    room: bool,
    playing: bool,
    taken: bool,
}

#[derive(FromRow)]
struct IdleRow {
    #[column(flat)]
    row: Row,
    last_ranked: i64,
}

/// What is read of contestants. Parameters: the time, and those of the condition.
fn contestants() -> String {
    let has_room = has_room("arena_endpoints");
    format!(
        "SELECT agents.id, agents.owner_id, agents.name, agents.model, leagues, accepts_challenges, \
         EXISTS (SELECT 1 FROM arena_endpoints WHERE arena_endpoints.agent_id = agents.id AND is_healthy \
         AND (paused_until IS NULL OR paused_until <= $1)) AND endpoint_url IS NOT NULL AS well, \
         EXISTS (SELECT 1 FROM arena_endpoints WHERE arena_endpoints.agent_id = agents.id AND {has_room}) AS room, \
         EXISTS (SELECT 1 FROM arena_seats WHERE arena_seats.agent_id = agents.id AND playing) AS playing, \
         {taken} AS taken",
        taken = taken()
    )
}

/// The condition that an agent plays a match other than a challenge of another owner.
fn taken() -> String {
    format!(
        "EXISTS (SELECT 1 FROM arena_seats JOIN arena_matches ON arena_matches.id = match_id \
         WHERE arena_seats.agent_id = agents.id AND playing AND NOT {IS_OTHERS_CHALLENGE})"
    )
}

#[boxed]
impl Arena {
    /// An agent's enrolment.
    pub async fn enrolment(&self, agent_id: AgentId) -> Result<Option<EnrolmentView>, StoreError> {
        type Row = (Option<String>, String, bool, DateTime<Utc>, String);
        let row: Option<Row> = self
            .db
            .optional(
                "SELECT endpoint_url, leagues, accepts_challenges, enrolled_at, judges FROM arena_enrolments \
                 WHERE agent_id = $1",
                values![agent_id.to_string()],
            )
            .await?;
        let view = |(endpoint_url, leagues, accepts_challenges, enrolled_at, judges): (_, String, _, _, String)| {
            Ok(EnrolmentView {
                agent_id,
                endpoint_url,
                leagues: leagues_of(&leagues)?,
                accepts_challenges,
                judges: leagues_of(&judges)?,
                enrolled_at,
            })
        };
        row.map(view).transpose()
    }

    /// An agent as a contestant; `None` if it does not exist, is not active, or is suspended.
    pub async fn contestant(&self, agent_id: AgentId) -> Result<Option<Contestant>, StoreError> {
        let contestants = contestants();
        let statement = format!(
            "{contestants} FROM agents JOIN owners ON owners.id = agents.owner_id \
             LEFT JOIN arena_enrolments ON arena_enrolments.agent_id = agents.id \
             WHERE agents.id = $2 AND agents.active AND NOT agents.suspended AND NOT owners.suspended"
        );
        let row: Option<Row> = self.db.optional(&statement, values![self.clock.now(), agent_id.to_string()]).await?;
        row.map(contestant).transpose()
    }

    /// The players of a tournament as contestants. Those that are not active or suspended are left out.
    pub(super) async fn contestants_of_tournament(&self, id: TournamentId) -> Result<Vec<Contestant>, StoreError> {
        let contestants = contestants();
        let statement = format!(
            "{contestants} FROM arena_tournament_players AS players JOIN agents ON agents.id = players.agent_id \
             JOIN owners ON owners.id = agents.owner_id \
             LEFT JOIN arena_enrolments ON arena_enrolments.agent_id = agents.id \
             WHERE players.tournament_id = $2 AND agents.active AND NOT agents.suspended AND NOT owners.suspended"
        );
        let rows: Vec<Row> = self.db.all(&statement, values![self.clock.now(), id.to_string()]).await?;
        rows.into_iter().map(contestant).collect()
    }

    /// Up to `limit` agents with an endpoint that can be reached and whose last ranked match began before `since`: those that have waited
    /// longest first, after the given one. They play no match, unless another owner challenged them and their endpoint has room.
    pub async fn idle_contestants(
        &self,
        since: DateTime<Utc>,
        after: Option<(i64, AgentId)>,
        limit: i64,
    ) -> Result<Vec<IdleContestant>, StoreError> {
        let (contestants, taken, has_room) = (contestants(), taken(), has_room("checked"));
        let statement = format!(
            "SELECT idle.* FROM ({contestants}, coalesce((SELECT max(position) FROM arena_seats \
             WHERE arena_seats.agent_id = agents.id AND ranked), 0) AS last_ranked \
             FROM arena_endpoints AS checked JOIN agents ON agents.id = checked.agent_id \
             JOIN owners ON owners.id = agents.owner_id \
             JOIN arena_enrolments ON arena_enrolments.agent_id = agents.id \
             WHERE checked.is_healthy AND (checked.paused_until IS NULL OR checked.paused_until <= $1) AND {has_room} \
             AND leagues <> '' AND agents.active AND NOT agents.suspended AND NOT owners.suspended AND NOT {taken} \
             AND NOT EXISTS (SELECT 1 FROM arena_seats WHERE arena_seats.agent_id = agents.id AND ranked AND created_at > $2)) \
             AS idle WHERE last_ranked >= $3 AND (last_ranked > $3 OR id > $4) ORDER BY last_ranked, id LIMIT $5"
        );
        let (position, agent) =
            after.map_or((0, String::new()), |(position, agent_id)| (position, agent_id.to_string()));
        let rows: Vec<IdleRow> =
            self.db.all(&statement, values![self.clock.now(), since, position, agent, limit]).await?;
        let idle = |IdleRow { row, last_ranked }| Ok(IdleContestant { contestant: contestant(row)?, last_ranked });
        rows.into_iter().map(idle).collect()
    }
}

fn contestant(row: Row) -> Result<Contestant, StoreError> {
    let Row { id, owner_id, name, model, leagues, accepts_challenges, well, room, playing, taken } = row;
    let agent_id: AgentId = parse(&id)?;
    Ok(Contestant {
        agent: Actor { id: agent_id.into(), name, kind: ActorKind::AiAgent, model: Some(model) },
        agent_id,
        owner_id: parse(&owner_id)?,
        leagues: leagues_of(&leagues.unwrap_or_default())?,
        accepts_challenges: accepts_challenges.unwrap_or(false),
        endpoint: match (well, room) {
            (true, true) => EndpointReadiness::Ready,
            (true, false) => EndpointReadiness::Full,
            (false, _) => EndpointReadiness::Unavailable,
        },
        is_playing: playing,
        is_taken: taken,
    })
}
