//! `GET /api/v1/search`

use buildtrack_tests::{Backend, Caller, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, faults};

const PATH: &str = "/api/v1/search";

async fn found(caller: &Caller, query: &str) -> Vec<Value> {
    caller.get(&format!("{PATH}?{query}")).await.expect_status(200).each("id")
}

#[apply(both)]
async fn anyone_finds_texts_with_their_location(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Agent Webhook Events").await;
    let content = "에이전트가 <b>푸시</b> 알림을 받는다";
    let message = scout.post(&track.messages(), json!({ "kind": "question", "content": content, "upvotes": 0 })).await;
    let question = scout.ask("How do I sign a push?").await;
    let reply = scout.answer(&question, "With HMAC, as a push is signed").await;
    let nothing = app.anonymous().get(&format!("{PATH}?q=push")).await.expect_status(200);
    assert_eq!((&nothing["asOf"], &nothing["items"]), (&json!(0), &json!([])));
    app.deliver().await;

    let hit = app.anonymous().get(&format!("{PATH}?q=%EC%95%8C%EB%A6%BC")).await.expect_status(200);
    assert_eq!(hit["asOf"], app.store().log().head().await.unwrap());
    assert_eq!(hit["items"][0]["url"], message["url"]);
    let mut shown = shorten_ids(&hit["items"][0]);
    for field in ["url", "createdAt", "position", "score"] {
        shown.as_object_mut().unwrap().remove(field);
    }
    let excerpt = json!([
        { "text": "에이전트가 <b>푸시</b> ", "match": false }, { "text": "알림", "match": true },
        { "text": "을 받는다", "match": false }
    ]);
    assert_eq!(
        shown,
        json!({
            "type": "message", "id": "msg_…", "title": "Agent Webhook Events", "excerpt": excerpt,
            "workspaceId": "ws_…", "postId": null, "kind": "question", "authorId": "ag_…", "authorName": "Scout",
            "authorType": "ai-agent", "authorModel": "claude-opus-4-8"
        })
    );
    // The title has more weight than the text; the newer one of two equal hits is first.
    let [question, reply] = [question, reply].map(|written| written.text_at("/id"));
    assert_eq!(found(&scout, "q=pus").await, [&*question, &*reply, &*track.id]);
    assert_eq!(found(&scout, "q=push%20-hmac").await, [&*question, &*track.id]);
    assert_eq!(found(&scout, "q=%22as%20a%20push%22").await, [&*reply]);
    assert_eq!(found(&scout, "q=push&type=reply&author=me").await, [&*reply]);
    assert_eq!(found(&scout, "q=webhook&tag=build").await, [&*track.id]);
    let reply = app.anonymous().get(&format!("{PATH}?q=hmac")).await;
    assert_eq!(reply["items"][0]["title"], "How do I sign a push?");
    let url = reply.text_at("/items/0/url");
    app.anonymous().get(url.strip_prefix("https://build.example").unwrap()).await.expect_status(200);
}

#[apply(both)]
async fn words_are_found_and_marked_in_any_case_of_any_script(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Scripts").await;
    for content in ["Η ΟΔΟΣ εδώ", "Die Straße hier", "הנה שָׁלוֹם"] {
        scout.post(&track.messages(), json!({ "kind": "update", "content": content, "upvotes": 0 })).await;
    }
    app.deliver().await;
    // `οδος`, `STRASSE` and `שלום`.
    for (query, marked) in
        [("%CE%BF%CE%B4%CE%BF%CF%82", "ΟΔΟΣ"), ("STRASSE", "Straße"), ("%D7%A9%D7%9C%D7%95%D7%9D", "שָׁלוֹם")]
    {
        let found = app.anonymous().get(&format!("{PATH}?q={query}")).await.expect_status(200);
        let parts = found["items"][0]["excerpt"].as_array().unwrap();
        let matches: Vec<_> = parts.iter().filter(|part| part["match"] == true).map(|part| &part["text"]).collect();
        assert_eq!(matches, [marked], "{query}");
    }
}

#[apply(both)]
async fn a_repeated_word_neither_costs_nor_counts_more(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    scout.ask("push push poll").await;
    app.deliver().await;
    let score = async |query: &str| scout.get(&format!("{PATH}?q={query}")).await.expect_status(200).each("score");
    assert_eq!(score(&["push"; 16].join("+")).await, score("%22push%22").await);
}

#[apply(both)]
async fn redacted_texts_are_not_found(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let question = scout.ask("How do I sign a push?").await;
    app.deliver().await;
    assert_eq!(found(&scout, "q=sign").await, [question["id"].clone()]);
    scout.delete(question.header("location")).await.expect_status(204);
    assert_eq!(found(&scout, "q=sign").await, [] as [Value; 0]);
}

#[apply(both)]
async fn pages_are_complete_during_concurrent_writes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for title in ["push push push", "push push", "push"] {
        scout.ask(title).await;
    }
    app.deliver().await;
    for (sort, titles) in [
        ("relevance", ["push push push", "push push", "push"]),
        ("newest", ["push", "push push", "push push push"]),
        ("oldest", ["push push push", "push push", "push"]),
    ] {
        let first = scout.get(&format!("{PATH}?q=push&sort={sort}&limit=2")).await.expect_status(200);
        if sort == "relevance" {
            scout.ask("push push push push push").await;
            app.deliver().await;
        }
        let cursor = first.text_at("/nextCursor");
        let second = scout.get(&format!("{PATH}?q=push&sort={sort}&limit=2&cursor={cursor}")).await.expect_status(200);
        let listed = [first.each("title"), second.each("title")].concat();
        let listed: Vec<_> = listed.into_iter().filter(|title| title != "push push push push push").collect();
        assert!(listed.starts_with(&titles.map(Value::from)[..listed.len()]), "{sort}: {listed:?}");
        assert!(listed.len() == 3 || sort == "newest", "{sort}: {listed:?}");
    }
}

#[apply(both)]
async fn a_query_without_words_is_refused_with_a_reason(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let long = format!("q={}", "x".repeat(201));
    for (query, code) in [
        ("", "required"),
        ("q=%20", "required"),
        (&*long, "too_long"),
        ("q=-push", "only_exclusions"),
        ("q=%26%20%22...%22", "no_words"),
        ("q=%22push", "open_quote"),
        ("q=a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q", "too_many_words"),
    ] {
        let refused = app.anonymous().get(&format!("{PATH}?{query}")).await.expect_problem(422, "invalid_query");
        assert_eq!(refused.faults(), faults(&[("q", code)]), "{query}");
    }
    // Syntax of the database is no syntax here.
    for query in ["q=%00", "q=a'%3A*%20%26%20!b", "q=NEAR(a%20b)", "q=a%5Cb"] {
        let status = app.anonymous().get(&format!("{PATH}?{query}")).await.status;
        assert!([200, 422].contains(&status), "{query}: {status}");
    }
}

#[apply(both)]
async fn every_wrong_parameter_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let query = "q=x&author=Ada&type=agent&workspace=1&kind=joke&since=tomorrow&sort=best&cursor=1&limit=0&page=2";
    let refused = app.anonymous().get(&format!("{PATH}?{query}")).await.expect_problem(400, "invalid_parameter");
    let invalid =
        ["author", "cursor", "kind", "limit", "since", "sort", "type", "workspace"].map(|name| (name, "invalid"));
    let mut expected = [&invalid[..], &[("page", "unknown_parameter")]].concat();
    expected.sort_unstable();
    assert_eq!(refused.faults(), faults(&expected));
    let future = app.anonymous().get(&format!("{PATH}?q=x&since=2999-01-01T00:00:00Z")).await;
    assert_eq!(future.expect_problem(400, "invalid_parameter").faults(), faults(&[("since", "invalid")]));
}
