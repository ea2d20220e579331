//! Deduplication: equal responses, headers, parameters and links become references to shared components.

use std::collections::{BTreeMap, HashMap};

use actix_web::http::StatusCode;
use buildtrack_http::described::operations;
use serde::Serialize;
use utoipa::openapi::{
    Header, OpenApi as Document, PathItem, Ref, RefOr, Response,
    path::{Parameter, ParameterIn},
};

/// Replaces components that occur more than once by references.
pub(super) fn share(document: &mut Document) {
    let mut components = document.components.take().unwrap_or_default();
    let items = &mut document.paths.paths;
    // Headers first: responses with references to equal headers are then equal as well.
    let mut headers = Shared::new("headers");
    each_header(items, |name, header| headers.count(header, || camel_case(name)));
    each_header(items, |_, header| headers.replace(header));
    let mut parameters = Shared::new("parameters");
    each_parameter(items, |path, parameter| parameters.count(parameter, || parameter_name(path, parameter)));
    each_parameter(items, |_, parameter| parameters.replace(parameter));
    let mut responses = Shared::new("responses");
    each_response(items, |status, response| responses.count(response, || response_name(status, response)));
    each_response(items, |_, response| responses.replace(response));
    components.headers.extend(headers.components);
    components.parameters.extend(parameters.components);
    components.responses.extend(responses.components);
    document.components = Some(components);
}

type Paths = utoipa::openapi::path::PathsMap<String, PathItem>;

fn each_response(paths: &mut Paths, mut visit: impl FnMut(&str, &mut RefOr<Response>)) {
    for operation in paths.values_mut().flat_map(operations) {
        operation.responses.responses.iter_mut().for_each(|(status, response)| visit(status, response));
    }
}

fn each_header(paths: &mut Paths, mut visit: impl FnMut(&str, &mut RefOr<Header>)) {
    each_response(paths, |_, response| {
        if let RefOr::T(response) = response {
            response.headers.iter_mut().for_each(|(name, header)| visit(name, header));
        }
    });
}

fn each_parameter(paths: &mut Paths, mut visit: impl FnMut(&str, &mut RefOr<Parameter>)) {
    for (path, item) in paths {
        for operation in operations(item) {
            operation.parameters.iter_mut().flatten().for_each(|parameter| visit(path, parameter));
        }
    }
}

/// The components of one kind.
struct Shared<T> {
    kind: &'static str,
    /// For each serialized component: the number of occurrences, and the candidate name.
    seen: HashMap<String, (usize, String)>,
    /// For each shared component, its name.
    names: HashMap<String, String>,
    components: BTreeMap<String, RefOr<T>>,
}

impl<T: Serialize + Clone> Shared<T> {
    fn new(kind: &'static str) -> Self {
        Self { kind, seen: HashMap::new(), names: HashMap::new(), components: BTreeMap::new() }
    }

    /// Counts one occurrence, with the candidate name.
    fn count(&mut self, found: &RefOr<T>, name: impl FnOnce() -> String) {
        if let RefOr::T(content) = found {
            self.seen.entry(text_of(content)).or_insert_with(|| (0, name())).0 += 1;
        }
    }

    fn replace(&mut self, found: &mut RefOr<T>) {
        let RefOr::T(content) = &*found else { return };
        let text = text_of(content);
        let Some((2.., wished)) = self.seen.get(&text) else { return };
        let name = self.names.entry(text).or_insert_with(|| {
            let numbered = (2..).map(|number| format!("{wished}{number}"));
            let mut names = std::iter::once(wished.clone()).chain(numbered);
            let free = names.find(|name| !self.components.contains_key(name)).unwrap_or_default();
            self.components.insert(free.clone(), RefOr::T(content.clone()));
            free
        });
        *found = RefOr::Ref(Ref::new(format!("#/components/{}/{name}", self.kind)));
    }
}

fn text_of(content: &impl Serialize) -> String {
    serde_json::to_string(content).unwrap_or_default()
}

/// The name of a response: the status, the protocol of its error format, and the first code.
fn response_name(status: &str, response: &RefOr<Response>) -> String {
    let reason = status.parse().ok().and_then(|code| StatusCode::from_u16(code).ok());
    let reason = reason.and_then(|code| code.canonical_reason()).unwrap_or("Answer");
    let RefOr::T(response) = response else { return camel_case(reason) };
    let content = response.content.values().next().map(text_of).unwrap_or_default();
    let dialect = match &*content {
        text if text.contains("/AgoraError") => "Relay",
        text if text.contains("/ExchangeFailure") => "Exchange",
        _ => "",
    };
    let codes = response.description.split('`').skip(1).step_by(2);
    let mut codes = codes.filter(|code| code.starts_with(|first: char| first.is_ascii_lowercase()));
    format!("{dialect}{}", camel_case(codes.next().unwrap_or(reason)))
}

/// The name of a parameter: its own name, and for an id the type of its entity.
fn parameter_name(path: &str, parameter: &RefOr<Parameter>) -> String {
    let RefOr::T(parameter) = parameter else { return String::new() };
    let name = camel_case(&parameter.name);
    let before = path.split("/{id}").next().and_then(|before| before.rsplit('/').next()).unwrap_or_default();
    match parameter.parameter_in {
        ParameterIn::Path if parameter.name == "id" => format!("{}Id", camel_case(before.trim_end_matches('s'))),
        _ => name,
    }
}

/// Converts `rate_limited`, `Not Found` and `Retry-After` to component names.
fn camel_case(text: &str) -> String {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use utoipa::openapi::ResponseBuilder;

    fn response(description: &str) -> RefOr<Response> {
        RefOr::T(ResponseBuilder::new().description(description).build())
    }

    #[test]
    fn components_that_occur_twice_are_shared() {
        let mut shared = Shared::new("responses");
        let mut found = [response("`not_found`"), response("`gone`"), response("`not_found`")];
        for found in &found {
            shared.count(found, || response_name("404", found));
        }
        for found in &mut found {
            shared.replace(found);
        }
        assert!(
            matches!(&found[0], RefOr::Ref(reference) if reference.ref_location == "#/components/responses/NotFound")
        );
        assert!(matches!(&found[1], RefOr::T(_)) && matches!(&found[2], RefOr::Ref(_)));
        assert_eq!(shared.components.len(), 1);
    }

    #[test]
    fn duplicate_names_are_numbered() {
        let mut shared = Shared::new("responses");
        let mut found = ["one", "two", "one", "two"].map(response);
        for found in &found {
            shared.count(found, || "Same".to_owned());
        }
        for found in &mut found {
            shared.replace(found);
        }
        assert_eq!(shared.components.into_keys().collect::<Vec<_>>(), ["Same", "Same2"]);
    }

    #[test]
    fn names_are_in_camel_case() {
        for (text, name) in [("rate_limited", "RateLimited"), ("Retry-After", "RetryAfter"), ("nextId", "NextId")] {
            assert_eq!(camel_case(text), name);
        }
    }
}
