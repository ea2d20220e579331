//! The state of a run at its end: the log and the deliveries as the database has them, and what the API says.

use std::{collections::BTreeMap, time::Duration};

use anyhow::{Context, Result};
use buildtrack_store::clock::Clock;
use chrono::{DateTime, Utc};
use reqwest::Method;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::{
    database::{Connected, on},
    load::Scene,
    site::{Finished, Site},
};

/// Everything came to rest, or did not, within this time after the faults: a delivery's lease (30 s) and what follows it.
const DRAIN: Duration = Duration::from_secs(75);
const LOOKS: Duration = Duration::from_millis(250);
/// Looks in a row at which nothing moved.
const AT_REST: u32 = 4;

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) position: i64,
    pub(crate) stream: String,
    pub(crate) event_type: String,
    pub(crate) data: Value,
    /// The very text.
    pub(crate) text: String,
    pub(crate) recorded_at: DateTime<Utc>,
}

/// A delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Delivery {
    pub(crate) id: String,
    pub(crate) webhook: String,
    pub(crate) position: i64,
    pub(crate) status: String,
}

/// What the API says of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    /// By name.
    pub(crate) counts: BTreeMap<String, i64>,
    pub(crate) score: i64,
    pub(crate) balance: i64,
}

/// An endpoint, as the checker knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subscriber {
    pub(crate) id: String,
    pub(crate) agent: String,
    pub(crate) ordered: bool,
}

/// Who took part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cast {
    pub(crate) agents: Vec<String>,
    pub(crate) track: String,
    pub(crate) subscribers: Vec<Subscriber>,
    /// The last position before the load.
    pub(crate) begins_after: i64,
}

/// The state at the end.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    pub(crate) cast: Cast,
    pub(crate) taken_at: DateTime<Utc>,
    pub(crate) head: i64,
    pub(crate) events: Vec<Event>,
    pub(crate) deliveries: Vec<Delivery>,
    pub(crate) standings: BTreeMap<String, Standing>,
    /// `issued` and `held`.
    pub(crate) supply: (i64, i64),
    pub(crate) verified: Finished,
    /// What did not come to rest in time; none where all did.
    pub(crate) unsettled: Option<String>,
    /// From the end of the faults until all was at rest.
    pub(crate) settled_after: Option<Duration>,
    /// Whether the stream of the whole log has shown the last event.
    pub(crate) streamed: bool,
    /// Lines of panics that processes printed.
    pub(crate) panics: Vec<String>,
}

/// Waits until every event is dispatched and no delivery is pending. Returns the pending work if the time limit is reached.
pub(crate) async fn drain(site: &Site, begin: Instant) -> Result<Option<String>> {
    let (mut last, mut still) = (None, 0);
    let mut database = site.database.connect().await?;
    loop {
        let now = Unsettled::look(&mut database).await?;
        still = if now.is_none() && last == Some(now) { still + 1 } else { 0 };
        last = Some(now);
        if still == AT_REST {
            return Ok(None);
        }
        if begin.elapsed() > DRAIN {
            return Ok(Some(format!("{now:?} after {DRAIN:?}")));
        }
        sleep(LOOKS).await;
    }
}

/// What is still to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unsettled {
    head: i64,
    pending_deliveries: i64,
    to_dispatch: i64,
}

impl Unsettled {
    async fn look(database: &mut Connected) -> Result<Self> {
        const TO_DISPATCH: &str = "SELECT count(*) FROM events \
            WHERE position > coalesce((SELECT position FROM consumers WHERE name = 'webhooks'), 0)";
        Ok(Self {
            head: database.number("SELECT position FROM log_head").await?,
            pending_deliveries: database.number("SELECT count(*) FROM deliveries WHERE status = 'pending'").await?,
            to_dispatch: database.number(TO_DISPATCH).await?,
        })
    }

    fn is_none(self) -> bool {
        self.pending_deliveries == 0 && self.to_dispatch == 0
    }
}

impl Snapshot {
    pub(crate) async fn take(
        site: &Site,
        scene: &Scene,
        (unsettled, after): (Option<String>, Duration),
    ) -> Result<Self> {
        let mut database = site.database.connect().await?;
        let (events, head) = (events(&mut database).await?, database.number("SELECT position FROM log_head").await?);
        let mut standings = BTreeMap::new();
        for agent in &scene.agents {
            standings.insert(agent.id.clone(), standing(scene, &agent.id).await?);
        }
        let supply = scene.client.expect(Method::GET, "/api/v1/points", None).await?;
        Ok(Self {
            cast: Cast::of(scene),
            taken_at: Clock::System.now(),
            head,
            events,
            deliveries: deliveries(&mut database).await?,
            standings,
            supply: (number(&supply, "/issued")?, number(&supply, "/held")?),
            verified: site.run(&["verify-log"]).await?,
            settled_after: unsettled.is_none().then_some(after),
            unsettled,
            streamed: true,
            panics: panics(site).await,
        })
    }
}

impl Cast {
    fn of(scene: &Scene) -> Self {
        let subscribers = scene.endpoints.iter().map(|endpoint| Subscriber {
            id: endpoint.id.clone(),
            agent: endpoint.agent.clone(),
            ordered: endpoint.ordered,
        });
        Self {
            agents: scene.agents.iter().map(|agent| agent.id.clone()).collect(),
            track: scene.track.clone(),
            subscribers: subscribers.collect(),
            begins_after: scene.begins_after,
        }
    }
}

type EventRow = (i64, String, String, Option<String>, String);

async fn events(database: &mut Connected) -> Result<Vec<Event>> {
    let time = match database {
        Connected::Sqlite(_) => "recorded_at",
        Connected::Postgres(_) => "to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
    };
    let query = format!("SELECT position, stream, type, data, {time} FROM events ORDER BY position");
    let rows: Vec<EventRow> = on!(database, |connection| sqlx::query_as(&query).fetch_all(connection).await?);
    let event = |(position, stream, event_type, data, recorded_at): EventRow| {
        let text = data.unwrap_or_default();
        let data = serde_json::from_str(&text).unwrap_or(Value::Null);
        let recorded_at = recorded_at.parse().with_context(|| format!("{recorded_at} is no time"))?;
        anyhow::Ok(Event { position, stream, event_type, data, text, recorded_at })
    };
    rows.into_iter().map(event).collect()
}

async fn deliveries(database: &mut Connected) -> Result<Vec<Delivery>> {
    let query = "SELECT id, webhook_id, position, status FROM deliveries ORDER BY position, id";
    let rows: Vec<(String, String, i64, String)> =
        on!(database, |connection| sqlx::query_as(query).fetch_all(connection).await?);
    Ok(rows.into_iter().map(|(id, webhook, position, status)| Delivery { id, webhook, position, status }).collect())
}

async fn standing(scene: &Scene, agent: &str) -> Result<Standing> {
    let reputation = scene.client.expect(Method::GET, &format!("/api/v1/agents/{agent}/reputation"), None).await?;
    let points = scene.client.expect(Method::GET, &format!("/api/v1/agents/{agent}/points"), None).await?;
    let counts = reputation["counts"].as_object().context("a reputation has counts")?;
    let counts = counts.iter().map(|(name, count)| (name.clone(), count.as_i64().unwrap_or(-1))).collect();
    Ok(Standing { counts, score: number(&reputation, "/score")?, balance: number(&points, "/balance")? })
}

fn number(value: &Value, pointer: &str) -> Result<i64> {
    value.pointer(pointer).and_then(Value::as_i64).with_context(|| format!("no {pointer} in {value}"))
}

async fn panics(site: &Site) -> Vec<String> {
    let lines = |(name, printed): (String, String)| {
        let panics = printed.lines().filter(|line| line.contains("panicked at"));
        panics.map(|line| format!("{name}: {line}")).collect::<Vec<_>>()
    };
    site.printed().await.into_iter().flat_map(lines).collect()
}
