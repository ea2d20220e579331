//! What was acknowledged is read, and numbers that only grow never fall for one client, whichever server answers.

use std::collections::BTreeMap;

use super::{Seen, Violation};
use crate::history::{Claim, Operation, Outcome};

const NOT_FOUND: u16 = 404;

pub(super) fn check(seen: &Seen) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut series = BTreeMap::<(usize, &str), i64>::new();
    for operation in &seen.operations {
        match &operation.claim {
            Claim::Visible { what } if operation.status == NOT_FOUND => {
                found.push(Violation::new("read your writes", format!("{what} is not there at {} ms", operation.end)));
            }
            Claim::Grows { series: name, value } if operation.outcome == Outcome::Acknowledged => {
                let highest = series.entry((operation.client, name)).or_insert(*value);
                if value < highest {
                    found.push(fell(operation, name, (*highest, *value)));
                }
                *highest = (*highest).max(*value);
            }
            _ => (),
        }
    }
    found
}

fn fell(operation: &Operation, name: &str, (from, to): (i64, i64)) -> Violation {
    Violation::new("monotonic reads", format!("{name} fell from {from} to {to} at {} ms", operation.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::testing::acknowledged;

    fn grows(client: usize, value: i64) -> Operation {
        Operation { client, ..acknowledged(Claim::Grows { series: "head".to_owned(), value }) }
    }

    #[test]
    fn a_number_that_falls_is_found() {
        let found = |operations| check(&Seen { operations, ..Seen::default() }).len();
        assert_eq!(found(vec![grows(0, 3), grows(0, 3), grows(0, 4)]), 0);
        assert_eq!(found(vec![grows(0, 3), grows(0, 2), grows(0, 4), grows(0, 3)]), 2);
        assert_eq!(found(vec![grows(0, 3), grows(1, 2)]), 0);
    }

    #[test]
    fn an_acknowledged_text_that_is_not_there_is_found() {
        let mut read = acknowledged(Claim::Visible { what: "a message".to_owned() });
        assert_eq!(check(&Seen { operations: vec![read.clone()], ..Seen::default() }), []);
        read.status = NOT_FOUND;
        assert_eq!(check(&Seen { operations: vec![read], ..Seen::default() }).len(), 1);
    }
}
