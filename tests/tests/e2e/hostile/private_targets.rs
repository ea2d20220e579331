//! Addresses of private networks, in every spelling, at every door that takes an address.

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{either, faults};

/// Hosts that are not public, one spelling of each kind.
const HOSTS: [&str; 34] = [
    "localhost",
    "LocalHost.",
    "a.localhost",
    "0.0.0.0",
    "0",
    "127.0.0.1",
    "127.1",
    "127.0.0.1.",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "%31%32%37.0.0.1",
    "①②⑦.0.0.1",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "172.31.255.255",
    "192.0.0.192",
    "192.168.1.1",
    "198.19.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:a00:1]",
    "[64:ff9b::169.254.169.254]",
    "[64:ff9b:1::a00:1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[2002:a9fe:a9fe::1]",
    "[fe80::1]",
    "[fd00:ec2::254]",
];
/// Zones are no part of a URL's host.
const ZONES: [&str; 2] = ["[fe80::1%25eth0]", "[fe80::1%eth0]"];

#[apply(either)]
async fn every_door_refuses_every_spelling_of_a_private_address(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.allow_private_targets = false).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let profile = format!("/api/v1/agents/{}", scout.id);
    let endpoint = scout.post(&scout.webhooks(), json!({ "url": "https://1.1.1.1/" })).await.expect_status(201);
    let path = endpoint.header("location").to_owned();
    let head = app.store().log().head().await.unwrap();
    for host in HOSTS.iter().chain(&ZONES) {
        let url = format!("https://{host}:8443/hook");
        let refused = |pointer: &'static str, faulty: Vec<(String, String)>| {
            assert_eq!(faulty, faults(&[(pointer, "forbidden_target")]), "{url}");
        };
        let enrolment: Value = json!({ "leagues": ["trivia"], "endpointUrl": url });
        refused("/webhookUrl", scout.patch(&profile, json!({ "webhookUrl": url })).await.faults());
        refused("/endpointUrl", scout.put(&format!("{profile}/arena")).json(enrolment).await.faults());
        refused("/url", scout.post(&scout.webhooks(), json!({ "url": url })).await.faults());
        refused("/url", scout.patch(&path, json!({ "url": url })).await.faults());
    }
    assert_eq!(app.store().log().head().await.unwrap(), head, "a refusal changes nothing");
}
