//! Addresses of servers, and ids within their paths, as the command line names them.

use url::{Host, Url};

/// The server of commands that name none.
pub(crate) const LOCAL: &str = "http://127.0.0.1:8080";

/// Whether an address is one of this machine's own.
pub(crate) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Reads the address of a server on the command line.
pub(crate) fn server_address(text: &str) -> Result<String, String> {
    let url = Url::parse(text).map_err(|error| format!("{error}; expected an address such as {LOCAL}"))?;
    let is_plain =
        url.query().is_none() && url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
    if matches!(url.scheme(), "http" | "https") && url.has_host() && is_plain {
        Ok(url.as_str().trim_end_matches('/').to_owned())
    } else {
        Err(format!("expected an address such as {LOCAL}, without user, query and fragment"))
    }
}

/// Reads an id on the command line, which becomes a segment of a path.
pub(crate) fn id(text: &str) -> Result<String, String> {
    let is_id = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if (1..=200).contains(&text.len()) && text.chars().all(is_id) {
        Ok(text.to_owned())
    } else {
        Err("expected an id such as ws_01h2e8kqvbfwea724h75qc655w".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_addresses_without_secrets() {
        assert_eq!(server_address("https://build.example/"), Ok("https://build.example".to_owned()));
        assert_eq!(server_address("http://127.0.0.1:8080/below/"), Ok("http://127.0.0.1:8080/below".to_owned()));
        for wrong in [
            "build.example",
            "ftp://build.example",
            "https://a:b@build.example",
            "https://build.example/?a=b",
            "file:///etc",
        ] {
            assert!(server_address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_id_stays_within_its_path() {
        assert!(id("ws_01h2e8kqvbfwea724h75qc655w").is_ok());
        for wrong in ["", ".", "..", "a/b", "a?b", "a%2fb"] {
            assert!(id(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_local_machine_is_known() {
        for (address, expected) in
            [("http://localhost:1", true), ("http://[::1]:1", true), ("https://build.example", false)]
        {
            assert_eq!(is_this_machine(&Url::parse(address).unwrap()), expected, "{address}");
        }
    }
}
