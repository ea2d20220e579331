//! scratch
#![allow(warnings, clippy::all)]
#[path = "../tests/worker/cast.rs"]
mod cast;
#[path = "../tests/worker/database.rs"]
mod database;
#[path = "../tests/worker/receiver.rs"]
mod receiver;
use cast::*;
use database::*;
use futures_util::{StreamExt, stream};
use receiver::*;
use std::time::Instant;
use buildtrack_worker::*;
use tokio_util::sync::CancellationToken;

fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = s.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
fn rss() -> String {
    std::fs::read_to_string("/proc/self/status").unwrap().lines().filter(|l| l.starts_with("VmHWM") || l.starts_with("VmRSS")).collect::<Vec<_>>().join(" ")
}

#[tokio::main]
async fn main() {
    let kind = if std::env::args().nth(1).as_deref() == Some("pg") { Kind::Postgres } else { Kind::Sqlite };
    let total: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let spaces: usize = std::env::args().nth(3).unwrap().parse().unwrap();
    let heard: usize = std::env::args().nth(4).unwrap().parse().unwrap();
    let database = TestDatabase::now(kind).await;
    let store = database.open().await;
    let mut receivers = vec![];
    for _ in 0..heard.min(8) { receivers.push(Receiver::friendly().await); }
    let t = Instant::now(); let w = worker(&store); println!("new: {:?} {}", t.elapsed(), rss()); drop(w);
    let author = agent(&store, "Ada", None).await;
    let mut ids = vec![];
    for n in 0..spaces {
        let url = (n < heard).then(|| receivers[n % receivers.len()].url());
        let reader = agent(&store, "Ben", url).await;
        ids.push(workspace(&store, &[&author, &reader]).await);
    }
    worker(&store).drain().await.unwrap();
    let content = "x".repeat(400);
    let t = Instant::now();
    stream::iter(0..total).for_each_concurrent(256, |n| { let (store, author, ids, content) = (&store, &author, &ids, &content); async move { post(store, ids[n % ids.len()], author, content).await; } }).await;
    println!("posted {total} in {:?}, {}", t.elapsed(), rss());
    let head = store.tail().head();
    if heard == 0 {
        let (t, c) = (Instant::now(), cpu());
        worker(&store).drain().await.unwrap();
        let (t, c) = (t.elapsed().as_secs_f64(), cpu() - c);
        println!("looked at: {:.0}/s wall, cpu {:.2}s = {:.1}us/event, {}", total as f64 / t, c, c * 1e6 / total as f64, rss());
    } else {
        let stop = CancellationToken::new();
        let (t, c) = (Instant::now(), cpu());
        let mut s = settings(); s.call_timeout = std::time::Duration::from_secs(15);
        let task = tokio::spawn(Worker::new(store.clone(), s).unwrap().run(stop.clone()));
        while store.consumer_position("webhooks").await.unwrap() < head { tokio::time::sleep(std::time::Duration::from_millis(20)).await; }
        println!("dispatched: {:.0}/s wall", total as f64 / t.elapsed().as_secs_f64());
        while store.queue_depth("webhooks").await.unwrap().pending > 0 { tokio::time::sleep(std::time::Duration::from_millis(50)).await; }
        let (t, c) = (t.elapsed().as_secs_f64(), cpu() - c);
        let received: usize = receivers.iter_mut().map(|r| r.rest().len()).sum();
        println!("delivered {received} incl. receiver: {:.0}/s wall, cpu {:.2}s, {}", received as f64 / t, c, rss());
        stop.cancel(); task.await.unwrap();
    }
}
