//! What a page knows of its reader: the language, and the address to which a change of the language returns.

use std::any::Any;

use actix_web::{HttpRequest, http::Method, web::Data};
use askama::Template;
use buildtrack_http::{app::App, session_cookie::is_portal};

use super::{
    frame::encoded,
    languages::{Language, language},
    rebasing::rebased,
};

/// The name under which templates find the reader among their runtime values.
pub(super) const READER: &str = "reader";
/// The maximum length of an address to return to. The requests of OAuth clients are long.
const ADDRESS_MAX: usize = 6000;

/// The reader of a page.
#[derive(Debug, Clone)]
pub struct Reader {
    pub(crate) language: Language,
    /// The path and the query of the page.
    address: String,
    /// The base path of the server.
    base: String,
}

/// A language that a page offers.
#[derive(Debug)]
pub(crate) struct Offer {
    /// The language's tag.
    pub(crate) tag: &'static str,
    /// What its speakers call it.
    pub(crate) name: &'static str,
    /// Where it is chosen.
    pub(crate) address: String,
    /// Whether the page is in this language.
    pub(crate) is_current: bool,
}

impl Reader {
    /// Who reads the answer to a request. A page that answers a form cannot be loaded again under its address.
    pub fn of(request: &HttpRequest) -> Self {
        let is_read = request.method() == Method::GET || request.method() == Method::HEAD;
        let address = match request.uri().path_and_query() {
            Some(address) if is_read && is_local(address.as_str()) => address.as_str(),
            _ if is_portal(request.path()) => "/portal",
            _ => "/",
        };
        let base = request.app_data::<Data<App>>().map(|app| app.mount.base().to_owned()).unwrap_or_default();
        Self { language: language(request), address: address.to_owned(), base }
    }

    /// Renders a whole page for this reader, with the addresses that it has on the server's host.
    pub(super) fn render_page(&self, page: &impl Template) -> askama::Result<String> {
        Ok(rebased(&self.base, self.render(page)?))
    }

    /// Renders a page, or a part of one, for this reader.
    pub(super) fn render(&self, page: &impl Template) -> askama::Result<String> {
        let values: (&str, &dyn Any) = (READER, self);
        page.render_with_values(&values)
    }

    /// The languages that the page offers, each with the address that chooses it.
    pub(crate) fn offers(&self) -> Vec<Offer> {
        let offer = |language: Language| Offer {
            tag: language.tag(),
            name: language.name(),
            address: format!("/language/{}?next={}", language.tag(), encoded(&self.address)),
            is_current: language == self.language,
        };
        Language::ALL.map(offer).into()
    }
}

/// Whether an address is a path of this server with an optional query, so that a redirect to it leads to no other site.
pub fn is_local(address: &str) -> bool {
    let path = address.split('?').next().unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'#');
    address.len() <= ADDRESS_MAX
        && path.starts_with('/')
        && !path.contains("//")
        && !path.contains("..")
        && address.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn addresses(request: TestRequest) -> Vec<String> {
        Reader::of(&request.to_http_request()).offers().into_iter().map(|offer| offer.address).collect()
    }

    #[test]
    fn a_page_offers_its_languages_and_returns_to_itself() {
        let page = TestRequest::with_uri("/people?cursor=a%20b&x=1");
        assert_eq!(addresses(page)[1], "/language/ko?next=%2Fpeople%3Fcursor%3Da%2520b%26x%3D1");
    }

    #[test]
    fn a_page_that_answers_a_form_returns_to_the_portal() {
        let page = TestRequest::with_uri("/portal/agents").method(Method::POST);
        assert_eq!(addresses(page)[0], "/language/en?next=%2Fportal");
    }

    #[test]
    fn only_addresses_of_this_server_are_local() {
        for address in ["/", "/people", "/search?q=a%20b&next=//x", "/portal/agents/ag_01h2e8kqvbfwea724h75qc655w"] {
            assert!(is_local(address), "{address}");
        }
        let long = format!("/{}", "x".repeat(ADDRESS_MAX));
        for address in [
            "",
            "people",
            "//evil.example",
            "/\\evil.example",
            "/a/../..//evil.example",
            "/..",
            "https://evil.example/",
            "javascript:alert(1)",
            "/a\nb",
            "/a b",
            "/#x",
            long.as_str(),
        ] {
            assert!(!is_local(address), "{address}");
        }
    }
}
