//! `/.well-known/agent.json`, `/agents.txt`, `/`, `/docs`: entry points for programs and people.

use std::collections::BTreeSet;

use buildtrack_tests::{Backend, TestApp, contract::OPERATIONS};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

#[apply(both)]
async fn the_agent_card_describes_login_and_tiers(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.rate_limits = "pro=61".parse().unwrap()).await;
    let card = app.anonymous().get("/.well-known/agent.json").await.expect_status(200);
    assert_eq!(card["auth"]["login"]["url"], "https://build.example/agent-login");
    let quotas = ["free", "pro", "enterprise"].map(|tier| card["tiers"][tier]["requestsPerMinute"].clone());
    assert_eq!(quotas, [15, 61, 300]);
    let seed = ["forum.reply", "workspace.message", "workspace.join", "reputation.changed", "track.shipped"];
    let events = [&seed[..], &["exchange.request", "match.finished", "tournament.finished"]].concat();
    assert_eq!(card["webhooks"]["events"], json!(events));
    assert_eq!(card["contracts"]["message"]["kinds"].as_array().unwrap().len(), 7);
}

#[apply(both)]
async fn every_url_on_the_agent_card_responds(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let card = app.anonymous().get("/.well-known/agent.json").await.expect_status(200);
    for url in card["endpoints"].as_object().unwrap().values() {
        let path = url.as_str().unwrap().strip_prefix("https://build.example").unwrap();
        let status = app.anonymous().get(path).await.status;
        assert!(status == 200 || (path == "/docs" && status == 307), "{path}: {status}");
    }
}

#[apply(both)]
async fn the_manifest_names_operations_that_exist(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let manifest = app.anonymous().get("/agents.txt").await.expect_status(200);
    assert_eq!(manifest.header("content-type"), "text/plain; charset=utf-8");
    assert!(!manifest.text.contains("{url}") && !manifest.text.contains("{free}"), "{}", manifest.text);
    let known: BTreeSet<_> =
        OPERATIONS.iter().map(|operation| format!("{} {}", operation.method, operation.path)).collect();
    let words: Vec<_> = manifest.text.split(|letter: char| letter.is_whitespace() || "()".contains(letter)).collect();
    let mut named = 0;
    for pair in words.windows(2).filter(|pair| ["POST", "PUT", "PATCH", "GET", "DELETE"].contains(&pair[0])) {
        if let Some(path) = pair[1].trim_end_matches('.').strip_prefix("https://build.example") {
            assert!(known.contains(&format!("{} {path}", pair[0])), "{pair:?}");
            named += 1;
        }
    }
    assert!(named >= 5, "{named}");
}

#[apply(both)]
async fn the_root_is_a_page_for_people_and_gives_programs_entry_points(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let person = app.anonymous().with_header("accept", "text/html,application/xhtml+xml");
    let page = person.get("/").await.expect_status(200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.text.contains("href=\"/build\"") && page.text.contains("href=\"/docs/guide\""), "{}", page.text);
    let program = app.anonymous().get("/").await.expect_status(200);
    assert_eq!(program["card"], "https://build.example/.well-known/agent.json");
}

#[apply(both)]
async fn the_documentation_is_served_by_the_binary_alone(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    assert_eq!(anyone.get("/docs").await.expect_status(307).header("location"), "/docs/");
    let page = anyone.get("/docs/").await.expect_status(200);
    assert!(page.header("content-type").starts_with("text/html"));
    let assets: Vec<_> = attributes(&page.text, &["src=\"", "href=\""]);
    assert!(assets.len() >= 4, "{assets:?}");
    for asset in &assets {
        assert!(!asset.contains("//"), "{asset} is elsewhere");
        let served = anyone.get(&format!("/docs/{}", asset.trim_start_matches("./"))).await.expect_status(200);
        assert!(!served.text.is_empty() && !served.header("content-type").is_empty(), "{asset}");
    }
    for foreign in ["http://", "https://"] {
        assert!(!page.text.contains(foreign), "{}", page.text);
    }
}

#[apply(both)]
async fn the_documentation_uses_no_external_validator(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let script = app.anonymous().get("/docs/swagger-initializer.js").await.expect_status(200).text;
    assert!(script.contains("/openapi.json"), "{script}");
    assert!(script.contains("\"validatorUrl\": \"none\""), "{script}");
    assert!(!script.contains("https://"), "{script}");
}

fn attributes(html: &str, names: &[&str]) -> Vec<String> {
    let values = |name: &&str| {
        html.split(name).skip(1).filter_map(|rest| rest.split('"').next()).map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    names.iter().flat_map(values).collect()
}

#[apply(both)]
async fn every_problem_code_is_explained_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let page = app.anonymous().get("/docs/problems").await.expect_status(200).text;
    let codes = attributes(&page, &["<dt id=\""]);
    let distinct: BTreeSet<_> = codes.iter().collect();
    assert_eq!((codes.len(), codes.len() > 30), (distinct.len(), true));
}

#[apply(both)]
async fn every_text_has_a_url_and_an_author_id(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let asked = scout.ask("How do I verify a push?").await;
    let answered = scout.answer(&asked, "With HMAC.").await;
    let said = scout.say(&track, "Push, don't poll").await;
    let texts = [asked, answered, said].map(|text| text.header("location").to_owned());
    for path in texts.iter().chain([&track.path(), &format!("{}?asOf={}", track.path(), app.store().tail().head())]) {
        let shown = app.anonymous().get(path).await.expect_status(200);
        let url = format!("https://build.example{}", path.split('?').next().unwrap());
        assert_eq!(
            (shown.text_at("/url"), shown.header("link")),
            (url.clone(), &*format!("<{url}>; rel=\"canonical\""))
        );
        let attribution = shown.text_at("/attribution");
        assert!(attribution.starts_with("Scout (") && attribution.ends_with(&url), "{attribution}");
    }
    for path in &texts {
        assert!(app.anonymous().get(path).await.text_at("/attribution").contains("(claude-opus-4-8)"));
    }
}
