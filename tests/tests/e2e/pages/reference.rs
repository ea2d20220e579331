//! The API reference: every operation is on a page, the samples run as pasted, and a browser finds, tries and copies.

use std::collections::{BTreeMap, BTreeSet};

use buildtrack_tests::{Backend, TestApp, contract::OPERATIONS};
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio::process::Command;

use super::{browser::Browser, person};
use crate::{documents::hrefs, either};

#[apply(either)]
async fn every_operation_of_the_document_is_on_the_page_of_its_group(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = person(&app);
    let index = anyone.get("/docs").await.expect_status(200);
    assert!(index.header("content-security-policy").starts_with("default-src 'none'"));
    assert!(index.text.contains("<link rel=\"canonical\" href=\"https://build.example/docs\">"), "{}", index.text);
    let mut marks: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for operation in OPERATIONS.iter() {
        let id = operation.definition["operationId"].as_str().unwrap();
        let anchor = format!("#{id}");
        let link = hrefs(&index.text).find(|link| link.ends_with(&anchor)).unwrap_or_else(|| panic!("no link to {id}"));
        let mark = format!("id=\"{id}\" data-method=\"{}\" data-path=\"{}\"", operation.method, operation.path);
        marks.entry(link.trim_end_matches(&anchor)).or_default().push(mark);
    }
    assert!(marks.len() > 10, "{:?}", marks.keys());
    for (path, marks) in marks {
        let page = anyone.get(path).await.expect_status(200).text;
        for mark in marks {
            assert!(page.contains(&mark), "{path}: {mark}");
        }
        let ids: BTreeSet<_> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        for anchor in hrefs(&page).filter_map(|link| link.strip_prefix('#')) {
            assert!(ids.contains(anchor), "{path} has no #{anchor}");
        }
        for forbidden in ["<script>", "style=\"", "&#34;string&#34;"] {
            assert!(!page.contains(forbidden), "{path}: {forbidden}");
        }
    }
    anyone.get("/docs/api/nothing").await.expect_status(404);
    app.anonymous().get("/docs/api/nothing").await.expect_problem(404, "not_found");
}

#[apply(either)]
async fn the_pages_are_compressed_and_sent_once_and_the_server_searches(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let browser = person(&app).with_header("accept-encoding", "gzip");
    for path in ["/docs", "/docs/api/arena"] {
        let page = browser.get(path).await.expect_status(200);
        assert_eq!((page.header("content-encoding"), page.header("cache-control")), ("gzip", "no-cache"));
        assert!(page.headers.get_all("vary").iter().any(|value| value == "accept-encoding"), "{:?}", page.headers);
        let size: usize = page.header("content-length").parse().unwrap();
        assert!(size < 60_000, "{path}: {size} bytes");
        let known = browser.with_header("if-none-match", page.header("etag"));
        assert_eq!(known.get(path).await.status, 304);
    }
    let spanish = browser.with_header("accept-language", "es").get("/docs").await.expect_status(200);
    assert_ne!(spanish.header("etag"), browser.get("/docs").await.header("etag"));
    let found = person(&app).get("/docs?q=vote+for+a+message").await.expect_status(200).text;
    assert!(found.contains("#upvoteMessage") && !found.contains("#openAccount"), "{found}");
    let hostile = person(&app).get("/docs?q=%22%3E%3Cimg%20src%3Dx%3E").await.expect_status(200).text;
    assert!(!hostile.contains("<img"), "{hostile}");
}

#[apply(either)]
async fn the_samples_run_as_pasted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    scout.open("Samples").await;
    let mut ran = 0;
    for (group, id, status) in [
        ("build-tracks", "openWorkspace", 201),
        ("build-tracks", "listWorkspaces", 200),
        ("messages", "postMessage", 404),
        ("search", "search", 200),
        ("identity", "showMe", 200),
    ] {
        let page = person(&app).get(&format!("/docs/api/{group}")).await.expect_status(200).text;
        let operation = page.split(&format!("id=\"{id}\" data-method")).nth(1).unwrap();
        for (language, program, arguments) in [
            ("curl", "bash", &["-c"][..]),
            ("Python", "python3", &["-c"][..]),
            ("JavaScript", "node", &["--input-type=module", "-e"][..]),
        ] {
            let code = sample(operation, language).replace("https://build.example", &app.url());
            let mut command = Command::new(program);
            command.args(arguments).arg(&code).env("BUILDTRACK_TOKEN", &scout.token).env("NO_PROXY", "*");
            let output = command.kill_on_drop(true).output().await.unwrap();
            let shown = String::from_utf8_lossy(&output.stdout).into_owned();
            let complaint = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{id} {language}: {complaint}");
            let body = if language == "curl" { shown.trim() } else { expect_status(&shown, status) };
            let body: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {shown}"));
            assert_eq!(body.get("code").is_some(), status == 404, "{id} {language}: {body}");
            ran += 1;
        }
        // The example `samples` of this crate has the same text, so it compiles.
        let name = id.replace('W', "_w").replace('M', "_m");
        let compiled = format!("{}/samples/{name}.rs", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(sample(operation, "Rust"), std::fs::read_to_string(&compiled).unwrap().trim_end(), "{compiled}");
    }
    assert_eq!(ran, 15);
}

/// The body after the status that a sample prints.
#[track_caller]
fn expect_status(shown: &str, status: u16) -> &str {
    let rest = shown.trim().strip_prefix(&status.to_string());
    rest.unwrap_or_else(|| panic!("not {status}: {shown}")).trim()
}

/// The code of a sample, as a reader copies it.
fn sample(operation: &str, language: &str) -> String {
    let block = operation.split(&format!("data-language=\"{language}\"")).nth(1).unwrap();
    let code = block.split("<code>").nth(1).unwrap().split("</code>").next().unwrap();
    let text: String = code.split('<').enumerate().fold(String::new(), |text, (index, part)| {
        text + if index == 0 { part } else { part.split_once('>').map_or("", |(_, rest)| rest) }
    });
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[apply(either)]
async fn a_reader_finds_signs_in_tries_and_copies(#[case] backend: Backend) {
    read_and_try(&TestApp::start(backend).await, "").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_tries_and_copies_below_a_path() {
    let public = "https://build.example/tools/hub".parse().unwrap();
    let app = TestApp::with(Backend::Sqlite, |settings| settings.public_url = Some(public)).await;
    read_and_try(&app, "/tools/hub").await;
}

/// Reads the reference of a server with this base path, and tries what it shows.
async fn read_and_try(app: &TestApp, base: &str) {
    // The server's clock is months behind the browser's, which must not matter to a session.
    let (scout, url) = (app.agent("Scout <b>").await, format!("{}{base}", app.url()));
    let mut browser = Browser::run("docs.mjs", &[&url, &scout.key]);
    assert_eq!(
        browser.step().await,
        json!({ "step": "searched", "opened": "openWorkspace", "shown": [
            "POST /api/v1/workspaces Open a workspace",
            "POST /api/v1/workspaces/{id}/reopen Reopen an archived workspace",
        ] })
    );
    let signed = browser.step().await;
    assert_eq!((&signed["step"], &signed["holder"]), (&json!("signed in"), &json!("Scout <b>")));
    assert!(!signed["refused"].as_str().unwrap().is_empty(), "{signed}");
    let tried = browser.step().await;
    assert!(tried["status"].as_str().is_some_and(|status| status.starts_with("201 ")), "{tried}");
    let tracks = app.anonymous().get("/api/v1/workspaces").await.expect_status(200);
    assert_eq!(tracks["items"][0]["name"], "It's from the page");
    assert!(tried["shown"].as_str().unwrap().contains(tracks["items"][0]["id"].as_str().unwrap()), "{tried}");
    let copied = browser.step().await;
    let code = copied["code"].as_str().unwrap();
    assert!(code.contains(&url) && code.contains("It's from the page") && code.contains("await fetch"), "{code}");
    let out = browser.step().await;
    assert_eq!(out, json!({ "step": "signed out", "isAsked": true, "old": 401 }));
    let ended = browser.step().await;
    assert_eq!((&ended["step"], &ended["left"], &ended["isAsked"]), (&json!("ended"), &json!(""), &json!(true)));
    assert!(ended["status"].as_str().is_some_and(|status| status.starts_with("401 ")), "{ended}");
    let plain = browser.step().await;
    assert_eq!(plain["step"], "without scripts");
    assert_eq!((&plain["found"], &plain["session"]), (&json!(2), &json!(0)));
    let command = format!("curl -sS -X POST 'https://build.example{base}/api/");
    assert!(plain["sample"].as_str().unwrap().starts_with(&command), "{plain}");
    let seen = browser.step().await;
    assert_eq!(seen, json!({ "step": "inspected", "findings": [], "complaints": [], "elsewhere": [] }));
}
