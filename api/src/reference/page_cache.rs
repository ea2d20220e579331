//! Rendered pages, kept compressed once per language. The pages of the reference are large and change only with the binary.

use std::sync::{Arc, PoisonError, RwLock};

use actix_web::{
    HttpRequest, HttpResponse,
    body::MessageBody,
    http::{
        StatusCode,
        header::{ETAG, HeaderMap},
    },
    web::Bytes,
};
use buildtrack_http::{etag, problem::Problem};
use buildtrack_pages::{self as pages, Language};

/// Compressed pages by language and path. The routes and the languages bound their number.
#[derive(Default)]
pub(super) struct PageCache(RwLock<Vec<Entry>>);

struct Entry {
    language: Language,
    path: String,
    page: Arc<Page>,
}

/// A compressed page with the headers of its answer.
struct Page {
    headers: HeaderMap,
    tag: String,
    bytes: Bytes,
}

impl PageCache {
    /// Answers with the kept page of the request's path, or renders it. A page with a query is rendered for each request, as is one
    /// for a client that does not accept gzip.
    pub(super) fn answer(
        &self,
        request: &HttpRequest,
        render: impl FnOnce() -> Result<HttpResponse, Problem>,
    ) -> Result<HttpResponse, Problem> {
        if !request.query_string().is_empty() || !pages::accepts_gzip(request) {
            return render();
        }
        let language = pages::language(request);
        if let Some(page) = self.find(language, request.path()) {
            return Ok(page.answer(request));
        }
        let response = render()?;
        if response.status() != StatusCode::OK {
            return Ok(response);
        }
        let page = Arc::new(Page::of(response)?);
        let answer = page.answer(request);
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if !entries.iter().any(|entry| entry.language == language && entry.path == request.path()) {
            entries.push(Entry { language, path: request.path().to_owned(), page });
        }
        Ok(answer)
    }

    fn find(&self, language: Language, path: &str) -> Option<Arc<Page>> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.iter().find(|entry| entry.language == language && entry.path == path)?;
        Some(Arc::clone(&entry.page))
    }
}

impl Page {
    fn of(response: HttpResponse) -> Result<Self, Problem> {
        let (response, body) = response.into_parts();
        let bytes = body.try_into_bytes().map_err(|_| Problem::internal(&"a page of the reference is a stream"))?;
        let headers = response.headers().clone();
        let tag = headers.get(ETAG).and_then(|tag| tag.to_str().ok()).unwrap_or_default().to_owned();
        Ok(Self { headers, tag, bytes })
    }

    fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let is_known = etag::is_known(request, &self.tag);
        let mut response = HttpResponse::new(if is_known { StatusCode::NOT_MODIFIED } else { StatusCode::OK });
        for (name, value) in &self.headers {
            response.headers_mut().append(name.clone(), value.clone());
        }
        if is_known { response } else { response.set_body(self.bytes.clone()).map_into_boxed_body() }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use actix_web::{
        http::header::{CONTENT_ENCODING, VARY},
        test::TestRequest,
    };

    use super::*;

    fn requested(headers: &[(&'static str, &str)]) -> HttpRequest {
        let request = TestRequest::with_uri("/docs");
        headers.iter().fold(request, |request, header| request.insert_header(*header)).to_http_request()
    }

    #[test]
    fn a_page_is_rendered_once_for_clients_that_accept_gzip() {
        let (page_cache, rendered) = (PageCache::default(), Cell::new(0));
        let answer = |request: &HttpRequest| {
            let render = || {
                rendered.set(rendered.get() + 1);
                Ok(pages::compressed(request, etag::answer_page(request, "<p>Page</p>".repeat(100))))
            };
            page_cache.answer(request, render).unwrap()
        };
        let first = answer(&requested(&[("accept-encoding", "br, gzip;q=0.5")]));
        assert_eq!(first.status(), StatusCode::OK);
        assert_eq!(first.headers().get(CONTENT_ENCODING).unwrap(), "gzip");
        assert!(first.headers().get_all(VARY).any(|value| value == "accept-encoding"));
        let tag = first.headers().get(ETAG).unwrap().to_str().unwrap().to_owned();
        let known = [("accept-encoding", "gzip"), ("if-none-match", tag.as_str())];
        let again = answer(&requested(&known));
        assert_eq!((again.status(), rendered.get()), (StatusCode::NOT_MODIFIED, 1));
        let plain = answer(&requested(&[("accept-encoding", "gzip;q=0")]));
        assert_eq!((plain.headers().contains_key(CONTENT_ENCODING), rendered.get()), (false, 2));
    }
}
