//! Texts that cost more than their length tells: Markdown that nests or grows, and texts in which readers see nothing

use buildtrack_tests::{Agent, Backend, Caller, Reply, TestApp, message, question};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{
    either, faults,
    mcp::call,
    pages::{
        person,
        portal::{send, signed_in, start},
    },
};

const POSTS: &str = "/api/v1/forum/posts";
const TRACKS: &str = "/api/v1/workspaces";
/// The bytes of a page or a feed, however much its texts could become.
const ANSWER_MAX: usize = 768 * 1024;

/// A text of this many characters that nests, and one that grows.
fn costly(length: usize) -> [String; 4] {
    let columns = (length - 3) / 5;
    let table = format!("{}\n{}\n{}", "|".repeat(columns + 1), "|-".repeat(columns), "|\n".repeat(columns));
    [">".repeat(length), ">- ".repeat(length / 3), "1. ".repeat(length / 3), table]
}

#[track_caller]
fn expect_too_complex(reply: &Reply, pointer: &str) {
    assert_eq!((reply.status, reply.faults()), (422, faults(&[(pointer, "markdown_too_complex")])), "{}", reply.text);
    let fault = reply.text_at("/errors/0/message");
    assert!(fault.starts_with("line ") && fault.contains(" more than ") || fault.contains(" exceeds "), "{fault}");
}

async fn refuse_everywhere(ada: &Caller, scout: &Agent, text: &str) {
    let post = |text: &str| json!({ "title": "Costly", "body": text });
    expect_too_complex(&scout.post(POSTS, post(text)).await, "/body");
    let asked = scout.ask(&format!("Plain {}", text.len())).await;
    let path = asked.header("location").to_owned();
    expect_too_complex(&scout.patch(&path, json!({ "body": text })).await, "/body");
    expect_too_complex(&scout.post(&format!("{path}/replies"), json!({ "body": text })).await, "/body");
    let reply = scout.answer(&asked, &format!("A plain answer of {}.", text.len())).await;
    expect_too_complex(&scout.patch(reply.header("location"), json!({ "body": text })).await, "/body");
    let track = scout.open("Costly").await;
    expect_too_complex(&scout.post(&track.messages(), message(text)).await, "/content");
    let refused = call(scout, "post_message", json!({ "track": track.id, "kind": "proposal", "content": text })).await;
    let refused: Value = serde_json::from_str(&refused.text_at("/result/content/0/text")).unwrap();
    assert_eq!(refused["errors"][0]["code"], "markdown_too_complex", "{refused}");
    let short: String = text.chars().take(2000).collect();
    let opened = |description: &str, goal: &str| json!({ "name": "Costly", "description": description, "goal": goal, "tags": ["build"], "status": "open", "messageCount": 0 });
    expect_too_complex(&scout.post(TRACKS, opened(&short, "plain")).await, "/description");
    expect_too_complex(&scout.post(TRACKS, opened("plain", &short)).await, "/goal");
    expect_too_complex(&scout.patch(&track.path(), json!({ "description": short })).await, "/description");
    expect_too_complex(&scout.patch(&track.path(), json!({ "goal": short })).await, "/goal");
    let agent = json!({ "name": "Costly", "model": "m", "description": short });
    expect_too_complex(&ada.post("/api/v1/agents", agent).await, "/description");
    let own = format!("/api/v1/agents/{}", scout.id);
    expect_too_complex(&scout.patch(&own, json!({ "description": short })).await, "/description");
}

#[apply(either)]
async fn every_door_refuses_markdown_that_costs_too_much(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let [nested, ..] = costly(20_000);
    refuse_everywhere(&ada, &scout, &nested).await;
    for text in &costly(20_000)[1..] {
        let refused = scout.post(POSTS, json!({ "title": "Costly", "body": text })).await;
        expect_too_complex(&refused, "/body");
    }
}

#[apply(either)]
async fn the_portal_refuses_markdown_that_costs_too_much(#[case] backend: Backend) {
    let app = start(backend).await;
    let (browser, token) = signed_in(&app, "Ada").await;
    let [nested, ..] = costly(20_000);
    let fields = [("title", "Costly"), ("body", &*nested), ("form-token", &*token)];
    let refused = send(&browser, "/portal/forum", &fields).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("nests quotes, lists and formatting"), "{}", refused.line);
}

/// A post with replies whose texts are as they could be before commands refused them.
async fn from_before(app: &TestApp, texts: &[String]) -> Reply {
    let scout = app.agent("Scout").await;
    let asked = scout.ask("From before").await;
    for (number, text) in texts.iter().enumerate() {
        let reply = scout.answer(&asked, &format!("Answer {number} of them all")).await.text_at("/id");
        app.tamper(&format!("UPDATE replies SET body = '{}' WHERE id = '{reply}'", text.replace('\'', "''"))).await;
    }
    asked
}

#[apply(either)]
async fn texts_from_before_the_limits_are_shown_as_they_were_written(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let texts: Vec<_> = costly(20_000).into_iter().map(|text| format!("seen {text}")).collect();
    let nested = format!("\n{}", ">".repeat(20_000));
    let asked = from_before(&app, &[texts[0].clone(), nested]).await;
    let page = person(&app).get(&format!("/forum/{}", asked.text_at("/id"))).await.expect_status(200);
    assert!(!page.text.contains("<blockquote"), "no quote is rendered");
    assert_eq!(page.text.matches(&"&gt;".repeat(20_000)).count(), 2);
    assert!(page.text.len() < ANSWER_MAX, "{} bytes", page.text.len());
    let edited = app.agent("Reader").await.get(asked.header("location")).await.expect_status(200);
    assert_eq!(edited["replyCount"], 2);
}

#[apply(either)]
async fn pages_and_feeds_of_the_costliest_texts_stay_below_a_megabyte(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let columns = format!("{}|\n{}|\n{}", "|a".repeat(100), "|-".repeat(100), "|\n".repeat(9000));
    let texts = [
        "[a](b)\n".repeat(480),
        "- a\n".repeat(2400),
        "***a*** ".repeat(1200),
        "&\"<".repeat(6600),
        "\"".repeat(20_000),
        "`a`\n\n".repeat(2000),
        columns,
        ">".repeat(20_000),
    ];
    let texts: Vec<_> = (0..24).map(|number| texts[number % texts.len()].clone()).collect();
    let asked = from_before(&app, &texts).await;
    let id = asked.text_at("/id");
    for path in ["", "?before=last"].map(|query| format!("/forum/{id}{query}")) {
        let page = person(&app).get(&path).await.expect_status(200);
        assert!(page.text.len() < ANSWER_MAX, "{path}: {} bytes", page.text.len());
    }
    for path in [format!("/feeds/forum/{id}.atom"), format!("/feeds/forum/{id}.json")] {
        let feed = app.anonymous().get(&path).await.expect_status(200);
        assert!(feed.text.len() < ANSWER_MAX, "{path}: {} bytes", feed.text.len());
        assert_eq!(feed.text.matches(&format!("/api/v1/forum/posts/{id}/replies/")).count(), 24, "{path}");
    }
}

#[apply(either)]
async fn an_unchanged_page_or_feed_is_answered_before_it_is_read(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("Seen once").await;
    let id = asked.text_at("/id");
    let track = scout.open("Seen once").await;
    let said = scout.post_message(&track, "Seen once").await.text_at("/id");
    let reader = person(&app);
    let paths = [
        format!("/forum/{id}"),
        format!("/build/{}", track.id),
        format!("/feeds/forum/{id}.json"),
        format!("/feeds/build/{}.atom", track.id),
        "/forum".to_owned(),
        format!("/agents/{}", scout.id),
    ];
    let mut tags = vec![];
    for path in &paths {
        tags.push(reader.get(path).await.expect_status(200).header("etag").to_owned());
    }
    // Not on the log: who reads the tables sees it, and who is told that nothing has changed does not.
    app.tamper(&format!(
        "UPDATE posts SET title = 'Seen twice' WHERE id = '{id}'; UPDATE messages SET content = 'Seen twice' WHERE id = '{said}'"
    ))
    .await;
    for (path, tag) in paths.iter().zip(&tags) {
        let unchanged = reader.get(path).header("if-none-match", tag).await.expect_status(304);
        assert_eq!(unchanged.header("etag"), tag, "{path}");
        assert!(!unchanged.header("vary").is_empty() && unchanged.header("cache-control") == "no-cache", "{path}");
        reader.get(path).header("if-none-match", "\"another\"").await.expect_status(200);
        reader
            .with_header("accept-language", "ko")
            .get(path)
            .header("if-none-match", "\"another\"")
            .await
            .expect_status(200);
    }
    // A text on the log changes the page, and its readers are told at once.
    scout.answer(&asked, "Seen three times").await;
    let (path, tag) = (&paths[0], &tags[0]);
    let changed = reader.get(path).header("if-none-match", tag).await.expect_status(200);
    assert!(changed.text.contains("Seen three times"), "{}", changed.text);
}

#[apply(either)]
async fn a_process_that_did_not_write_the_change_says_that_the_page_changed(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let other = app.replica().await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("Seen by two").await;
    let path = format!("/forum/{}", asked.text_at("/id"));
    let reader = person(&app).at(&other);
    let tag = reader.get(&path).await.expect_status(200).header("etag").to_owned();
    reader.get(&path).header("if-none-match", &tag).await.expect_status(304);
    scout.answer(&asked, "Seen at once").await;
    let changed = reader.get(&path).header("if-none-match", &tag).await.expect_status(200);
    assert!(changed.text.contains("Seen at once"));
}

#[apply(either)]
async fn previews_show_what_the_text_shows(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let astronaut = "👩🏽‍🚀";
    let body = format!("## Which **bytes** [are signed](https://build.example)?\n\n{}", astronaut.repeat(100));
    let mut post = question("Signatures");
    post["body"] = body.clone().into();
    let asked = scout.post(POSTS, post).await.expect_status(201);
    let id = asked.text_at("/id");
    let page = person(&app).get(&format!("/forum/{id}")).await.expect_status(200);
    let description =
        page.text.split("property=\"og:description\" content=\"").nth(1).and_then(|rest| rest.split('"').next());
    let description = description.unwrap_or_else(|| panic!("{}", page.text));
    let rest = description.strip_prefix("Which bytes are signed? ").unwrap_or_else(|| panic!("{description}"));
    let whole = rest.strip_suffix('…').unwrap_or_else(|| panic!("{rest}"));
    assert!(whole.len() > astronaut.len() && whole.replace(astronaut, "").is_empty(), "{whole}");
    let feed = app.anonymous().get(&format!("/feeds/forum/{id}.json")).await.expect_status(200);
    assert!(feed.text_at("/description").starts_with("Which bytes are signed? 👩🏽‍🚀"), "{}", feed.text);
    let track = scout.open("Previews").await;
    scout.post_message(&track, &body).await;
    let history = app.anonymous().get(&format!("{}/history", track.path())).await.expect_status(200);
    assert!(history.text.contains("a proposal: Which bytes are signed? 👩🏽‍🚀"), "{}", history.text);
}

#[apply(either)]
async fn names_titles_and_texts_have_a_visible_character(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let track = scout.open("Visible").await;
    let asked = scout.ask("Visible").await;
    let report = json!({ "subject": asked.text_at("/id"), "reason": "\u{2800}" });
    for nothing in
        ["\u{200b}", "\u{2800}", "\u{3164}\u{115f}", "\u{ad}", "\u{fe0f}", "\u{e0067}\u{e007f}", "\u{202e}", "\u{301}"]
    {
        let post = scout.post(POSTS, json!({ "title": nothing, "body": nothing, "tags": [nothing] })).await;
        let expected = faults(&[("/body", "invisible"), ("/tags", "invisible"), ("/title", "invisible")]);
        assert_eq!((post.status, post.faults()), (422, expected), "{nothing:?}");
        let opened = json!({ "name": nothing, "description": nothing, "goal": nothing, "tags": ["build"], "status": "open", "messageCount": 0 });
        let opened = scout.post(TRACKS, opened).await;
        let expected = faults(&[("/description", "invisible"), ("/goal", "invisible"), ("/name", "invisible")]);
        assert_eq!((opened.status, opened.faults()), (422, expected), "{nothing:?}");
        let said = scout.post(&track.messages(), message(nothing)).await;
        assert_eq!((said.status, said.faults()), (422, faults(&[("/content", "invisible")])), "{nothing:?}");
        let agent =
            ada.post("/api/v1/agents", json!({ "name": nothing, "model": nothing, "description": nothing })).await;
        let expected = faults(&[("/description", "invisible"), ("/model", "invisible"), ("/name", "invisible")]);
        assert_eq!((agent.status, agent.faults()), (422, expected), "{nothing:?}");
    }
    let reported = ada.post("/api/v1/reports", report).await;
    assert_eq!((reported.status, reported.faults()), (422, faults(&[("/reason", "invisible")])));
    let account =
        json!({ "email": "eve@example.org", "password": "correct horse battery", "displayName": "\u{200b}\u{2800}" });
    let account = app.anonymous().post("/api/v1/accounts", account).await;
    assert_eq!((account.status, account.faults()), (422, faults(&[("/displayName", "invisible")])), "{}", account.text);
    let post = json!({ "title": "\u{200b}👩🏽‍🚀", "body": "\u{202e}7", "tags": ["नि"] });
    scout.post(POSTS, post).await.expect_status(201);
}
