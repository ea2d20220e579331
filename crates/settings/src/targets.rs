//! Rate and concurrency limits of pushes to one target.

use std::{num::NonZeroU32, str::FromStr};

/// Limits of one host (name and port) and of one address, across all endpoints with that target. Each process counts
/// separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetRate {
    /// Pushes a second to a host that has answered a push with 2xx.
    pub rate: NonZeroU32,
    /// Pushes a second to any other host.
    pub unverified: NonZeroU32,
    /// Concurrent pushes to a host that has answered a push with 2xx.
    pub concurrency: NonZeroU32,
    /// Concurrent pushes to any other host.
    pub unverified_concurrency: NonZeroU32,
    /// Multiple of `rate` up to which the rate of a host grows that takes more; 1 keeps it fixed.
    pub growth: NonZeroU32,
}

impl Default for TargetRate {
    fn default() -> Self {
        let number = |number: u32| NonZeroU32::MIN.saturating_add(number - 1);
        Self {
            rate: number(200),
            unverified: number(2),
            concurrency: number(128),
            unverified_concurrency: number(4),
            growth: number(10),
        }
    }
}

/// The text is not of the form `rate=200,unverified=2`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a target limit; expected rate, unverified, concurrency, unverified_concurrency or growth, =, and 1 to 1000000"
)]
pub struct InvalidTargetRate(String);

impl FromStr for TargetRate {
    type Err = InvalidTargetRate;

    fn from_str(text: &str) -> Result<Self, InvalidTargetRate> {
        let mut bounds = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let invalid = || InvalidTargetRate(part.to_owned());
            let (name, number) = part.split_once('=').ok_or_else(invalid)?;
            let number = number.trim().parse::<NonZeroU32>().ok().filter(|number| number.get() <= 1_000_000);
            *bounds.named(name.trim()).ok_or_else(invalid)? = number.ok_or_else(invalid)?;
        }
        Ok(bounds)
    }
}

impl TargetRate {
    fn named(&mut self, name: &str) -> Option<&mut NonZeroU32> {
        match name {
            "rate" => Some(&mut self.rate),
            "unverified" => Some(&mut self.unverified),
            "concurrency" => Some(&mut self.concurrency),
            "unverified_concurrency" => Some(&mut self.unverified_concurrency),
            "growth" => Some(&mut self.growth),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omitted_limits_have_their_defaults() {
        let read: TargetRate = "unverified=5, concurrency = 10".parse().unwrap();
        assert_eq!((read.unverified.get(), read.concurrency.get()), (5, 10));
        assert_eq!((read.rate, "".parse()), (TargetRate::default().rate, Ok(TargetRate::default())));
        for text in ["rate", "rate=0", "rate=1000001", "rate=-1", "speed=1"] {
            assert_eq!(text.parse::<TargetRate>(), Err(InvalidTargetRate(text.to_owned())), "{text}");
        }
    }
}
