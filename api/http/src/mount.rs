//! Where the server stands on its host: at the root, or below a path that it shares the host with (`BUILDTRACK_PUBLIC_URL`).
//!
//! All code speaks of the server's own paths, which begin at its root. Requests and answers are translated at the edge alone: [`enter`]
//! takes the base path from a request before anything reads its path, and [`leave`] puts it before the paths in an answer's headers.
//! Pages are translated where they are rendered (`pages/rebasing.rs`). URLs begin with the public URL, which has the base path.
//!
//! **Invariant:** the base path is taken from a request at most once, and as it is written in the settings: an encoded form of it is an
//! unknown path. A proxy may also have taken it away.
//!
//! [`enter`]: Mount::enter
//! [`leave`]: Mount::leave

use std::borrow::Cow;

use actix_web::http::{
    Uri,
    header::{HeaderMap, HeaderValue, LOCATION},
    uri::PathAndQuery,
};
use buildtrack_settings::Settings;

/// The folder in which a host answers for all servers on it (RFC 8615).
const WELL_KNOWN: &str = "/.well-known/";

/// The place of the server.
#[derive(Debug, Clone)]
pub struct Mount {
    /// Scheme, host and port.
    origin: String,
    /// The path without a slash at its end; empty at the root.
    base: String,
}

impl Mount {
    /// The place that the settings name.
    pub fn of(settings: &Settings) -> Self {
        let (url, base) = (settings.public_url(), settings.base_path().to_owned());
        let origin = url.strip_suffix(&*base).unwrap_or(&url).to_owned();
        Self { origin, base }
    }

    /// Scheme, host and port, as browsers name the server in `Origin`.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The base path without a slash at its end; empty at the root.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The path on the host of a path of the server.
    pub fn on_host(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// The URL of metadata about a path of the server, whose name stands before the path (RFC 8414, section 3.1; RFC 9728, section 3.1).
    pub fn well_known(&self, name: &str, path: &str) -> String {
        format!("{}{WELL_KNOWN}{name}{}{path}", self.origin, self.base)
    }

    /// The address within the server of an address on its host. `None` if it stays as it is.
    pub fn enter(&self, address: &Uri) -> Option<Uri> {
        if self.base.is_empty() {
            return None;
        }
        let path = self.within(address.path())?;
        let address_within = match address.query() {
            Some(query) => format!("{path}?{query}"),
            None => path.into_owned(),
        };
        let mut parts = address.clone().into_parts();
        parts.path_and_query = Some(PathAndQuery::try_from(address_within).ok()?);
        Uri::from_parts(parts).ok()
    }

    /// Puts the base path before the paths that an answer's headers name.
    pub(crate) fn leave(&self, headers: &mut HeaderMap) {
        let is_path = |address: &&str| address.starts_with('/') && !address.starts_with("//");
        let address = headers.get(LOCATION).and_then(|address| address.to_str().ok()).filter(is_path);
        let address = address.filter(|_| !self.base.is_empty()).map(|path| self.on_host(path));
        if let Some(address) = address.and_then(|address| HeaderValue::from_str(&address).ok()) {
            headers.insert(LOCATION, address);
        }
    }

    /// The path within the server of a path on its host.
    fn within<'p>(&self, path: &'p str) -> Option<Cow<'p, str>> {
        if let Some(rest) = self.below(path) {
            return Some(if rest.is_empty() { "/" } else { rest }.into());
        }
        let named = path.strip_prefix(WELL_KNOWN)?;
        let (name, below) = named.split_at(named.find('/')?);
        Some(format!("{WELL_KNOWN}{name}{}", self.below(below)?).into())
    }

    /// What follows the base path.
    fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(&*self.base).filter(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::LOCATION;

    use super::*;

    fn mount(url: &str) -> Mount {
        Mount::of(&Settings { public_url: Some(url.parse().unwrap()), ..Settings::default() })
    }

    fn entered(mount: &Mount, address: &str) -> Option<String> {
        mount.enter(&address.parse().unwrap()).map(|address| address.to_string())
    }

    #[test]
    fn a_request_loses_the_base_path_once_and_as_it_is_written() {
        let hub = mount("https://shared.example/tools/hub/");
        for (address, within) in [
            ("/tools/hub", "/"),
            ("/tools/hub/", "/"),
            ("/tools/hub?a=/tools/hub", "/?a=/tools/hub"),
            ("/tools/hub/build/ws_1?limit=2", "/build/ws_1?limit=2"),
            ("/tools/hub/tools/hub/build", "/tools/hub/build"),
            ("/tools/hub/api/v1/session%73", "/api/v1/session%73"),
            ("http://shared.example/tools/hub/log", "http://shared.example/log"),
            ("/.well-known/oauth-authorization-server/tools/hub", "/.well-known/oauth-authorization-server"),
            ("/.well-known/oauth-protected-resource/tools/hub/mcp", "/.well-known/oauth-protected-resource/mcp"),
        ] {
            assert_eq!(entered(&hub, address).as_deref(), Some(within), "{address}");
        }
        for address in
            ["/", "/build", "/tools/hubs", "/tools/%68ub/build", "/TOOLS/HUB/build", "/.well-known/jwks.json"]
        {
            assert_eq!(entered(&hub, address), None, "{address}");
        }
        assert_eq!(entered(&mount("https://build.example"), "/tools/hub/build"), None);
    }

    #[test]
    fn an_answer_names_the_path_on_the_host() {
        let located = |mount: &Mount, address: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(LOCATION, HeaderValue::from_static(address));
            mount.leave(&mut headers);
            headers.get(LOCATION).unwrap().to_str().unwrap().to_owned()
        };
        let hub = mount("https://shared.example/hub");
        assert_eq!(located(&hub, "/portal?a=b#c"), "/hub/portal?a=b#c");
        for address in ["https://client.example/callback", "//other.example/"] {
            assert_eq!(located(&hub, address), address);
        }
        assert_eq!(located(&mount("https://build.example"), "/portal"), "/portal");
    }

    #[test]
    fn metadata_stands_before_the_path_that_it_is_about() {
        let named = |url| mount(url).well_known("oauth-protected-resource", "/mcp");
        let below = "https://shared.example:8443/.well-known/oauth-protected-resource/hub/mcp";
        assert_eq!(named("https://shared.example:8443/hub"), below);
        assert_eq!(named("https://build.example"), "https://build.example/.well-known/oauth-protected-resource/mcp");
        assert_eq!(mount("https://shared.example/hub").origin(), "https://shared.example");
    }
}
