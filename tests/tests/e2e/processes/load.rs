//! A load of concurrent writers that runs until it is stopped.

use std::{sync::Arc, time::Duration};

use reqwest::Method;
use tokio::{sync::watch, task::JoinSet, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    cast::{Agent, Track},
    client::text,
    site::{Server, unique},
    waiting::soon,
};

const WRITERS: usize = 16;

/// Running writers, each of which posts one message after another.
pub(crate) struct Load {
    writers: JoinSet<Written>,
    answered: watch::Receiver<usize>,
    enough: CancellationToken,
}

/// The outcome of their messages.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Id and content of the messages with a 201 response.
    pub(crate) receipts: Vec<(String, String)>,
    /// The number of requests without a response.
    pub(crate) cut: usize,
    /// Other responses.
    pub(crate) refused: Vec<String>,
}

impl Load {
    /// Starts the writers.
    pub(crate) fn on(server: &Server, agent: &Agent, track: &Track) -> Self {
        Self::paced(server, agent, track, Duration::ZERO)
    }

    /// Starts the writers, each of which rests between two messages.
    pub(crate) fn paced(server: &Server, agent: &Agent, track: &Track, rest: Duration) -> Self {
        let (counter, answered) = watch::channel(0);
        let (counter, enough, mut writers) = (Arc::new(counter), CancellationToken::new(), JoinSet::new());
        for _ in 0..WRITERS {
            let client = server.with(&agent.token);
            let (agent, path) = (agent.clone(), track.messages());
            let (counter, enough) = (counter.clone(), enough.clone());
            writers.spawn(async move {
                let mut written = Written::default();
                while !enough.is_cancelled() {
                    let content = unique("message ");
                    match client.send(Method::POST, &path, Some(agent.message(&content))).await {
                        Ok(answer) if answer.status == 201 => {
                            written.receipts.push((text(&answer.body, "/id"), content));
                            counter.send_modify(|count| *count += 1);
                            sleep(rest).await;
                        }
                        Ok(answer) => written.refused.push(format!("{} {}", answer.status, answer.body)),
                        Err(_) => {
                            written.cut += 1;
                            break;
                        }
                    }
                }
                written
            });
        }
        Self { writers, answered, enough }
    }

    /// Waits until this many more messages were accepted.
    pub(crate) async fn wait_for_messages(&mut self, messages: usize) {
        let enough = *self.answered.borrow() + messages;
        let reached = self.answered.wait_for(|count| *count >= enough);
        drop(soon("accepted messages", reached).await.expect("the writers are running"));
    }

    /// Lets every writer finish its last message.
    pub(crate) async fn finish(self) -> Written {
        self.enough.cancel();
        let all = soon("the writers' end", self.writers.join_all()).await;
        all.into_iter().fold(Written::default(), |mut sum, one| {
            sum.receipts.extend(one.receipts);
            sum.refused.extend(one.refused);
            sum.cut += one.cut;
            sum
        })
    }
}
