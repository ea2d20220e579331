//! Errors of unknown fields, with the fields that the body can have at that place.

use serde_json::{Map, Value};

use crate::http::{
    field_errors::{FieldErrors, Precedence},
    problem::FieldError,
    unknown_names::unknown_name,
};

const HINT: &str = "Remove the field, or check its spelling: names are in camelCase.";
/// The maximum number of nested references, branches and members that the search for fields follows.
const DEPTH_MAX: usize = 16;

/// Adds an error for each unknown field of the object at `at`. The first one lists the known fields.
pub(super) fn describe(schema: &Value, at: &str, unknown: &[String], field_errors: &mut FieldErrors) {
    let known = fields_at(schema, at);
    let mut list = (!known.is_empty()).then(|| format!("Fields: {}. Names are in camelCase.", known.join(", ")));
    for name in unknown {
        if field_errors.is_full() {
            field_errors.skip(1);
            continue;
        }
        let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        let message = unknown_name(name, "field of this body", &known);
        let hint = list.take().unwrap_or_else(|| HINT.to_owned());
        field_errors.push(FieldError::field(pointer, "unknown_field", message, hint), Precedence::Rule);
    }
}

/// The fields that a schema names for the object at `at`, a JSON Pointer into the value.
fn fields_at<'s>(schema: &'s Value, at: &str) -> Vec<&'s str> {
    let path: Vec<_> = at.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~")).collect();
    let mut search = Search { root: schema, fields: Vec::new() };
    search.follow(schema, &path, 0);
    search.fields.sort_unstable();
    search.fields.dedup();
    search.fields
}

struct Search<'s> {
    root: &'s Value,
    fields: Vec<&'s str>,
}

impl<'s> Search<'s> {
    /// Collects the fields of the objects that `schema` describes at this path.
    fn follow(&mut self, schema: &'s Value, path: &[String], depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        let root = self.root;
        let reference = schema.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| root.pointer(reference.trim_start_matches('#')));
        let lists = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|list| schema.get(list)?.as_array());
        for part in target.into_iter().chain(lists.flatten()) {
            self.follow(part, path, depth + 1);
        }
        let members = schema.get("properties").and_then(Value::as_object);
        match path.split_first() {
            None => self.fields.extend(members.into_iter().flat_map(Map::keys).map(String::as_str)),
            Some((name, rest)) => {
                let member = members.and_then(|members| members.get(name)).or_else(|| schema.get("items"));
                if let Some(member) = member {
                    self.follow(member, rest, depth + 1);
                }
            }
        }
    }
}
