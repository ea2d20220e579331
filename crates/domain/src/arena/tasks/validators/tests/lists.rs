//! The validators `set` and `ordered_list`.

use serde_json::json;

use super::*;

#[test]
fn a_set_has_all_items_in_any_order() {
    let set = json!({"kind": "set", "items": ["Phobos", ["Deimos", "Mars II"], "New York"]});
    check(
        &set,
        &[
            ("Phobos, Deimos, New York", "1"),
            ("new york;MARS II\nphobos", "1"),
            ("Deimos,,Phobos, new  york,", "1"),
            ("Phobos, Phobos, Deimos, Mars II, New York", "1"),
            (r#"["New York", "Deimos", "Phobos"]"#, "1"),
            ("Phobos, Deimos", "0"),
            ("Phobos, Deimos, New York, Io", "0"),
            ("Phobos Deimos New York", "0"),
            ("[Phobos, Deimos, New York]", "M"),
            (r#"["Phobos", ["Deimos"], "New York"]"#, "M"),
            ("", "M"),
            (",;\n", "M"),
            ("[]", "M"),
            (r#"["Phobos"] x"#, "M"),
        ],
    );
    let strict =
        json!({"kind": "set", "items": ["1", "2"], "duplicates": "refuse", "separators": ["space"], "ignore": []});
    check(&strict, &[("2 1", "1"), ("1\t2\n", "1"), ("1 2 1", "M"), ("1,2", "0"), ("[2,1]", "1"), ("[1, 2.0]", "1")]);
}

#[test]
fn a_set_gives_partial_credit_against_all_items_of_both() {
    let set = json!({"kind": "set", "items": ["a", "b", "c", "d"], "partial": true});
    check(
        &set,
        &[("a,b", "500"), ("a,b,x,y", "333"), ("x", "0"), ("a,b,c,d", "1"), ("a,b,c,d,x", "800"), ("a,a,a", "250")],
    );
}

#[test]
fn an_ordered_list_has_its_items_in_order() {
    let list = json!({"kind": "ordered_list", "items": ["a", "b", "a", ["c", "see"]]});
    check(
        &list,
        &[
            ("a,b,a,c", "1"),
            ("A; B; A; SEE", "1"),
            (r#"["a","b","a","c"]"#, "1"),
            ("a,a,b,c", "0"),
            ("a,b,a", "0"),
            ("a,b,a,c,c", "0"),
            ("", "M"),
        ],
    );
    let partial = json!({"kind": "ordered_list", "items": ["a", "b", "c"], "partial": true});
    check(&partial, &[("a,c,b", "333"), ("a,b", "666"), ("a,b,c,d", "750"), ("x", "0"), ("a,b,c", "1")]);
}

#[test]
fn items_that_normalise_alike_are_refused() {
    let twice = |pointer: &str, text: &str| vec![(pointer.to_owned(), Problem::Twice(text.to_owned()))];
    assert_eq!(faults(&json!({"kind": "set", "items": ["a", "b", "A."]})), twice("/items/2", "A."));
    assert_eq!(faults(&json!({"kind": "ordered_list", "items": ["a", ["b", "a"]]})), twice("/items/1/1", "a"));
    assert_eq!(faults(&json!({"kind": "set", "items": ["a", "?"]})), [("/items/1".to_owned(), Problem::Blank)]);
    assert_eq!(faults(&json!({"kind": "text", "answers": ["\"\""]})), [("/answers/0".to_owned(), Problem::Blank)]);
}
