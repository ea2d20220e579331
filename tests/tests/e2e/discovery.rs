//! `/.well-known/agent.json`, `/agents.txt`, `/`, `/docs`: entry points for programs and people.

use std::collections::BTreeSet;

use buildtrack_tests::{Backend, TestApp, contract::OPERATIONS};
use rstest_reuse::apply;
use serde_json::json;

use crate::{either, pages::person};

#[apply(either)]
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
    let a2a = app.anonymous().get("/.well-known/agent-card.json").await.expect_status(200);
    for member in ["supportedInterfaces", "skills", "securitySchemes", "defaultInputModes"] {
        assert_eq!(card[member], a2a[member], "{member}");
    }
    assert_eq!(
        (&card["capabilities"]["streaming"], &card["capabilities"]["features"][0]),
        (&json!(true), &json!("build-tracks"))
    );
}

#[apply(either)]
async fn every_url_on_the_agent_card_responds(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let card = app.anonymous().get("/.well-known/agent.json").await.expect_status(200);
    for url in card["endpoints"].as_object().unwrap().values() {
        let path = url.as_str().unwrap().strip_prefix("https://build.example").unwrap();
        let status = app.anonymous().get(path).await.status;
        assert!(status == 200 || (path == "/docs" && status == 307), "{path}: {status}");
    }
}

#[apply(either)]
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

#[apply(either)]
async fn the_root_is_a_page_for_people_and_gives_programs_entry_points(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let person = app.anonymous().with_header("accept", "text/html,application/xhtml+xml");
    let page = person.get("/").await.expect_status(200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.text.contains("href=\"/build\"") && page.text.contains("href=\"/docs/guide\""), "{}", page.text);
    let program = app.anonymous().get("/").await.expect_status(200);
    assert_eq!(program["card"], "https://build.example/.well-known/agent.json");
}

#[apply(either)]
async fn the_documentation_is_served_by_the_binary_alone(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    for path in ["/docs", "/docs/", "/docs/api/messages"] {
        let page = anyone.get(path).await.expect_status(200);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        let files = attributes(&page.text, &["src=\"", "<link rel=\"stylesheet\" href=\""]);
        assert!(files.len() >= 4, "{files:?}");
        for file in &files {
            assert!(file.starts_with("/assets/"), "{file} is elsewhere");
            assert!(!anyone.get(file).await.expect_status(200).text.is_empty(), "{file}");
        }
        let own = page.text.replace("https://build.example", "");
        for foreign in ["src=\"http", "href=\"http"] {
            assert!(!own.contains(foreign), "{own}");
        }
    }
}

fn attributes(html: &str, names: &[&str]) -> Vec<String> {
    let values = |name: &&str| {
        html.split(name).skip(1).filter_map(|rest| rest.split('"').next()).map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    names.iter().flat_map(values).collect()
}

#[apply(either)]
async fn every_problem_code_is_explained_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let page = app.anonymous().get("/docs/problems").await.expect_status(200).text;
    let codes = attributes(&page, &["<dt id=\""]);
    let distinct: BTreeSet<_> = codes.iter().collect();
    assert_eq!((codes.len(), codes.len() > 30), (distinct.len(), true));
}

#[apply(either)]
async fn every_text_has_a_url_and_an_author_id(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let asked = scout.ask("How do I verify a push?").await;
    let answered = scout.answer(&asked, "With HMAC.").await;
    let said = scout.post_message(&track, "Push, don't poll").await;
    let texts = [asked, answered, said].map(|text| text.header("location").to_owned());
    for path in
        texts.iter().chain([&track.path(), &format!("{}?asOf={}", track.path(), app.store().log().tail().head())])
    {
        let shown = app.anonymous().get(path).await.expect_status(200);
        let page = path.split('?').next().unwrap().replace("/api/v1/workspaces", "/build");
        let url = format!("https://build.example{}", page.replace("/api/v1/forum/posts", "/forum"));
        assert_eq!(
            (shown.text_at("/url"), shown.header("link")),
            (url.clone(), &*format!("<{url}>; rel=\"canonical\""))
        );
        let attribution = shown.text_at("/attribution");
        assert!(attribution.starts_with("Scout (") && attribution.ends_with(&url), "{attribution}");
    }
    for path in &texts {
        let shown = app.anonymous().get(path).await;
        assert!(shown.text_at("/attribution").contains("(claude-opus-4-8)"));
        let url = shown.text_at("/url");
        let page = url.strip_prefix("https://build.example").unwrap();
        let read = app.anonymous().get(page).await.expect_status(200);
        assert_eq!((&read.json, read.header("vary")), (&shown.json, "authorization, accept"));
        let seen = person(&app).get(page).await;
        let seen = if seen.status == 303 { person(&app).get(seen.header("location")).await } else { seen };
        assert!(seen.expect_status(200).text.contains(&format!("id=\"{}\"", shown.text_at("/id"))), "{page}");
    }
    for path in ["build/ws_x/messages/msg_x", "forum/post_x/replies/reply_x"] {
        app.anonymous().get(&format!("/{path}")).await.expect_problem(404, "not_found");
        assert_eq!(person(&app).get(&format!("/{path}")).await.status, 404, "{path}");
    }
}

#[apply(either)]
async fn the_commands_of_the_skill_run_as_they_are(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let skill = app.anonymous().get("/skill.md").await.expect_status(200);
    assert_eq!(skill.header("content-type"), "text/markdown; charset=utf-8");
    assert!(skill.text.starts_with("---\nname: buildtrack\ndescription: "), "{}", skill.text);
    for placeholder in ["{url}", "{free}", "{manifest}"] {
        assert!(!skill.text.contains(placeholder), "{placeholder} is not filled in");
    }
    let manifest = app.anonymous().get("/agents.txt").await.text;
    assert!(skill.text.contains(&manifest), "the skill contains /agents.txt");
    let blocks = skill.text.split("```bash\n").skip(1).filter_map(|rest| rest.split("```").next());
    let commands: String = blocks.collect();
    assert!(commands.matches("curl").count() >= 9, "{commands}");
    let script = format!("set -euo pipefail\n{}", commands.replace("https://build.example", &app.url()));
    let mut bash = tokio::process::Command::new("bash");
    let output = bash.args(["-c", &script]).env("BUILDTRACK_KEY", &scout.key).env("NO_PROXY", "*").output();
    let output = output.await.unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}\n{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(scout.get("/build").await.each("name"), ["Signed pushes"]);
    assert_eq!(scout.get("/api/v1/forum/posts").await.each("replyCount"), [1]);
}

#[apply(either)]
async fn every_address_for_language_models_exists(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let file = app.anonymous().get("/llms.txt").await.expect_status(200);
    assert!(file.text.starts_with("# Buildtrack\n\n> "), "{}", file.text);
    let addresses: Vec<_> = file.text.split("](https://build.example").skip(1).collect();
    assert!(addresses.len() >= 10, "{}", file.text);
    for address in addresses {
        let path = address.split(')').next().unwrap();
        let status = app.anonymous().get(path).await.status;
        // The endpoint of the Model Context Protocol takes POST.
        assert_eq!(status, if path == "/mcp" { 405 } else { 200 }, "{path}");
    }
}
