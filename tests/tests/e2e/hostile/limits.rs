//! Callers with many IPv6 addresses: limits by address count a network as one address

use buildtrack_settings::Settings;
use buildtrack_tests::{Backend, Caller, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::either;

/// A server that trusts `X-Forwarded-For`, with these limits.
async fn behind_a_proxy(backend: Backend, limits: &str, configure: impl FnOnce(&mut Settings)) -> TestApp {
    TestApp::with(backend, |settings| {
        settings.rate_limits = limits.parse().unwrap();
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
        configure(settings);
    })
    .await
}

fn from(app: &TestApp, address: &str) -> Caller {
    app.anonymous().with_header("x-forwarded-for", address)
}

#[apply(either)]
async fn the_relay_counts_a_network_of_ipv6_as_one_address(#[case] backend: Backend) {
    let app = behind_a_proxy(backend, "relay_address=2", |_| ()).await;
    for address in ["2001:db8:1:2::1", "2001:db8:1:2:ffff::2"] {
        from(&app, address).get("/v1/limits").await.expect_status(200);
    }
    let refused = from(&app, "2001:db8:1:2::3").get("/v1/limits").await;
    refused.expect_refusal(429, "UNAVAILABLE", "rate_limited");
    from(&app, "2001:db8:1:3::1").get("/v1/limits").await.expect_status(200);
}

#[apply(either)]
async fn the_exchange_counts_a_network_of_ipv6_as_one_address(#[case] backend: Backend) {
    let app = behind_a_proxy(backend, "exchange=2", |settings| settings.exchange_insecure = true).await;
    let ask = async |address: &str| from(&app, address).post("/agora", json!({ "body": "Hello!" })).await;
    for address in ["2001:db8:1:2::1", "2001:db8:1:2:ffff::2"] {
        ask(address).await.expect_success();
    }
    ask("2001:db8:1:2::3").await.expect_problem(429, "rate_limited");
    ask("2001:db8:1:3::1").await.expect_success();
}

#[apply(either)]
async fn the_networks_of_one_site_share_an_allowance(#[case] backend: Backend) {
    let app = behind_a_proxy(backend, "anonymous=2", |_| ()).await;
    let mut answered = 0;
    for network in 0..40 {
        let reply = from(&app, &format!("2001:db8:1:{network:x}::1")).get("/build").await;
        answered += usize::from(reply.status == 200);
    }
    // Sixteen times the allowance of one network.
    assert_eq!(answered, 32);
    from(&app, "2001:db8:2::1").get("/build").await.expect_status(200);
    from(&app, "192.0.2.1").get("/build").await.expect_status(200);
}

#[apply(either)]
async fn streams_and_polls_of_an_ipv6_network_share_its_capacity(#[case] backend: Backend) {
    let app = behind_a_proxy(backend, "", |settings| settings.live_streams_per_address = 1).await;
    let held = from(&app, "2001:db8:1:2::1").follow("/api/v1/live").await;
    let other = from(&app, "2001:db8:1:2::2");
    other.get("/api/v1/live").await.expect_problem(429, "too_many_streams_held");
    let poll = other.get("/events?since=2026-01-01T00:00:00Z&timeout=1").await;
    poll.expect_refusal(429, "UNAVAILABLE", "too_many_streams_held");
    from(&app, "2001:db8:1:3::1").get("/events?since=2026-01-01T00:00:00Z&timeout=1").await.expect_status(200);
    drop(held);
}
