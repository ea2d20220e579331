//! Rate limits: per agent by tier, per address for anonymous requests, and for logins.

use std::time::Duration;

use buildtrack_domain::limits::Tier;
use buildtrack_tests::{Agent, Backend, Caller, Reply, TestApp, eventually};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::json;

use crate::{both, pages::person};

/// A server with the default limits.
async fn limited(backend: Backend) -> TestApp {
    TestApp::with(backend, |settings| settings.rate_limits = "".parse().unwrap()).await
}

/// How many of these concurrent requests are accepted.
async fn answered(callers: &[&Caller], requests: usize) -> usize {
    let replies = join_all((0..requests).map(async |number| callers[number % callers.len()].get("/build").await));
    let (answered, refused): (Vec<_>, Vec<_>) = replies.await.into_iter().partition(|reply| reply.status == 200);
    for reply in refused {
        reply.expect_problem(429, "rate_limited");
    }
    answered.len()
}

/// Waits until the caller's server knows the tier; leaves the full quota.
async fn known(app: &TestApp, caller: &Caller, tier: Tier) {
    let known = async || {
        // One more request than the slowest tier permits.
        app.advance(Duration::from_secs(4));
        caller.get("/api/v1/me").await["tier"] == tier.as_str()
    };
    eventually(known).await;
    app.advance(Duration::from_mins(1));
}

async fn in_tier(app: &TestApp, agent: &Agent, tier: Tier) {
    let agent_id = agent.id.parse().unwrap();
    buildtrack::commands::admin::set_tier(app.settings(), agent_id, tier, None).await.unwrap();
    known(app, agent, tier).await;
}

#[apply(both)]
async fn the_sessions_of_an_agent_share_the_quota_of_its_tier(#[case] backend: Backend) {
    let app = limited(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let second = scout.session(&["read"]).await;
    assert_eq!(answered(&[&scout, &second], 40).await, 15);
    assert_eq!(answered(&[&ranger], 16).await, 15, "another agent has its own");
    app.advance(Duration::from_secs(8));
    assert_eq!(answered(&[&second], 5).await, 2, "one more every four seconds");
    app.advance(Duration::from_hours(1));
    assert_eq!(answered(&[&scout, &second], 40).await, 15, "and no more than a minute's worth at once");
}

#[apply(both)]
async fn the_tiers_pro_and_enterprise_are_exact(#[case] backend: Backend) {
    let app = limited(backend).await;
    let scout = app.agent("Scout").await;
    let second = scout.session(&["read"]).await;
    for (tier, quota) in [(Tier::Pro, 60), (Tier::Enterprise, 300)] {
        in_tier(&app, &scout, tier).await;
        assert_eq!(answered(&[&scout, &second], quota + 30).await, quota, "{tier:?}");
    }
}

#[apply(both)]
async fn an_owner_has_the_quota_of_pro(#[case] backend: Backend) {
    let app = limited(backend).await;
    let ada = app.owner("Ada").await;
    assert_eq!(ada.get("/build").await.header("ratelimit-policy"), "\"owner\";q=60;w=60");
    assert_eq!(answered(&[&ada], 80).await, 59);
}

#[apply(both)]
async fn headers_show_the_quota_and_the_remaining_requests(#[case] backend: Backend) {
    let app = limited(backend).await;
    let scout = app.agent("Scout").await;
    for left in (0..15).rev() {
        let reply = scout.get("/build").await.expect_status(200);
        assert_eq!(reply.header("ratelimit-policy"), "\"free\";q=15;w=60");
        assert_eq!(reply.header("ratelimit"), format!("\"free\";r={left};t={}", (15 - left) * 4));
    }
    app.advance(Duration::from_millis(1500));
    let refused = scout.post("/api/v1/workspaces", json!({})).await.expect_problem(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), "3");
    assert_eq!(refused.header("ratelimit"), "\"free\";r=0;t=59");
    assert_eq!(refused["retryable"], true);
    app.advance(Duration::from_secs(3));
    scout.get("/build").await.expect_status(200);
}

#[apply(both)]
async fn unchanged_public_reads_do_not_count_up_to_ten_times_the_quota(#[case] backend: Backend) {
    let app = limited(backend).await;
    let scout = app.agent("Scout").await;
    let tag = scout.get("/build").await.header("etag").to_owned();
    let again = async || scout.get("/build").header("if-none-match", &tag).await.expect_status(304);
    for _ in 0..150 {
        assert_eq!(again().await.header("ratelimit"), "\"free\";r=14;t=4");
    }
    assert_eq!(again().await.header("ratelimit"), "\"free\";r=13;t=8");
    // Reads of private data count.
    let me = scout.get("/api/v1/me").await.header("etag").to_owned();
    let unchanged = scout.get("/api/v1/me").header("if-none-match", &me).await.expect_status(304);
    assert_eq!(unchanged.header("ratelimit"), "\"free\";r=11;t=16");
    let unchanged = app.anonymous().get("/build").header("if-none-match", &tag).await.expect_status(304);
    assert_eq!(unchanged.header("ratelimit"), "\"anonymous\";r=60;t=0");
}

#[apply(both)]
async fn unchanged_pages_and_files_for_programs_do_not_count(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let (track, post) = (scout.open("Webhooks").await, scout.ask("How do I verify a push?").await.text_at("/id"));
    let (build, forum, agent) =
        (format!("/build/{}", track.id), format!("/forum/{post}"), format!("/agents/{}", scout.id));
    let pages = ["/", "/people", "/log", "/tournaments", "/tasks.json", &build, &forum, &agent];
    let (feed, card) = (format!("/feeds{build}.atom"), format!("/cards{build}.png"));
    let of_agent = format!("/a2a{agent}/.well-known/agent-card.json");
    let files = [
        "/llms.txt",
        "/skill.md",
        "/agents.txt",
        "/asyncapi.json",
        "/.well-known/agent-card.json",
        "/a2a/.well-known/agent-card.json",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        &feed,
        &card,
        &of_agent,
    ];
    let pages = pages.into_iter().map(|path| (person(&app), path));
    for (reader, path) in pages.chain(files.into_iter().map(|path| (app.anonymous(), path))) {
        let first = reader.get(path).await.expect_status(200);
        let unchanged = reader.get(path).header("if-none-match", first.header("etag")).await.expect_status(304);
        let remaining = |reply: &Reply| reply.header("ratelimit").split(';').nth(1).map(ToOwned::to_owned);
        assert!(remaining(&first).is_some_and(|left| left.starts_with("r=")), "{path}");
        assert_eq!(remaining(&unchanged), remaining(&first), "{path}");
        assert_eq!(unchanged.header("access-control-allow-origin"), "*", "{path}");
    }
}

#[apply(both)]
async fn every_refusal_has_the_rate_limit_headers(#[case] backend: Backend) {
    let app = limited(backend).await;
    let anyone = app.anonymous();
    anyone.get("/api/v1/me").await.expect_status(401);
    let guessed = anyone.with_token("bts_guessed").get("/api/v1/me").await.expect_problem(401, "invalid_token");
    assert_eq!(guessed.header("ratelimit"), "\"anonymous\";r=58;t=2");
    assert_eq!(anyone.get("/nothing").await.header("ratelimit"), "\"anonymous\";r=57;t=3");
}

#[apply(both)]
async fn anonymous_reads_and_guessed_tokens_share_the_addresss_quota(#[case] backend: Backend) {
    let app = limited(backend).await;
    let anyone = app.anonymous();
    let guesser = anyone.with_token("bts_guessed");
    for _ in 0..30 {
        anyone.get("/build").await.expect_status(200);
        guesser.get("/build").await.expect_problem(401, "invalid_token");
    }
    anyone.get("/build").await.expect_problem(429, "rate_limited");
    guesser.get("/build").await.expect_problem(429, "rate_limited");
    app.advance(Duration::from_secs(1));
    anyone.get("/build").await.expect_status(200);
}

#[apply(both)]
async fn logins_have_their_own_limit_per_address(#[case] backend: Backend) {
    let app = limited(backend).await;
    let anyone = app.anonymous();
    for number in 0..10 {
        let path = ["/agent-login", "/api/v1/sessions", "/api/v1/accounts"][number % 3];
        let reply = anyone.post(path, json!({})).await.expect_status(422);
        assert_eq!(reply.header("ratelimit-policy"), "\"login\";q=10;w=60");
    }
    let refused = anyone.post("/agent-login", json!({})).await.expect_problem(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), "6");
    anyone.get("/build").await.expect_status(200);
}

#[apply(both)]
async fn health_and_documentation_are_not_limited(#[case] backend: Backend) {
    let app = limited(backend).await;
    for _ in 0..70 {
        app.anonymous().get("/livez").await.expect_status(200);
    }
    for path in ["/readyz", "/metrics", "/docs/", "/docs/problems", "/robots.txt"] {
        app.anonymous().get(path).await.expect_status(200);
    }
    assert_eq!(app.anonymous().get("/build").await.header("ratelimit"), "\"anonymous\";r=59;t=1");
}

async fn left(app: &TestApp, forwarded: &str) -> String {
    let policy = app.anonymous().with_header("x-forwarded-for", forwarded).get("/build").await;
    policy.header("ratelimit").split(';').nth(1).unwrap().to_owned()
}

#[apply(both)]
async fn forwarded_headers_of_untrusted_peers_are_ignored(#[case] backend: Backend) {
    let app = limited(backend).await;
    assert_eq!(left(&app, "198.51.100.1").await, "r=59");
    assert_eq!(left(&app, "198.51.100.2").await, "r=58");
}

#[apply(both)]
async fn forwarded_headers_of_trusted_proxies_name_the_caller(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| {
        settings.rate_limits = "".parse().unwrap();
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap(), "10.0.0.0/8".parse().unwrap()];
    })
    .await;
    assert_eq!(left(&app, "198.51.100.1").await, "r=59");
    assert_eq!(left(&app, "198.51.100.2").await, "r=59");
    assert_eq!(left(&app, "198.51.100.1, 10.1.2.3").await, "r=58", "the nearest untrusted address");
    assert_eq!(left(&app, "1.2.3.4, 198.51.100.1").await, "r=57", "earlier addresses are ignored");
    assert_eq!(left(&app, "198.51.100.1:4711, 10.1.2.3:80").await, "r=56", "with ports");
    assert_eq!(left(&app, "10.1.1.1, 10.1.2.3").await, "r=59", "only proxies: the peer");
    assert_eq!(
        left(&app, "1.2.3.4, unknown, 10.1.2.3").await,
        "r=58",
        "what hides an address does not uncover a claim"
    );
}

#[apply(both)]
async fn a_network_of_ipv6_counts_as_one_address(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| {
        settings.rate_limits = "".parse().unwrap();
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await;
    assert_eq!(left(&app, "2001:db8:1:2::1").await, "r=59");
    assert_eq!(left(&app, "[2001:db8:1:2:ffff::2]:4711").await, "r=58");
    assert_eq!(left(&app, "2001:db8:1:3::1").await, "r=59", "another network");
    assert_eq!(left(&app, "::ffff:198.51.100.1").await, "r=59");
    assert_eq!(left(&app, "::ffff:198.51.100.2").await, "r=59", "addresses of IPv4 are each one's own");
}

/// PostgreSQL only: SQLite has one process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_on_one_database_share_an_agents_quota() {
    let app = limited(Backend::Postgres).await;
    let other = app.replica().await;
    let scout = app.agent("Scout").await;
    let there = scout.at(&other);
    assert_eq!(answered(&[&scout, &there], 40).await, 15);
    for (tier, quota) in [(Tier::Pro, 60), (Tier::Enterprise, 300)] {
        in_tier(&app, &scout, tier).await;
        known(&app, &there, tier).await;
        assert_eq!(answered(&[&scout, &there], quota + 30).await, quota, "{tier:?}");
    }
}
