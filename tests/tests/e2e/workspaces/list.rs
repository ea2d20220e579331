//! `GET /api/v1/workspaces` and `GET /build`

use buildtrack_tests::{Backend, Caller, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, faults};

const PATH: &str = "/api/v1/workspaces";

async fn names(caller: &Caller, query: &str) -> Vec<Value> {
    caller.get(&format!("{PATH}?{query}")).await.expect_status(200).each("name")
}

/// Opens workspaces with these names and tags, one after another.
async fn open(caller: &Caller, workspaces: &[(&str, &[&str])]) {
    for (name, tags) in workspaces {
        let body = json!({ "name": name, "description": "Push", "tags": tags, "status": "open", "messageCount": 0 });
        caller.post(PATH, body).await.expect_status(201);
    }
}

#[apply(both)]
async fn the_tag_build_lists_a_workspace_at_any_tag_index(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    open(&scout, &[("A", &["build"]), ("B", &["tools"]), ("C", &["tools", "build"]), ("D", &["builds"])]).await;
    let listed = app.anonymous().get("/build").await.expect_status(200);
    assert_eq!(listed.each("name"), ["C", "A"]);
    assert_eq!(names(&app.anonymous(), "tag=build").await, ["C", "A"]);
}

#[apply(both)]
async fn a_removed_tag_no_longer_lists_a_workspace(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    scout.patch(&track.path(), json!({ "tags": ["tools"] })).await.expect_status(200);
    assert_eq!(scout.get("/build").await.each("name"), [] as [Value; 0]);
    assert_eq!(names(&scout, "tag=tools").await, ["Webhooks"]);
}

#[apply(both)]
async fn filters_combine(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let [first, second] = [scout.open("First").await, scout.open("Second").await];
    let third = ranger.open("Third").await;
    scout.join(&third).await;
    scout.act(&format!("{}/archive", second.path())).await.expect_status(200);
    let anyone = app.anonymous();
    assert_eq!(names(&anyone, "status=archived").await, ["Second"]);
    assert_eq!(names(&anyone, "status=open").await, ["Third", "First"]);
    assert_eq!(names(&anyone, "status=shipped").await, [] as [Value; 0]);
    assert_eq!(names(&anyone, &format!("owner={}", scout.id)).await, ["Second", "First"]);
    assert_eq!(names(&anyone, &format!("member={}", scout.id)).await, ["Third", "Second", "First"]);
    assert_eq!(names(&scout, "member=me&status=open&owner=me").await, ["First"]);
    scout.delete(&third.membership()).await.expect_status(204);
    assert_eq!(names(&scout, "member=me").await, ["Second", "First"]);
    drop(first);
}

#[apply(both)]
async fn a_search_ignores_case_in_name_description_goal_and_tags(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let workspace = json!({
        "name": "Ärger mit 100% Übung", "description": "A_B\\C", "goal": "ЦЕЛЬ", "tags": ["Robotik"], "status": "open", "messageCount": 0
    });
    scout.post(PATH, workspace).await.expect_status(201);
    scout.open("Something else").await;
    for (found, queries) in [
        (1, ["%C3%A4RGER", "100%25", "a_b%5Cc", "%D1%86%D0%B5%D0%BB%D1%8C", "robotIK", "+mit+"].as_slice()),
        (0, ["1000", "axb", "100_", "a%25b", "ärger%25"].as_slice()),
    ] {
        for query in queries {
            assert_eq!(names(&scout, &format!("q={query}")).await.len(), found, "{query}");
        }
    }
}

#[apply(both)]
async fn the_list_is_sorted_by_the_requested_order(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let [first, ..] = [scout.open("1").await, scout.open("2").await, scout.open("3").await];
    scout.post_message(&first, "Something happens in the first").await;
    assert_eq!(names(&scout, "").await, ["3", "2", "1"]);
    assert_eq!(names(&scout, "sort=newest").await, ["3", "2", "1"]);
    assert_eq!(names(&scout, "sort=oldest").await, ["1", "2", "3"]);
    assert_eq!(names(&scout, "sort=active").await, ["1", "3", "2"]);
}

#[apply(both)]
async fn pages_in_every_order_are_complete_during_concurrent_writes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for (sort, expected) in [
        ("newest", vec!["4", "3", "2", "1"]),
        ("active", vec!["4", "3", "2", "1"]),
        ("oldest", vec!["1", "2", "3", "4"]),
    ] {
        let tag = format!("tag{sort}");
        let tags = [&*tag];
        open(&scout, &["1", "2", "3", "4"].map(|name| (name, &tags[..]))).await;
        let first = scout.get(&format!("{PATH}?tag={tag}&sort={sort}&limit=3")).await.expect_status(200);
        if sort != "oldest" {
            open(&scout, &[("5", &tags)]).await;
        }
        let cursor = first.text_at("/nextCursor");
        let second =
            scout.get(&format!("{PATH}?tag={tag}&sort={sort}&limit=3&cursor={cursor}")).await.expect_status(200);
        assert_eq!([first.each("name"), second.each("name")].concat(), expected, "{sort}");
        assert_eq!(second["nextCursor"], Value::Null);
    }
}

#[apply(both)]
async fn a_page_has_1_to_200_entries_and_50_by_default(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for number in 0..201 {
        scout.post_message(&track, &number.to_string()).await;
    }
    for (query, length) in [("", 50), ("?limit=1", 1), ("?limit=200", 200)] {
        let page = scout.get(&format!("{}{query}", track.messages())).await.expect_status(200);
        assert_eq!(page.each("id").len(), length);
        assert!(page["nextCursor"].is_string());
    }
    for limit in ["0", "-1", "201", "many", "1.5", "99999999999999999999"] {
        for path in [PATH, "/build", "/api/v1/agents", "/api/v1/log", &track.messages(), &track.members()] {
            let refused = scout.get(&format!("{path}?limit={limit}")).await.expect_problem(400, "invalid_parameter");
            assert_eq!(refused.faults(), faults(&[("limit", "invalid")]), "{path} {limit}");
        }
    }
}

#[apply(both)]
async fn every_wrong_parameter_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let query = "tag=a&tag=b&status=done&owner=y&member=x&sort=best&cursor=zzz&limit=0&colour=red";
    let refused = app.anonymous().get(&format!("{PATH}?{query}")).await.expect_problem(400, "invalid_parameter");
    assert_eq!(
        refused.faults(),
        faults(&[
            ("colour", "unknown_parameter"),
            ("cursor", "invalid"),
            ("limit", "invalid"),
            ("member", "invalid"),
            ("owner", "invalid"),
            ("sort", "invalid"),
            ("status", "invalid"),
            ("tag", "duplicate"),
        ])
    );
}

#[apply(both)]
async fn the_filter_me_requires_a_session(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let track = app.agent("Scout").await.open("Webhooks").await;
    let messages = format!("{}?author=me", track.messages());
    for path in [&*messages, "/api/v1/agents?owner=me", "/api/v1/workspaces?owner=me", "/api/v1/workspaces?member=me"] {
        app.anonymous().get(path).await.expect_problem(401, "unauthenticated");
    }
}

#[apply(both)]
async fn a_search_text_with_a_nul_character_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    for path in ["/api/v1/agents?q=", "/api/v1/workspaces?q=", "/api/v1/workspaces?tag="] {
        let name = path.split(['?', '=']).nth(1).unwrap();
        let nul = app.anonymous().get(&format!("{path}a%00b")).await.expect_problem(400, "invalid_parameter");
        assert_eq!(nul.faults(), faults(&[(name, "nul_character")]));
        let endless = app.anonymous().get(&format!("{path}{}", "a".repeat(30_000))).await;
        assert_eq!(endless.expect_problem(400, "invalid_parameter").faults(), faults(&[(name, "too_long")]));
    }
}

#[apply(both)]
async fn a_matching_etag_returns_304(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    scout.open("Webhooks").await;
    for path in [PATH, "/build"] {
        let tag = scout.get(path).await.expect_status(200).header("etag").to_owned();
        scout.get(path).header("if-none-match", &tag).await.expect_status(304);
    }
}
