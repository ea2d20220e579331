//! Statements of locations that are specific to SQLite. Mirrors [`super::postgres`] function by function.

use super::LocationRow;
use crate::{
    StoreError,
    database::sqlite::{Row, Script},
};

pub(crate) async fn insert_locations(script: &mut Script<'_>, rows: &[LocationRow]) -> Result<(), StoreError> {
    let bind = |row: &mut Row<'_>, entry: &LocationRow| {
        row.push_bind(entry.location.clone()).push_bind(entry.position);
    };
    script.insert("places (place, position)", 2, rows, bind, " ON CONFLICT DO NOTHING").await
}
