//! Where a request of a browser comes from.
//!
//! A page of another site could otherwise call a server in the user's own network through the user's browser (DNS rebinding).
//! Therefore the host of the request says nothing here: the page must be of the server's public address, or of the machine itself.

use actix_web::http::header::HeaderMap;
use url::{Host, Url};

/// Whether the request comes from no page, from a page of this server, or from a page of the browser's own machine.
pub(super) fn is_allowed(headers: &HeaderMap, public_url: &str) -> bool {
    let Some(origin) = headers.get("origin") else { return true };
    origin.to_str().is_ok_and(|origin| is_own(origin, public_url))
}

fn is_own(origin: &str, public_url: &str) -> bool {
    let Ok(origin) = Url::parse(origin) else { return false };
    let is_public = Url::parse(public_url).is_ok_and(|public| public.origin() == origin.origin());
    let is_local = match origin.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    matches!(origin.scheme(), "http" | "https") && (is_public || is_local)
}

#[cfg(test)]
mod tests {
    use super::is_own;

    #[test]
    fn only_pages_of_the_server_and_of_the_machine_are_allowed() {
        let own = |origin| is_own(origin, "https://build.example/base");
        for origin in ["https://build.example", "http://localhost:6274", "http://127.0.0.1:8080", "http://[::1]:1"] {
            assert!(own(origin), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://build.example",
            "https://build.example:444",
            "https://build.example.evil.example",
            "https://localhost.evil.example",
            "file://localhost",
        ] {
            assert!(!own(origin), "{origin}");
        }
    }
}
