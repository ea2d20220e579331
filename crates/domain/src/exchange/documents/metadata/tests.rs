use super::*;

fn read(yaml: &str) -> Result<(String, String, bool), InvalidMetadata> {
    Metadata::read(yaml).map(|metadata| (metadata.name, metadata.description, metadata.multiround))
}

#[test]
fn three_fields_are_read_and_others_ignored() {
    let yaml = "# On weather\nname: 'Weather'\nversion: 1.0\nauthors: [Ada, {name: Bob}]\ndescription: >\n  Says what\n  \
                comes.\nmultiround: false\nname2:\n  - name: x\n";
    assert_eq!(read(yaml), Ok(("Weather".into(), "Says what comes.".into(), false)));
    let json = r#"{"name": "2026", "description": "d: e", "multiround": true}"#;
    assert_eq!(read(json), Ok(("2026".into(), "d: e".into(), true)));
    assert_eq!(read("name: !!str 7\ndescription: d\nmultiround: YES\n"), Ok(("7".into(), "d".into(), true)));
}

#[test]
fn an_error_names_the_missing_or_malformed_field() {
    let with = |field: &str, value: &str| {
        let mut fields = BTreeMap::from([("name", "n"), ("description", "d"), ("multiround", "true")]);
        fields.insert(["name", "description", "multiround"].into_iter().find(|known| *known == field).unwrap(), value);
        let lines: Vec<_> = fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        read(&lines.join("\n"))
    };
    for value in ["7", "-1.5e3", "true", "off", "[a]", "{a: b}"] {
        assert_eq!(with("name", value), Err(InvalidMetadata::NotText("name")), "{value}");
    }
    for value in ["", "~", "null", "''", "\"  \""] {
        assert_eq!(with("description", value), Err(InvalidMetadata::Blank("description")), "{value}");
    }
    for value in ["", "1", "'true'", "maybe", "[true]"] {
        assert_eq!(with("multiround", value), Err(InvalidMetadata::NotBoolean), "{value}");
    }
    assert_eq!(with("name", r#""a\nb""#), Err(InvalidMetadata::NotOneLine));
    assert_eq!(with("name", r#""a\0b""#), Err(InvalidMetadata::Nul("name")));
    let long = "é".repeat(NAME_MAX + 1);
    assert_eq!(with("name", &long), Err(InvalidMetadata::FieldTooLong { field: "name", max: NAME_MAX }));
    assert_eq!(read("name: n\nmultiround: true"), Err(InvalidMetadata::Missing("description")));
    assert_eq!(read("name: n\nname: m"), Err(InvalidMetadata::Duplicate("name".into())));
    assert_eq!(read("? [a]\n: b"), Err(InvalidMetadata::KeyNotText));
    for other in ["", "# nothing", "- name: n", "just text", "a: b\n---\nc: d", "a: b\n---\n- d"] {
        assert_eq!(read(other), Err(InvalidMetadata::NoMapping), "{other}");
    }
    assert!(matches!(read("name: n\ndescription: \"d\nmultiround: true"), Err(InvalidMetadata::Yaml { .. })));
}

#[test]
fn aliases_and_deep_nesting_are_refused() {
    let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n";
    assert_eq!(read(bomb), Err(InvalidMetadata::Aliases));
    assert_eq!(read("name: &n x\n"), Err(InvalidMetadata::Aliases));
    assert_eq!(read(&format!("name: {}", "[".repeat(DEPTH_MAX))), Err(InvalidMetadata::TooDeep));
    // So deep that the YAML parser itself refuses it.
    assert!(matches!(read(&format!("name: {}", "[".repeat(3000))), Err(InvalidMetadata::Yaml { .. })));
    let long = format!("name: {}", "x".repeat(METADATA_MAX));
    assert_eq!(read(&long), Err(InvalidMetadata::TooLong(METADATA_MAX + 6)));
}
