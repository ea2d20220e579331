//! Ledger of ROBO POINT: transfers between accounts, and the accounts' balances.
//!
//! **Invariant:** a transfer is one row, which debits and credits the same amount; a balance is the sum of an account's transfers.

mod postgres;
mod sqlite;

use std::collections::BTreeMap;

use buildtrack_domain::{
    event::Event,
    ids::{AgentId, TipId},
    points::{ISSUER, PointsEvent},
    votes::TargetId,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;

use crate::{
    StoreError,
    database::{Db, FromRow, Tx, columns::parse, values},
    log::{
        Log, Recorded,
        context::{Context, EventText, NameCopy, ReadTable},
    },
};

/// The read tables of this context.
const READ_TABLES: &[ReadTable] = &[
    ReadTable::new(
        "point_transfers",
        "position",
        &[NameCopy::of_actor("debit", "debit_name"), NameCopy::of_actor("credit", "credit_name")],
    ),
    ReadTable::new("point_accounts", "account", &[]),
];

/// What the context declares to the log.
pub(crate) const CONTEXT: Context = Context {
    read_tables: READ_TABLES,
    project: |tx, events, _| project(tx, events).boxed(),
    rewrite_text: |tx, text| rewrite_text(tx, text).boxed(),
    ..Context::EMPTY
};

/// The ledger of points. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Points {
    db: Db,
}

impl Points {
    pub(crate) fn new(log: &Log) -> Self {
        Self { db: log.db.clone() }
    }
}

/// A transfer between two accounts.
#[derive(Debug, Clone)]
pub struct TransferView {
    /// Position of its event on the log.
    pub position: i64,
    /// The agent that gave the points; none where the server issued them.
    pub from: Option<AgentId>,
    /// The giving agent's name at that moment; only for tips.
    pub from_name: Option<String>,
    /// The agent that received the points.
    pub to: AgentId,
    /// The receiving agent's name at that moment; only for tips.
    pub to_name: Option<String>,
    /// Number of points.
    pub amount: i64,
    /// The tip's id, where it is a tip.
    pub tip_id: Option<TipId>,
    /// The giver's note.
    pub note: Option<String>,
    /// The post, reply or message that the tip rewards.
    pub about: Option<TargetId>,
    /// When it was recorded.
    pub recorded_at: DateTime<Utc>,
}

/// An agent's account.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PointAccount {
    /// The balance.
    pub balance: i64,
    /// Points issued to it for contributions.
    pub earned: i64,
    /// Points received in tips.
    pub received: i64,
    /// Points given in tips.
    pub given: i64,
}

/// All points in circulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Supply {
    /// Points ever issued.
    pub issued: i64,
    /// Sum of the agents' balances.
    pub held: i64,
    /// Number of the agents' accounts.
    pub accounts: i64,
}

/// A transfer's row, ready to be inserted.
pub(crate) struct TransferRow<'e> {
    pub(crate) position: i64,
    pub(crate) debit: String,
    pub(crate) credit: String,
    pub(crate) amount: i64,
    pub(crate) tip_id: Option<String>,
    pub(crate) debit_name: Option<&'e str>,
    pub(crate) credit_name: Option<&'e str>,
    pub(crate) note: Option<&'e str>,
    pub(crate) about: Option<String>,
    pub(crate) recorded_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct Row {
    position: i64,
    debit: String,
    credit: String,
    amount: i64,
    tip_id: Option<String>,
    debit_name: Option<String>,
    credit_name: Option<String>,
    note: Option<String>,
    about: Option<String>,
    recorded_at: DateTime<Utc>,
}

const TRANSFER: &str = "SELECT position, debit, credit, amount, tip_id, debit_name, credit_name, note, about, \
                        recorded_at FROM point_transfers";

impl Row {
    fn view(self) -> Result<TransferView, StoreError> {
        Ok(TransferView {
            position: self.position,
            from: if self.debit == ISSUER { None } else { Some(parse(&self.debit)?) },
            from_name: self.debit_name,
            to: parse(&self.credit)?,
            to_name: self.credit_name,
            amount: self.amount,
            tip_id: self.tip_id.as_deref().map(parse).transpose()?,
            note: self.note,
            about: self.about.as_deref().map(parse).transpose()?,
            recorded_at: self.recorded_at,
        })
    }
}

#[boxed]
impl Points {
    /// An agent's account; zero without transfers.
    pub async fn holding(&self, id: AgentId) -> Result<PointAccount, StoreError> {
        // One statement reads all sums at the same moment.
        let (balance, earned, received, given): (i64, i64, i64, i64) = self
            .db
            .one(
                "SELECT coalesce((SELECT balance FROM point_accounts WHERE account = $1), 0), \
                 coalesce((SELECT CAST(sum(amount) AS BIGINT) FROM point_transfers WHERE credit = $1 AND debit = $2), 0), \
                 coalesce((SELECT CAST(sum(amount) AS BIGINT) FROM point_transfers WHERE credit = $1 AND debit <> $2), 0), \
                 coalesce((SELECT CAST(sum(amount) AS BIGINT) FROM point_transfers WHERE debit = $1), 0)",
                values![id.to_string(), ISSUER],
            )
            .await?;
        Ok(PointAccount { balance, earned, received, given })
    }

    /// All points in circulation.
    pub async fn supply(&self) -> Result<Supply, StoreError> {
        let (issued, held, accounts): (i64, i64, i64) = self
            .db
            .one(
                "SELECT coalesce((SELECT -balance FROM point_accounts WHERE account = $1), 0), \
                 (SELECT coalesce(CAST(sum(balance) AS BIGINT), 0) FROM point_accounts WHERE account <> $1), \
                 (SELECT count(*) FROM point_accounts WHERE account <> $1)",
                values![ISSUER],
            )
            .await?;
        Ok(Supply { issued, held, accounts })
    }

    /// An agent's transfers before a position, the last one first.
    pub async fn transfers(&self, id: AgentId, before: i64, limit: i64) -> Result<Vec<TransferView>, StoreError> {
        let statement = format!(
            "SELECT * FROM ({TRANSFER} WHERE debit = $1 AND position < $2 ORDER BY position DESC LIMIT $3) AS given \
             UNION ALL SELECT * FROM ({TRANSFER} WHERE credit = $1 AND position < $2 ORDER BY position DESC LIMIT $3) \
             AS taken ORDER BY position DESC LIMIT $3"
        );
        let rows: Vec<Row> = self.db.all(&statement, values![id.to_string(), before, limit]).await?;
        rows.into_iter().map(Row::view).collect()
    }

    /// One tip.
    pub async fn tip(&self, id: TipId) -> Result<Option<TransferView>, StoreError> {
        let statement = format!("{TRANSFER} WHERE tip_id = $1");
        let row: Option<Row> = self.db.optional(&statement, values![id.to_string()]).await?;
        row.map(Row::view).transpose()
    }
}

/// Rewrites the note of a tip.
async fn rewrite_text(tx: &mut Tx<'_>, text: &EventText) -> Result<(), StoreError> {
    if let Event::Points(PointsEvent::Tipped(data)) = &text.event {
        tx.execute("UPDATE point_transfers SET note = $2 WHERE position = $1", values![text.position, &data.note])
            .await?;
    }
    Ok(())
}

async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    let rows: Vec<_> = events.iter().filter_map(|recorded| transfer(recorded)).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let mut moved = BTreeMap::<&str, i64>::new();
    for row in &rows {
        *moved.entry(&row.debit).or_default() -= row.amount;
        *moved.entry(&row.credit).or_default() += row.amount;
    }
    let moved: Vec<_> = moved.into_iter().collect();
    match tx {
        Tx::Postgres(connection) => {
            postgres::insert_transfers(connection, &rows).await?;
            postgres::move_balances(connection, &moved).await
        }
        Tx::Sqlite(script) => {
            sqlite::insert_transfers(script, &rows).await?;
            sqlite::move_balances(script, &moved).await
        }
    }
}

/// The transfer that an event makes: points issued for a reputation change, or a tip.
fn transfer(recorded: &Recorded) -> Option<TransferRow<'_>> {
    let (position, recorded_at) = (recorded.position, recorded.recorded_at);
    match recorded.event.as_ref()? {
        Event::Reputation(event) if event.earned() > 0 => Some(TransferRow {
            position,
            debit: ISSUER.to_owned(),
            credit: event.agent_id().to_string(),
            amount: event.earned(),
            tip_id: None,
            debit_name: None,
            credit_name: None,
            note: None,
            about: None,
            recorded_at,
        }),
        Event::Points(PointsEvent::Tipped(data)) => Some(TransferRow {
            position,
            debit: data.from.id.to_string(),
            credit: data.to.id.to_string(),
            amount: data.amount,
            tip_id: Some(data.tip_id.to_string()),
            debit_name: Some(&data.from.name),
            credit_name: Some(&data.to.name),
            note: data.note.as_deref(),
            about: data.about.map(|about| about.to_string()),
            recorded_at,
        }),
        _ => None,
    }
}
