//! Decimal numbers of any size, compared exactly.

/// A finite decimal number: its text without the ways to write it differently.
#[derive(Debug, Clone)]
pub(super) struct Decimal {
    negative: bool,
    /// Without zeros at either end; empty for zero.
    digits: String,
    /// The power of ten of the last digit.
    exponent: i64,
    /// The nearest double, which is finite.
    double: f64,
}

impl Decimal {
    /// Parses a number: a sign (`+`, `-`, or U+2212), digits, a fraction after a point, an exponent. The whole part may
    /// have commas between groups of three digits. White space at the ends is ignored.
    ///
    /// Refused: NaN and infinities in words or by size, fractions such as `1/2` and `½`, units, percent signs, digits of
    /// other scripts, a decimal comma (`1,5`), and a point without digits on both sides.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, unsigned) = match text.strip_prefix(['-', '\u{2212}']) {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let mut digits = without_commas(whole)?;
        let fraction = fraction.map_or(Some(""), |fraction| is_digits(fraction).then_some(fraction))?;
        digits.push_str(fraction);
        Self::normal(negative, &digits, exponent - i64::try_from(fraction.len()).ok()?)
    }

    fn normal(negative: bool, digits: &str, exponent: i64) -> Option<Self> {
        let significant = digits.trim_start_matches('0');
        let shortest = significant.trim_end_matches('0');
        let exponent = exponent + i64::try_from(significant.len() - shortest.len()).ok()?;
        let is_zero = shortest.is_empty();
        let negative = negative && !is_zero;
        let double: f64 = if is_zero { 0.0 } else { format!("{shortest}e{exponent}").parse().ok()? };
        double.is_finite().then(|| Self {
            negative,
            digits: shortest.to_owned(),
            exponent: if is_zero { 0 } else { exponent },
            double: if negative { -double } else { double },
        })
    }

    /// The nearest double.
    pub(super) fn double(&self) -> f64 {
        self.double
    }

    /// Whether both are the same number, with all digits.
    pub(super) fn equals(&self, other: &Self) -> bool {
        (self.negative, &self.digits, self.exponent) == (other.negative, &other.digits, other.exponent)
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// At most four digits: larger ones are beyond doubles in any case.
fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-', '\u{2212}']).unwrap_or(text);
    let exponent: i64 = (is_digits(digits) && digits.len() <= 4).then(|| digits.parse().ok())??;
    Some(if text.starts_with(['-', '\u{2212}']) { -exponent } else { exponent })
}

fn without_commas(whole: &str) -> Option<String> {
    let mut groups = whole.split(',');
    let first = groups.next().filter(|first| is_digits(first))?;
    let mut digits = first.to_owned();
    for group in groups {
        if first.len() > 3 || group.len() != 3 || !is_digits(group) {
            return None;
        }
        digits.push_str(group);
    }
    Some(digits)
}
