//! All operations of the OpenAPI document in their groups, with the schemas that each group's page shows.

use std::collections::{BTreeMap, BTreeSet};

use buildtrack_http::declared::Declared;
use serde_json::Value;

use super::{
    fields::{Field, Schemas},
    operations::{Operation, Reader},
    prose::Prose,
};

/// The methods of a path, in the order in which a page shows them.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// All operations.
#[derive(Debug)]
pub(crate) struct Catalogue {
    /// The title of the document, and its version.
    pub(crate) version: String,
    pub(crate) base: String,
    pub(crate) groups: Vec<Group>,
    /// The types of events that the server pushes.
    pub(crate) events: Vec<String>,
}

/// Operations with the same tag.
#[derive(Debug)]
pub(crate) struct Group {
    /// The tag.
    pub(crate) name: String,
    /// The last segment of the page's address.
    pub(crate) slug: String,
    pub(crate) description: Prose,
    pub(crate) operations: Vec<Operation>,
    /// The schemas that the operations name, in alphabetical order.
    pub(crate) schemas: Vec<Schema>,
}

/// A schema of the document.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) name: String,
    pub(crate) description: Prose,
    /// The schemas one of which a value has; empty for an object.
    pub(crate) kind: String,
    pub(crate) fields: Vec<Field>,
}

impl Catalogue {
    /// Reads the document.
    pub(super) fn read(document: &Value, base: &str, declared: &Declared) -> Self {
        let codes = declared.codes.iter().flat_map(|codes| codes.iter()).map(|(code, _)| *code);
        let reasons = declared.protocols.iter().filter_map(|dialect| dialect.reasons.as_ref());
        let codes: BTreeSet<_> =
            codes.chain(reasons.flat_map(|reasons| reasons.codes.iter()).map(|(code, _)| *code)).collect();
        let reader = Reader { document, base, codes: &codes };
        let mut tagged: BTreeMap<&str, Vec<Operation>> = BTreeMap::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            for method in METHODS {
                let Some(definition) = item.get(method) else { continue };
                let tag = definition["tags"][0].as_str().unwrap_or("Others");
                tagged.entry(tag).or_default().push(reader.operation(path, method, definition));
            }
        }
        let mut groups = Vec::new();
        for tag in document["tags"].as_array().into_iter().flatten() {
            let text = |member: &str| tag[member].as_str().unwrap_or_default();
            if let Some(operations) = tagged.remove(text("name")) {
                groups.push(Group::of(document, text("name"), text("description"), operations));
            }
        }
        groups.extend(tagged.into_iter().map(|(name, operations)| Group::of(document, name, "", operations)));
        let events = document["components"]["schemas"]["EventName"]["enum"].as_array().into_iter().flatten();
        Self {
            version: document["info"]["version"].as_str().unwrap_or_default().to_owned(),
            base: base.to_owned(),
            groups,
            events: events.filter_map(Value::as_str).map(ToOwned::to_owned).collect(),
        }
    }

    /// The group of this slug.
    pub(super) fn group(&self, slug: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.slug == slug)
    }
}

impl Group {
    fn of(document: &Value, name: &str, description: &str, operations: Vec<Operation>) -> Self {
        let named = |operation: &Operation| {
            let answered = operation
                .answers
                .iter()
                .flat_map(|answer| &answer.contents)
                .filter_map(|content| content.schema.clone());
            let sent = operation.body.iter().flat_map(|body| &body.fields).filter_map(|field| field.schema.clone());
            answered.chain(sent).collect::<Vec<_>>()
        };
        let named: Vec<_> = operations.iter().flat_map(named).collect();
        Self {
            name: name.to_owned(),
            slug: name.to_lowercase().replace(' ', "-"),
            description: Prose::of(description),
            schemas: closure(document, named),
            operations,
        }
    }

    /// The address of its page.
    pub(crate) fn address(&self) -> String {
        format!("/docs/api/{}", self.slug)
    }
}

/// The schemas of these names with those that they name in turn, in alphabetical order.
fn closure(document: &Value, mut waiting: Vec<String>) -> Vec<Schema> {
    let mut found = BTreeMap::new();
    while let Some(name) = waiting.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let schema = Schema::of(document, &name);
        waiting.extend(schema.fields.iter().filter_map(|field| field.schema.clone()));
        waiting.extend(branches(&document["components"]["schemas"][name.as_str()]));
        found.insert(name, schema);
    }
    found.into_values().collect()
}

/// The names of the schemas one of which a value has.
fn branches(schema: &Value) -> Vec<String> {
    let branches = ["oneOf", "anyOf"].iter().filter_map(|several| schema[*several].as_array()).flatten();
    let references = branches.filter_map(|branch| branch["$ref"].as_str());
    references.filter_map(|reference| reference.rsplit('/').next()).map(ToOwned::to_owned).collect()
}

impl Schema {
    fn of(document: &Value, name: &str) -> Self {
        let (schemas, schema) = (Schemas { document }, &document["components"]["schemas"][name]);
        let is_choice = schema.get("oneOf").or_else(|| schema.get("anyOf")).is_some();
        Self {
            name: name.to_owned(),
            description: Prose::of(schema["description"].as_str().unwrap_or_default()),
            kind: if is_choice { schemas.kind(schema).0 } else { String::new() },
            fields: schemas.fields(schema),
        }
    }
}
