//! The media types that a client accepts (RFC 9110, section 12.5.1).

use std::future::{Ready, ready};

use actix_web::{FromRequest, HttpRequest, dev::Payload, http::header::ACCEPT};

use super::problem::Problem;

/// The header `Accept` of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Accept(String);

impl Accept {
    /// Reads the header, which may occur several times.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let values: Vec<_> = request.headers().get_all(ACCEPT).filter_map(|value| value.to_str().ok()).collect();
        Self(values.join(",").to_ascii_lowercase())
    }

    /// Whether the client names this media type. `*/*`, which programs send by default, names none.
    pub(crate) fn names(&self, media_type: &str) -> bool {
        self.0.split(',').any(|range| {
            let mut parts = range.split(';').map(str::trim);
            parts.next() == Some(media_type) && !parts.any(is_refusal)
        })
    }
}

/// Whether a parameter of a media range is the weight 0, which means «not acceptable».
fn is_refusal(parameter: &str) -> bool {
    parameter.strip_prefix("q=").and_then(|weight| weight.trim().parse::<f32>().ok()) == Some(0.0)
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
            assert!(!accepting(values).names("text/html"), "{values:?}");
        }
    }
}
