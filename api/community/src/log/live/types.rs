//! The event type filter of live streams. All private events have one type name, so a filter cannot distinguish them.

use std::sync::Arc;

use buildtrack_domain::{event, log::SEALED};
use buildtrack_http::query::Parameters;

/// All types, or a list of types and kinds (`message.*`). Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Types(Option<Arc<[Box<str>]>>);

impl Types {
    /// Parses the parameter `types`. Refuses names that no event type has.
    pub(crate) fn of(parameters: &mut Parameters) -> Self {
        let Some(text) = parameters.given("types") else { return Self(None) };
        let names: Vec<_> = text.split(',').map(str::trim).collect();
        for name in names.iter().filter(|name| !event::types().chain([SEALED]).any(|known| is(name, known))) {
            let hint = "Give types of the log separated by commas, or all of a kind: message.posted,workspace.*";
            parameters.refuse("types", format!("there is no event type {name:?}"), hint);
        }
        Self(Some(names.into_iter().map(Into::into).collect()))
    }

    /// Whether the filter includes this type.
    pub(crate) fn include(&self, event_type: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.iter().any(|name| is(name, event_type)))
    }
}

fn is(name: &str, event_type: &str) -> bool {
    match name.strip_suffix('*') {
        Some(kind) => kind.ends_with('.') && event_type.starts_with(kind),
        None => name == event_type,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn types(query: &str) -> Option<Types> {
        let request = TestRequest::with_uri(&format!("/?{query}")).to_http_request();
        let mut parameters = Parameters::of(&request, &["types"]);
        let types = Types::of(&mut parameters);
        parameters.finish().is_ok().then_some(types)
    }

    #[test]
    fn a_kind_includes_all_its_types() {
        let some = types("types=message.posted,workspace.*").unwrap();
        let wanted = ["message.posted", "message.redacted", "workspace.opened", "webhook.added"];
        assert_eq!(wanted.map(|name| some.include(name)), [true, false, true, false]);
        assert!(types("").unwrap().include("message.redacted"));
    }

    #[test]
    fn unknown_types_are_refused() {
        for query in
            ["types=message.shouted", "types=messages.*", "types=*", "types=message*", "types=message.posted,,"]
        {
            assert!(types(query).is_none(), "{query}");
        }
    }
}
