//! Integers in JSON: JSON has one kind of number, so that 38.0 equals 38 (JSON Schema, «integer»).

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The bound below which every integer has an exact double.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// Parses a body. If that fails and the body has integers with a fraction of zero, parses it again without these fractions.
pub(crate) fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_slice(bytes).or_else(|error| {
        let Ok(mut value) = serde_json::from_slice::<Value>(bytes) else { return Err(error) };
        let rewritten = rewrite(&mut value);
        // The error of the original text names the line.
        if rewritten { serde_json::from_value(value).map_err(|_| error) } else { Err(error) }
    })
}

/// Replaces integers with a fraction of zero. Returns true if there were any.
fn rewrite(value: &mut Value) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= EXACT_MAX);
            let Some(whole) = whole else { return false };
            #[expect(clippy::cast_possible_truncation, reason = "the value is an integer and an exact double")]
            let whole = whole as i64;
            *value = whole.into();
            true
        }
        // All items must be visited, so that the loop may not stop at the first one.
        Value::Array(items) => items.iter_mut().filter_map(|item| rewrite(item).then_some(())).count() > 0,
        Value::Object(fields) => fields.values_mut().filter_map(|field| rewrite(field).then_some(())).count() > 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_with_a_fraction_of_zero_is_an_integer() {
        assert_eq!(from_slice::<Vec<i64>>(b"[38.0, -1e2, 7]").unwrap(), [38, -100, 7]);
        for text in ["[38.5]", "[1e300]", "[\"1\"]", "[1"] {
            assert!(from_slice::<Vec<i64>>(text.as_bytes()).is_err(), "{text}");
        }
    }
}
