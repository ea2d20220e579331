//! Read models of moderation: decisions of operators, reports and appeals.
//!
//! **Invariant:** a redacted text is not hidden, because it is empty, in any order of hiding and redaction within a batch.
//! **Invariant:** no response shows a hidden text: read tables keep it so that operators can restore it, and every query that
//! shows such texts leaves hidden ones out; except what operators read to decide about one ([`Moderation::last_text_event`],
//! [`Moderation::reported_texts`]).

mod acts;
mod cases;
mod concerning;
mod erasing;
mod hiding;

pub use acts::{ActFilter, OperatorAct};
pub use cases::{CaseFilter, OpenCases};
pub use erasing::TextEvent;

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    event::Event,
    ids::OwnerId,
    moderation::{Action, CaseEvent, Decided, ReportEvent, ReportFiled, SubjectId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;

use crate::{
    StoreError,
    database::{Db, FromRow, Tx, values},
    log::{
        Log, Recorded,
        context::{Context, Contexts, EventText, NameCopy, ReadTable},
    },
};

/// The read tables of this context.
const READ_TABLES: &[ReadTable] = &[
    ReadTable::new("hidings", "subject", &[]),
    ReadTable::new("moderation_actions", "position", &[NameCopy::of_actor("operator_id", "operator_name")]),
    ReadTable::new(
        "reports",
        "position",
        &[NameCopy::of_actor("reporter_id", "reporter_name").with_models(&["reporter_model"])],
    ),
    ReadTable::new("appeals", "position", &[]),
];

/// What the context declares to the log.
pub(crate) const CONTEXT: Context = Context {
    read_tables: READ_TABLES,
    project: |tx, events, contexts| project(tx, events, contexts).boxed(),
    rewrite_text: |tx, text| rewrite_text(tx, text).boxed(),
    ..Context::EMPTY
};

/// Decisions of operators, reports and appeals. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Moderation {
    db: Db,
    log: Log,
}

impl Moderation {
    pub(crate) fn new(log: &Log) -> Self {
        Self { db: log.db.clone(), log: log.clone() }
    }
}

/// A decision of an operator.
#[derive(Debug, Clone, FromRow)]
pub struct DecisionView {
    /// Position of the decision on the log.
    pub position: i64,
    /// The subject of the decision.
    pub subject: String,
    /// The action.
    #[column(from = String)]
    pub action: Action,
    /// The operator's reason.
    pub reason: String,
    /// The operator.
    pub operator_id: String,
    /// The operator's name at that moment.
    pub operator_name: String,
    /// The owner or agent whose content it is; empty where an actor outside this server wrote it, or where it is private.
    pub concerns: String,
    /// When the operator decided.
    pub decided_at: DateTime<Utc>,
}

/// A report to the operators.
#[derive(Debug, Clone, FromRow)]
pub struct ReportView {
    /// Position of the report on the log.
    pub position: i64,
    /// The reported subject.
    pub subject: String,
    /// The reporter.
    #[column(from = String)]
    pub reporter_id: ActorId,
    /// The reporter's name at that moment.
    pub reporter_name: String,
    /// `ai-agent` or `human`.
    #[column(from = String)]
    pub reporter_type: ActorKind,
    /// The reporter's model at that moment.
    pub reporter_model: Option<String>,
    /// The reporter's reason.
    pub reason: String,
    /// Position of the decision that closed the report; none while it is open.
    pub closed_position: Option<i64>,
    /// When it was filed.
    pub filed_at: DateTime<Utc>,
}

/// An appeal against a decision.
#[derive(Debug, Clone, FromRow)]
pub struct AppealView {
    /// Position of the appeal on the log.
    pub position: i64,
    /// The subject of the decision.
    pub subject: String,
    /// The owner who appeals.
    #[column(from = String)]
    pub owner_id: OwnerId,
    /// The owner's statement.
    pub statement: String,
    /// Position of the decision that closed the appeal; none while it is open.
    pub closed_position: Option<i64>,
    /// When it was filed.
    pub filed_at: DateTime<Utc>,
}

#[boxed]
impl Moderation {
    /// A list of decisions.
    pub async fn decisions(&self, filter: &CaseFilter) -> Result<Vec<DecisionView>, StoreError> {
        self.db
            .all(
                "SELECT position, subject, action, reason, operator_id, operator_name, concerns, decided_at \
                 FROM moderation_actions WHERE (CAST($1 AS TEXT) IS NULL OR subject = $1) \
                 AND (CAST($2 AS TEXT) IS NULL OR action = $2) AND position < $3 ORDER BY position DESC LIMIT $4",
                values![
                    filter.subject.map(|subject| subject.to_string()),
                    filter.action.map(Action::as_str),
                    filter.before.unwrap_or(i64::MAX),
                    filter.limit
                ],
            )
            .await
    }

    /// A list of reports.
    pub async fn reports(&self, filter: &CaseFilter) -> Result<Vec<ReportView>, StoreError> {
        let statement = format!(
            "SELECT position, subject, reporter_id, reporter_name, reporter_type, reporter_model, reason, \
             closed_position, filed_at FROM reports WHERE (CAST($1 AS TEXT) IS NULL OR subject = $1) {} \
             AND (CAST($2 AS TEXT) IS NULL OR reporter_id = $2) AND position < $3 ORDER BY position DESC LIMIT $4",
            filter.openness(),
        );
        self.db
            .all(
                &statement,
                values![
                    filter.subject.map(|subject| subject.to_string()),
                    filter.by.map(|by| by.to_string()),
                    filter.before.unwrap_or(i64::MAX),
                    filter.limit
                ],
            )
            .await
    }

    /// A list of appeals.
    pub async fn appeals(&self, filter: &CaseFilter) -> Result<Vec<AppealView>, StoreError> {
        let statement = format!(
            "SELECT position, subject, owner_id, statement, closed_position, filed_at FROM appeals \
             WHERE (CAST($1 AS TEXT) IS NULL OR subject = $1) {} AND (CAST($2 AS TEXT) IS NULL OR owner_id = $2) \
             AND position < $3 ORDER BY position DESC LIMIT $4",
            filter.openness(),
        );
        self.db
            .all(
                &statement,
                values![
                    filter.subject.map(|subject| subject.to_string()),
                    filter.by.map(|by| by.to_string()),
                    filter.before.unwrap_or(i64::MAX),
                    filter.limit
                ],
            )
            .await
    }
}

/// Rewrites the reason of a report or the statement of an appeal.
async fn rewrite_text(tx: &mut Tx<'_>, text: &EventText) -> Result<(), StoreError> {
    let position = text.position;
    match &text.event {
        Event::Report(ReportEvent::Filed(data)) => {
            tx.execute("UPDATE reports SET reason = $2 WHERE position = $1", values![position, &data.reason]).await?;
        }
        Event::Case(CaseEvent::Appealed(data)) => {
            tx.execute("UPDATE appeals SET statement = $2 WHERE position = $1", values![position, &data.statement])
                .await?;
        }
        _ => {}
    }
    Ok(())
}

/// Runs after the projections of texts, so that a text in the same batch has its row already.
async fn project(tx: &mut Tx<'_>, events: &[&Recorded], contexts: Contexts) -> Result<(), StoreError> {
    for recorded in events {
        match &recorded.event {
            Some(Event::Case(CaseEvent::Decided(data))) => decide(tx, contexts, recorded, data).await?,
            Some(Event::Case(CaseEvent::Appealed(data))) => {
                tx.execute(
                    "INSERT INTO appeals (position, subject, owner_id, statement, filed_at) VALUES ($1, $2, $3, $4, $5)",
                    values![
                        recorded.position,
                        data.subject.to_string(),
                        data.by.to_string(),
                        &data.statement,
                        recorded.recorded_at,
                    ],
                )
                .await?;
            }
            Some(Event::Report(ReportEvent::Filed(data))) => report(tx, recorded, data).await?,
            _ => {}
        }
    }
    Ok(())
}

async fn report(tx: &mut Tx<'_>, recorded: &Recorded, data: &ReportFiled) -> Result<(), StoreError> {
    let ReportFiled { subject, reporter, reason, .. } = data;
    tx.execute(
        "INSERT INTO reports (position, subject, reporter_id, reporter_name, reporter_type, reporter_model, reason, \
         filed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        values![
            recorded.position,
            subject.to_string(),
            reporter.id.to_string(),
            &reporter.name,
            reporter.kind.as_str(),
            &reporter.model,
            reason,
            recorded.recorded_at
        ],
    )
    .await?;
    Ok(())
}

async fn decide(tx: &mut Tx<'_>, contexts: Contexts, recorded: &Recorded, data: &Decided) -> Result<(), StoreError> {
    let (subject, position) = (data.subject.to_string(), recorded.position);
    tx.execute(
        "INSERT INTO moderation_actions (position, subject, action, reason, operator_id, operator_name, concerns, \
         decided_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        values![
            position,
            &subject,
            data.action.as_str(),
            &data.reason,
            data.operator_id.to_string(),
            &data.operator_name,
            data.concerns.map(|concerns| concerns.to_string()).unwrap_or_default(),
            recorded.recorded_at
        ],
    )
    .await?;
    let close = "UPDATE reports SET closed_position = $2 WHERE subject = $1 AND closed_position IS NULL";
    tx.execute(close, values![&subject, position]).await?;
    let close = "UPDATE appeals SET closed_position = $2 WHERE subject = $1 AND closed_position IS NULL";
    tx.execute(close, values![&subject, position]).await?;
    match data.action {
        Action::Hide => hide(tx, contexts, data.subject, position).await,
        Action::Restore => restore(tx, contexts, data.subject, position).await,
        Action::Erase => hiding::erase(tx, contexts, data.subject, position).await,
        Action::Suspend | Action::Reinstate | Action::Dismiss | Action::Uphold => Ok(()),
    }
}

/// The table of a text with a stream of its own. Moderation defines the subjects, and each kind is decided here: the match is
/// exhaustive.
fn table(subject: SubjectId) -> Option<&'static str> {
    match subject {
        SubjectId::Message(_) => Some("messages"),
        SubjectId::Post(_) => Some("posts"),
        SubjectId::Reply(_) => Some("replies"),
        SubjectId::Workspace(_) | SubjectId::Agent(_) | SubjectId::Owner(_) | SubjectId::Event(_) => None,
    }
}

async fn hide(tx: &mut Tx<'_>, contexts: Contexts, subject: SubjectId, position: i64) -> Result<(), StoreError> {
    let Some(table) = table(subject) else { return hiding::hide(tx, contexts, subject, position).await };
    let id = subject.to_string();
    let statement = format!("UPDATE {table} SET hidden = $2 WHERE id = $1 AND NOT redacted");
    tx.execute(&statement, values![&id, true]).await?;
    let insert =
        format!("INSERT INTO hidings (subject, position) SELECT id, $2 FROM {table} WHERE id = $1 AND NOT redacted");
    tx.execute(&insert, values![&id, position]).await?;
    Ok(())
}

async fn restore(tx: &mut Tx<'_>, contexts: Contexts, subject: SubjectId, position: i64) -> Result<(), StoreError> {
    let Some(table) = table(subject) else { return hiding::restore(tx, contexts, subject, position).await };
    let id = subject.to_string();
    let statement = format!("UPDATE {table} SET hidden = $2 WHERE id = $1");
    tx.execute(&statement, values![&id, false]).await?;
    uncover(tx, &id).await
}

/// Deletes a text's row in `hidings`, because the text is redacted or restored.
pub(crate) async fn uncover(tx: &mut Tx<'_>, id: &str) -> Result<(), StoreError> {
    tx.execute("DELETE FROM hidings WHERE subject = $1", values![id]).await?;
    Ok(())
}
