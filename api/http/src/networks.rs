//! Networks: the unit that rate limits and shares of capacity apply to for callers without a session.
//!
//! With IPv4 this is the address. With IPv6 it is the /64 network, in which one household or machine has 2^64 addresses
//! (RFC 4291, section 2.5.4). The /48 network, which a provider assigns to one site (RFC 6177), has a larger allowance of
//! its own.

use std::net::{IpAddr, Ipv6Addr};

use buildtrack_domain::limits::Quota;
use buildtrack_store::{Allowance, Held, Store};

/// The allowance of a /48 network as a multiple of that of a /64 network.
const SITE_REQUESTS: u32 = 16;

/// The network of a request's client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    host: IpAddr,
    site: Option<IpAddr>,
}

impl Network {
    /// The network of an address.
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self { host: address.into(), site: None },
            IpAddr::V6(address) => Self { host: masked(address, 64), site: Some(masked(address, 48)) },
        }
    }

    /// The IPv4 address, or the /64 network.
    pub fn host(self) -> IpAddr {
        self.host
    }

    /// The unit for fair queueing: the IPv4 address, or the /48 network.
    pub fn site_or_host(self) -> Self {
        Self { host: self.site.unwrap_or(self.host), site: None }
    }

    /// Counts a request against the network's rate limit in this process.
    pub fn admit(self, store: &Store, policy: &str, quota: Quota) -> Allowance {
        let allowance = store.limits().admit_here(&subject(policy, self.host), quota);
        let Some(site) = self.site.filter(|_| allowance.allowed) else { return allowance };
        let of_site = store.limits().admit_here(&site_subject(policy, site), quota.times(SITE_REQUESTS));
        if of_site.allowed { allowance } else { of_site }
    }

    /// Reverses the count of a request that [`Self::admit`] admitted.
    pub fn refund(self, store: &Store, policy: &str, quota: Quota) {
        store.limits().refund_here(&subject(policy, self.host), quota);
        if let Some(site) = self.site {
            store.limits().refund_here(&site_subject(policy, site), quota.times(SITE_REQUESTS));
        }
    }

    /// Takes one of `most` permits of the network, and for a /48 network one of `most` times `factor`.
    pub fn hold(self, store: &Store, kind: &str, most: u32, factor: u32) -> Option<(Held, Option<Held>)> {
        let host = store.limits().hold_here(&subject(kind, self.host), most)?;
        let Some(site) = self.site else { return Some((host, None)) };
        let site = store.limits().hold_here(&site_subject(kind, site), most.saturating_mul(factor))?;
        Some((host, Some(site)))
    }
}

fn subject(policy: &str, host: IpAddr) -> String {
    format!("{policy} {host}")
}

fn site_subject(policy: &str, site: IpAddr) -> String {
    format!("{policy} {site}/48")
}

fn masked(address: Ipv6Addr, prefix: u32) -> IpAddr {
    Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << (128 - prefix))).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(address: &str) -> Network {
        Network::of(address.parse().unwrap())
    }

    #[test]
    fn addresses_of_one_household_are_one_network() {
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::9"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_eq!(network("2001:db8:1:2::1").site, network("2001:db8:1:3::1").site);
        assert_ne!(network("2001:db8:1:2::1").site, network("2001:db8:2:2::1").site);
    }

    #[test]
    fn each_ipv4_address_is_one_network_in_every_notation() {
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert_eq!(network("192.0.2.1").site, None);
    }
}
