//! Statements of point transfers that are specific to SQLite. Mirrors [`super::postgres`] function by function.

use super::TransferRow;
use crate::{
    StoreError,
    database::sqlite::{Row, Script},
};

pub(crate) async fn insert_transfers(script: &mut Script<'_>, rows: &[TransferRow<'_>]) -> Result<(), StoreError> {
    let into = "point_transfers (position, debit, credit, amount, tip_id, debit_name, credit_name, note, \
                about, recorded_at)";
    let bind = |row: &mut Row<'_>, transfer: &TransferRow<'_>| {
        row.push_bind(transfer.position)
            .push_bind(transfer.debit.clone())
            .push_bind(transfer.credit.clone())
            .push_bind(transfer.amount)
            .push_bind(transfer.tip_id.clone())
            .push_bind(transfer.debit_name.map(str::to_owned))
            .push_bind(transfer.credit_name.map(str::to_owned))
            .push_bind(transfer.note.map(str::to_owned))
            .push_bind(transfer.about.clone())
            .push_bind(transfer.recorded_at);
    };
    script.insert(into, 10, rows, bind, "").await
}

/// Adds to balances. Each account must occur only once.
pub(crate) async fn move_balances(script: &mut Script<'_>, rows: &[(&str, i64)]) -> Result<(), StoreError> {
    let bind = |row: &mut Row<'_>, (account, change): &(&str, i64)| {
        row.push_bind((*account).to_owned()).push_bind(*change);
    };
    let ending = " ON CONFLICT (account) DO UPDATE SET balance = point_accounts.balance + excluded.balance";
    script.insert("point_accounts (account, balance)", 2, rows, bind, ending).await
}
