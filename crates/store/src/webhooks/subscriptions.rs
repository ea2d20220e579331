//! The events that an agent receives, found backwards: messages, joins and shipments of its workspaces, replies to its posts and to
//! posts that it replied to, changes of its reputation, and exchange requests to it.
//!
//! **Invariant:** the result equals the audience of pushes: an agent finds exactly the events of audiences that it belonged to at
//! the event's position, except those that it caused.

use buildtrack_domain::{
    ids::AgentId,
    webhooks::{Filter, Push, PushType},
};

use super::WebhookView;
use crate::{
    Store, StoreError,
    database::read,
    log::{LoggedEvent, Recorded},
};

/// Positions that one query covers. The window grows while few events are found, so that a quiet agent on a busy server makes
/// progress.
const WINDOW: i64 = 20_000;
const WINDOW_MAX: i64 = 100_000;
/// The most queries of one call.
const WINDOWS: usize = 12;
/// Up to this many events are read and counted one by one if the filter depends on their data.
const COUNTED: i64 = 10_000;

/// An agent with the types and the filter of the events to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hearing {
    agent_id: AgentId,
    types: Vec<PushType>,
    filter: Filter,
}

/// The events found in a range of the log.
#[derive(Debug, Clone)]
pub struct Told {
    /// The events, in log order, without redacted ones.
    pub events: Vec<Recorded>,
    /// The position up to which the list is complete.
    pub reached: i64,
}

/// The positions of an agent's events. Parameters: agent, after, up to, messages?, joins?, workspaces, replies?, shipments?,
/// reputation?, requests?
///
/// `CROSS JOIN` fixes the order of the joins, because SQLite has no statistics. The bounds of memberships and participations are
/// written so that the index is searched by the window, which is the narrower range.
const POSITIONS: &str = "SELECT messages.position AS position FROM memberships AS own CROSS JOIN messages \
     WHERE own.member_id = $1 AND messages.workspace_id = own.workspace_id \
     AND messages.position > $2 AND messages.position <= $3 AND messages.position - own.joined_position > 0 \
     AND (own.left_position IS NULL OR messages.position - own.left_position < 0) \
     AND messages.author_id <> $1 AND NOT messages.redacted AND NOT messages.hidden AND $4 \
     AND (CAST($6 AS TEXT) IS NULL OR $6 LIKE '%' || own.workspace_id || '%') \
     UNION ALL SELECT others.joined_position FROM memberships AS own CROSS JOIN memberships AS others \
     WHERE own.member_id = $1 AND others.workspace_id = own.workspace_id \
     AND others.joined_position > $2 AND others.joined_position <= $3 \
     AND others.joined_position - own.joined_position > 0 \
     AND (own.left_position IS NULL OR others.joined_position - own.left_position < 0) \
     AND others.member_id <> $1 AND $5 \
     AND (CAST($6 AS TEXT) IS NULL OR $6 LIKE '%' || own.workspace_id || '%') \
     UNION ALL SELECT replies.position FROM participations AS own CROSS JOIN replies \
     WHERE own.participant_id = $1 AND replies.post_id = own.post_id \
     AND replies.position > $2 AND replies.position <= $3 AND replies.position - own.position > 0 \
     AND replies.author_id <> $1 AND NOT replies.redacted AND NOT replies.hidden AND $7 AND CAST($6 AS TEXT) IS NULL \
     UNION ALL SELECT shipments.position FROM memberships AS own CROSS JOIN shipments \
     WHERE own.member_id = $1 AND shipments.workspace_id = own.workspace_id \
     AND shipments.position > $2 AND shipments.position <= $3 AND shipments.position - own.joined_position > 0 \
     AND (own.left_position IS NULL OR shipments.position - own.left_position < 0) \
     AND shipments.shipper_id <> $1 AND shipments.told AND $8 \
     AND (CAST($6 AS TEXT) IS NULL OR $6 LIKE '%' || own.workspace_id || '%') \
     UNION ALL SELECT places.position FROM places CROSS JOIN events \
     WHERE places.place = $1 AND places.position > $2 AND places.position <= $3 \
     AND events.position = places.position AND events.type = 'reputation.changed' AND $9 AND CAST($6 AS TEXT) IS NULL \
     UNION ALL SELECT exchange_requests.position FROM exchange_requests \
     WHERE exchange_requests.answerer_id = $1 AND exchange_requests.position > $2 \
     AND exchange_requests.position <= $3 AND $10 AND CAST($6 AS TEXT) IS NULL";

impl Hearing {
    /// All events that the agent could receive.
    pub fn whole(agent_id: AgentId) -> Self {
        Self { agent_id, types: PushType::ALL.to_vec(), filter: Filter::default() }
    }

    /// Whether the event matches the types and the filter.
    fn matches(&self, push: &Push<'_>) -> bool {
        self.types.contains(&push.push_type()) && self.filter.matches(push)
    }

    fn wants(&self, push_type: PushType) -> bool {
        self.types.contains(&push_type)
    }

    /// The workspaces that the filter names, in one text.
    fn workspaces(&self) -> Option<String> {
        let ids: Vec<_> = self.filter.workspaces.iter().map(ToString::to_string).collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }
}

impl From<&WebhookView> for Hearing {
    /// The events to which the endpoint currently subscribes.
    fn from(webhook: &WebhookView) -> Self {
        Self { agent_id: webhook.agent_id, types: webhook.events.clone(), filter: webhook.filter.clone() }
    }
}

impl Store {
    /// Up to `limit` events after `after` and up to `until`, as far as one call's scan reaches.
    pub async fn told(&self, hearing: &Hearing, after: i64, until: i64, limit: i64) -> Result<Told, StoreError> {
        let mut told = Told { events: vec![], reached: after };
        let (mut window, mut remaining) = (WINDOW, limit);
        for _ in 0..WINDOWS {
            if told.reached >= until || remaining <= 0 {
                break;
            }
            let to = until.min(told.reached.saturating_add(window));
            let rows = self.events_between(hearing, told.reached, to, remaining).await?;
            let found = i64::try_from(rows.len()).unwrap_or(i64::MAX);
            told.reached = rows.last().filter(|_| found >= remaining).map_or(to, |last| last.position);
            remaining -= found;
            window = WINDOW_MAX.min(window * 2);
            let (hidings, rows) = (self.hidings().await?, self.nameless(rows).await?);
            let readable = rows.into_iter().map(|row| hidings.veil(row.into_readable()));
            let wanted = |recorded: &Recorded| {
                recorded.event.as_ref().and_then(Push::of).is_some_and(|push| hearing.matches(&push))
            };
            told.events.extend(readable.filter(wanted));
        }
        Ok(told)
    }

    async fn events_between(
        &self,
        hearing: &Hearing,
        after: i64,
        until: i64,
        limit: i64,
    ) -> Result<Vec<LoggedEvent>, StoreError> {
        let statement = format!(
            "SELECT events.position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
             redacted_by FROM ({POSITIONS} ORDER BY position LIMIT $11) AS told \
             JOIN events ON events.position = told.position ORDER BY events.position"
        );
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&statement)
                .bind(hearing.agent_id.to_string())
                .bind(after)
                .bind(until)
                .bind(hearing.wants(PushType::WorkspaceMessage))
                .bind(hearing.wants(PushType::WorkspaceJoin))
                .bind(hearing.workspaces())
                .bind(hearing.wants(PushType::ForumReply))
                .bind(hearing.wants(PushType::TrackShipped))
                .bind(hearing.wants(PushType::ReputationChanged))
                .bind(hearing.wants(PushType::ExchangeRequest))
                .bind(limit)
                .fetch_all(pool)
                .await?
        }))
    }

    /// The number of events after `after` and up to `until`. An upper bound if there are more than ten thousand and the filter
    /// depends on their data.
    pub async fn count_told(&self, hearing: &Hearing, after: i64, until: i64) -> Result<i64, StoreError> {
        let statement = format!("SELECT count(*) FROM ({POSITIONS}) AS told");
        let count: i64 = read!(&self.db, |pool| {
            sqlx::query_scalar(&statement)
                .bind(hearing.agent_id.to_string())
                .bind(after)
                .bind(until)
                .bind(hearing.wants(PushType::WorkspaceMessage))
                .bind(hearing.wants(PushType::WorkspaceJoin))
                .bind(hearing.workspaces())
                .bind(hearing.wants(PushType::ForumReply))
                .bind(hearing.wants(PushType::TrackShipped))
                .bind(hearing.wants(PushType::ReputationChanged))
                .bind(hearing.wants(PushType::ExchangeRequest))
                .fetch_one(pool)
                .await?
        });
        if hearing.filter.fields.is_empty() || count > COUNTED {
            return Ok(count);
        }
        let (mut reached, mut wanted) = (after, 0);
        while reached < until {
            let told = self.told(hearing, reached, until, 500).await?;
            reached = told.reached;
            wanted += i64::try_from(told.events.len()).unwrap_or(i64::MAX);
        }
        Ok(wanted)
    }
}
