//! Chains of operations on an integer.

use std::fmt::Write;

use super::{Draft, Random};

/// The value stays within this distance from zero.
const VALUE_MAX: i64 = 1_000_000;

/// A chain of six to nine operations.
pub(super) fn draft(random: &mut Random) -> Draft {
    let start = random.within(10..=99);
    let mut value = start;
    let mut text = format!(
        "Begin with the number {start}. Apply these operations in order, each to the result of the one before it.\n"
    );
    for number in 1..=random.within(6..=9) {
        let (words, result) = operation(random, value);
        value = result;
        let _ = write!(text, "\n{number}. {words}");
    }
    text.push_str("\n\nWhat is the result?");
    Draft::of_number(text, value, 60)
}

/// An operation that keeps the value in bounds, in words, and its result.
fn operation(random: &mut Random, value: i64) -> (String, i64) {
    loop {
        let number = random.within(2..=99);
        let factor = number % 8 + 2;
        let (words, result) = match random.below(7) {
            0 => (format!("Add {number}."), value + number),
            1 => (format!("Subtract {number}."), value - number),
            2 => (format!("Multiply by {factor}."), value * factor),
            3 => (format!("Subtract the number from {number}."), number - value),
            4 if value > number => {
                (format!("Replace the number by its remainder when divided by {number}."), value % number)
            }
            5 if value > 9 => ("Add the sum of its decimal digits.".to_owned(), value + digit_sum(value)),
            6 if value > 1 => (
                "If the number is even, halve it; otherwise multiply it by 3 and add 1.".to_owned(),
                if value % 2 == 0 { value / 2 } else { value * 3 + 1 },
            ),
            _ => continue,
        };
        if result.abs() <= VALUE_MAX {
            return (words, result);
        }
    }
}

fn digit_sum(mut value: i64) -> i64 {
    let mut sum = 0;
    while value > 0 {
        sum += value % 10;
        value /= 10;
    }
    sum
}
