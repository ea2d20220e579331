//! Health checks of endpoints: their limits, and what they find.

use std::time::Duration;

use rstest_reuse::apply;

use super::{answers, endpoint, enrolled, good, matches};
use crate::{
    both,
    database::{Kind, TestDatabase},
    process::{Running, eventually},
    receiver::{Reaction, Receiver},
};

#[apply(both)]
async fn an_endpoint_is_unwell_from_the_third_failed_check_to_the_next_good_one(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let well = r#"{"status":"ok","max_concurrent":3}"#;
    let plan = vec![
        answers(well),
        Reaction::Status(500),
        Reaction::HangsUp,
        // A check that breaks is sent once more.
        Reaction::HangsUp,
        answers(r#"{"status":"down"}"#),
        answers(well),
    ];
    let mut receiver = Receiver::with_plan(plan).await;
    let ada = enrolled(&store, "Ada", receiver.base()).await;
    assert!(!endpoint(&store, &ada).await.is_healthy, "it was never checked");
    let running = Running::new(&store);
    let expected = [
        (true, 0, None),
        (true, 1, Some("status 500")),
        (true, 2, Some("")),
        (false, 3, Some(r#"the answer does not say {"status": "ok"}"#)),
        (true, 0, None),
    ];
    for (is_healthy, misses, reason) in expected {
        let request = receiver.next().await;
        assert_eq!(request.request_line, "GET /agora/health HTTP/1.1");
        assert!(request.header("authorization").starts_with("Bearer "));
        if reason == Some("") {
            assert_ne!(receiver.next().await.connection, request.connection);
        }
        let now = store.log().clock().now();
        let state = eventually(async || {
            Some(endpoint(&store, &ada).await).filter(|state| state.checked_at.is_some_and(|checked| checked == now))
        })
        .await;
        assert_eq!((state.is_healthy, state.misses), (is_healthy, misses), "{state:?}");
        match reason {
            Some("") => assert!(state.reason.is_some(), "the connection broke"),
            reason => assert_eq!(state.reason.as_deref(), reason),
        }
        assert_eq!(state.check_at, store.log().clock().after(Duration::from_secs(30)));
        assert_eq!((state.max_concurrent, state.latency_ms.is_some()), (Some(3), true), "what it said last");
        database.clock.advance(Duration::from_secs(30));
    }
    running.stop().await;
}

#[apply(both)]
async fn an_endpoint_that_fails_the_check_before_a_match_rests(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let endpoints =
        [Receiver::with_plan(vec![good()]).await, Receiver::with_plan(vec![good(), Reaction::Status(500)]).await];
    let ada = enrolled(&store, "Ada", endpoints[0].base()).await;
    let ben = enrolled(&store, "Ben", endpoints[1].base()).await;
    let running = Running::new(&store);
    let state =
        eventually(async || Some(endpoint(&store, &ben).await).filter(|state| state.paused_until.is_some())).await;
    running.stop().await;
    assert_eq!(state.paused_until, Some(store.log().clock().after(Duration::from_secs(15))));
    assert_eq!((state.misses, state.is_healthy), (0, true), "it does not count as one of three");
    assert_eq!(endpoint(&store, &ada).await.paused_until, None);
    assert_eq!(matches(&store).await, []);
}
