//! The media types that a client accepts (RFC 9110, section 12.5.1).

use std::future::{Ready, ready};

use actix_web::{FromRequest, HttpRequest, dev::Payload, http::header::ACCEPT};

use super::problem::Problem;

/// The header `Accept` of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accept(String);

impl Accept {
    /// Reads the header, which may occur several times.
    pub fn of(request: &HttpRequest) -> Self {
        let values: Vec<_> = request.headers().get_all(ACCEPT).filter_map(|value| value.to_str().ok()).collect();
        Self(values.join(",").to_ascii_lowercase())
    }

    /// Whether the client names this media type. `*/*`, which programs send by default, names none.
    pub fn names(&self, media_type: &str) -> bool {
        self.0.split(',').any(|range| {
            let mut parts = range.split(';').map(str::trim);
            parts.next() == Some(media_type) && parts.find_map(weight) != Some(0.0)
        })
    }

    /// Whether the client asks for a page in place of JSON: it names `text/html`, with a greater weight than JSON, or before it.
    pub fn prefers_page(&self) -> bool {
        match (self.named("text/html"), self.named("application/json")) {
            (Some((page, index)), Some((data, data_index))) => page > data || (page >= data && index < data_index),
            (page, _) => page.is_some(),
        }
    }

    /// The weight of a media type that the client names and accepts, and its place in the list.
    fn named(&self, media_type: &str) -> Option<(f32, usize)> {
        self.0.split(',').enumerate().find_map(|(index, range)| {
            let mut parts = range.split(';').map(str::trim);
            let is_named = parts.next() == Some(media_type);
            let weight = parts.find_map(weight).unwrap_or(1.0);
            (is_named && weight > 0.0).then_some((weight, index))
        })
    }
}

/// The weight in a parameter of a media range; 0 means «not acceptable».
fn weight(parameter: &str) -> Option<f32> {
    parameter.strip_prefix("q=").and_then(|weight| weight.trim().parse().ok())
}

impl FromRequest for Accept {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::of(request)))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn accepting(values: &[&str]) -> Accept {
        let request =
            values.iter().fold(TestRequest::default(), |request, value| request.append_header((ACCEPT, *value)));
        Accept::of(&request.to_http_request())
    }

    #[test]
    fn a_client_names_a_media_type_with_or_without_parameters() {
        for values in [
            &["text/html"][..],
            &["application/xhtml+xml, TEXT/HTML ;level=1;q=0.9, */*;q=0.8"],
            &["application/json", "text/html"],
        ] {
            assert!(accepting(values).names("text/html"), "{values:?}");
        }
    }

    #[test]
    fn a_wildcard_or_a_refused_type_is_not_named() {
        for values in
            [&[][..], &["*/*"], &["text/*"], &["text/html;q=0"], &["text/html; q=0.000, */*"], &["text/htmlx"]]
        {
            assert!(!accepting(values).names("text/html") && !accepting(values).prefers_page(), "{values:?}");
        }
    }

    #[test]
    fn a_page_is_preferred_where_it_is_named_with_a_greater_weight_or_before_json() {
        for (values, expected) in [
            ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", true),
            ("text/html;q=0.1", true),
            ("text/html, application/json", true),
            ("application/json, text/html", false),
            ("application/json;q=0.5, text/html", true),
            ("text/html;q=0.4, application/json;q=0.5", false),
            ("text/html;q=0, application/json;q=0", false),
        ] {
            assert_eq!(accepting(&[values]).prefers_page(), expected, "{values}");
        }
    }
}
