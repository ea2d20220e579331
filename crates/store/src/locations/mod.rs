//! Which events belong to a workspace or an agent: for followers, histories and exports. The table `places` holds locations.
//!
//! **Invariant:** these queries select the same events of the past that [`Event::locations`] and [`Event::membership`] select of new events.

mod postgres;
mod sqlite;

use std::sync::LazyLock;

use buildtrack_domain::{
    actors::ActorId,
    event::{self, Event, Fact, Visibility},
    ids::{AgentId, WorkspaceId},
    locations::{Location, MembershipChange},
};
use buildtrack_macros::boxed;
use futures_util::FutureExt;

use crate::{
    StoreError,
    database::{Db, Tx, values},
    log::{
        Log, LoggedEvent, PublicEvent, Recorded, Withheld,
        context::{Context, ReadTable},
    },
};

/// The read tables of this context.
const READ_TABLES: &[ReadTable] = &[ReadTable::new("places", "place, position", &[])];

/// What the context declares to the log.
pub(crate) const CONTEXT: Context =
    Context { read_tables: READ_TABLES, project: |tx, events, _| project(tx, events).boxed(), ..Context::EMPTY };

/// Which events belong to a workspace or an agent. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Locations {
    db: Db,
    log: Log,
}

impl Locations {
    pub(crate) fn new(log: &Log) -> Self {
        Self { db: log.db.clone(), log: log.clone() }
    }
}

/// Positions scanned in one query for an agent; the window doubles while few events are found, up to `WINDOW_MAX`.
const WINDOW: i64 = 20_000;
const WINDOW_MAX: i64 = 100_000;
/// Maximum number of queries in one call.
const WINDOWS: usize = 12;

/// The part of the log that a reader follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// Every event.
    Everything,
    /// Events of a workspace.
    Workspace(WorkspaceId),
    /// Events that an agent causes or that affect it, and events of the workspaces that it is a member of during its membership,
    /// from joining to leaving, both included.
    Agent(AgentId),
}

/// A page of the events that a reader follows.
#[derive(Debug, Clone)]
pub struct Part {
    /// The events in order, as any caller may see them.
    pub events: Vec<PublicEvent>,
    /// The position up to which the page is complete.
    pub reached: i64,
}

/// One membership of a workspace, as a range of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Position of joining.
    pub from: i64,
    /// Position of leaving; none while the membership lasts.
    pub to: Option<i64>,
}

/// The locations of an event, and the member who joined or left with it.
#[derive(Debug, Clone, Default)]
pub struct Belonging {
    /// See [`Event::locations`].
    pub locations: Vec<Location>,
    /// See [`Event::membership`].
    pub membership: Option<MembershipChange>,
}

const EVENT: &str = "SELECT events.position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
                     redacted_by, sealed FROM";

/// Positions of a workspace. Parameters: workspace, after, up to, limit.
const OF_WORKSPACE: &str = "(SELECT position FROM (SELECT position FROM places \
     WHERE place = $1 AND position > $2 AND position <= $3 ORDER BY position LIMIT $4) AS named \
     UNION ALL SELECT position FROM (SELECT position FROM messages \
     WHERE workspace_id = $1 AND position > $2 AND position <= $3 ORDER BY position LIMIT $4) AS posted \
     ORDER BY position LIMIT $4) AS found";

/// As `OF_WORKSPACE`, from the last position backwards.
const OF_WORKSPACE_BACKWARDS: &str = "(SELECT position FROM (SELECT position FROM places \
     WHERE place = $1 AND position > $2 AND position <= $3 ORDER BY position DESC LIMIT $4) AS named \
     UNION ALL SELECT position FROM (SELECT position FROM messages \
     WHERE workspace_id = $1 AND position > $2 AND position <= $3 ORDER BY position DESC LIMIT $4) AS posted \
     ORDER BY position DESC LIMIT $4) AS found";

/// Positions of an agent. Parameters: agent, after, up to, limit. CROSS JOIN fixes the order of the joins, and the memberships'
/// bounds are written as differences so that the database uses the index for the window. Unlike an audience (`crate::audiences`), a
/// membership here includes the positions of the join and of the leave.
const OF_AGENT: &str = "(SELECT position FROM places WHERE place = $1 AND position > $2 AND position <= $3 \
     UNION SELECT places.position FROM memberships AS own CROSS JOIN places \
     WHERE own.member_id = $1 AND places.place = own.workspace_id \
     AND places.position > $2 AND places.position <= $3 AND places.position - own.joined_position >= 0 \
     AND (own.left_position IS NULL OR places.position - own.left_position <= 0) \
     UNION SELECT messages.position FROM memberships AS own CROSS JOIN messages \
     WHERE own.member_id = $1 AND messages.workspace_id = own.workspace_id \
     AND messages.position > $2 AND messages.position <= $3 AND messages.position - own.joined_position >= 0 \
     AND (own.left_position IS NULL OR messages.position - own.left_position <= 0) \
     ORDER BY position LIMIT $4) AS found";

#[boxed]
impl Locations {
    /// Up to `limit` events of interest beyond `after` and up to `until`, as far as the bounded number of queries reaches.
    pub async fn public_part(
        &self,
        interest: Interest,
        after: i64,
        until: i64,
        limit: i64,
    ) -> Result<Part, StoreError> {
        match interest {
            Interest::Everything => {
                let limit = limit.min(until - after).max(0);
                let events = self.log.public_log(after, limit).await?;
                let reached = events.last().map_or(after, |last| last.event.position);
                Ok(Part { events, reached })
            }
            Interest::Workspace(id) => {
                let found = self.found(OF_WORKSPACE, "ASC", &id.to_string(), (after, until), limit).await?;
                self.part(found, until, limit).await
            }
            Interest::Agent(id) => self.part_of_agent(id, (after, until), limit).await,
        }
    }

    /// Up to `limit` events of a workspace beyond `after` and up to `until`, the last one first.
    pub async fn latest_of_workspace(
        &self,
        id: WorkspaceId,
        (after, until): (i64, i64),
        limit: i64,
    ) -> Result<Vec<PublicEvent>, StoreError> {
        let found = self.found(OF_WORKSPACE_BACKWARDS, "DESC", &id.to_string(), (after, until), limit).await?;
        self.log.published(found).await
    }

    async fn part(&self, found: Vec<LoggedEvent>, until: i64, limit: i64) -> Result<Part, StoreError> {
        let full = i64::try_from(found.len()).unwrap_or(i64::MAX) >= limit;
        let reached = found.last().filter(|_| full).map_or(until, |last| last.position);
        Ok(Part { events: self.log.published(found).await?, reached })
    }

    async fn part_of_agent(&self, id: AgentId, (after, until): (i64, i64), limit: i64) -> Result<Part, StoreError> {
        let (mut part, mut window) = (Part { events: vec![], reached: after }, WINDOW);
        for _ in 0..WINDOWS {
            if part.reached >= until || !part.events.is_empty() {
                break;
            }
            let to = until.min(part.reached.saturating_add(window));
            let found = self.found(OF_AGENT, "ASC", &id.to_string(), (part.reached, to), limit).await?;
            part = self.part(found, to, limit).await?;
            window = WINDOW_MAX.min(window * 2);
        }
        Ok(part)
    }

    async fn found(
        &self,
        positions: &'static str,
        order: &'static str,
        location: &str,
        (after, until): (i64, i64),
        limit: i64,
    ) -> Result<Vec<LoggedEvent>, StoreError> {
        let statement = format!(
            "{EVENT} {positions} JOIN events ON events.position = found.position ORDER BY events.position {order}"
        );
        self.db.all(&statement, values![location, after, until, limit]).await
    }

    /// All memberships of an actor, past ones included.
    pub async fn stays(&self, member: ActorId) -> Result<Vec<Stay>, StoreError> {
        let rows: Vec<(String, i64, Option<i64>)> = self
            .db
            .all(
                "SELECT workspace_id, joined_position, left_position FROM memberships WHERE member_id = $1",
                values![member.to_string()],
            )
            .await?;
        let stay = |(id, from, to): (String, i64, Option<i64>)| Some(Stay { workspace_id: id.parse().ok()?, from, to });
        Ok(rows.into_iter().filter_map(stay).collect())
    }

    /// The locations of a public event. For a redacted event they come from the event that redacted it; for one with withheld data,
    /// from the stored data.
    pub async fn belonging(&self, event: &PublicEvent) -> Result<Belonging, StoreError> {
        let PublicEvent { event, withheld } = event;
        let source = match (withheld, &event.data, event.redacted_by) {
            (Some(Withheld::Private), ..) => return Ok(Belonging::default()),
            (Some(_), ..) => self.log.logged(event.position - 1, 1).await?.into_iter().next(),
            (None, None, Some(by)) => self.log.logged(by - 1, 1).await?.into_iter().next(),
            _ => None,
        };
        let LoggedEvent { event_type, data, position, .. } = source.as_ref().unwrap_or(event);
        Ok(match data.as_deref().map(|data| Event::decode(event_type, data)) {
            Some(Ok(known)) => Belonging { locations: known.locations(), membership: known.membership() },
            Some(Err(error)) => {
                tracing::error!(position, %error, "could not decode an event on the log");
                Belonging::default()
            }
            None => Belonging::default(),
        })
    }
}

/// The messages table holds the positions of messages.
const POSTED: &str = "message.posted";

/// A row of the table, ready to be inserted.
pub(crate) struct LocationRow {
    pub(crate) location: String,
    pub(crate) position: i64,
}

async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    let rows: Vec<_> = events.iter().flat_map(|recorded| rows(recorded)).collect();
    if !rows.is_empty() {
        match tx {
            Tx::Postgres(connection) => postgres::insert_locations(connection, &rows).await?,
            Tx::Sqlite(script) => sqlite::insert_locations(script, &rows).await?,
        }
    }
    for recorded in events {
        if let Some(event) = recorded.event.as_ref().filter(|event| event.is(Fact::Redacts)) {
            restore(tx, recorded, event).await?;
        }
    }
    Ok(())
}

fn rows(recorded: &Recorded) -> Vec<LocationRow> {
    match &recorded.event {
        Some(event) if event.event_type() != POSTED => {
            let row = |location: Location| LocationRow { location: location.to_string(), position: recorded.position };
            event.locations().into_iter().map(row).collect()
        }
        _ => vec![],
    }
}

/// Inserts a location of the redacted events of a stream, except those without one: private events, and messages. Parameters:
/// location, stream, version of the redaction.
static RESTORE: LazyLock<String> = LazyLock::new(|| {
    let private = event::declarations().filter(|declared| declared.visibility == Visibility::Private);
    let names = private.map(|declared| declared.name).chain([POSTED]).map(|name| format!("'{name}'"));
    format!(
        "INSERT INTO places (place, position) SELECT $1, position FROM events \
         WHERE stream = $2 AND version < $3 AND type NOT IN ({}) ON CONFLICT DO NOTHING",
        names.collect::<Vec<_>>().join(", ")
    )
});

/// In a rebuild, a redacted event has no data to derive its locations from: the redaction event has them.
async fn restore(tx: &mut Tx<'_>, recorded: &Recorded, event: &Event) -> Result<(), StoreError> {
    for location in event.locations() {
        tx.execute(RESTORE.as_str(), values![location.to_string(), &*recorded.stream, recorded.version]).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redaction_restores_no_location_of_a_private_event_or_a_message() {
        let (_, names) = RESTORE.split_once("NOT IN (").unwrap();
        let excluded = |event_type: &str| names.contains(&format!("'{event_type}'"));
        let own = ["agent.sessions_ended", "owner.email_changed", "owner.password_reset", "message.posted"];
        assert!(own.into_iter().all(excluded), "{names}");
        assert!(!["agent.registered", "owner.renamed", "post.written", "reply.edited"].into_iter().any(excluded));
        assert!(event::declarations().all(|declared| {
            excluded(declared.name) == (declared.visibility == Visibility::Private || declared.name == POSTED)
        }));
    }
}
