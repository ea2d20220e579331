//! Public IP addresses: the only ones that a push may go to, so that clients cannot make the server call its own
//! network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether the address is globally reachable. All special-purpose blocks of the IANA registries (RFC 6890 and its
/// successors) are refused, and every IPv6 form that carries a refused IPv4 address: mapped and compatible (RFC 4291),
/// NAT64 (RFC 6052, and all of RFC 8215's local-use block), 6to4 (RFC 3056), Teredo (RFC 4380) and ISATAP (RFC 5214).
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

const REFUSED_V4: [(Ipv4Addr, u32); 17] = [
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local, including the metadata services of cloud providers.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 52, 193, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(192, 175, 48, 0), 24),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast, reserved and broadcast: 224.0.0.0 and above.
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    !REFUSED_V4.iter().any(|(network, prefix)| {
        let shift = 32 - prefix;
        address.to_bits() >> shift == network.to_bits() >> shift
    })
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let carried = |high: u16, low: u16| Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low));
    match segments {
        // NAT64's well-known prefix, and 6to4.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => is_public_v4(carried(high, low)),
        // IETF protocol assignments (Teredo, ORCHID and others), documentation, SRv6.
        [0x2001, 0..=0x01ff | 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => false,
        // ISATAP.
        [_, _, _, _, 0x0000 | 0x0200, 0x5efe, high, low] => is_public_v4(carried(high, low)) && is_global(segments[0]),
        [first, ..] => is_global(first),
    }
}

/// Global unicast, `2000::/3`. No other block is allocated.
fn is_global(first_segment: u16) -> bool {
    first_segment >> 13 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn public(text: &str) -> bool {
        is_public(text.parse().unwrap())
    }

    #[test]
    fn ordinary_addresses_are_public() {
        for text in
            ["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "198.20.0.1", "223.255.255.254"]
        {
            assert!(public(text), "{text}");
        }
        for text in ["2606:4700::1111", "2a00:1450::1", "2002:0808:0808::1", "64:ff9b::8.8.8.8", "2400::1"] {
            assert!(public(text), "{text}");
        }
    }

    #[test]
    fn the_edges_of_every_refused_block_are_refused() {
        for (network, prefix) in REFUSED_V4 {
            let last = network.to_bits() | (u32::MAX >> prefix);
            assert!(!is_public(network.into()), "{network}");
            assert!(!is_public(Ipv4Addr::from_bits(last).into()), "{network}/{prefix}");
        }
    }

    #[test]
    fn special_ipv6_addresses_are_refused() {
        for text in [
            "::",
            "::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "100::1",
            "2001:db8::1",
            "2001::1",
            "2001:10::1",
            "2001:20::1",
            "3fff::1",
            "5f00::1",
            "64:ff9b:1::8.8.8.8",
            "::8.8.8.8",
            "::ffff:8.8.8.8",
            "2606:4700::5efe:10.0.0.1",
            "2606:4700::200:5efe:127.0.0.1",
        ] {
            assert!(!public(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_ipv6_form_smuggles_a_refused_ipv4_address(index in 0..REFUSED_V4.len(), host: u32) {
            let (network, prefix) = REFUSED_V4[index];
            let address = Ipv4Addr::from_bits(network.to_bits() | (host & (u32::MAX >> prefix)));
            prop_assert!(!is_public(address.into()));
            let [one, two, three, four] = address.octets();
            let [high, low] = [u16::from_be_bytes([one, two]), u16::from_be_bytes([three, four])];
            for carrier in [
                [0, 0, 0, 0, 0, 0xffff, high, low],
                [0, 0, 0, 0, 0, 0, high, low],
                [0, 0, 0, 0, 0xffff, 0, high, low],
                [0x64, 0xff9b, 0, 0, 0, 0, high, low],
                [0x64, 0xff9b, 1, 0, 0, 0, high, low],
                [0x2002, high, low, 0, 0, 0, 0, 1],
                [0x2606, 0x4700, 0, 0, 0, 0x5efe, high, low],
            ] {
                prop_assert!(!is_public(Ipv6Addr::from(carrier).into()), "{:?}", carrier);
            }
        }
    }
}
