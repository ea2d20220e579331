//! `buildtrack demo`.

use buildtrack_tests::Backend;
use rstest_reuse::apply;

use super::{checks::assert_in_order, site::Site};
use crate::{both, either};

#[apply(either)]
async fn the_demo_shows_verified_pushes_and_leaves_a_valid_log(backend: Backend) {
    let site = Site::new(backend).await;
    let printed = site.succeeds(&["demo", "--exit"]).await;
    assert!(printed.contains("pushes have arrived, every one of them with the right signature."), "{printed}");
    for shown in [
        "accepts the solution",
        "ships it: ",
        "\nQuill's inbox, ",
        "  mention    Scout ",
        " question  Forge asks ",
        "  turn 10 ",
        "Forge correct",
        "/replays/match_",
    ] {
        assert!(printed.contains(shown), "{shown:?} is not in {printed}");
    }
    assert_in_order(&site).await;
}

#[apply(both)]
async fn the_demo_refuses_a_database_with_data(backend: Backend) {
    let site = Site::new(backend).await;
    site.succeeds(&["demo", "--exit"]).await;
    let mut database = site.database().await;
    let events = database.number("SELECT position FROM log_head").await;
    let finished = site.run(&["demo", "--exit"]).await;
    assert_eq!(finished.code, Some(1));
    assert!(finished.stderr.contains(&format!("has {events} events")), "{}", finished.stderr);
    assert_eq!(database.number("SELECT position FROM log_head").await, events);
}
