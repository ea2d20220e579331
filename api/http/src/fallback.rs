//! The fallback route: 404 for unknown paths, 405 for known paths with another method. A browser that adds a slash to the path of a
//! page is sent to the page.

use std::{collections::BTreeMap, sync::LazyLock};

use actix_web::{
    HttpRequest, HttpResponse,
    dev::ResourceDef,
    http::{
        Method, StatusCode,
        header::{LOCATION, VARY},
    },
};
use serde::de::IgnoredAny;

use super::{accept::Accept, declared::Declared, paths::routed, problem::Problem};

/// The known paths with their methods, separated by commas. Parsed at the first request for an unknown path, to save time and
/// memory at start.
pub struct KnownPaths(LazyLock<Paths, Read>);

type Read = Box<dyn FnOnce() -> Paths + Send>;

type Paths = Vec<(ResourceDef, String)>;

/// The part of the OpenAPI document that lists the paths.
#[derive(serde::Deserialize)]
struct Document {
    paths: BTreeMap<String, Item>,
}

#[derive(serde::Deserialize)]
struct Item {
    get: Option<IgnoredAny>,
    post: Option<IgnoredAny>,
    put: Option<IgnoredAny>,
    patch: Option<IgnoredAny>,
    delete: Option<IgnoredAny>,
}

impl KnownPaths {
    /// Takes the OpenAPI document, which lists the paths.
    pub fn of(document: &'static str, declared: &'static Declared) -> Self {
        Self(LazyLock::new(Box::new(move || Self::read(document, declared))))
    }

    /// The methods of a path, separated by commas. `None` if the path is unknown.
    fn methods(&self, path: &str) -> Option<&str> {
        self.0.iter().find(|(pattern, _)| pattern.is_match(path)).map(|(_, methods)| methods.as_str())
    }

    /// Reads the paths from the document and adds the pages.
    fn read(document: &str, declared: &Declared) -> Paths {
        let methods = |item: &Item| {
            let all = [
                ("GET, HEAD", item.get.is_some()),
                ("POST", item.post.is_some()),
                ("PUT", item.put.is_some()),
                ("PATCH", item.patch.is_some()),
                ("DELETE", item.delete.is_some()),
            ];
            all.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
        };
        let document: Document = serde_json::from_str(document).unwrap_or_else(|error| {
            tracing::error!(%error, "cannot read the paths from the OpenAPI document");
            Document { paths: BTreeMap::new() }
        });
        let operations = document.paths.iter().map(|(path, item)| (ResourceDef::new(path.as_str()), methods(item)));
        let pages = declared.pages.iter().copied().flatten();
        let pages = pages.map(|path| (ResourceDef::new(*path), "GET, HEAD".to_owned()));
        let forms = declared.forms.iter().chain(declared.unlisted.iter().copied().flatten());
        let forms = forms.map(|(path, methods)| (ResourceDef::new(*path), (*methods).to_owned()));
        operations.chain(pages).chain(forms).collect()
    }
}

/// The methods that any path supports.
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/// Whether the path does not support the request's method. For an unknown path: whether no path supports it. The answer then
/// does not depend on the caller.
pub(crate) fn is_of_no_method(request: &HttpRequest) -> bool {
    let methods =
        request.app_data::<actix_web::web::Data<KnownPaths>>().and_then(|known| known.methods(routed(request)));
    let method = request.method().as_str();
    match methods {
        Some(methods) => methods.split(", ").all(|known| known != method),
        None => !METHODS.contains(&method),
    }
}

/// Answers requests that no route matched.
#[expect(clippy::unused_async, reason = "actix-web takes asynchronous functions as handlers")]
pub async fn fallback(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let known = request.app_data::<actix_web::web::Data<KnownPaths>>();
    let path = routed(&request);
    if let Some(methods) = known.and_then(|known| known.methods(path)) {
        let detail = format!("{path} does not support {}.", request.method());
        let mut problem =
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail, format!("Use {methods}."));
        problem.allow = Some(methods.to_owned());
        return Err(problem);
    }
    if let Some(address) = known.and_then(|known| without_slash(&request, known)) {
        let mut answer = HttpResponse::PermanentRedirect();
        return Ok(answer.insert_header((LOCATION, address)).insert_header((VARY, "Accept")).finish());
    }
    let detail = format!("The path {path} does not exist.");
    let hint = "See /docs for all operations, or /.well-known/agent.json for the entry points.";
    Err(Problem::new(StatusCode::NOT_FOUND, "not_found", detail, hint))
}

/// The address without the slash at the end of its path, if a browser asks for it and there is something to read. It leads to this
/// server, because its path is a known one.
fn without_slash(request: &HttpRequest, known: &KnownPaths) -> Option<String> {
    let methods = known.methods(routed(request).strip_suffix('/')?)?;
    let reads = methods.starts_with("GET") && [Method::GET, Method::HEAD].contains(request.method());
    // Still encoded, as the browser sent it.
    let path = request.uri().path().strip_suffix('/').filter(|_| reads && Accept::of(request).prefers_page())?;
    Some(request.uri().query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}")))
}
