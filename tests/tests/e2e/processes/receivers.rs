//! Faulty webhook receivers, next to a working one.

use std::{
    collections::{BTreeMap, HashSet},
    time::Duration,
};

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    cast::{Agent, Owner, Track},
    client::text,
    listener::{Fault, Listener},
    receiver::Receiver,
    site::{Server, Site},
};
use crate::either;

/// The number of events for all receivers, and of events for the working one only.
const TO_ALL: usize = 2;
const TO_ONE: usize = 60;
/// Both attempts of both pushes to a receiver that never responds, one after another.
const CALLS: Duration = Duration::from_mins(1);

/// A faulty receiver, with the expected outcome of its deliveries: the status, and for each attempt the status of the response or
/// the beginning of the error, and the beginning of the response.
struct Case {
    fault: Fault,
    agent: Agent,
    listener: Listener,
    status: &'static str,
    attempts: &'static [Result<i64, &'static str>],
    response: Option<(&'static str, usize)>,
}

impl Case {
    async fn new(server: &Server, owner: &Owner, fault: Fault) -> Self {
        const TIMED_OUT: Result<i64, &str> = Err("no answer in time");
        const VALID: Result<i64, &str> = Err("no valid answer: ");
        let (status, attempts, response): (_, &[_], _) = match fault {
            Fault::None => unreachable!("it works"),
            Fault::Refuses => ("failed", &[Ok(500), Ok(500)], Some(("out of order", 12))),
            Fault::Hangs | Fault::DripsHead => ("failed", &[TIMED_OUT, TIMED_OUT], None),
            Fault::DripsBody => ("delivered", &[Ok(200)], Some(("xxx", 1000))),
            Fault::Redirects(_) => ("failed", &[Ok(302), Ok(302)], None),
            Fault::PromisesMore => ("delivered", &[Ok(200)], Some(("short", 5))),
            Fault::PromisesLess => ("failed", &[Ok(500), Ok(500)], Some(("nope", 4))),
            Fault::HangsUp => ("failed", &[VALID, VALID], None),
            Fault::Floods => ("delivered", &[Ok(200)], Some(("xxx", 16 * 1024))),
        };
        let agent = owner.agent(server, &format!("{fault:?}").replace(['(', ')'], " ")).await;
        Self { fault, agent, listener: Listener::with(fault).await, status, attempts, response }
    }

    /// Its deliveries, each with its attempts.
    async fn deliveries(&self, server: &Server) -> Vec<Value> {
        deliveries(server, &self.agent).await
    }

    /// Checks that each event has one delivery with the expected outcome; returns the number of attempts.
    async fn assert_outcome(&self, server: &Server) -> usize {
        let (fault, deliveries) = (self.fault, self.deliveries(server).await);
        assert_eq!(sequences(&deliveries).len(), TO_ALL, "{fault:?}: {deliveries:?}");
        assert_eq!(deliveries.len(), TO_ALL, "{fault:?}: {deliveries:?}");
        for delivery in &deliveries {
            assert_eq!(delivery["status"], self.status, "{fault:?}: {delivery}");
            let history = delivery["history"].as_array().unwrap();
            assert_eq!(history.len(), self.attempts.len(), "{fault:?}: {delivery}");
            for (number, (attempt, expected)) in (1..).zip(history.iter().zip(self.attempts)) {
                assert_eq!(attempt["number"], number, "{fault:?}: {delivery}");
                match expected {
                    Ok(status) => assert_eq!(attempt["statusCode"], *status, "{fault:?}: {delivery}"),
                    Err(error) => {
                        assert_eq!(attempt["statusCode"], Value::Null, "{fault:?}: {delivery}");
                        assert!(text(attempt, "/error").starts_with(error), "{fault:?}: {delivery}");
                    }
                }
                match (self.response, attempt["response"].as_str()) {
                    (None, None) => {}
                    (Some((beginning, most)), Some(response)) => {
                        assert!(response.starts_with(beginning) && response.len() <= most, "{fault:?}: {response}");
                    }
                    _ => panic!("{fault:?}: {attempt}"),
                }
            }
            // The received requests equal the recorded ones: each attempt once, and always with the id of this delivery.
            let id = text(delivery, "/id");
            let calls = self.listener.calls();
            let calls = calls.iter().filter(|call| call.header("x-araf-delivery") == id);
            let mut numbers: Vec<_> = calls.map(|call| call.header("x-araf-attempt").to_owned()).collect();
            numbers.sort();
            let recorded: Vec<_> = (1..=history.len()).map(|number| number.to_string()).collect();
            assert_eq!(numbers, recorded, "{fault:?}: {delivery}");
        }
        assert_eq!(self.listener.calls().len(), TO_ALL * self.attempts.len(), "{fault:?}");
        TO_ALL * self.attempts.len()
    }
}

/// An agent's deliveries, each with its attempts, through the API.
async fn deliveries(server: &Server, agent: &Agent) -> Vec<Value> {
    let (client, path) = (server.with(&agent.token), format!("/api/v1/agents/{}/deliveries", agent.id));
    let page = client.get(&format!("{path}?limit=200")).await.expect(200);
    assert_eq!(page["nextCursor"], Value::Null);
    let mut whole = Vec::new();
    for delivery in page["items"].as_array().unwrap() {
        whole.push(client.get(&format!("{path}/{}", text(delivery, "/id"))).await.expect(200));
    }
    whole
}

fn sequences(deliveries: &[Value]) -> HashSet<i64> {
    deliveries.iter().map(|delivery| delivery["sequence"].as_i64().unwrap()).collect()
}

#[apply(either)]
async fn faulty_receivers_do_not_delay_a_working_one(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_RETRY_SCHEDULE", "0.2");
    let server = site.serve().await;
    let owner = Owner::sign_up(&server).await;
    let private = Listener::with(Fault::None).await;
    let faults = [
        Fault::Refuses,
        Fault::Hangs,
        Fault::DripsHead,
        Fault::DripsBody,
        Fault::Redirects(private.port()),
        Fault::PromisesMore,
        Fault::PromisesLess,
        Fault::HangsUp,
        Fault::Floods,
    ];
    let (author, healthy) = (owner.agent(&server, "Ada").await, owner.agent(&server, "Ben").await);
    let mut cases = Vec::new();
    for fault in faults {
        cases.push(Case::new(&server, &owner, fault).await);
    }
    let mut others: Vec<_> = cases.iter().map(|case| &case.agent).collect();
    others.push(&healthy);
    let (loud, quiet) =
        (Track::open(&server, &author, &others).await, Track::open(&server, &author, &[&healthy]).await);
    let only_messages = json!({"webhookEvents": ["workspace.message"]});
    healthy.changes(&server, only_messages.clone()).await;
    let mut receiver = Receiver::of(&server, &healthy).await;
    for Case { agent, listener, .. } in &cases {
        let mut change = only_messages.clone();
        change["webhookUrl"] = listener.url().into();
        agent.changes(&server, change).await;
    }

    for number in 0..TO_ALL {
        author.posts(&server, &loud, &format!("to all {number}")).await;
    }
    // Each of the other receivers was called, and some of them keep their connections busy from now on. An endpoint without a
    // response receives one push at a time.
    for Case { listener, .. } in &mut cases {
        listener.wait_for_calls(1).await;
    }
    for number in 0..TO_ONE {
        author.posts(&server, &quiet, &format!("to one {number}")).await;
    }
    let pushes = receiver.next_ones(TO_ALL + TO_ONE).await;
    for case in cases.iter().filter(|case| matches!(case.fault, Fault::Hangs | Fault::DripsHead | Fault::DripsBody)) {
        for delivery in case.deliveries(&server).await {
            let stands = (&delivery["status"], &delivery["attempts"]);
            assert_eq!(stands, (&json!("pending"), &json!(0)), "{:?} held the others up", case.fault);
        }
    }

    site.wait_until_idle_after(CALLS).await;
    let mut attempts = 0;
    for case in &cases {
        attempts += case.assert_outcome(&server).await;
    }
    assert!(private.calls().is_empty(), "a redirect was followed");

    let delivered = deliveries(&server, &healthy).await;
    assert!(
        delivered.iter().all(|delivery| delivery["status"] == "delivered" && delivery["attempts"] == 1),
        "{delivered:?}"
    );
    assert!(pushes.iter().all(|push| push.status == 200 && push.standard));
    let ids: HashSet<_> = pushes.iter().map(|push| push.header("x-araf-delivery")).collect();
    let recorded: HashSet<_> = delivered.iter().map(|delivery| delivery["id"].as_str().unwrap()).collect();
    assert_eq!((ids.len(), sequences(&delivered).len(), ids), (pushes.len(), TO_ALL + TO_ONE, recorded));
    assert!(receiver.end().await.is_empty(), "it was pushed to more than once");

    let mut statuses = BTreeMap::new();
    for (_, status, _) in site.database().await.deliveries().await {
        *statuses.entry(status).or_insert(0) += 1;
    }
    println!(
        "{backend:?}: {} events accepted, {} receivers, deliveries {statuses:?}; {attempts} attempts at {} faulty \
         receivers, {} pushes to the healthy one, none twice",
        TO_ALL + TO_ONE,
        cases.len() + 1,
        cases.len(),
        pushes.len(),
    );
    assert_eq!(statuses.values().sum::<usize>(), TO_ALL * cases.len() + TO_ALL + TO_ONE);
}
