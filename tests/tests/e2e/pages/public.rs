//! What programs find on the public pages: feeds, preview pictures, citations; and what a page costs: reads and bytes.

use std::collections::BTreeSet;

use buildtrack_tests::{Backend, Reply, TestApp, log_lines};
use roxmltree::{Document, Node};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{HOSTILE, browser::Browser, expect_page, person};
use crate::either;

const ATOM: &str = "http://www.w3.org/2005/Atom";
const SITE: &str = "https://build.example";
/// The statements that a page may read with.
const READS_MAX: u32 = 8;
/// The bytes of a page with its styles and scripts, compressed.
const BYTES_MAX: usize = 60_000;

fn child<'d, 'i>(node: Node<'d, 'i>, name: &str) -> Option<Node<'d, 'i>> {
    node.children().find(|child| child.has_tag_name((ATOM, name)))
}

fn text(node: Node<'_, '_>, name: &str) -> String {
    let found = child(node, name).unwrap_or_else(|| panic!("no {name} in {node:?}"));
    found.text().unwrap_or_default().to_owned()
}

/// Parses an Atom feed, checks what RFC 4287 requires, and returns the contents of its entries.
#[track_caller]
fn atom(feed: &Reply) -> Vec<String> {
    assert_eq!(
        (feed.status, feed.header("content-type")),
        (200, "application/atom+xml; charset=utf-8"),
        "{}",
        feed.line
    );
    assert!(!feed.header("last-modified").is_empty() && !feed.header("etag").is_empty());
    let document = Document::parse(&feed.text).unwrap_or_else(|error| panic!("{error}: {}", feed.text));
    let root = document.root_element();
    assert!(root.has_tag_name((ATOM, "feed")));
    let entries: Vec<_> = root.children().filter(|child| child.has_tag_name((ATOM, "entry"))).collect();
    let mut ids = BTreeSet::new();
    for node in entries.iter().chain([&root]) {
        let id = text(*node, "id");
        assert!(id.starts_with(SITE) && ids.insert(id.clone()), "{id}");
        assert!(!text(*node, "title").is_empty(), "{id}");
        assert!(chrono::DateTime::parse_from_rfc3339(&text(*node, "updated")).is_ok(), "{id}");
    }
    let content = |entry: &Node<'_, '_>| {
        let author = child(*entry, "author").expect("an entry has an author");
        assert!(!text(author, "name").is_empty());
        let links: Vec<_> = entry.children().filter(|child| child.has_tag_name((ATOM, "link"))).collect();
        assert!(links.iter().all(|link| link.attribute("href").is_some_and(|href| href.starts_with(SITE))));
        let content = child(*entry, "content").expect("an entry has a content");
        assert_eq!(content.attribute("type"), Some("html"));
        content.text().unwrap_or_default().to_owned()
    };
    entries.iter().map(content).collect()
}

/// Parses a JSON feed, checks what version 1.1 requires, and returns the contents of its items.
#[track_caller]
fn json_feed(feed: &Reply) -> Vec<String> {
    assert_eq!(
        (feed.status, feed.header("content-type")),
        (200, "application/feed+json; charset=utf-8"),
        "{}",
        feed.line
    );
    assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
    assert!(!feed.text_at("/title").is_empty() && feed.text_at("/feed_url").starts_with(SITE));
    let items = feed["items"].as_array().expect("a feed has items");
    let text = |item: &Value, name: &str| item[name].as_str().unwrap_or_else(|| panic!("no {name}: {item}")).to_owned();
    let content = |item: &Value| {
        assert!(text(item, "id").starts_with(SITE) && text(item, "url").starts_with(SITE));
        assert!(item["authors"][0]["name"].is_string(), "{item}");
        assert!(chrono::DateTime::parse_from_rfc3339(&text(item, "date_published")).is_ok());
        text(item, "content_html")
    };
    items.iter().map(content).collect()
}

#[apply(either)]
async fn feeds_have_the_latest_texts_and_none_that_is_hidden_or_withdrawn(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, scout) = (app.operator("Olga").await, app.agent(HOSTILE).await);
    let track = scout.open(HOSTILE).await;
    for number in 0..51 {
        scout.post_message(&track, &format!("Thought **{number}** ]]> <img src=x>")).await;
    }
    let hidden = scout.post_message(&track, "Buy this now").await.text_at("/id");
    let withdrawn = scout.post_message(&track, "A regret").await;
    let asked = scout.ask(HOSTILE).await;
    scout.answer(&asked, "Like this.").await;
    let regretted = scout.ask("A regretted post").await;
    let hide = json!({ "subject": hidden, "action": "hide", "reason": "Advertising" });
    olga.post("/api/v1/moderation/actions", hide).await.expect_status(201);
    for text in [&withdrawn, &regretted] {
        scout.delete(text.header("location")).await.expect_status(204);
    }
    let (build, forum) = (format!("/build/{}", track.id), format!("/forum/{}", asked.text_at("/id")));
    let agent = format!("/agents/{}", scout.id);
    // Fifty of the track's fifty-three messages are looked at, two of which are not shown.
    for (path, expected) in [("/build", 1), (&*build, 48), ("/forum", 1), (&*forum, 1), (&*agent, 50)] {
        let page = person(&app).get(path).await;
        expect_page(&page);
        for (ending, media_type) in [("atom", "application/atom+xml"), ("json", "application/feed+json")] {
            let link = format!("<link rel=\"alternate\" type=\"{media_type}\"");
            assert!(page.text.contains(&link) && page.text.contains(&format!("/feeds{path}.{ending}")), "{path}");
        }
        let [one, other] = ["atom", "json"].map(|ending| format!("/feeds{path}.{ending}"));
        let (one, other) = (app.anonymous().get(&one).await, app.anonymous().get(&other).await);
        let contents = atom(&one);
        assert_eq!((contents.len(), &contents), (expected, &json_feed(&other)), "{path}");
        for gone in ["Buy this now", "A regret"] {
            assert!(!one.text.contains(gone) && !other.text.contains(gone), "{path}");
        }
        assert!(!contents.iter().any(|content| content.contains("<img")), "{path}");
        let known = app.anonymous().with_header("if-none-match", one.header("etag"));
        known.get(&format!("/feeds{path}.atom")).await.expect_status(304);
    }
    for path in ["/feeds/build.rss".to_owned(), format!("/feeds/build/{}.atom", asked.text_at("/id"))] {
        app.anonymous().get(&path).await.expect_problem(404, "not_found");
    }
    app.anonymous().act("/feeds/build.atom").await.expect_problem(405, "method_not_allowed");
}

#[apply(either)]
async fn pages_have_preview_pictures_and_say_how_to_cite_them(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("웹훅 Webhooks").await;
    let said = scout.post_message(&track, "Sign every push.").await;
    let asked = scout.ask("How do I verify a push?").await;
    app.count().await;
    let (build, forum) = (format!("/build/{}", track.id), format!("/forum/{}", asked.text_at("/id")));
    let agent = format!("/agents/{}", scout.id);
    for path in [&*build, &*forum, &*agent, "/buildtrack"] {
        let card = format!("/cards{path}.png");
        let picture = app.anonymous().get(&card).await.expect_status(200);
        assert_eq!(
            (picture.header("content-type"), picture.header("x-content-type-options")),
            ("image/png", "nosniff")
        );
        assert!(picture.text.starts_with("\u{fffd}PNG\r\n") && picture.size < BYTES_MAX, "{card}: {}", picture.size);
        let known = app.anonymous().with_header("if-none-match", picture.header("etag"));
        known.get(&card).await.expect_status(304);
        let page = person(&app).get(if path == "/buildtrack" { "/" } else { path }).await;
        expect_page(&page);
        assert!(page.text.contains(&format!("<meta property=\"og:image\" content=\"{SITE}{card}\">")), "{path}");
    }
    app.anonymous().get("/cards/agents/ag_x.png").await.expect_problem(404, "not_found");
    let page = person(&app).get(&build).await;
    let position = said["position"].as_i64().unwrap() - 1;
    let permalink = format!("{SITE}{build}?cursor=p{position}#{}", said.text_at("/id"));
    let url = said.text_at("/url");
    for part in [
        format!("on Buildtrack: {url}"),
        format!("on Buildtrack: {SITE}{build}"),
        format!("<link rel=\"author\" href=\"{agent}\">"),
        "<link rel=\"license\"".to_owned(),
        "export?format=md".to_owned(),
        "name=\"asOf\"".to_owned(),
        ">Newcomer<".to_owned(),
    ] {
        assert!(page.text.contains(&part), "{part}: {}", page.text);
    }
    let shown = person(&app).get(&agent).await;
    for part in
        ["class=\"bars\"", "id=\"weeks-caption\"", "href=\"/log/", &*permalink.replace(SITE, ""), "on Buildtrack:"]
    {
        assert!(shown.text.contains(part), "{part}: {}", shown.text);
    }
}

/// The statements that the server read with, from the log line of the request.
#[track_caller]
pub(crate) fn reads(reply: &Reply) -> u32 {
    let (id, lines) = (reply.header("x-request-id"), log_lines::so_far());
    let line = lines.lines().rev().find(|line| line.contains(id) && line.contains("reads="));
    let line = line.unwrap_or_else(|| panic!("{}: no log line", reply.line));
    let number = line.split("reads=").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    number.parse().unwrap_or_else(|_| panic!("{line}"))
}

#[apply(either)]
async fn a_page_costs_few_reads_and_few_bytes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for number in 0..40_u64 {
        let words =
            (0..100).map(|word| format!("{:08x} ", (number * 100 + word).wrapping_mul(2_654_435_761) % (1 << 32)));
        scout.post_message(&track, &words.collect::<String>()).await;
    }
    let solution = scout.solve(&track).await;
    scout.accept(&track, &solution).await.expect_status(200);
    let asked = scout.ask("How do I verify a push?").await;
    scout.answer(&asked, "Like this.").await;
    app.count().await;
    app.deliver().await;
    let (build, forum) = (format!("/build/{}", track.id), format!("/forum/{}", asked.text_at("/id")));
    let (kind, agent) = (format!("{build}?kind=solution"), format!("/agents/{}", scout.id));
    let (page, searched) = (format!("{build}?cursor=p1"), "/search?q=push");
    let latest = format!("{build}?before=last");
    let (earlier, replies) = (format!("{build}?kind=proposal&before=p30"), format!("{forum}?before=p90"));
    let (members, changes) = (format!("{build}/members"), format!("{agent}/reputation/changes"));
    let reader = person(&app).with_header("accept-encoding", "gzip");
    for path in [
        "/",
        "/build",
        &build,
        &kind,
        &page,
        &earlier,
        &latest,
        "/forum",
        &forum,
        &replies,
        &agent,
        &members,
        &changes,
        "/people",
        "/leaderboard",
        "/replays",
        "/tournaments",
        "/battles/live",
        "/status.json",
        "/log",
        "/log/7",
        searched,
    ] {
        let page = reader.get(path).await.expect_status(200);
        assert_eq!(page.header("content-encoding"), "gzip", "{path}");
        let reads = reads(&page);
        assert!((1..=READS_MAX).contains(&reads), "{path}: {reads} reads");
        let plain = person(&app).get(path).await;
        let files: BTreeSet<_> =
            plain.text.split("\"/assets/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let mut bytes = page.size;
        for file in files {
            bytes += reader.get(&format!("/assets/{file}")).await.expect_status(200).size;
        }
        assert!(bytes < BYTES_MAX, "{path}: {bytes} bytes");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn public_pages_are_accessible() {
    let app = TestApp::start(Backend::Sqlite).await;
    let (scout, other) = (app.agent(HOSTILE).await, app.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    let said = scout
        .post_message(
            &track,
            "# A heading\n\n1. `code`\n2. [link](https://build.example)\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        )
        .await;
    let solution = scout.solve(&track).await;
    scout.accept(&track, &solution).await.expect_status(200);
    let asked = scout.ask("How do I verify a push?").await;
    let answered = other.answer(&asked, "Like this.").await;
    scout.put(&format!("{}/helpful", answered.header("location"))).await.expect_status(200);
    app.count().await;
    app.deliver().await;
    let head = app.store().log().tail().head();
    let build = format!("/build/{}", track.id);
    let paths = [
        "/".to_owned(),
        "/build".to_owned(),
        build.clone(),
        format!("{build}?asOf={}", said["position"]),
        "/forum".to_owned(),
        format!("/forum/{}", asked.text_at("/id")),
        format!("/agents/{}", other.id),
        format!("{build}/members"),
        format!("/agents/{}/reputation/changes", other.id),
        "/people".to_owned(),
        "/search?q=push".to_owned(),
        "/log".to_owned(),
        format!("/log/{head}"),
        "/tournaments".to_owned(),
        "/docs/problems".to_owned(),
        "/docs/guide/tour".to_owned(),
        "/forum/post_x".to_owned(),
        "/leaderboard?league=none".to_owned(),
    ];
    let inspected = Browser::run("public.mjs", &[&app.url(), &paths.join(" ")]).step().await;
    let expected = json!({ "step": "inspected", "count": paths.len(), "findings": [], "complaints": [] });
    assert_eq!(inspected, expected, "{inspected}");
}
