//! The read table `pushed_events`: audience, type and actor of the events that agents receive, as the event's context declares
//! them. Messages and replies are not in it: their own tables hold the same, and which of them are redacted or hidden.
//!
//! **Invariant:** a redacted event has no row. Rows of new event types need no other code than their declaration.

use buildtrack_domain::{event::Fact, webhooks::PushType};

use super::{postgres, sqlite};
use crate::{
    StoreError,
    audiences::AUDIENCES,
    database::{Dialect, Tx, values},
    log::Recorded,
};

/// A row, ready to be inserted.
pub(crate) struct PushedRow {
    pub(crate) position: i64,
    pub(crate) audience: String,
    pub(crate) push_type: PushType,
    pub(crate) actor_id: Option<String>,
}

/// A read table with texts that are pushed.
struct TextTable {
    push_type: PushType,
    name: &'static str,
    /// The kind of its audiences, and the column of their ids.
    audience: (&'static str, &'static str),
}

const TEXT_TABLES: [TextTable; 2] = [
    TextTable { push_type: PushType::WorkspaceMessage, name: "messages", audience: ("members", "workspace_id") },
    TextTable { push_type: PushType::ForumReply, name: "replies", audience: ("participants", "post_id") },
];

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    let rows: Vec<_> = events.iter().filter_map(|recorded| row(recorded)).collect();
    if !rows.is_empty() {
        match tx {
            Tx::Postgres(connection) => postgres::insert_pushed_events(connection, &rows).await?,
            Tx::Sqlite(script) => sqlite::insert_pushed_events(script, &rows).await?,
        }
    }
    for recorded in events {
        if recorded.event.as_ref().is_some_and(|event| event.is(Fact::Redacts)) {
            tx.execute(
                "DELETE FROM pushed_events WHERE position IN \
                 (SELECT position FROM events WHERE stream = $1 AND version < $2)",
                values![&*recorded.stream, recorded.version],
            )
            .await?;
        }
    }
    Ok(())
}

fn row(recorded: &Recorded) -> Option<PushedRow> {
    let push = recorded.event.as_ref()?.push()?;
    let has_own_table = TEXT_TABLES.iter().any(|table| table.push_type == push.push_type);
    (!has_own_table).then(|| PushedRow {
        position: recorded.position,
        audience: push.audience.to_string(),
        push_type: push.push_type,
        actor_id: push.actor().map(|actor| actor.id.to_string()),
    })
}

/// A query of the positions of the events that an agent receives, in no order. Parameters: 1 the agent's id, 2 and 3 the
/// positions after which and up to which it looks, 4 a JSON list of push types, 5 a JSON list of workspaces, or null for every
/// audience.
///
/// `CROSS JOIN` fixes the order of the joins, because SQLite has no statistics. The bounds `began` and `ended` are written so that
/// the index is searched by the window, which is the narrower range.
pub(super) fn positions(dialect: &Dialect) -> String {
    let (types, workspaces) = (dialect.listed(4), dialect.listed(5));
    let own = format!(
        "SELECT kind, audience, began, ended FROM {AUDIENCES} WHERE recipient = $1 \
         AND (CAST($5 AS TEXT) IS NULL OR audience IN (SELECT value FROM {workspaces}))"
    );
    let within = |position: String| {
        format!(
            "{position} > $2 AND {position} <= $3 AND {position} - own.began >= 0 \
             AND (own.ended IS NULL OR {position} - own.ended < 0)"
        )
    };
    let texts = TEXT_TABLES.map(|TextTable { push_type, name, audience: (kind, id) }| {
        format!(
            "SELECT {name}.position AS position FROM own CROSS JOIN {name} \
             WHERE own.kind = '{kind}' AND {name}.{id} = own.audience AND {} \
             AND author_id <> $1 AND NOT redacted AND NOT hidden AND '{}' IN (SELECT value FROM {types})",
            within(format!("{name}.position")),
            push_type.as_str(),
        )
    });
    let others = format!(
        "SELECT pushed_events.position FROM own CROSS JOIN pushed_events \
         WHERE pushed_events.audience = own.audience AND {} \
         AND (actor_id IS NULL OR actor_id <> $1) AND type IN (SELECT value FROM {types})",
        within("pushed_events.position".to_owned()),
    );
    format!("WITH own AS ({own}) {} UNION ALL {others}", texts.join(" UNION ALL "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::sqlite::open_in_memory;

    #[tokio::test]
    async fn indexes_are_searched_by_recipient_and_within_the_window() {
        let (pool, db) = open_in_memory().await.unwrap();
        let statement = format!("EXPLAIN QUERY PLAN {}", positions(db.dialect()));
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(&statement).fetch_all(&pool).await.unwrap();
        let steps: Vec<_> = plan.into_iter().map(|(.., step)| step).collect();
        let searches = [
            ("memberships", "(member_id=?)"),
            ("participations", "(participant_id=?)"),
            ("agents", "(id=?)"),
            ("messages", "(workspace_id=? AND position>? AND position<?)"),
            ("replies", "(post_id=? AND position>? AND position<?)"),
            ("pushed_events", "(audience=? AND position>? AND position<?)"),
        ];
        for (table, bounds) in searches {
            let is_search = |step: &String| step.starts_with(&format!("SEARCH {table} ")) && step.ends_with(bounds);
            assert!(steps.iter().any(is_search), "{table}: {steps:#?}");
        }
        let scanned = |step: &&String| step.starts_with("SCAN ") && !step.starts_with("SCAN own");
        assert!(steps.iter().filter(scanned).all(|step| step.starts_with("SCAN listed ")), "{steps:#?}");
    }
}
