//! The event type filter of live streams. All private events have one type name, so a filter cannot distinguish them.

use std::{borrow::Cow, sync::Arc};

use buildtrack_domain::{event, log::SEALED};
use buildtrack_http::{
    described::exactly,
    query::{Parameters, Value},
};
use utoipa::openapi::Schema;

/// All types, or a list of types and kinds (`message.*`). Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Types(Option<Arc<[Box<str>]>>);

impl Types {
    /// Whether the filter includes this type.
    pub(crate) fn include(&self, event_type: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.iter().any(|name| is(name, event_type)))
    }
}

/// Types and kinds, separated by commas.
impl Value for Types {
    fn expected() -> Cow<'static, str> {
        "types of the log separated by commas, or all of a kind: message.posted,workspace.*".into()
    }

    fn parse(text: &str) -> Option<Self> {
        names(text).all(is_known).then(|| Self(Some(names(text).map(Into::into).collect())))
    }

    fn schema() -> Schema {
        let mut names: Vec<_> = event::types().map(|name| name.replace('.', r"\.")).collect();
        let kinds = event::types().filter_map(|name| name.split_once('.')).map(|(kind, _)| format!(r"{kind}\.\*"));
        names.extend(kinds);
        names.sort();
        names.dedup();
        // Each name once: after a comma another one begins.
        exactly(&[&format!(r"(({})(,\b|$))+", names.join("|"))])
    }

    /// Refuses each name that no event type has.
    fn read(parameters: &mut Parameters, name: &str) -> Option<Self> {
        let text = parameters.given(name)?;
        for unknown in names(&text).filter(|name| !is_known(name)) {
            let hint = format!("Give {}", Self::expected());
            parameters.refuse(name, format!("there is no event type {unknown:?}"), &hint);
        }
        Self::parse(&text)
    }
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim)
}

/// Whether the log has the type, or types of the kind.
fn is_known(name: &str) -> bool {
    event::types().chain([SEALED]).any(|known| is(name, known))
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
        let types = Types::read(&mut parameters, "types").unwrap_or_default();
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
