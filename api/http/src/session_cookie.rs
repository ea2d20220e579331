//! The session cookie of the portal.
//!
//! **Invariant:** browsers send the cookie to `/portal` of this server alone (`Path`), and scripts cannot read it (`HttpOnly`). No other path
//! accepts it, so that no page of another site can make a browser call the API as its owner.

use std::time::Duration;

use actix_web::{
    HttpRequest,
    cookie::{Cookie, SameSite, time},
};

use super::{app::App, paths::routed};

const NAME: &str = "buildtrack_session";
const ROOT: &str = "/portal";

/// Whether a path belongs to the portal.
pub fn is_portal(path: &str) -> bool {
    path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The session token in the cookie of a request to the portal.
pub(crate) fn token(request: &HttpRequest) -> Option<String> {
    if !is_portal(routed(request)) {
        return None;
    }
    request.cookie(NAME).map(|cookie| cookie.value().to_owned())
}

/// The cookie that holds the token of a session of this length.
pub fn holding(app: &App, token: String, length: Duration) -> Cookie<'static> {
    let seconds = i64::try_from(length.as_secs()).unwrap_or(i64::MAX);
    Cookie::build(NAME, token)
        .path(app.mount.on_host(ROOT))
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(app.public_url.starts_with("https:"))
        .max_age(time::Duration::seconds(seconds))
        .finish()
}

/// The cookie that replaces one with a token, and expires at once.
pub fn expired(app: &App) -> Cookie<'static> {
    holding(app, String::new(), Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::is_portal;

    #[test]
    fn only_paths_of_the_portal_accept_the_cookie() {
        for path in ["/portal", "/portal/", "/portal/agents/ag_1"] {
            assert!(is_portal(path), "{path}");
        }
        for path in ["/", "/portals", "/api/v1/portal", "/build/portal", ""] {
            assert!(!is_portal(path), "{path}");
        }
    }
}
