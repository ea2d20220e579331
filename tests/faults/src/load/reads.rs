//! A reader whose numbers never fall.

use std::{sync::Arc, time::Duration};

use reqwest::Method;
use tokio::{sync::watch, time::sleep};

use super::scene::Scene;
use crate::{
    client::{Answer, Request},
    history::Claim,
    random::Random,
};

const PAUSE: Duration = Duration::from_millis(80);

pub(super) async fn work(scene: Arc<Scene>, mut random: Random, stop: watch::Receiver<bool>) {
    let client = scene.client.with(scene.agents.len() + 1, "");
    let client = scene.agents.first().map_or(client, |agent| agent.client.clone());
    let track = format!("/api/v1/workspaces/{}", scene.track);
    while !*stop.borrow() {
        let request = Request::new("read", Method::GET, &*track, None);
        client.perform(&mut random, &request, |answer| grows(answer, "messageCount", "")).await;
        // Each server reports its own tail, so that another server may be a moment behind.
        let request = Request::new("read", Method::GET, "/api/v1/log?limit=1", None);
        client.perform(&mut random, &request, |answer| grows(answer, "head", &format!(" at {}", answer.server))).await;
        sleep(PAUSE).await;
    }
}

fn grows(answer: &Answer, field: &str, location: &str) -> Claim {
    Claim::Grows { series: format!("{field}{location}"), value: answer.body[field].as_i64().unwrap_or(-1) }
}
