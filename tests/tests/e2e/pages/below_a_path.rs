//! A server below a path of a host that it shares: every page and document, the portal, and OAuth.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use buildtrack_tests::{Backend, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    BROWSER,
    browser::Browser,
    portal::{form_token, own, send},
};
use crate::either;

const HOST: &str = "https://crowded.example";
const BASE: &str = "/tools/hub";
/// The attributes that lead a browser, or a script of the page, to an address.
const LINKS: [&str; 6] = [" href=\"", " src=\"", " action=\"", " formaction=\"", " data-live=\"", " data-refreshes=\""];
/// The documents of programs, which no page links to.
const DOCUMENTS: [&str; 22] = [
    "/",
    "/openapi.json",
    "/asyncapi.json",
    "/agents.txt",
    "/llms.txt",
    "/skill.md",
    "/robots.txt",
    "/sitemap.xml",
    "/.well-known/agent.json",
    "/.well-known/agent-card.json",
    "/.well-known/jwks.json",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource/mcp",
    "/a2a/.well-known/agent-card.json",
    "/feeds/build.atom",
    "/feeds/forum.json",
    "/api/v1/workspaces",
    "/api/v1/forum/posts",
    "/api/v1/search?q=push",
    "/api/v1/log",
    "/api/v1/protocols",
    "/v1/limits",
];

async fn start(backend: Backend, origin: &str) -> TestApp {
    let url = format!("{origin}{BASE}/").parse().unwrap();
    TestApp::with(backend, |settings| settings.public_url = Some(url)).await
}

/// The addresses in the attributes of a page.
fn links(page: &str) -> BTreeSet<String> {
    let of = |name: &&str| page.split(*name).skip(1).filter_map(|rest| rest.split('"').next()).collect::<Vec<_>>();
    let all = LINKS.iter().flat_map(of).filter(|link| !link.is_empty());
    all.map(|link| link.replace("&#38;", "&").replace("&amp;", "&").replace("&#61;", "=")).collect()
}

/// Fails if a text names an address on the host that is not below the base path.
#[track_caller]
fn expect_within(reply: &Reply) {
    for (offset, _) in reply.text.match_indices(HOST) {
        let rest = &reply.text[offset + HOST.len()..];
        let is_metadata =
            rest.starts_with("/.well-known/") && rest.split(['"', '>', '\\']).next().unwrap().contains(BASE);
        let shown: String = rest.chars().take(60).collect();
        assert!(rest.starts_with(BASE) || is_metadata, "{}: {HOST}{shown}", reply.line);
    }
    for name in ["link", "location", "content-location"] {
        let header = reply.header(name);
        let is_within = header.is_empty() || header.starts_with(BASE) || header.contains(&format!("{HOST}{BASE}/"));
        assert!(is_within, "{} {name}: {header}", reply.line);
    }
}

/// The path of a link on the host, without its fragment. `None` if it leads elsewhere.
#[track_caller]
fn path_of(link: &str, from: &str) -> Option<String> {
    let link = link.split('#').next().unwrap_or_default();
    let path = link.strip_prefix(HOST).unwrap_or(link);
    if link.is_empty() || link.starts_with("mailto:") || (path == link && link.contains("://")) {
        return None;
    }
    assert!(path == BASE || path.starts_with(&format!("{BASE}/")), "{from} leads out of the base path: {link}");
    Some(path.to_owned())
}

/// Lets agents write something for every kind of page.
async fn populate(app: &TestApp) {
    let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    scout.post_message(&track, "See [the guide](https://crowded.example/tools/hub/docs/guide), or push").await;
    ranger.join(&track).await;
    let solution = scout.solve(&track).await;
    scout.accept(&track, &solution).await.expect_status(200);
    let asked = scout.ask("How do I verify a push?").await;
    ranger.answer(&asked, "Like this.").await;
    app.count().await;
    app.deliver().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_link_of_every_page_stays_below_the_path() {
    let app = start(Backend::Sqlite, HOST).await;
    populate(&app).await;
    let olga = app.operator("Olga").await;
    olga.agent("Courier").await;
    let reader = crate::oauth::browser(&app, &olga);
    let (mut waiting, mut seen) = (VecDeque::from([format!("{BASE}/")]), BTreeMap::new());
    seen.insert(format!("{BASE}/"), "the start".to_owned());
    let mut pages = 0;
    while let Some(path) = waiting.pop_front() {
        let page = reader.get(&path).await;
        assert!(
            // Some addresses are for forms alone, or for agents.
            page.status < 400 || page.status == 405 || page.status == 401 && path.contains("/api/"),
            "{}: {} from {}",
            page.status,
            page.line,
            seen[&path]
        );
        expect_within(&page);
        let is_page = page.header("content-type").starts_with("text/html");
        pages += usize::from(is_page);
        let found: Vec<_> =
            if is_page { links(&page.text).iter().filter_map(|link| path_of(link, &path)).collect() } else { vec![] };
        let located = Some(page.header("location")).filter(|address| !address.is_empty());
        for next in found.into_iter().chain(located.and_then(|address| path_of(address, &path))) {
            // A page in another language has the same links.
            if !next.starts_with(&format!("{BASE}/language/")) && !next.ends_with("/live") && !seen.contains_key(&next)
            {
                seen.insert(next.clone(), path.clone());
                waiting.push_back(next);
            }
        }
    }
    assert!(pages > 60, "{pages} pages");
    for part in [
        "/assets/",
        "/docs/guide/operations",
        "/docs/api/",
        "/build/ws_",
        "/forum/post_",
        "/agents/ag_",
        "/portal/agents/ag_",
        "/portal/operator/users/",
        "/feeds/",
    ] {
        assert!(seen.keys().any(|path| path.contains(part)), "no page leads to {part}");
    }
}

#[apply(either)]
async fn every_document_for_programs_names_addresses_below_the_path(#[case] backend: Backend) {
    let app = start(backend, HOST).await;
    populate(&app).await;
    for path in DOCUMENTS {
        // A proxy passes the path on, or takes it away.
        let passed = app.anonymous().get(&format!("{BASE}{path}")).await.expect_status(200);
        let taken = app.anonymous().get(path).await.expect_status(200);
        expect_within(&passed);
        assert_eq!(passed.header("etag"), taken.header("etag"), "{path}");
    }
    let openapi = app.anonymous().get(&format!("{BASE}/openapi.json")).await;
    assert_eq!(openapi["servers"][0]["url"], format!("{HOST}{BASE}"));
    let asyncapi = app.anonymous().get(&format!("{BASE}/asyncapi.json")).await;
    let server = &asyncapi["servers"]["http"];
    assert_eq!((&server["host"], &server["pathname"]), (&json!("crowded.example"), &json!(format!("{BASE}/"))));
    let robots = app.anonymous().get(&format!("{BASE}/robots.txt")).await.text;
    assert!(robots.contains(&format!("Disallow: {BASE}/portal/\n")), "{robots}");
    let page = app.anonymous().get(&format!("{BASE}/api/v1/log?limit=1")).await;
    assert!(page.header("link").starts_with(&format!("<{HOST}{BASE}/api/v1/log?limit=1&")), "{}", page.header("link"));
    let missing = app.anonymous().get(&format!("{BASE}/api/v1/nothing")).await;
    assert_eq!((missing.status, &missing["type"]), (404, &json!(format!("{BASE}/docs/problems#not_found"))));
}

#[apply(either)]
async fn the_path_decides_limits_and_errors_as_if_it_were_at_the_root(#[case] backend: Backend) {
    let limits = "login=2".parse().unwrap();
    let url = format!("{HOST}{BASE}").parse().unwrap();
    let app =
        TestApp::with(backend, |settings| (settings.public_url, settings.rate_limits) = (Some(url), limits)).await;
    let anyone = app.anonymous();
    let guess = json!({ "email": "ada@example.org", "password": "a wrong password" });
    for path in ["/api/v1/sessions", "/tools/hub/api/v1/session%73"] {
        anyone.post(path, guess.clone()).await.expect_problem(401, "wrong_credentials");
    }
    let refused = anyone.post("/tools/hub/api/v1/sessions", guess.clone()).await;
    assert_eq!(refused.status, 429, "{}", refused.text);
    // Another form of the base path, and a second one, are unknown paths.
    for path in ["/tools/%68ub/build", "/tools/hub/tools/hub/build", "/tools/hubs/build", "/Tools/hub/build", "/tools"]
    {
        assert_eq!(anyone.get(path).await.status, 404, "{path}");
    }
}

#[apply(either)]
async fn an_owner_lives_in_the_portal_below_the_path(#[case] backend: Backend) {
    // Browsers send cookies of a public address with TLS only with TLS.
    let app = start(backend, "http://127.0.0.1:8080").await;
    let browser = own(&app.anonymous().with_header("accept", BROWSER));
    let page = browser.get("/tools/hub/portal").await.expect_status(303);
    assert!(page.header("location").starts_with("/tools/hub/portal/sign-in"), "{}", page.header("location"));
    let account = [("displayName", "Ada"), ("email", "ada@example.org"), ("password", "correct horse battery")];
    let opened = send(&browser, "/tools/hub/portal/sign-up", &account).await.expect_status(303);
    assert_eq!(opened.header("location"), "/tools/hub/portal/sign-in?done=open");
    let foreign = browser.with_header("origin", "https://evil.example");
    assert_eq!(send(&foreign, "/tools/hub/portal/sign-in", &account[1..]).await.status, 403);
    let browser = browser.with_header("origin", "http://127.0.0.1:8080");
    let entered = send(&browser, "/tools/hub/portal/sign-in", &account[1..]).await.expect_status(303);
    assert_eq!(entered.header("location"), "/tools/hub/portal");
    let cookie = entered.header("set-cookie").to_owned();
    assert!(cookie.contains("; Path=/tools/hub/portal;"), "{cookie}");
    let browser = browser.with_header("cookie", cookie.split(';').next().unwrap_or_default());
    let portal = browser.get("/tools/hub/portal").await.expect_status(200);
    let token = form_token(&portal);
    for link in links(&portal.text) {
        assert!(link.starts_with("/tools/hub/") || link.starts_with('#'), "{link}");
    }
    let left = send(&browser, "/tools/hub/portal/sign-out", &[("form-token", &token)]).await.expect_status(303);
    assert!(left.header("set-cookie").contains("; Path=/tools/hub/portal;"), "{}", left.header("set-cookie"));
    let chosen = browser.get("/tools/hub/language/ko?next=/people").await.expect_status(303);
    assert_eq!(chosen.header("location"), "/tools/hub/people");
    let path = chosen.header("set-cookie");
    assert!(path.contains("; Path=/tools/hub/;"), "{path}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scripts_of_pages_ask_below_the_path() {
    let app = start(Backend::Sqlite, HOST).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let said = scout.post_message(&track, "Sign every push.").await["position"].to_string();
    let mut browser = Browser::run("log.mjs", &[&format!("{}{BASE}", app.url()), &said]);
    let one = browser.step().await;
    assert_eq!(one["verdict"], "✓ The content matches its hash, and the event follows from the one before it.");
    let since = browser.step().await;
    assert!(since["verdict"].as_str().is_some_and(|text| text.contains("follow from your checkpoint")), "{since}");
}

#[apply(either)]
async fn metadata_stands_before_the_path_as_well_as_below_it(#[case] backend: Backend) {
    let app = start(backend, HOST).await;
    let refused = app.anonymous().post("/tools/hub/mcp", Value::Null).header("authorization", "Bearer bts_x").await;
    assert_eq!(refused.status, 401);
    let named = format!("resource_metadata=\"{HOST}/.well-known/oauth-protected-resource{BASE}/mcp\"");
    assert!(refused.header("www-authenticate").contains(&named), "{}", refused.header("www-authenticate"));
    for (before, below) in [
        (format!("/.well-known/oauth-protected-resource{BASE}/mcp"), "/.well-known/oauth-protected-resource/mcp"),
        (format!("/.well-known/oauth-authorization-server{BASE}"), "/.well-known/oauth-authorization-server"),
    ] {
        let shown = app.anonymous().get(&before).await.expect_status(200);
        assert_eq!(shown.text, app.anonymous().get(&format!("{BASE}{below}")).await.expect_status(200).text);
        expect_within(&shown);
    }
    let server = app.anonymous().get("/.well-known/oauth-authorization-server/tools/hub").await;
    assert_eq!(server["issuer"], format!("{HOST}{BASE}"));
}
