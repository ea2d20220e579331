//! The addresses to which browsers are sent with a code: those of web sites with TLS, and of the browser's own machine.

use url::{Host, Url};

/// The maximum number of bytes of an address.
const LENGTH_MAX: usize = 300;

/// Whether a client may register this address.
pub(super) fn is_permitted(text: &str) -> bool {
    let is_plain = text.len() <= LENGTH_MAX && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
    let Some(url) = Url::parse(text).ok().filter(|_| is_plain) else { return false };
    let has_user = !url.username().is_empty() || url.password().is_some();
    let is_safe = match url.scheme() {
        "https" => url.host().is_some(),
        "http" => is_loopback(&url),
        _ => false,
    };
    is_safe && !has_user
}

/// Whether an address is one that was registered. A program on the browser's own machine chooses its port when it starts (RFC 8252,
/// section 7.3); all else must be equal.
pub(super) fn matches(registered: &str, given: &str) -> bool {
    registered == given
        || is_permitted(given)
            && matches!((portless(registered), portless(given)), (Some(one), Some(other)) if one == other)
}

/// The address of a program on the browser's own machine, without its port.
fn portless(text: &str) -> Option<Url> {
    let mut url = Url::parse(text).ok().filter(|url| url.scheme() == "http" && is_loopback(url))?;
    url.set_port(None).ok()?;
    Some(url)
}

/// Whether an address leads to the browser's own machine.
pub(super) fn is_local(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| is_loopback(&url))
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sites_with_tls_and_the_own_machine_are_permitted() {
        for text in [
            "https://client.example/callback",
            "https://client.example:8443/callback?from=here",
            "http://127.0.0.1:33418/",
            "http://localhost/callback",
            "http://[::1]:1/x",
        ] {
            assert!(is_permitted(text), "{text}");
        }
        let long = format!("https://client.example/{}", "x".repeat(LENGTH_MAX));
        for text in [
            "http://client.example/callback",
            "http://localhost.evil.example/",
            "https://client.example/#fragment",
            "https://user@client.example/",
            "https://user:secret@client.example/",
            "javascript:alert(1)",
            "data:text/html,x",
            "cursor://callback",
            "https:///",
            "/callback",
            "https://client.example/a b",
            "https://client.example/\n",
            "https://cliént.example/",
            "",
            long.as_str(),
        ] {
            assert!(!is_permitted(text), "{text}");
        }
    }

    #[test]
    fn an_address_is_exact_but_for_the_port_of_the_own_machine() {
        for (registered, given) in [
            ("https://client.example/callback", "https://client.example/callback"),
            ("http://127.0.0.1/callback", "http://127.0.0.1:50123/callback"),
            ("http://localhost:1/callback", "http://localhost:2/callback"),
            ("http://[::1]/callback", "http://[::1]:9/callback"),
        ] {
            assert!(matches(registered, given), "{given}");
        }
        for (registered, given) in [
            ("https://client.example/callback", "https://client.example:8443/callback"),
            ("https://client.example/callback", "https://client.example/callback/"),
            ("https://client.example/callback", "https://client.example/callback?x=1"),
            ("https://client.example/callback", "https://evil.example/callback"),
            ("http://127.0.0.1/callback", "http://127.0.0.1/other"),
            ("http://127.0.0.1/callback", "http://localhost/callback"),
            ("http://127.0.0.1/callback", "https://127.0.0.1/callback"),
            ("http://127.0.0.1/callback", "http://user@127.0.0.1/callback"),
            ("http://127.0.0.1/callback", "http://127.0.0.1/callback#x"),
        ] {
            assert!(!matches(registered, given), "{given}");
        }
    }
}
