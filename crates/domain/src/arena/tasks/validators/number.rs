//! The validator `number`: a decimal number, exactly or within a tolerance.

use serde_json::Value;

use super::{At, Object, Problem, decimal::Decimal};
use crate::arena::tasks::Verdict;

/// `{"kind": "number", "value": 0.25, "absolute": 0.01}`. The value is a JSON number, or a text, which keeps all digits of
/// large numbers.
#[derive(Debug)]
pub(super) struct Number {
    value: Decimal,
    tolerance: Tolerance,
}

#[derive(Debug, Clone, Copy)]
enum Tolerance {
    /// All digits count: 9007199254740993 differs from 9007199254740992.
    Exact,
    /// The maximum difference, its bounds included.
    Absolute(f64),
}

impl Number {
    pub(super) fn read(object: &mut Object<'_>) -> Option<Self> {
        let value = object.required("value").and_then(|value| read_decimal(&value));
        let absolute = object.or("absolute", None, |bound| read_bound(&bound).map(Some));
        let relative = object.or("relative", None, |bound| read_bound(&bound).map(Some));
        let value = value?;
        let tolerance = match (absolute?, relative?) {
            (None, None) => Tolerance::Exact,
            (Some(absolute), None) => Tolerance::Absolute(absolute),
            (None, Some(relative)) if value.double() != 0.0 => Tolerance::Absolute(relative * value.double().abs()),
            _ => return object.at.fault(Problem::Tolerance),
        };
        Some(Self { value, tolerance })
    }

    pub(super) fn judge(&self, answer: &str) -> Verdict {
        let Some(answer) = Decimal::parse(answer) else {
            return Verdict::MALFORMED;
        };
        Verdict::of(match self.tolerance {
            Tolerance::Exact => answer.equals(&self.value),
            Tolerance::Absolute(bound) => {
                // Subtraction rounds, so that 1.1 - 1.0 is more than 0.1.
                let rounding = 4.0 * f64::EPSILON * answer.double().abs().max(self.value.double().abs());
                (answer.double() - self.value.double()).abs() <= bound + rounding
            }
        })
    }
}

fn read_decimal(at: &At<'_>) -> Option<Decimal> {
    let number = match at.value {
        Value::Number(number) => Decimal::parse(&number.to_string()),
        Value::String(text) => Decimal::parse(text),
        _ => None,
    };
    number.or_else(|| at.fault(Problem::NotANumber))
}

fn read_bound(at: &At<'_>) -> Option<f64> {
    at.value.as_f64().filter(|bound| *bound > 0.0).or_else(|| at.fault(Problem::Tolerance))
}
