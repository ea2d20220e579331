//! `POST /api/v1/workspaces`

use buildtrack_tests::{Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, either, faults};

const PATH: &str = "/api/v1/workspaces";

/// The smallest workspace, with one more field or another value.
fn workspace(field: &str, value: impl Into<Value>) -> Value {
    let mut body = json!({ "name": "Webhooks", "description": "Push", "status": "open", "messageCount": 0 });
    body[field] = value.into();
    body
}

#[apply(either)]
async fn fields_that_the_server_derives_are_optional(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let opened = scout.post(PATH, workspace("name", "Webhooks")).await.expect_status(201);
    assert_eq!(opened.header("location"), format!("{PATH}/{}", opened.text_at("/id")));
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&opened.json), @r#"
        {
          "attribution": "Scout (ai-agent) on Buildtrack: https://build.example/build/ws_…",
          "createdAt": "2026-03-01T12:00:00.000001Z",
          "description": "Push",
          "goal": null,
          "id": "ws_…",
          "memberCount": 1,
          "memberIds": [
            "ag_…"
          ],
          "members": [
            {
              "id": "ag_…",
              "joinedAt": "2026-03-01T12:00:00.000001Z",
              "model": "claude-opus-4-8",
              "name": "Scout",
              "role": "owner",
              "type": "ai-agent"
            }
          ],
          "messageCount": 0,
          "name": "Webhooks",
          "ownerId": "ag_…",
          "ownerName": "Scout",
          "ownerType": "ai-agent",
          "solutionId": null,
          "status": "open",
          "tags": [],
          "updatedAt": "2026-03-01T12:00:00.000001Z",
          "url": "https://build.example/build/ws_…"
        }
        "#);
    }
}

#[apply(either)]
async fn an_owner_opens_a_workspace_as_a_human_without_a_model(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let mut body = workspace("ownerType", "human");
    body["members"] = json!([{ "id": ada.id, "name": "Ada", "type": "human", "model": null }]);
    let opened = ada.post(PATH, body).await.expect_status(201);
    assert_eq!(opened["ownerType"], "human");
    assert_eq!(opened["members"][0].get("model"), None);
}

#[apply(either)]
async fn the_response_equals_a_read(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let opened = scout.post(PATH, workspace("goal", "Live events")).await.expect_status(201);
    let shown = app.anonymous().get(opened.header("location")).await.expect_status(200);
    assert_eq!(shown.json, opened.json);
}

#[apply(either)]
async fn every_wrong_field_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let body = json!({
        "name": "", "description": 5, "goal": "x".repeat(2001), "ownerType": "robot", "members": [], "memberIds": ["a", "b"],
        "tags": ["build", "build"], "status": "shipped", "messageCount": 1, "colour": "red"
    });
    let refused = scout.post(PATH, body).await.expect_problem(422, "validation_failed");
    assert_eq!(
        refused.faults(),
        faults(&[
            ("/colour", "unknown_field"),
            ("/description", "wrong_type"),
            ("/goal", "too_long"),
            ("/memberIds", "too_many"),
            ("/memberIds/0", "wrong_form"),
            ("/memberIds/1", "wrong_form"),
            ("/members", "too_few"),
            ("/messageCount", "too_large"),
            ("/name", "too_short"),
            ("/ownerType", "not_allowed"),
            ("/status", "not_allowed"),
            ("/tags", "duplicate"),
        ])
    );
}

#[apply(either)]
async fn missing_required_fields_are_named(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let refused = app.agent("Scout").await.post(PATH, json!({})).await.expect_problem(422, "validation_failed");
    let required = ["/description", "/messageCount", "/name", "/status"].map(|pointer| (pointer, "required"));
    assert_eq!(refused.faults(), faults(&required));
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(refused["errors"][0], @r#"
        {
          "code": "required",
          "hint": "Add \"name\".",
          "message": "name is required",
          "pointer": "/name"
        }
        "#);
    }
}

#[apply(either)]
async fn constants_are_required_and_their_errors_state_the_value(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for (field, hint) in [("status", "Send \"status\": \"open\"."), ("messageCount", "Send \"messageCount\": 0.")] {
        let mut body = workspace("name", "Webhooks");
        body.as_object_mut().unwrap().remove(field);
        let refused = scout.post(PATH, body).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults(), faults(&[(&format!("/{field}"), "required")]));
        assert_eq!(refused["errors"][0]["hint"], hint);
        let refused = scout.post(PATH, workspace(field, Value::Null)).await.expect_status(422);
        assert_eq!(refused.faults().len(), 1, "{}", refused.text);
        assert_eq!(refused["errors"][0]["pointer"], format!("/{field}"));
    }
    assert!(scout.get(PATH).await["items"].as_array().unwrap().is_empty());
}

#[apply(either)]
async fn a_new_workspace_is_open_without_messages(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for status in ["resolved", "shipped", "archived", "OPEN", ""] {
        let refused = scout.post(PATH, workspace("status", status)).await.expect_status(422);
        assert_eq!(refused.faults(), faults(&[("/status", "not_allowed")]), "{status}");
    }
    for (count, code) in
        [(json!(1), "too_large"), (json!(-1), "too_small"), (json!("0"), "wrong_type"), (json!(true), "wrong_type")]
    {
        let refused = scout.post(PATH, workspace("messageCount", count.clone())).await.expect_status(422);
        assert_eq!(refused.faults(), faults(&[("/messageCount", code)]), "{count}");
    }
}

#[apply(either)]
async fn claims_about_the_caller_must_be_true(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let mut body = workspace("ownerId", ranger.id.as_str());
    body["ownerName"] = "Ranger".into();
    body["ownerType"] = "human".into();
    body["members"] = json!([{ "id": ranger.id, "name": "Ranger", "type": "human", "model": "gpt-9" }]);
    body["memberIds"] = json!([ada.id]);
    let refused = scout.post(PATH, body).await.expect_problem(422, "validation_failed");
    let claims = [
        "/memberIds/0",
        "/members/0/id",
        "/members/0/model",
        "/members/0/name",
        "/members/0/type",
        "/ownerId",
        "/ownerName",
        "/ownerType",
    ];
    assert_eq!(refused.faults(), faults(&claims.map(|pointer| (pointer, "not_yours"))));
}

#[apply(both)]
async fn claims_and_wrong_fields_are_named_together(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let mut body = workspace("ownerName", "Somebody");
    body["status"] = "shipped".into();
    let refused = app.agent("Scout").await.post(PATH, body).await.expect_status(422);
    assert_eq!(refused.faults(), faults(&[("/ownerName", "not_yours"), ("/status", "not_allowed")]));
}

#[apply(either)]
async fn lengths_count_unicode_characters(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for letter in ["a", "é", "e\u{301}", "한", "🦀"] {
        let characters = letter.chars().count();
        for (field, limit) in [("name", 100), ("description", 2000), ("goal", 2000)] {
            let longest = letter.repeat(limit / characters);
            let opened = scout.post(PATH, workspace(field, longest.as_str())).await.expect_status(201);
            assert_eq!(opened[field], longest);
            let refused = scout.post(PATH, workspace(field, format!("{longest}a"))).await.expect_status(422);
            assert_eq!(refused.faults(), faults(&[(&format!("/{field}"), "too_long")]));
            let message = format!("{field} has {} characters; at most {limit} are allowed", limit + 1);
            assert_eq!(refused["errors"][0]["message"], message);
        }
    }
}

#[apply(either)]
async fn a_blank_name_or_description_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let mut body = workspace("name", " \t ");
    body["description"] = "\u{2003}\n".into();
    let refused = app.agent("Scout").await.post(PATH, body).await.expect_status(422);
    assert_eq!(refused.faults(), faults(&[("/description", "blank"), ("/name", "blank")]));
}

#[apply(either)]
async fn a_nul_character_in_any_field_is_named(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let mut body = workspace("name", "Web\0hooks");
    body["goal"] = "\0".into();
    body["tags"] = json!(["build", "to\0ols"]);
    body["ownerName"] = "Sco\0ut".into();
    let refused = app.agent("Scout").await.post(PATH, body).await.expect_problem(422, "validation_failed");
    for pointer in ["/goal", "/name", "/ownerName", "/tags/1"] {
        let named = (pointer.to_owned(), "nul_character".to_owned());
        assert!(refused.faults().contains(&named), "{pointer}: {}", refused.text);
    }
}

#[apply(either)]
async fn all_other_characters_are_stored_unchanged(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let text = "\u{1}\u{7f} \\u0000 \"'<b>&amp;</b>%_ \u{202e}العربية\u{feff} e\u{301} 👩‍🚀 \u{10ffff}\r\n\ttail ";
    let scout = app.agent("Scout").await;
    let opened = scout.post(PATH, workspace("description", text)).await.expect_status(201);
    let shown = scout.get(opened.header("location")).await;
    assert_eq!(shown["description"], text);
}

#[apply(either)]
async fn tags_are_limited_trimmed_and_unique(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let many: Vec<_> = (0..21).map(|number| format!("tag{number}")).collect();
    for (tags, code) in [
        (json!(many), "too_many"),
        (json!(["a", "🦀".repeat(51)]), "/1 too_long"),
        (json!([" build"]), "/0 wrong_form"),
        (json!(["a", "b", "build\n"]), "/2 wrong_form"),
        (json!([""]), "/0 too_short"),
        (json!([7]), "/0 wrong_type"),
        (json!(["a", "b", "a"]), "duplicate"),
        (json!(null), "wrong_type"),
        (json!("build"), "wrong_type"),
    ] {
        let refused = scout.post(PATH, workspace("tags", tags.clone())).await.expect_status(422);
        let (item, code) = code.split_once(' ').unwrap_or(("", code));
        assert_eq!(refused.faults(), faults(&[(&format!("/tags{item}"), code)]), "{tags}");
    }
    let allowed = json!([vec!["🦀".repeat(50)], many[..19].to_vec()].concat());
    assert_eq!(scout.post(PATH, workspace("tags", allowed.clone())).await.expect_status(201)["tags"], allowed);
}

#[apply(either)]
async fn an_unknown_field_is_named_with_its_pointer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let mut body = workspace("a/b~c", 1);
    body["message_count"] = 0.into();
    body["members"] = json!([{ "id": scout.id, "nick": "S" }]);
    let refused = scout.post(PATH, body).await.expect_status(422);
    let unknown = ["/a~1b~0c", "/members/0/nick", "/message_count"].map(|pointer| (pointer, "unknown_field"));
    assert_eq!(refused.faults(), faults(&unknown));
    let message = refused["errors"].to_string();
    assert!(
        message.contains("did you mean `messageCount`?") && message.contains("Fields: description, goal,"),
        "{message}"
    );
}
