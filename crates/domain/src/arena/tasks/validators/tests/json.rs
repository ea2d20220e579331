//! The validators `json_equal` and `json_schema`.

use serde_json::{Value, json};

use super::*;

#[test]
fn a_json_value_is_compared_as_a_value() {
    check(
        &json!({"kind": "json_equal", "value": {"a": [1, 2.5, null], "b": "x"}}),
        &[
            (r#"{"b":"x","a":[1,2.5,null]}"#, "1"),
            (" {\"a\": [1.0, 25e-1, null], \"b\": \"\\u0078\"}\n", "1"),
            (r#"{"a":[2.5,1,null],"b":"x"}"#, "0"),
            (r#"{"a":[1,2.5,null]}"#, "0"),
            (r#"{"a":[1,2.5,null],"b":"x","c":1}"#, "0"),
            (r#"{"a":[1,2.5,null],"b":"x","b":"x"}"#, "M"),
            ("```json\n{}\n```", "M"),
            ("{} {}", "M"),
            ("", "M"),
            ("{'a':1}", "M"),
            (r#"{"a":NaN}"#, "M"),
        ],
    );
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    check(
        &json!({"kind": "json_equal", "value": 1}),
        &[(&deep(32), "0"), (&deep(33), "M"), ("1.0", "1"), ("true", "0")],
    );
}

#[test]
fn a_schema_and_its_expected_values_decide_together() {
    let validator = json!({
        "kind": "json_schema", "partial": true, "expected": {"/total": 3, "/items/0/name": "x", "/a~1b": null, "/items/1/name": "y"},
        "schema": {
            "type": "object", "required": ["total"], "$defs": {"item": {"type": "object", "required": ["name"]}},
            "properties": {"total": {"type": "integer"}, "items": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
        },
    });
    check(
        &validator,
        &[
            (r#"{"total":3,"items":[{"name":"x"},{"name":"y"}],"a/b":null}"#, "1"),
            (r#"{"total":3.0,"items":[{"name":"x"}],"a/b":null}"#, "750"),
            (r#"{"total":3}"#, "250"),
            (r#"{"total":4}"#, "0"),
            (r#"{"total":"3","a/b":null}"#, "0"),
            (r#"{"total":3,"items":[{}],"a/b":null}"#, "0"),
            ("3", "0"),
            ("{", "M"),
            (r#"{"total":3,"total":3}"#, "M"),
        ],
    );
    check(
        &json!({"kind": "json_schema", "schema": {"minimum": 3}}),
        &[("3", "1"), ("2", "0"), ("\"x\"", "1"), ("x", "M")],
    );
}

#[test]
fn a_schema_uses_supported_keywords_alone() {
    let schema_faults = |schema: Value| faults(&json!({"kind": "json_schema", "schema": schema}));
    let keyword = |pointer: &str, name: &str| vec![(pointer.to_owned(), Problem::Keyword(name.to_owned()))];
    let reference = |pointer: &str| vec![(pointer.to_owned(), Problem::Reference)];
    assert_eq!(schema_faults(json!({"requird": ["a"]})), keyword("/schema/requird", "requird"));
    assert_eq!(schema_faults(json!({"items": {"format": "date"}})), keyword("/schema/items/format", "format"));
    assert_eq!(schema_faults(json!({"not": {"$defs": {}}})), keyword("/schema/not/$defs", "$defs"));
    assert_eq!(schema_faults(json!({"$defs": {"a": {"$anchor": "x"}}})), keyword("/schema/$defs/a/$anchor", "$anchor"));
    assert_eq!(schema_faults(json!({"properties": {"format": {"type": "string"}}})), []);
    for leads_out in ["https://example.org/schema.json", "#", "#/properties/a", "#/$defs/b", "other.json"] {
        assert_eq!(
            schema_faults(json!({"$defs": {"a": true}, "$ref": leads_out})),
            reference("/schema/$ref"),
            "{leads_out}"
        );
    }
    let invalid = schema_faults(json!({"type": "strnig"}));
    assert!(matches!(&*invalid, [(pointer, Problem::Schema(_))] if pointer == "/schema"), "{invalid:?}");
    let look_around = schema_faults(json!({"pattern": "(?=a)b"}));
    assert!(matches!(&*look_around, [(_, Problem::Schema(_))]), "{look_around:?}");
}

#[test]
fn a_schema_has_a_bounded_size_and_no_cycles() {
    let schema_faults = |schema: Value| faults(&json!({"kind": "json_schema", "schema": schema}));
    let circular = vec![("/schema".to_owned(), Problem::Circular)];
    let reference = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
    assert_eq!(schema_faults(json!({"$defs": {"a": reference("a")}, "$ref": "#/$defs/a"})), circular);
    let list = json!({"$defs": {"a": {"items": reference("b")}, "b": {"anyOf": [{"type": "null"}, reference("a")]}}, "$ref": "#/$defs/a"});
    assert_eq!(schema_faults(list), circular);
    // Each definition uses the next one twice: 2^20 subschemas.
    let mut definitions = serde_json::Map::new();
    for index in 0..20 {
        let next = reference(&(index + 1).to_string());
        definitions.insert(index.to_string(), json!({"allOf": [next, next]}));
    }
    definitions.insert("20".to_owned(), json!(true));
    let doubling = json!({"$defs": definitions, "$ref": "#/$defs/0"});
    assert!(matches!(&*schema_faults(doubling), [(_, Problem::SchemaSize(_))]));
    let diamond = json!({"$defs": {"a": {"type": "string"}}, "properties": {"x": reference("a"), "y": reference("a")}});
    assert_eq!(schema_faults(diamond), []);
}
