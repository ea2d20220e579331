//! Where a form comes from.
//!
//! A page of another site can make a browser send a form here, with the cookie of the portal. Two checks refuse it: the
//! browser names the site that the form comes from (Fetch Metadata, `Origin`), and a form of a session holds a token that no
//! other site can read.
//!
//! **Invariant:** this server's own site is that of its public URL, or of `Host`, which browsers set and pages cannot. Headers that
//! proxies forward (`X-Forwarded-Host`, `Forwarded`) say nothing about it: an operator behind a proxy sets the public URL.

use actix_web::{HttpMessage, HttpRequest, http::StatusCode};
use buildtrack_http::{app::App, auth::Authenticated, guard::app_of, problem::Problem};
use buildtrack_store::{Purpose, sha256_hex};
use url::Url;

/// The token that every form of this session holds.
pub(super) fn form_token(app: &App, session: &Authenticated) -> String {
    app.store.log().secret().mac(Purpose::Form, &session.token_hash)
}

/// Refuses a form that does not come from a page of this server, or that was made for another session.
pub(super) fn check(request: &HttpRequest, token: &str) -> Result<(), Problem> {
    let app = app_of(request);
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    if !is_own_site(header("sec-fetch-site"), header("origin"), header("host"), app.mount.origin()) {
        return Err(foreign("The browser says that the form comes from another site, or does not say from which."));
    }
    let expected = request.extensions().get::<Authenticated>().map(|session| form_token(&app, session));
    match expected {
        // Compared as hashes, so that the time of the comparison says nothing about the token.
        Some(expected) if sha256_hex(&expected) != sha256_hex(token) => {
            Err(foreign("The form was made for another session, or for none."))
        }
        _ => Ok(()),
    }
}

fn is_own_site(site: Option<&str>, origin: Option<&str>, host: Option<&str>, public_url: &str) -> bool {
    let is_public = |origin: &str| {
        Url::parse(public_url)
            .is_ok_and(|public| public.origin().is_tuple() && public.origin().ascii_serialization() == origin)
    };
    let is_addressed = |origin: &str| {
        let named = origin.split_once("://").map(|(_, named)| named);
        named.is_some_and(|named| !named.is_empty() && Some(named) == host)
    };
    let is_own = |origin: &str| is_public(origin) || is_addressed(origin);
    match (site, origin) {
        (Some("same-origin"), None) => true,
        (Some("same-origin") | None, Some(origin)) => is_own(origin),
        _ => false,
    }
}

fn foreign(detail: &str) -> Problem {
    let hint = "Load the page again and send its form.";
    Problem::new(StatusCode::FORBIDDEN, "foreign_form", detail, hint)
}

#[cfg(test)]
mod tests {
    use super::is_own_site;

    #[test]
    fn only_forms_of_this_site_are_accepted() {
        let own = |site, origin| is_own_site(site, origin, Some("127.0.0.1:8080"), "https://build.example");
        assert!(own(Some("same-origin"), Some("https://build.example")));
        assert!(own(Some("same-origin"), Some("http://127.0.0.1:8080")));
        assert!(own(Some("same-origin"), None));
        assert!(own(None, Some("http://127.0.0.1:8080")));
        for (site, origin) in [
            (None, None),
            (None, Some("null")),
            (None, Some("https://evil.example")),
            (None, Some("https://build.example.evil.example")),
            (Some("cross-site"), Some("https://build.example")),
            (Some("same-site"), Some("https://build.example")),
            (Some("none"), None),
            (Some("same-origin"), Some("https://evil.example")),
        ] {
            assert!(!own(site, origin), "{site:?} {origin:?}");
        }
        for origin in ["http://", "null", "http://evil.example"] {
            assert!(!is_own_site(None, Some(origin), None, "https://build.example"), "{origin}");
            assert!(!is_own_site(None, Some(origin), Some(""), "https://build.example"), "{origin}");
        }
    }
}
