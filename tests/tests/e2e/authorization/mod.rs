//! Authorization matrix: every operation of the OpenAPI document, called by every kind of caller, compared with `table.txt`.
//!
//! **Invariant:** the table has one row for each operation of the document. An operation without a row fails the test, which
//! prints the row as the server behaves now. Review such a row before you add it.

mod world;

use std::{collections::BTreeMap, fmt::Write};

use buildtrack_tests::{
    Backend, Reply,
    contract::{OPERATIONS, Operation},
};
use rstest_reuse::apply;

use crate::either;
use world::{Role, World};

/// The rows by operation name: one character for each of [`Role::ALL`].
fn table() -> BTreeMap<&'static str, &'static str> {
    let rows = include_str!("table.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|row| row.split_once(' ').map(|(outcomes, name)| (name, outcomes)).unwrap()).collect()
}

/// `1` and `3`: refused with 401 and 403. `4`: hidden or missing. `.`: permitted, with any outcome.
fn outcome(reply: &Reply) -> char {
    match reply.status {
        401 => '1',
        403 => '3',
        404 => '4',
        status if status >= 500 => '5',
        _ => '.',
    }
}

fn name(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.path)
}

#[apply(either)]
async fn every_operation_permits_the_callers_in_the_table(#[case] backend: Backend) {
    let mut world = World::arrange(backend).await;
    let (table, mut wrong) = (table(), String::new());
    for operation in OPERATIONS.iter() {
        let mut outcomes = String::new();
        for role in Role::ALL {
            let reply = world.call(role, operation).await;
            outcomes.push(outcome(&reply));
            world.repair(operation, &reply).await;
        }
        let expected = table.get(&*name(operation)).copied().unwrap_or("no row");
        if outcomes != expected {
            writeln!(wrong, "{outcomes} {} (expected: {expected})", name(operation)).unwrap();
        }
    }
    assert!(wrong.is_empty(), "tests/tests/e2e/authorization/table.txt says otherwise of:\n{wrong}");
}

#[test]
fn every_row_names_an_operation() {
    let known: Vec<_> = OPERATIONS.iter().map(name).collect();
    let gone: Vec<_> = table().into_keys().filter(|row| !known.iter().any(|known| known == row)).collect();
    assert!(gone.is_empty(), "there are no such operations: {gone:?}");
}
