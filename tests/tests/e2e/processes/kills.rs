//! `kill -9` in the middle of a load.

use buildtrack_tests::Backend;
use rstest_reuse::apply;

use super::{
    cast::{Agent, Track},
    checks::{is_in_order, nothing_is_missing},
    load::{Load, Written},
    site::Site,
};
use crate::both;

const KILLS: usize = 4;

#[apply(both)]
async fn what_was_answered_survives_a_kill(backend: Backend) {
    let site = Site::new(backend).await;
    let mut server = site.serve().await;
    let agent = Agent::new(&server, "Scout").await;
    let track = Track::open(&server, &agent, &[]).await;
    let mut all = Written::default();
    for kill in 1..=KILLS {
        let mut load = Load::on(&server, &agent, &track);
        load.goes_on_for(60 * kill).await;
        server.process.kill().await;
        let written = load.finish().await;
        assert_eq!(written.refused, [""; 0]);
        all.receipts.extend(written.receipts);
        all.cut += written.cut;
        server = site.serve().await;
        let beyond = nothing_is_missing(&server, &track, &all).await;
        assert!(beyond <= all.cut, "{beyond} messages that nobody sent");
    }
    server.process.kill().await;
    is_in_order(&site).await;
}

#[apply(both)]
async fn a_kill_while_rebuilding_leaves_the_old_tables(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let agent = Agent::new(&server, "Scout").await;
    let track = Track::open(&server, &agent, &[]).await;
    let mut load = Load::on(&server, &agent, &track);
    load.goes_on_for(300).await;
    let written = load.finish().await;
    let mut rebuilding = site.start(&["rebuild"]);
    rebuilding.stderr.says("rebuilding: ").await;
    rebuilding.kill().await;
    assert_eq!(nothing_is_missing(&server, &track, &written).await, 0);
    agent.posts(&server, &track, "Nobody holds a lock").await;
    is_in_order(&site).await;
}
