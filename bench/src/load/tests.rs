use super::*;
use crate::{http, mock};

async fn load(pace: Pace, stall: Duration) -> Outcome {
    let address = mock::accepting(20, stall).await;
    let bytes = http::request("POST", "/", address, None, Some("{\"content\":\"0000000000000000\"}"));
    let requests = vec![Request::new(bytes, "0000000000000000", (0, 7)).unwrap()];
    let (warmup, measured) = (Duration::ZERO, Duration::from_millis(400));
    let watched = Watched::default();
    let (on_cut, receipts, ledger) = (OnCut::Stop, true, None);
    run(Plan { address, requests, pace, warmup, measured, on_cut, receipts, ledger, watched }).await.unwrap()
}

#[test]
fn messages_differ_and_keep_their_length() {
    let body = format!(r#"{{"content":"0000000000000000 {}","upvotes":0}}"#, "x".repeat(333));
    let mut request = Request::new(body.clone().into_bytes(), "0000000000000000", (1, 2)).unwrap();
    let mut before: Vec<String> = vec![];
    for _ in 0..1000 {
        request.advance();
        let text = std::str::from_utf8(request.bytes()).unwrap();
        assert!(text.len() == body.len() && text.ends_with(r#"","upvotes":0}"#), "{text}");
        assert!(text.starts_with(r#"{"content":"00010002"#), "{text}");
        let words: Vec<_> = text.split(' ').skip(1).take(50).map(str::to_owned).collect();
        assert!(words.len() == 50 && words.iter().filter(|word| before.contains(word)).count() < 5, "{text}");
        before = words;
    }
}

#[tokio::test]
async fn a_stall_counts_for_every_message_that_should_have_started_during_it() {
    let outcome = load(Pace::Open { rate: 500 }, Duration::from_millis(200)).await;
    assert_eq!((outcome.totals.accepted, outcome.untaken, outcome.unknown()), (200, 0, 0));
    let latency = &outcome.totals.latency;
    // 100 messages should start in the 200 ms; the first 75 of them wait at least 50 ms.
    assert!(latency.count_between(50_000, u64::MAX) >= 70, "{}", latency.count_between(50_000, u64::MAX));
}

#[tokio::test]
async fn a_closed_loop_counts_accepted_messages_and_numbers_each() {
    let outcome = load(Pace::Closed, Duration::ZERO).await;
    let totals = &outcome.totals;
    assert!(totals.accepted > 21 && totals.accepted == totals.sent);
    assert!(outcome.window.unwrap().accepted <= totals.accepted);
    let numbers: Vec<&str> = totals.receipts.iter().take(2).map(|receipt| receipt.number.as_str()).collect();
    assert_eq!(numbers, ["0000000700000001", "0000000700000002"]);
}
