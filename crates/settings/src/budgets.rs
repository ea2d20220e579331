//! Byte sizes, and the relay's budgets: bytes a day and registrations an hour.

use std::{str::FromStr, time::Duration};

use buildtrack_domain::budgets::Budget;

/// A number of bytes, written as `256MiB`, `1GiB`, `64KiB` or `1024`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

/// The text is not a number of bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a number of bytes such as 256MiB, 1GiB, 64KiB or 1024, up to 1024TiB")]
pub struct InvalidByteSize;

impl FromStr for ByteSize {
    type Err = InvalidByteSize;

    fn from_str(text: &str) -> Result<Self, InvalidByteSize> {
        let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit: u64 = match &text[number.len()..] {
            "" | "B" => 1,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            "TiB" => 1 << 40,
            _ => return Err(InvalidByteSize),
        };
        let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
        bytes.filter(|bytes| *bytes <= 1 << 50).map(Self).ok_or(InvalidByteSize)
    }
}

/// Budgets of the relay: bytes a day of one sender, of one network and of all senders together, and new agents an hour of one
/// network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelayBudgets {
    sender: u64,
    network: u64,
    server: u64,
    registrations: u64,
}

impl Default for RelayBudgets {
    fn default() -> Self {
        Self { sender: 64 << 20, network: 256 << 20, server: 8 << 30, registrations: 100 }
    }
}

/// The text is not of the form `sender=64MiB,network=256MiB`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a budget; expected sender, network or server, =, and bytes a day such as 64MiB, or registrations= and a number an hour"
)]
pub struct InvalidBudget(String);

impl FromStr for RelayBudgets {
    type Err = InvalidBudget;

    fn from_str(text: &str) -> Result<Self, InvalidBudget> {
        let mut budgets = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let invalid = || InvalidBudget(part.to_owned());
            let (name, value) = part.split_once('=').ok_or_else(invalid)?;
            let ByteSize(value) = value.trim().parse().map_err(|_| invalid())?;
            let budget = match name.trim() {
                "sender" => &mut budgets.sender,
                "network" => &mut budgets.network,
                "server" => &mut budgets.server,
                "registrations" => &mut budgets.registrations,
                _ => return Err(invalid()),
            };
            *budget = Some(value).filter(|value| *value > 0).ok_or_else(invalid)?;
        }
        Ok(budgets)
    }
}

impl RelayBudgets {
    const DAY: Duration = Duration::from_hours(24);

    /// Bytes a day of one sender.
    pub fn sender(self) -> Budget {
        Budget::new(self.sender, Self::DAY)
    }

    /// Bytes a day of one IPv4 address or IPv6 network.
    pub fn network(self) -> Budget {
        Budget::new(self.network, Self::DAY)
    }

    /// Bytes a day of all senders together.
    pub fn server(self) -> Budget {
        Budget::new(self.server, Self::DAY)
    }

    /// Agents an hour that one IPv4 address or IPv6 network may register.
    pub fn registrations(self) -> Budget {
        Budget::new(self.registrations, Duration::from_hours(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_sizes_are_parsed() {
        for (text, bytes) in [("0", 0), ("1024", 1024), ("64KiB", 65_536), ("256MiB", 268_435_456), ("1GiB", 1 << 30)] {
            assert_eq!(text.parse(), Ok(ByteSize(bytes)), "{text}");
        }
        for text in ["", "MiB", "-1", "1.5GiB", "1 GiB", "1MB", "2000TiB"] {
            assert_eq!(text.parse::<ByteSize>(), Err(InvalidByteSize), "{text}");
        }
    }

    #[test]
    fn omitted_budgets_have_their_defaults() {
        let budgets: RelayBudgets = "network=1GiB, registrations=5".parse().unwrap();
        assert_eq!((budgets.network().units(), budgets.registrations().units()), (1 << 30, 5));
        assert_eq!(budgets.sender(), RelayBudgets::default().sender());
        for text in ["network", "network=0", "network=much", "everyone=1GiB"] {
            assert!(text.parse::<RelayBudgets>().is_err(), "{text}");
        }
    }
}
