use super::*;
use crate::field_errors::NAMED_MAX;

fn compared(schema: &Value, value: Value) -> (Vec<FieldError>, u64) {
    let mut field_errors = FieldErrors::default();
    Form::compile(schema, true).unwrap_or_else(|error| panic!("{error}")).compare(value, &mut field_errors);
    field_errors.into_parts()
}

#[test]
fn only_the_beginning_of_long_arrays_and_wide_objects_is_compared() {
    let schema = json!({
        "type": "object", "required": ["zone"], "additionalProperties": false,
        "properties": { "zone": { "type": "string" }, "tags": { "type": "array", "items": { "type": "string" } } },
    });
    let (errors, more) = compared(&schema, json!({ "zone": "a", "tags": vec![0; 100_000] }));
    assert_eq!((errors.len(), more), (NAMED_MAX, (ITEMS_MAX - NAMED_MAX) as u64));
    // Required members are found, even behind many others.
    let mut wide: Map<_, _> = (0..50_000).map(|index| (format!("a{index}"), json!([]))).collect();
    wide.insert("zone".into(), "a".into());
    let (errors, more) = compared(&schema, Value::Object(wide));
    assert!(errors.iter().all(|error| error.code == "unknown_field"), "{errors:?}");
    assert_eq!((errors.len(), more), (NAMED_MAX, (OTHERS_MAX - NAMED_MAX) as u64));
}

#[test]
fn the_number_of_compared_nodes_is_bounded() {
    let schema = json!({ "items": { "items": { "items": { "type": "string" } } } });
    let cube = json!(vec![vec![vec![0; 50]; 50]; 50]);
    let (errors, more) = compared(&schema, cube);
    assert!(errors.len() == NAMED_MAX && more < 2 * NODES_MAX as u64, "{more}");
}

#[test]
fn only_the_beginning_of_a_long_name_is_shown() {
    let schema = json!({ "additionalProperties": false });
    let (errors, _) = compared(&schema, json!({ "x".repeat(300_000): 1 }));
    assert!(errors[0].pointer.as_ref().is_some_and(|pointer| pointer.len() < 2 * NAME_MAX), "{errors:?}");
}

#[test]
fn an_unknown_field_names_the_similar_one_and_the_first_lists_all() {
    let author = json!({ "type": "object", "additionalProperties": false, "properties": { "name": {} } });
    let optional = json!({ "oneOf": [{ "type": "null" }, { "$ref": "#/components/schemas/Author" }] });
    let message = json!({
        "type": "object", "additionalProperties": false, "properties": { "content": {}, "author": optional },
    });
    let schema = json!({
        "$ref": "#/components/schemas/Message",
        "components": { "schemas": { "Message": message, "Author": author } },
    });
    let (errors, _) = compared(&schema, json!({ "contents": 1, "zzz": 2, "author": { "nam": 3 } }));
    for (pointer, message, hint) in [
        ("/contents", "contents is not a field of this body; did you mean `content`?", "Fields: author, content."),
        ("/zzz", "zzz is not a field of this body", "Remove the field"),
        ("/author/nam", "nam is not a field of this body; did you mean `name`?", "Fields: name."),
    ] {
        let error = errors.iter().find(|error| error.pointer.as_deref() == Some(pointer));
        let shown = error.map(|error| (error.message.as_str(), error.hint.starts_with(hint)));
        assert_eq!(shown, Some((message, true)), "{errors:?}");
    }
}

#[test]
fn a_missing_field_with_one_possible_value_is_named_with_it() {
    let open = json!({ "type": "string", "enum": ["open"] });
    let properties = json!({
        "status": { "$ref": "#/components/schemas/Open" }, "count": { "type": "integer", "minimum": 0, "maximum": 0 },
        "type": { "const": "WITHDRAW" }, "age": { "type": "integer", "minimum": 0, "maximum": 9 },
    });
    let new = json!({ "type": "object", "required": ["status", "count", "type", "age"], "properties": properties });
    let schema = json!({
        "properties": { "inner": { "$ref": "#/components/schemas/New" } },
        "components": { "schemas": { "New": new, "Open": open } },
    });
    let (errors, _) = compared(&schema, json!({ "inner": {} }));
    let shown: Vec<_> = errors.iter().map(|error| (error.pointer.as_deref().unwrap_or(""), &*error.hint)).collect();
    let expected = [
        ("/inner/status", "Send \"status\": \"open\"."),
        ("/inner/count", "Send \"count\": 0."),
        ("/inner/type", "Send \"type\": \"WITHDRAW\"."),
        ("/inner/age", "Add \"age\"."),
    ];
    assert_eq!(shown, expected, "{errors:?}");
    assert_eq!(errors[1].message, "count is required, and its only value is 0");
}
