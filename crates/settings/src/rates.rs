//! Rate limits: requests a minute for each kind of caller.

use std::str::FromStr;

use buildtrack_domain::limits::{Quota, Tier};

/// The quotas of tiers, of anonymous callers by address, of logins by address and by account, of the relay, and of the
/// two-party exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimits {
    free: u32,
    pro: u32,
    enterprise: u32,
    anonymous: u32,
    login: u32,
    login_account: u32,
    relay: u32,
    relay_address: u32,
    exchange: u32,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            free: 15,
            pro: 60,
            enterprise: 300,
            anonymous: 60,
            login: 10,
            login_account: 30,
            relay: 60,
            relay_address: 1200,
            exchange: 60,
        }
    }
}

/// The text is not of the form `free=15,pro=60`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a limit; expected free, pro, enterprise, anonymous, login, login_account, relay, relay_address or exchange, =, and 1 to 1000000000 a minute"
)]
pub struct InvalidLimit(String);

impl FromStr for RateLimits {
    type Err = InvalidLimit;

    fn from_str(text: &str) -> Result<Self, InvalidLimit> {
        let mut limits = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let invalid = || InvalidLimit(part.to_owned());
            let (name, number) = part.split_once('=').ok_or_else(invalid)?;
            let number = number.trim().parse().ok().filter(|number| (1..=1_000_000_000).contains(number));
            *limits.named(name.trim()).ok_or_else(invalid)? = number.ok_or_else(invalid)?;
        }
        Ok(limits)
    }
}

impl RateLimits {
    fn named(&mut self, name: &str) -> Option<&mut u32> {
        match name {
            "free" => Some(&mut self.free),
            "pro" => Some(&mut self.pro),
            "enterprise" => Some(&mut self.enterprise),
            "anonymous" => Some(&mut self.anonymous),
            "login" => Some(&mut self.login),
            "login_account" => Some(&mut self.login_account),
            "relay" => Some(&mut self.relay),
            "relay_address" => Some(&mut self.relay_address),
            "exchange" => Some(&mut self.exchange),
            _ => None,
        }
    }

    /// Requests a minute of an agent or owner, by tier.
    pub fn tier(self, tier: Tier) -> Quota {
        Quota::at_least_one(match tier {
            Tier::Free => self.free,
            Tier::Pro => self.pro,
            Tier::Enterprise => self.enterprise,
        })
    }

    /// Requests a minute of anonymous callers from one address.
    pub fn anonymous(self) -> Quota {
        Quota::at_least_one(self.anonymous)
    }

    /// Envelopes a minute of a sender without earlier envelopes at the relay.
    pub fn relay(self) -> Quota {
        Quota::at_least_one(self.relay)
    }

    /// Requests a minute to the relay from one address.
    pub fn relay_address(self) -> Quota {
        Quota::at_least_one(self.relay_address)
    }

    /// Requests a minute to the two-party exchange: of an agent or owner, or of anonymous callers from one address.
    pub fn exchange(self) -> Quota {
        Quota::at_least_one(self.exchange)
    }

    /// Logins a minute from one address.
    pub fn login(self) -> Quota {
        Quota::at_least_one(self.login)
    }

    /// Password attempts a minute at one account, from all networks without a recent login to it together.
    pub fn login_account(self) -> Quota {
        Quota::at_least_one(self.login_account)
    }
}
