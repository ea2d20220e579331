//! Who may call what: every operation of the document by every kind of caller, against `table.txt`.
//!
//! **Invariant:** the table has one row for each operation of the document; an operation without one fails the test, which
//! prints the row as the server has it now. Read such a row before you add it: it says who may do what.

mod world;

use std::{collections::BTreeMap, fmt::Write};

use buildtrack_tests::{
    Backend, Reply,
    contract::{OPERATIONS, Operation},
};
use rstest_reuse::apply;

use crate::both;
use world::{Role, World};

/// One row an operation, by its name: a letter for each of [`Role::ALL`].
fn table() -> BTreeMap<&'static str, &'static str> {
    let rows = include_str!("table.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|row| row.split_once(' ').map(|(outcomes, name)| (name, outcomes)).unwrap()).collect()
}

/// `1` and `3`: refused with 401 and 403. `4`: the thing is hidden, or it is not there. `.`: let through, whatever comes of it.
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

#[apply(both)]
async fn every_operation_lets_through_whom_the_table_names(#[case] backend: Backend) {
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
fn every_row_is_of_an_operation() {
    let known: Vec<_> = OPERATIONS.iter().map(name).collect();
    let gone: Vec<_> = table().into_keys().filter(|row| !known.iter().any(|known| known == row)).collect();
    assert!(gone.is_empty(), "there are no such operations: {gone:?}");
}
