//! The keywords that a task's schema may use. The others are refused: a misspelt keyword would check nothing, `format` is
//! an annotation, and a cycle of references has no bound.

use std::collections::BTreeMap;

use super::{At, Problem};

/// The maximum number of subschemas, with a definition counted at each reference. An answer's work is at most this number
/// for each of its values.
const SUBSCHEMAS_MAX: usize = 1000;

/// Keywords whose value is a schema.
const SCHEMA: &[&str] = &["additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames"];
/// Keywords whose value is an array of schemas.
const SCHEMAS: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is an object of schemas.
const NAMED_SCHEMAS: &[&str] = &["properties", "patternProperties", "dependentSchemas"];
/// Keywords without schemas. The compiler checks their values.
const PLAIN: &[&str] = &[
    "type",
    "const",
    "enum",
    "required",
    "dependentRequired",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
    "title",
    "description",
    "$comment",
];

/// Allowed at the root alone.
const DEFINITIONS: &str = "$defs";
const REFERENCE: &str = "$ref";

/// Checks all keywords, references and the size.
pub(super) fn check_keywords(schema: &At<'_>) -> Option<()> {
    let faults = schema.fault_count();
    let definitions = Definitions::of(schema);
    if definitions.0.len() > SUBSCHEMAS_MAX {
        return schema.fault(Problem::SchemaSize(SUBSCHEMAS_MAX));
    }
    let root = Size::of(schema, &definitions, true);
    let sizes: BTreeMap<_, _> =
        definitions.0.iter().map(|(name, definition)| (*name, Size::of(definition, &definitions, false))).collect();
    (schema.fault_count() == faults).then_some(())?;
    match expanded(&root, &sizes, sizes.len()) {
        None => schema.fault(Problem::Circular),
        Some(subschemas) if subschemas > SUBSCHEMAS_MAX => schema.fault(Problem::SchemaSize(SUBSCHEMAS_MAX)),
        Some(_) => Some(()),
    }
}

/// The definitions of the root, by name.
struct Definitions<'a>(BTreeMap<&'a str, At<'a>>);

impl<'a> Definitions<'a> {
    fn of(schema: &At<'a>) -> Self {
        let has_any = schema.value.get(DEFINITIONS).is_some_and(serde_json::Value::is_object);
        let members = if has_any { schema.member(DEFINITIONS).members() } else { None };
        Self(members.unwrap_or_default().into_iter().collect())
    }
}

/// The subschemas that stand in a schema itself, and the definitions that it refers to.
struct Size<'a> {
    subschemas: usize,
    references: Vec<&'a str>,
}

impl<'a> Size<'a> {
    fn of(schema: &At<'a>, definitions: &Definitions<'a>, is_root: bool) -> Self {
        let mut size = Self { subschemas: 1, references: Vec::new() };
        if !schema.value.is_boolean() {
            for (keyword, value) in schema.members().unwrap_or_default() {
                // Definitions count where they are used.
                if keyword != DEFINITIONS || !is_root {
                    size.add_keyword(keyword, &value, definitions);
                }
            }
        }
        size
    }

    fn add(&mut self, schema: &At<'a>, definitions: &Definitions<'a>) {
        let Self { subschemas, references } = Self::of(schema, definitions, false);
        self.subschemas += subschemas;
        self.references.extend(references);
    }

    fn add_keyword(&mut self, keyword: &str, value: &At<'a>, definitions: &Definitions<'a>) {
        if SCHEMA.contains(&keyword) {
            self.add(value, definitions);
        } else if SCHEMAS.contains(&keyword) {
            let schemas = value.items(1..=SUBSCHEMAS_MAX).unwrap_or_default();
            for schema in &schemas {
                self.add(schema, definitions);
            }
        } else if NAMED_SCHEMAS.contains(&keyword) {
            let schemas = value.members().unwrap_or_default();
            for (_, schema) in &schemas {
                self.add(schema, definitions);
            }
        } else if keyword == REFERENCE {
            self.references.extend(reference(value, definitions));
        } else if !PLAIN.contains(&keyword) {
            value.fault::<()>(Problem::Keyword(keyword.to_owned()));
        }
    }
}

/// The name of the definition that a reference leads to.
fn reference<'a>(at: &At<'a>, definitions: &Definitions<'a>) -> Option<&'a str> {
    let name = at.value.as_str().and_then(|text| text.strip_prefix("#/$defs/"));
    name.filter(|name| definitions.0.contains_key(name)).or_else(|| at.fault(Problem::Reference))
}

/// The number of subschemas with each definition in place of its references, capped. `None` if references form a cycle:
/// a chain of more references than there are definitions.
fn expanded(size: &Size<'_>, definitions: &BTreeMap<&str, Size<'_>>, left: usize) -> Option<usize> {
    let mut total = size.subschemas;
    for name in &size.references {
        let definition = definitions.get(name)?;
        total += expanded(definition, definitions, left.checked_sub(1)?)?;
        if total > SUBSCHEMAS_MAX {
            break;
        }
    }
    Some(total)
}
