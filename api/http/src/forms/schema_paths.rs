//! The schemas of a place in a value: the search follows references, branches, members and items.

use serde_json::{Map, Value};

/// The maximum number of nested references, branches and members that the search follows.
const DEPTH_MAX: usize = 16;

/// The properties that a schema gives the objects at `at`, a JSON Pointer into the value.
pub(super) fn properties_at<'s>(schema: &'s Value, at: &str) -> Vec<&'s Map<String, Value>> {
    let path: Vec<_> = at.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~")).collect();
    let mut search = Search { root: schema, found: Vec::new() };
    search.follow(schema, &path, 0);
    search.found
}

/// The schema that a schema refers to, or the schema itself.
pub(super) fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    target(root, schema).unwrap_or(schema)
}

fn target<'s>(root: &'s Value, schema: &Value) -> Option<&'s Value> {
    let reference = schema.get("$ref").and_then(Value::as_str)?;
    root.pointer(reference.trim_start_matches('#'))
}

struct Search<'s> {
    root: &'s Value,
    found: Vec<&'s Map<String, Value>>,
}

impl<'s> Search<'s> {
    /// Collects the properties of the objects that `schema` describes at this path.
    fn follow(&mut self, schema: &'s Value, path: &[String], depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        let lists = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|list| schema.get(list)?.as_array());
        for part in target(self.root, schema).into_iter().chain(lists.flatten()) {
            self.follow(part, path, depth + 1);
        }
        let members = schema.get("properties").and_then(Value::as_object);
        match path.split_first() {
            None => self.found.extend(members),
            Some((name, rest)) => {
                let member = members.and_then(|members| members.get(name)).or_else(|| schema.get("items"));
                if let Some(member) = member {
                    self.follow(member, rest, depth + 1);
                }
            }
        }
    }
}
