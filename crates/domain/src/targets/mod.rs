//! Targets of outbound HTTP calls: checks of a URL and of an address that need no name resolution. The server applies them when a
//! client gives the URL, and again at each call.

mod address;

use url::{Host, Url};

pub use address::is_public;

/// The maximum number of bytes in a target, as given and as sent in the request.
pub const TARGET_MAX: usize = 2000;

/// The reason why a URL is refused as a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The URL has more than [`TARGET_MAX`] bytes.
    #[error("the address is longer than {TARGET_MAX} bytes")]
    TooLong,
    /// The URL is malformed or relative, or has no host.
    #[error("expected an absolute URL, such as https://agent.example/webhook")]
    Invalid,
    /// The scheme is not `https:`, nor `http:` where that is allowed.
    #[error("the address must begin with https://")]
    Scheme,
    /// The URL has a user name or password.
    #[error("the address must not hold a user name or password; receivers verify the signature instead")]
    Credentials,
    /// The URL has a fragment, which HTTP never sends.
    #[error("the address must not have a fragment (#…)")]
    Fragment,
    /// The host is, or may be, in a private network.
    #[error("the address is not reachable from the public internet")]
    NotPublic,
}

/// Parses a target and refuses URLs that the server must not call. `allow_private` permits plain HTTP, `localhost` and
/// addresses that are not public. The caller checks the resolved addresses with [`is_public`].
pub fn check_target(url: &str, allow_private: bool) -> Result<Url, TargetError> {
    if url.len() > TARGET_MAX {
        return Err(TargetError::TooLong);
    }
    let url = Url::parse(url).map_err(|_| TargetError::Invalid)?;
    match url.scheme() {
        "https" => {}
        "http" if allow_private => {}
        _ => return Err(TargetError::Scheme),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(TargetError::Credentials);
    }
    if url.fragment().is_some() {
        return Err(TargetError::Fragment);
    }
    if url.as_str().len() > TARGET_MAX {
        return Err(TargetError::TooLong);
    }
    let public = match url.host().ok_or(TargetError::Invalid)? {
        Host::Ipv4(address) => is_public(address.into()),
        Host::Ipv6(address) => is_public(address.into()),
        Host::Domain(name) => !is_localhost(name),
    };
    if public || allow_private { Ok(url) } else { Err(TargetError::NotPublic) }
}

/// `localhost` and all names below it are loopback by definition (RFC 6761, section 6.3), regardless of a resolver's answer.
/// The parser has converted the name to lower case.
fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn checked(url: &str) -> Result<String, TargetError> {
        check_target(url, false).map(|url| url.to_string())
    }

    #[test]
    fn an_ordinary_address_is_a_target() {
        for url in ["https://agent.example/webhook?token=1", "https://1.1.1.1:8443/", "https://[2606:4700::1111]/"] {
            assert_eq!(checked(url), Ok(url.to_owned()));
        }
        assert_eq!(checked("HTTPS://Agent.Example"), Ok("https://agent.example/".to_owned()));
        assert_eq!(checked("https://notlocalhost/"), Ok("https://notlocalhost/".to_owned()));
    }

    #[test]
    fn every_spelling_of_a_private_address_is_refused() {
        for host in [
            "127.0.0.1",
            "127.1",
            "127.0.0.1.",
            "2130706433",
            "0x7f000001",
            "0x7F.1",
            "017700000001",
            "0177.0.0.01",
            "0",
            "%31%32%37.0.0.1",
            "１２７.0.0.1",
            "127。0。0。1",
            "10.0.0.1",
            "169.254.169.254",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[64:ff9b::10.0.0.1]",
            "[fd00:ec2::254]",
            "[2002:7f00:1::]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b:1::7f00:1]",
            "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
            "[::ffff:100.64.0.1]",
            "[fe80::1]",
            "[ff02::1]",
            "100.64.0.1",
            "0300.0250.1.1",
            "192.0.0.192",
            "198.18.0.1",
            "0xa9fea9fe",
            "①②⑦.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            assert_eq!(checked(&format!("https://{host}/")), Err(TargetError::NotPublic), "{host}");
        }
    }

    #[test]
    fn localhost_is_refused_by_name() {
        for host in ["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.localhost.", "ｌocalhost", "%6cocalhost"]
        {
            assert_eq!(checked(&format!("https://{host}:3000/x")), Err(TargetError::NotPublic), "{host}");
        }
    }

    #[test]
    fn urls_other_than_plain_https_are_refused() {
        for (url, error) in [
            ("", TargetError::Invalid),
            ("agent.example/webhook", TargetError::Invalid),
            ("//agent.example", TargetError::Invalid),
            ("https://", TargetError::Invalid),
            ("https://1.2.3.4.5/", TargetError::Invalid),
            ("https://[::1", TargetError::Invalid),
            ("https://[fe80::1%25eth0]/", TargetError::Invalid),
            ("https://127.0.0.1%00.agent.example/", TargetError::Invalid),
            ("https://127.0.0.1\\@agent.example/", TargetError::NotPublic),
            ("https://agent.example:99999/", TargetError::Invalid),
            ("http://agent.example/", TargetError::Scheme),
            ("file:///etc/passwd", TargetError::Scheme),
            ("data:text/plain,x", TargetError::Scheme),
            ("https://user:pw@agent.example/", TargetError::Credentials),
            ("https://user@agent.example/", TargetError::Credentials),
            ("https://:pw@agent.example/", TargetError::Credentials),
            ("https://agent.example/#", TargetError::Fragment),
            ("https://agent.example/#x", TargetError::Fragment),
        ] {
            assert_eq!(checked(url), Err(error), "{url}");
        }
    }

    #[test]
    fn the_length_limit_applies_to_the_encoded_url() {
        let room = TARGET_MAX - "https://agent.example/".len();
        assert!(checked(&format!("https://agent.example/{}", "a".repeat(room))).is_ok());
        assert_eq!(checked(&format!("https://agent.example/{}", "a".repeat(room + 1))), Err(TargetError::TooLong));
        // Two bytes each as given, six when percent-encoded.
        assert_eq!(checked(&format!("https://agent.example/{}", "é".repeat(room / 3))), Err(TargetError::TooLong));
    }

    #[test]
    fn allowing_private_targets_keeps_all_other_checks() {
        for url in ["http://127.0.0.1:9000/hook", "http://localhost/", "https://[::1]/", "http://agent.example/"] {
            assert!(check_target(url, true).is_ok(), "{url}");
        }
        assert_eq!(check_target("ftp://127.0.0.1/", true), Err(TargetError::Scheme));
        assert_eq!(check_target("http://user:pw@127.0.0.1/", true), Err(TargetError::Credentials));
    }

    proptest! {
        #[test]
        fn a_checked_target_is_accepted_again(url in "https://[a-z0-9.%\\[\\]:@/?é-]{0,40}") {
            if let Ok(target) = check_target(&url, false) {
                prop_assert_eq!(check_target(target.as_str(), false), Ok(target));
            }
        }
    }
}
