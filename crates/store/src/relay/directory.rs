//! Directory of agents at the relay: entries, candidates for an intent, and each agent's record of past threads.

use std::collections::HashMap;

use buildtrack_domain::{
    event::EventSet,
    ids::AgentId,
    moderation::is_stub,
    relay::{
        Did, Sealed,
        directory::{Availability, Candidate, DirectoryEvent, Intent, Listing, PartyRecord, PartyRegistered},
    },
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::LinkedAgent;
use crate::{
    StoreError,
    database::{FromRow, Tx, Value, columns::parse, values},
    log::Recorded,
    relay::Relay,
};

/// A directory entry.
#[derive(Debug, Clone)]
pub struct DirectoryEntry {
    /// The agent's did.
    pub did: Did,
    /// Position of its first registration on the log.
    pub position: i64,
    /// The registration, as signed.
    pub registration: Sealed,
    /// The fields of the registration that discovery compares.
    pub listing: Listing,
    /// Whether the agent is available.
    pub availability: Availability,
    /// Time of its last presence message.
    pub seen_at: Option<DateTime<Utc>>,
    /// The linked agent of the platform.
    pub linked: Option<LinkedAgent>,
    /// When it was registered first.
    pub registered_at: DateTime<Utc>,
    /// When it was registered last.
    pub changed_at: DateTime<Utc>,
}

/// A candidate for an intent.
#[derive(Debug, Clone)]
pub struct Candidacy {
    /// The agent's did.
    pub did: Did,
    /// The fields that the ranking compares.
    pub candidate: Candidate,
}

#[derive(FromRow)]
struct Row {
    did: String,
    position: i64,
    data: Option<String>,
    listing: String,
    status: Option<String>,
    seen_at: Option<DateTime<Utc>>,
    agent_id: Option<String>,
    agent_name: Option<String>,
    registered_at: DateTime<Utc>,
    changed_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct CandidateRow {
    did: String,
    position: i64,
    listing: String,
    status: Option<String>,
    seen_at: Option<DateTime<Utc>>,
}

const PARTY: &str = "SELECT directory.did, directory.position, data, listing, presences.status, seen_at, agent_id, \
                     agents.name AS agent_name, registered_at, changed_at FROM directory \
                     JOIN events ON events.position = changed_position \
                     LEFT JOIN presences ON presences.did = directory.did \
                     LEFT JOIN did_links ON did_links.did = directory.did LEFT JOIN agents ON agents.id = agent_id";

impl Row {
    fn view(self, now: DateTime<Utc>) -> Result<DirectoryEntry, StoreError> {
        let event = DirectoryEvent::decode("directory.registered", self.data.as_deref().unwrap_or_default())?;
        let DirectoryEvent::Registered(PartyRegistered { registration, .. }) = event else {
            return Err(StoreError::Damaged(format!(
                "the directory entry of {} refers to another type of event",
                self.did
            )));
        };
        let linked = match (self.agent_id, self.agent_name) {
            (Some(id), Some(name)) => Some(LinkedAgent { id: parse::<AgentId>(&id)?, name }),
            _ => None,
        };
        Ok(DirectoryEntry {
            did: parse(&self.did)?,
            position: self.position,
            registration,
            listing: listing(&self.listing)?,
            availability: availability(self.status, self.seen_at, now),
            seen_at: self.seen_at,
            linked,
            registered_at: self.registered_at,
            changed_at: self.changed_at,
        })
    }
}

fn listing(text: &str) -> Result<Listing, StoreError> {
    serde_json::from_str(text).map_err(|_| StoreError::Damaged("a directory listing is not valid JSON".into()))
}

fn availability(said: Option<String>, seen_at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Availability {
    let said = said.and_then(|said| said.parse().ok()).zip(seen_at);
    said.map_or(Availability::Offline, |(said, seen_at)| Availability::after(said, seen_at, now))
}

#[boxed]
impl Relay {
    /// One directory entry.
    pub async fn party(&self, did: &Did) -> Result<Option<DirectoryEntry>, StoreError> {
        let statement = format!("{PARTY} WHERE directory.did = $1");
        let row: Option<Row> = self.db.optional(&statement, values![did.as_str()]).await?;
        row.map(|row| row.view(self.clock.now())).transpose()
    }

    /// Up to `limit` entries that were registered before a position, the last first.
    pub async fn parties(&self, before: i64, limit: i64) -> Result<Vec<DirectoryEntry>, StoreError> {
        let statement = format!("{PARTY} WHERE directory.position < $1 ORDER BY directory.position DESC LIMIT $2");
        let rows: Vec<Row> = self.db.all(&statement, values![before, limit]).await?;
        rows.into_iter().map(|row| row.view(self.clock.now())).collect()
    }

    /// The entries of these agents, in no particular order.
    pub async fn parties_of(&self, dids: &[Did]) -> Result<Vec<DirectoryEntry>, StoreError> {
        if dids.is_empty() {
            return Ok(vec![]);
        }
        let statement = format!("{PARTY} WHERE directory.did IN ({})", parameters(1, dids.len()));
        let values: Vec<_> = dids.iter().map(|did| did.as_str().into()).collect();
        let rows: Vec<Row> = self.db.all_of_varying(&statement, &values).await?;
        rows.into_iter().map(|row| row.view(self.clock.now())).collect()
    }

    /// Up to `limit` entries that may offer an intent, the last registered first. The ranking decides whether they do, because the
    /// two databases compare texts differently.
    pub async fn candidates(&self, intent: Option<&Intent>, limit: i64) -> Result<Vec<Candidacy>, StoreError> {
        let (condition, texts) = intent.map_or_else(Default::default, offering);
        let statement = format!(
            "SELECT directory.did, position, listing, status, seen_at FROM directory \
             LEFT JOIN presences ON presences.did = directory.did {condition} ORDER BY changed_position DESC LIMIT $1"
        );
        let values: Vec<_> = [limit.into()].into_iter().chain(texts.iter().map(Value::from)).collect();
        let rows: Vec<CandidateRow> = self.db.all(&statement, &values).await?;
        let dids = rows.iter().map(|row| parse(&row.did)).collect::<Result<Vec<Did>, _>>()?;
        let records = self.party_records(&dids).await?;
        let now = self.clock.now();
        let candidacies = dids.into_iter().zip(rows).map(|(did, row)| {
            let record = records.get(&did).copied().unwrap_or_default();
            let (listing, availability) = (listing(&row.listing)?, availability(row.status, row.seen_at, now));
            Ok(Candidacy { did, candidate: Candidate { position: row.position, listing, record, availability } })
        });
        candidacies.collect()
    }

    /// The outcomes of the threads that these agents were chosen for. Agents without such threads are left out.
    pub async fn party_records(&self, dids: &[Did]) -> Result<HashMap<Did, PartyRecord>, StoreError> {
        if dids.is_empty() {
            return Ok(HashMap::new());
        }
        let statement = format!(
            "SELECT agent, count(*) FILTER (WHERE phase = 'COMPLETED' AND NOT blamed), count(*) FILTER (WHERE blamed), \
             count(*) FILTER (WHERE promise_kept IS NOT NULL AND NOT blamed), \
             count(*) FILTER (WHERE promise_kept AND NOT blamed), \
             CAST(coalesce(sum(took_ms) FILTER (WHERE NOT blamed), 0) AS BIGINT) \
             FROM threads WHERE agent IN ({}) GROUP BY agent",
            parameters(1, dids.len())
        );
        let values: Vec<_> = dids.iter().map(|did| did.as_str().into()).collect();
        let rows: Vec<(String, i64, i64, i64, i64, i64)> = self.db.all_of_varying(&statement, &values).await?;
        let record = |(did, completed, failed, promised, on_time, delivery_ms): (String, i64, i64, i64, i64, i64)| {
            Ok((parse(&did)?, PartyRecord { completed, failed, promised, on_time, delivery_ms }))
        };
        rows.into_iter().map(record).collect()
    }
}

fn parameters(first: usize, count: usize) -> String {
    (first..first + count).map(|number| format!("${number}")).collect::<Vec<_>>().join(", ")
}

/// The condition under which an entry may offer an intent, with parameters from 2 on, and the parameters' values.
fn offering(intent: &Intent) -> (String, Vec<String>) {
    let mut values: Vec<String> = intent.above().chain([intent.to_string()]).collect();
    let mut condition = format!("intent IN ({})", parameters(2, values.len()));
    if let Some(prefix) = intent.prefix() {
        condition = format!("{condition} OR intent LIKE ${} ESCAPE '\\'", values.len() + 2);
        values.push(format!("{}%", prefix.replace('_', "\\_")));
    }
    (format!("WHERE directory.did IN (SELECT did FROM directory_intents WHERE {condition})"), values)
}

pub(super) async fn declare(tx: &mut Tx<'_>, recorded: &Recorded, event: &DirectoryEvent) -> Result<(), StoreError> {
    let did = match event {
        DirectoryEvent::Registered(data) => &data.did,
        DirectoryEvent::Withdrawn(data) => &data.did,
    };
    tx.execute("DELETE FROM directory_intents WHERE did = $1", values![did.as_str()]).await?;
    match event {
        DirectoryEvent::Registered(data) if is_stub(data.registration.as_str()) => {
            tx.execute("DELETE FROM directory WHERE did = $1", values![did.as_str()]).await?;
            Ok(())
        }
        DirectoryEvent::Registered(data) => register(tx, (recorded.position, recorded.recorded_at), data).await,
        DirectoryEvent::Withdrawn(_) => {
            tx.execute("DELETE FROM directory WHERE did = $1", values![did.as_str()]).await?;
            Ok(())
        }
    }
}

/// Removes a hidden or erased registration from the directory.
pub(super) async fn unlist(tx: &mut Tx<'_>, position: i64) -> Result<(), StoreError> {
    let statement =
        "DELETE FROM directory_intents WHERE did IN (SELECT did FROM directory WHERE changed_position = $1)";
    tx.execute(statement, values![position]).await?;
    tx.execute("DELETE FROM directory WHERE changed_position = $1", values![position]).await?;
    Ok(())
}

/// Lists a restored registration again, unless its agent registered or withdrew after it and before `until`.
pub(super) async fn relist(
    tx: &mut Tx<'_>,
    (position, recorded_at): (i64, DateTime<Utc>),
    data: &PartyRegistered,
    until: i64,
) -> Result<(), StoreError> {
    let last: Option<i64> = tx
        .one(
            "SELECT max(position) FROM events WHERE position < $2 \
             AND stream = (SELECT stream FROM events WHERE position = $1)",
            values![position, until],
        )
        .await?;
    if last == Some(position) { register(tx, (position, recorded_at), data).await } else { Ok(()) }
}

async fn register(
    tx: &mut Tx<'_>,
    (position, recorded_at): (i64, DateTime<Utc>),
    data: &PartyRegistered,
) -> Result<(), StoreError> {
    let damaged = || StoreError::Damaged(format!("the registration at {position} cannot be read"));
    let listing = Listing::read(&data.registration).ok_or_else(damaged)?;
    let text = serde_json::to_string(&listing).map_err(|_| damaged())?;
    tx.execute(
        "INSERT INTO directory (did, position, changed_position, listing, registered_at, changed_at) \
         VALUES ($1, $2, $2, $3, $4, $4) ON CONFLICT (did) DO UPDATE SET changed_position = excluded.changed_position, \
         listing = excluded.listing, changed_at = excluded.changed_at",
        values![data.did.as_str(), position, text, recorded_at],
    )
    .await?;
    for intent in listing.intents() {
        let did = data.did.as_str();
        tx.execute("INSERT INTO directory_intents (intent, did) VALUES ($1, $2)", values![intent, did]).await?;
    }
    Ok(())
}
