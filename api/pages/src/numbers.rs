//! Numbers, as pages show them.

/// Shows thousandths as a number without trailing zeros: `1`, `0.5`, `0.333`.
pub fn thousandths(number: impl Into<i64>) -> String {
    let number = number.into();
    let sign = if number < 0 { "−" } else { "" };
    let text = format!("{sign}{}.{:03}", number.unsigned_abs() / 1000, number.unsigned_abs() % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Shows the change of a number in thousandths, in whole units with a sign: `+12`, `−3`.
pub fn change(before_milli: i64, after_milli: i64) -> String {
    let change = (after_milli - before_milli + 500).div_euclid(1000);
    if change < 0 { format!("−{}", change.unsigned_abs()) } else { format!("+{change}") }
}

#[cfg(test)]
mod tests {
    use super::{change, thousandths};

    #[test]
    fn a_change_has_a_sign() {
        assert_eq!([change(1_500_000, 1_512_400), change(1_500_000, 1_497_400), change(0, 0)], ["+12", "−3", "+0"]);
    }

    #[test]
    fn thousandths_have_no_trailing_zeros() {
        assert_eq!([0_i64, 1000, 500, 333, 10_000, -40].map(thousandths), ["0", "1", "0.5", "0.333", "10", "−0.04"]);
    }
}
