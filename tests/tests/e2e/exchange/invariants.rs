//! Property tests: invariants of every exchange response for arbitrary requests

use buildtrack_tests::{Backend, Caller, Reply, TestApp};
use proptest::{
    prelude::{Just, Strategy, any, prop_oneof},
    strategy::ValueTree,
    test_runner::TestRunner,
};
use rstest_reuse::apply;
use serde_json::{Map, Value, json};

use crate::either;

/// Arbitrary JSON, with a bias to almost valid values.
fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>(),
        Just("negotiation".to_owned()),
        Just("a9993e364706816aba3e25717850c26c9cd0d89d".to_owned()),
        Just("data:text/plain;charset=utf-8,abc".to_owned()),
        Just("araf_0123456789abcdef0123456789abcdef01234567".to_owned()),
    ];
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        4 => text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(".{0,8}", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A request in which every field may be missing or have any value.
fn request() -> impl Strategy<Value = Value> {
    let names = ["body", "protocolHash", "protocolSources", "multiround", "status"];
    let fields = names.map(|name| proptest::option::of(value()).prop_map(move |value| (name, value)));
    let made = |fields: [(&str, Option<Value>); 5]| {
        let there = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(there.collect::<Map<_, _>>())
    };
    prop_oneof![4 => fields.prop_map(made), 1 => value()]
}

/// Fails unless the three error layers are separate.
fn check(sent: &Value, answered: &Reply) {
    let context = format!("{sent}: {} {}", answered.status, answered.text);
    let has = |name: &str| answered.json.get(name).is_some();
    assert!([200, 400].contains(&answered.status), "{context}");
    let succeeded = answered["status"] == "success";
    assert_eq!((succeeded, !succeeded), (has("body"), has("error")), "{context}");
    assert!(succeeded || answered["status"] == "failure" && !answered.text_at("/error").is_empty(), "{context}");
    assert!(!succeeded || answered["body"].is_string() || answered["body"].is_object(), "{context}");
    assert_eq!(has("conversationId"), has("conversationExpires"), "{context}");
    let object = sent.as_object();
    let is = |name: &str, right: fn(&Value) -> bool| object.and_then(|fields| fields.get(name)).is_none_or(right);
    let well_typed = object.is_some()
        && is("body", |value| value.is_null() || value.is_string() || value.is_object())
        && is("protocolHash", |value| value.is_null() || value.is_string())
        && is("protocolSources", |value| {
            value.is_null() || value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
        })
        && is("multiround", Value::is_boolean);
    if answered.status == 400 {
        assert!(!well_typed || answered["code"] == "protocol_changed", "{context}");
    } else {
        assert!(well_typed, "{context}");
        assert!(!succeeded || !sent["body"].is_null(), "{context}");
    }
}

async fn try_many(caller: &Caller, path: &str) {
    let mut runner = TestRunner::default();
    for _ in 0..150 {
        let sent = request().new_tree(&mut runner).unwrap().current();
        let answered = caller.post(path, sent.clone()).await;
        check(&sent, &answered);
    }
}

#[apply(either)]
async fn the_three_error_layers_are_separate_for_arbitrary_requests(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    try_many(&anyone, "/agora").await;
    let begun = anyone.post("/agora", json!({ "body": "One", "multiround": true })).await.expect_status(200);
    let path = format!("/agora/conversations/{}", begun.text_at("/conversationId"));
    try_many(&anyone, &path).await;
}
