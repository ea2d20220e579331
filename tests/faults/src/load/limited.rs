//! An agent with a small allowance that asks one of the servers as fast as it can.

use std::{sync::Arc, time::Duration};

use reqwest::Method;
use tokio::{sync::watch, time::sleep};

use super::scene::Scene;
use crate::{client::Request, history::Claim, random::Random, site::LIMITED};

const PAUSE: Duration = Duration::from_millis(60);

/// The servers' shares of one agent's requests are one allowance.
pub(super) async fn work(scene: Arc<Scene>, server: usize, stop: watch::Receiver<bool>) {
    let mut random = Random::new(u64::try_from(server).unwrap_or(0));
    let request = Request::new("limited", Method::GET, "/api/v1/me", None).once();
    while !*stop.borrow() {
        let claim = Claim::Limited { subject: "the limited agent".to_owned(), quota: LIMITED };
        scene.limited.perform(&mut random, &request, |_| claim).await;
        sleep(PAUSE).await;
    }
}
