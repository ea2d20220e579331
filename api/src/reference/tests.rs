//! The whole published document in the catalogue.

use std::collections::BTreeSet;

use buildtrack_http::forms::Form;
use serde_json::{Value, json};

use super::{catalogue::Catalogue, examples::Examples};

use crate::{contexts::DECLARED, discovery::manifests::PUBLISHED};

fn published() -> (Value, Catalogue) {
    let document = serde_json::from_str(PUBLISHED).unwrap();
    let catalogue = Catalogue::read(&document, "https://build.example", &DECLARED);
    (document, catalogue)
}

#[test]
fn every_operation_is_in_one_group_with_errors_and_samples() {
    let (document, catalogue) = published();
    let listed: Vec<_> = catalogue.groups.iter().flat_map(|group| &group.operations).collect();
    let ids: BTreeSet<_> = listed.iter().map(|operation| &operation.id).collect();
    let known = document["paths"].as_object().unwrap().values().map(|item| item.as_object().unwrap().len());
    assert_eq!((listed.len(), ids.len()), (known.sum::<usize>(), listed.len()));
    for operation in listed {
        assert_eq!(operation.samples.len(), 4, "{}", operation.id);
        assert!(!operation.answers.is_empty(), "{}", operation.id);
        let has_codes = operation.errors.iter().any(|error| !error.codes.is_empty());
        // The HTTP server itself answers 408, without a code.
        let is_coded = has_codes || operation.errors.iter().all(|error| error.status == "408");
        assert!(is_coded, "{}: {:?}", operation.id, operation.errors);
    }
    let slugs: BTreeSet<_> = catalogue.groups.iter().map(|group| &group.slug).collect();
    assert_eq!(slugs.len(), catalogue.groups.len());
}

#[test]
fn every_type_that_a_page_links_to_is_on_the_page() {
    for group in published().1.groups {
        let shown: BTreeSet<_> = group.schemas.iter().map(|schema| &schema.name).collect();
        let contents =
            group.operations.iter().flat_map(|operation| &operation.answers).flat_map(|answer| &answer.contents);
        let bodies = group.operations.iter().filter_map(|operation| operation.body.as_ref());
        let fields = bodies.flat_map(|body| &body.fields).chain(group.schemas.iter().flat_map(|schema| &schema.fields));
        let linked = contents
            .filter_map(|content| content.schema.as_ref())
            .chain(fields.filter_map(|field| field.schema.as_ref()));
        for name in linked {
            assert!(shown.contains(name), "{}: {name}", group.name);
        }
    }
}

#[test]
fn the_example_of_every_body_is_valid_and_holds_no_placeholder() {
    let (document, _) = published();
    let mut compared = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, definition) in item.as_object().unwrap() {
            let content = &definition["requestBody"]["content"]["application/json"]["schema"];
            if !content.is_object() {
                continue;
            }
            let example = Examples { document: &document }.of("", content);
            let mut whole = content.clone();
            whole["components"] = json!({ "schemas": document["components"]["schemas"] });
            let form = Form::compile(&whole, true).unwrap();
            assert!(form.fits(&example), "{method} {path}: {example}");
            assert!(!example.to_string().contains("\"string\""), "{method} {path}: {example}");
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared}");
}
