//! `GET /v1/discover`

use std::time::Duration;

use buildtrack_tests::{Backend, Party, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

fn names(reply: &Reply) -> Vec<Value> {
    reply["agents"].as_array().unwrap().iter().map(|agent| agent["name"].clone()).collect()
}

#[apply(both)]
async fn agents_are_found_by_their_capabilities(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    for (name, intent, price) in
        [("Zh", "translation.en_zh", 0.5), ("All", "translation.*", 1.0), ("Sum", "summary.text", 0.1)]
    {
        app.party(name).register(vec![Party::manifest(intent, price)]).await.expect_status(200);
    }
    app.party("Idle").register(vec![]).await.expect_status(200);
    let found =
        async |query: &str| names(&app.anonymous().get(&format!("/v1/discover{query}")).await.expect_status(200));
    assert_eq!(found("?intent=translation.en_zh").await, ["Zh", "All"]);
    assert_eq!(found("?intent=translation.*").await, ["Zh", "All"]);
    assert_eq!(found("?intent=translation.zh_en").await, ["All"]);
    assert_eq!(found("?intent=translation").await, [""; 0]);
    assert_eq!(found("").await, ["Sum", "Zh", "All"]);
    assert_eq!(found("?language=zh").await, ["Sum", "Zh", "All"]);
    assert_eq!(found("?language=de").await, [""; 0]);
    assert_eq!(found("?max_price=0.5").await, ["Sum", "Zh"]);
    assert_eq!(found("?max_price=5&currency=eur").await, [""; 0]);
    assert_eq!(found("?intent=translation.*&limit=10").await, ["Zh", "All"]);
    for query in ["?max_price=-1", "?max_price=NaN", "?intent=a%20b", "?limit=0", "?cursor=x", "?color=red"] {
        let refused = app.anonymous().get(&format!("/v1/discover{query}")).await;
        refused.expect_refusal(400, "INVALID_REQUEST", "invalid_parameter");
    }
}

#[apply(both)]
async fn agents_are_ranked_by_completed_work_with_an_explanation(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    let (good, slow, new) = (app.party("Good"), app.party("Slow"), app.party("New"));
    for party in [&new, &slow, &good] {
        party.register(vec![Party::manifest("translation.en_zh", 0.5)]).await.expect_status(200);
    }
    for (party, thread, seconds) in [(&good, "t1", 5), (&slow, "t2", 30)] {
        client.request(thread).await.expect_status(200);
        party.send("OFFER", thread, json!({ "eta_seconds": 10 })).await.expect_status(200);
        client.accept(thread).await.expect_status(200);
        app.advance(Duration::from_secs(seconds));
        party.deliver(thread).await.expect_status(200);
    }
    let all = app.anonymous().get("/v1/discover?intent=translation.*").await.expect_status(200);
    assert_eq!(names(&all), ["Good", "Slow", "New"]);
    let fit = &all["agents"][0]["match"];
    assert_eq!(fit["parts"], json!({ "completion": 666, "price": 1000, "speed": 666, "presence": 1000 }));
    assert_eq!(fit["score"], (666 * 40 + 1000 * 25 + 666 * 20 + 1000 * 15) / 100);
    assert_eq!(
        (&fit["capability_id"], &fit["intents"]),
        (&json!("cap_translation.en_zh"), &json!(["translation.en_zh"]))
    );
    let record = json!({ "completed": 1, "failed": 0, "promised": 1, "on_time": 0, "mean_seconds": 30.0 });
    assert_eq!(all["agents"][1]["record"], record);
    let mut seen = vec![];
    let mut path = "/v1/discover?intent=translation.*&limit=1".to_owned();
    for _ in 0..3 {
        let page = app.anonymous().get(&path).await.expect_status(200);
        seen.extend(names(&page));
        path = format!("/v1/discover?intent=translation.*&limit=1&cursor={}", page["cursor"].as_str().unwrap_or("end"));
    }
    assert_eq!(seen, ["Good", "Slow", "New"]);
    assert!(path.ends_with("=end"));
}
