//! Live streams that come back with `Last-Event-ID`, each time at another server.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use anyhow::{Result, bail};
use futures_util::StreamExt;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use super::scene::Scene;
use crate::history::{Entry, Frame};

/// The stream of the whole log, and the one of the track.
pub(crate) const STREAMS: [&str; 2] = ["log", "track"];
/// A stream that says nothing for so long is gone: it was to keep itself alive every second.
const SILENCE: Duration = Duration::from_secs(4);
const COMES_BACK: Duration = Duration::from_millis(150);

/// Streams that are read until this is dropped.
pub(crate) struct Streams {
    /// Up to where the stream of the whole log was read.
    reached: Arc<AtomicI64>,
    _tasks: JoinSet<()>,
}

impl Streams {
    pub(crate) fn start(scene: &Arc<Scene>) -> Self {
        let reached = Arc::new(AtomicI64::new(scene.begins_after));
        let mut tasks = JoinSet::new();
        let paths = ["/api/v1/live".to_owned(), format!("/api/v1/workspaces/{}/live", scene.track)];
        for (number, path) in paths.into_iter().enumerate() {
            let reached = (number == 0).then(|| Arc::clone(&reached));
            let reader = Reader { scene: Arc::clone(scene), number, path, last: scene.begins_after, reached };
            tasks.spawn(reader.follow());
        }
        Self { reached, _tasks: tasks }
    }

    /// Waits until the stream of the whole log has shown this position; false where it has not within the time.
    pub(crate) async fn reach(&self, position: i64, time: Duration) -> bool {
        let end = Instant::now() + time;
        while self.reached.load(Ordering::SeqCst) < position {
            if Instant::now() > end {
                return false;
            }
            sleep(COMES_BACK).await;
        }
        true
    }
}

struct Reader {
    scene: Arc<Scene>,
    number: usize,
    path: String,
    last: i64,
    reached: Option<Arc<AtomicI64>>,
}

impl Reader {
    async fn follow(mut self) {
        for server in 0.. {
            // However it ended, it goes on behind the last event.
            drop(self.read(server).await);
            sleep(COMES_BACK).await;
        }
    }

    async fn read(&mut self, server: usize) -> Result<()> {
        let client = &self.scene.agents[0].client;
        let request = client.stream(server, &self.path)?.header("Last-Event-ID", self.last.to_string());
        let answer = timeout(SILENCE, request.send()).await??.error_for_status()?;
        let (mut bytes, mut text) = (answer.bytes_stream(), Vec::new());
        loop {
            let Some(piece) = timeout(SILENCE, bytes.next()).await? else { bail!("the stream ended") };
            text.extend_from_slice(&piece?);
            while let Some(end) = text.windows(2).position(|pair| pair == b"\n\n") {
                let frame: Vec<u8> = text.drain(..end + 2).collect();
                self.note(&String::from_utf8_lossy(&frame));
            }
        }
    }

    fn note(&mut self, text: &str) {
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let position: Option<i64> = field("id: ").and_then(|id| id.parse().ok());
        if let Some(event) = field("event: ") {
            let history = self.scene.client.history();
            let frame = Frame { at: history.now(), stream: self.number, event: event.to_owned(), position };
            history.record(Entry::Frame(frame));
        }
        if let Some(position) = position {
            self.last = position;
            if let Some(reached) = &self.reached {
                reached.store(position, Ordering::SeqCst);
            }
        }
    }
}
