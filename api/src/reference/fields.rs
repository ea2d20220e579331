//! Fields of bodies, answers and parameters, with their types and bounds.

use serde_json::Value;

use super::{examples::kind_of, prose::Prose};

/// The least limit of a number that is not shown: those of 64-bit integers say nothing to the reader.
const NUMBER_MAX: f64 = 9e18;

/// A field or a parameter.
#[derive(Debug)]
pub(crate) struct Field {
    /// Its name; those of nested objects are joined by dots.
    pub(crate) name: String,
    /// `path`, `query` or `header`; empty for a field.
    pub(crate) location: String,
    /// The type: `string | null`, `Message[]`.
    pub(crate) kind: String,
    /// The schema that the type names.
    pub(crate) schema: Option<String>,
    pub(crate) is_required: bool,
    pub(crate) bounds: Vec<Bound>,
    pub(crate) description: Prose,
    /// The value that is entered for a trial.
    pub(crate) example: Option<String>,
}

/// What a value must satisfy.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The number of characters.
    Characters(String),
    /// The number of items.
    Items(String),
    /// The range of a number.
    Range(String),
    /// A regular expression.
    Pattern(String),
    /// A format, such as `date-time`.
    Format(String),
    /// The value that is used unless another is given.
    Default(String),
    /// The values that are possible.
    Values(Vec<String>),
}

/// Reads the schemas of a document.
#[derive(Clone, Copy)]
pub(super) struct Schemas<'a> {
    /// The OpenAPI document.
    pub(super) document: &'a Value,
}

impl<'a> Schemas<'a> {
    /// The target of a reference, or the value itself.
    pub(super) fn resolved(self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => self.document.pointer(reference.trim_start_matches('#')).unwrap_or(value),
            None => value,
        }
    }

    /// The fields of a schema; those of objects within it follow the field that holds them.
    pub(super) fn fields(self, schema: &'a Value) -> Vec<Field> {
        let mut fields = Vec::new();
        self.collect("", schema, &mut fields);
        fields
    }

    fn collect(self, prefix: &str, schema: &'a Value, fields: &mut Vec<Field>) {
        let schema = self.resolved(schema);
        for branch in ["oneOf", "anyOf"].iter().filter_map(|several| schema[*several].as_array()).flatten() {
            if branch.get("properties").is_some() {
                self.collect(prefix, branch, fields);
            }
        }
        let required: Vec<_> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let mut field = self.field(&format!("{prefix}{name}"), property);
            field.is_required = required.contains(&name.as_str());
            fields.push(field);
            let (inner, mark) =
                if property.get("items").is_some() { (&property["items"], "[]") } else { (property, "") };
            if inner.get("$ref").is_none() && inner.get("properties").is_some() {
                self.collect(&format!("{prefix}{name}{mark}."), inner, fields);
            }
        }
    }

    /// A field of this schema.
    fn field(self, name: &str, schema: &'a Value) -> Field {
        let (kind, named, is_nullable) = self.kind(schema);
        let described = schema.get("description").or_else(|| self.resolved(schema).get("description"));
        Field {
            name: name.to_owned(),
            location: String::new(),
            kind: if is_nullable { format!("{kind} | null") } else { kind },
            schema: named,
            is_required: false,
            bounds: self.bounds(schema),
            description: Prose::of(described.and_then(Value::as_str).unwrap_or_default()),
            example: None,
        }
    }

    /// A parameter of an operation.
    pub(super) fn parameter(self, parameter: &'a Value) -> Field {
        let parameter = self.resolved(parameter);
        let text = |member: &str| parameter[member].as_str().unwrap_or_default();
        let example = parameter.get("example").map(|example| match example {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        Field {
            location: text("in").to_owned(),
            is_required: parameter["required"] == true,
            description: Prose::of(text("description")),
            example,
            ..self.field(text("name"), &parameter["schema"])
        }
    }

    /// The type of a schema, the schema that it names, and whether null is possible.
    pub(super) fn kind(self, schema: &'a Value) -> (String, Option<String>, bool) {
        if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
            let target = self.resolved(schema);
            // A list of values is shown beside the field.
            return match kind_of(target).0 {
                "string" => ("string".to_owned(), None, false),
                _ => (name.to_owned(), Some(name.to_owned()), false),
            };
        }
        if let Some(branches) = ["oneOf", "anyOf"].iter().find_map(|several| schema[*several].as_array()) {
            let is_nullable = branches.iter().any(|branch| branch["type"] == "null");
            let kinds: Vec<_> =
                branches.iter().filter(|branch| branch["type"] != "null").map(|branch| self.kind(branch)).collect();
            let named = kinds.iter().find_map(|(_, named, _)| named.clone());
            let kinds: Vec<_> = kinds.into_iter().map(|(kind, ..)| kind).collect();
            return (kinds.join(" | "), named, is_nullable);
        }
        let (kind, is_nullable) = kind_of(schema);
        match kind {
            "array" => {
                let (items, named, _) = self.kind(&schema["items"]);
                (format!("{items}[]"), named, is_nullable)
            }
            "" => ("any".to_owned(), None, is_nullable),
            kind => (kind.to_owned(), None, is_nullable),
        }
    }

    fn bounds(self, schema: &'a Value) -> Vec<Bound> {
        let mut bounds = Vec::new();
        if let Some(items) = schema.get("items") {
            bounds.extend(span(schema, "minItems", "maxItems").map(Bound::Items));
            // The bounds of texts in a list stand beside the list.
            bounds.extend(self.bounds(items));
            return bounds;
        }
        let schema = self.resolved(schema);
        let text = |member: &str| schema[member].as_str().map(ToOwned::to_owned);
        if let Some(values) = schema["enum"].as_array() {
            bounds.push(Bound::Values(values.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect()));
        }
        bounds.extend(span(schema, "minLength", "maxLength").map(Bound::Characters));
        bounds.extend(span(schema, "minimum", "maximum").map(Bound::Range));
        bounds.extend(text("format").filter(|format| !format.starts_with("int")).map(Bound::Format));
        bounds.extend(text("pattern").map(Bound::Pattern));
        bounds.extend(schema.get("default").map(|value| Bound::Default(value.to_string())));
        bounds
    }
}

/// The limits of a number: `1 – 200`, `≥ 1`, `≤ 200`.
fn span(schema: &Value, least: &str, most: &str) -> Option<String> {
    let number = |member: &str| schema.get(member).filter(|limit| limit.as_f64().is_some_and(is_telling));
    match (number(least), number(most)) {
        (Some(least), Some(most)) if least == most => Some(least.to_string()),
        (Some(least), Some(most)) => Some(format!("{least} – {most}")),
        (Some(least), None) => Some(format!("≥ {least}")),
        (None, Some(most)) => Some(format!("≤ {most}")),
        (None, None) => None,
    }
}

fn is_telling(limit: f64) -> bool {
    limit.abs() < NUMBER_MAX
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_has_its_type_bounds_and_required_mark() {
        let document =
            json!({ "schemas": { "Kind": { "type": "string", "enum": ["a", "b"] }, "Part": { "type": "object" } } });
        let schemas = Schemas { document: &document };
        let schema = json!({ "type": "object", "required": ["kind"], "properties": {
            "kind": { "$ref": "#/schemas/Kind" },
            "limit": { "type": ["integer", "null"], "minimum": 1, "maximum": 200, "default": 50, "format": "int64" },
            "parts": { "type": "array", "maxItems": 3, "items": { "$ref": "#/schemas/Part" } },
            "thread": { "type": "object", "properties": { "id": { "type": "string", "maxLength": 9 } } },
            "total": { "type": "integer", "minimum": 0, "maximum": i64::MAX },
        }});
        let fields = schemas.fields(&schema);
        let shown: Vec<_> = fields.iter().map(|field| (&*field.name, &*field.kind, field.is_required)).collect();
        let expected = [
            ("kind", "string", true),
            ("limit", "integer | null", false),
            ("parts", "Part[]", false),
            ("thread", "object", false),
            ("thread.id", "string", false),
            ("total", "integer", false),
        ];
        assert_eq!(shown, expected);
        assert_eq!(fields[0].bounds, [Bound::Values(vec!["a".into(), "b".into()])]);
        assert_eq!(fields[1].bounds, [Bound::Range("1 – 200".into()), Bound::Default("50".into())]);
        assert_eq!(
            (&fields[2].bounds[..], fields[2].schema.as_deref()),
            (&[Bound::Items("≤ 3".into())][..], Some("Part"))
        );
        assert_eq!(fields[5].bounds, [Bound::Range("≥ 0".into())]);
    }
}
