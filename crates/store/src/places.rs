//! Which events belong to a workspace or an agent: for whoever follows it, reads its history or takes it elsewhere.
//!
//! **Invariant:** what is found here for somebody who comes late is what [`places`] and [`moved`] say of an event to
//! somebody who was there.

use buildtrack_domain::{
    actors::ActorId,
    event::Event,
    ids::{AgentId, WorkspaceId},
    places::{Move, Place, moved, places},
    workspaces::MessageEvent,
};

use crate::{
    Recorded, Store, StoreError,
    db::{Tx, execute, read},
    log::{LoggedEvent, PublicEvent, Withheld},
    postgres, sqlite,
};

/// Positions looked at in one query for an agent, grown while little is found.
const WINDOW: i64 = 20_000;
const WINDOW_MAX: i64 = 100_000;
/// Queries of one look.
const WINDOWS: usize = 12;

/// What somebody wants to see of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// All of it.
    Everything,
    /// What happens in a workspace.
    Workspace(WorkspaceId),
    /// What an agent does, what is done to it, and what happens in the workspaces it is a member of, while it is: from
    /// its coming to its leaving, both included.
    Agent(AgentId),
}

/// Part of what somebody wants to see.
#[derive(Debug, Clone)]
pub struct Part {
    /// In order, as anyone may see them.
    pub events: Vec<PublicEvent>,
    /// The position up to which this is all.
    pub reached: i64,
}

/// A time that somebody spends in a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    /// Where.
    pub workspace_id: WorkspaceId,
    /// The position of the coming.
    pub from: i64,
    /// That of the leaving; none where it goes on.
    pub to: Option<i64>,
}

/// Where an event belongs, and who came or went with it.
#[derive(Debug, Clone, Default)]
pub struct Belonging {
    /// See [`places`].
    pub places: Vec<Place>,
    /// See [`moved`].
    pub moved: Option<Move>,
}

const EVENT: &str = "SELECT events.position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
                     redacted_by, sealed FROM";

/// Positions of a workspace: workspace, beyond, up to, limit.
const OF_WORKSPACE: &str = "(SELECT position FROM (SELECT position FROM places \
     WHERE place = $1 AND position > $2 AND position <= $3 ORDER BY position LIMIT $4) AS named \
     UNION ALL SELECT position FROM (SELECT position FROM messages \
     WHERE workspace_id = $1 AND position > $2 AND position <= $3 ORDER BY position LIMIT $4) AS posted \
     ORDER BY position LIMIT $4) AS found";

/// The same backwards: from the last one.
const OF_WORKSPACE_BACKWARDS: &str = "(SELECT position FROM (SELECT position FROM places \
     WHERE place = $1 AND position > $2 AND position <= $3 ORDER BY position DESC LIMIT $4) AS named \
     UNION ALL SELECT position FROM (SELECT position FROM messages \
     WHERE workspace_id = $1 AND position > $2 AND position <= $3 ORDER BY position DESC LIMIT $4) AS posted \
     ORDER BY position DESC LIMIT $4) AS found";

/// Positions of an agent: agent, beyond, up to, limit. The order of the joins is said, and the memberships' bounds are
/// put so that the index is entered by the window, as in `told`.
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

impl Store {
    /// Up to `limit` events of interest beyond `after` and up to `until`, as far as one look reaches.
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
                let events = self.public_log(after, limit).await?;
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
        self.published(found).await
    }

    async fn part(&self, found: Vec<LoggedEvent>, until: i64, limit: i64) -> Result<Part, StoreError> {
        let full = i64::try_from(found.len()).unwrap_or(i64::MAX) >= limit;
        let reached = found.last().filter(|_| full).map_or(until, |last| last.position);
        Ok(Part { events: self.published(found).await?, reached })
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
        place: &str,
        (after, until): (i64, i64),
        limit: i64,
    ) -> Result<Vec<LoggedEvent>, StoreError> {
        let statement = format!(
            "{EVENT} {positions} JOIN events ON events.position = found.position ORDER BY events.position {order}"
        );
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&statement).bind(place).bind(after).bind(until).bind(limit).fetch_all(pool).await?
        }))
    }

    /// Every time that somebody has spent in a workspace.
    pub async fn stays(&self, member: ActorId) -> Result<Vec<Stay>, StoreError> {
        let rows: Vec<(String, i64, Option<i64>)> = read!(&self.db, |pool| {
            sqlx::query_as("SELECT workspace_id, joined_position, left_position FROM memberships WHERE member_id = $1")
                .bind(member.to_string())
                .fetch_all(pool)
                .await?
        });
        let stay = |(id, from, to): (String, i64, Option<i64>)| Some(Stay { workspace_id: id.parse().ok()?, from, to });
        Ok(rows.into_iter().filter_map(stay).collect())
    }

    /// Where a public event belongs. Of one that was redacted, the event that redacted it tells; of one whose data are withheld,
    /// the data as the database has them.
    pub async fn belonging(&self, event: &PublicEvent) -> Result<Belonging, StoreError> {
        let PublicEvent { event, withheld } = event;
        let telling = match (withheld, &event.data, event.redacted_by) {
            (Some(Withheld::Private), ..) => return Ok(Belonging::default()),
            (Some(_), ..) => self.logged(event.position - 1, 1).await?.into_iter().next(),
            (None, None, Some(by)) => self.logged(by - 1, 1).await?.into_iter().next(),
            _ => None,
        };
        let LoggedEvent { event_type, data, position, .. } = telling.as_ref().unwrap_or(event);
        Ok(match data.as_deref().map(|data| Event::decode(event_type, data)) {
            Some(Ok(known)) => Belonging { places: places(&known), moved: moved(&known) },
            Some(Err(error)) => {
                tracing::error!(position, %error, "an event on the log cannot be read");
                Belonging::default()
            }
            None => Belonging::default(),
        })
    }
}

/// A row of the table, ready to be written.
pub(crate) struct PlaceRow {
    pub(crate) place: String,
    pub(crate) position: i64,
}

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    let rows: Vec<_> = events.iter().flat_map(|recorded| rows(recorded)).collect();
    if !rows.is_empty() {
        match tx {
            Tx::Postgres(connection) => postgres::insert_places(connection, &rows).await?,
            Tx::Sqlite(script) => sqlite::insert_places(script, &rows).await?,
        }
    }
    for recorded in events {
        if let Some(event) = recorded.event.as_ref().filter(|event| Event::redacts(event.event_type())) {
            restore(tx, recorded, event).await?;
        }
    }
    Ok(())
}

fn rows(recorded: &Recorded) -> Vec<PlaceRow> {
    match &recorded.event {
        // The table of messages has them.
        None | Some(Event::Message(MessageEvent::Posted(_))) => vec![],
        Some(event) => {
            let row = |place: Place| PlaceRow { place: place.to_string(), position: recorded.position };
            places(event).into_iter().map(row).collect()
        }
    }
}

/// In a rebuild, what was redacted has told nothing of its places: the redaction does.
async fn restore(tx: &mut Tx<'_>, recorded: &Recorded, event: &Event) -> Result<(), StoreError> {
    for place in places(event) {
        execute!(
            tx,
            "INSERT INTO places (place, position) SELECT $1, position FROM events \
             WHERE stream = $2 AND version < $3 AND type NOT IN ('message.posted', 'owner.password_reset', \
             'owner.password_changed', 'owner.email_changed', 'owner.sessions_ended', 'agent.sessions_ended') \
             ON CONFLICT DO NOTHING",
            place.to_string(),
            &*recorded.stream,
            recorded.version,
        );
    }
    Ok(())
}
