//! Playing in the arena: connects to EvalDuel's socket, answers the turns of matches, and reconnects.

mod answers;
mod connection;
mod socket;

use std::collections::VecDeque;

use clap::Args;
use serde_json::{Value, json};
use tokio::{
    signal::unix::{SignalKind, signal},
    time::sleep,
};

use crate::{
    client::{Client, Options},
    display::{in_one_line, member},
    failure::Failure,
    transport::Call,
};
use connection::{Connection, End};

/// The results that are known, so that one which comes again is counted once.
const RESULTS_KNOWN: usize = 100;

/// Plays matches of the arena with the agent of the session.
#[derive(Debug, Args)]
pub struct Play {
    /// The shell command that answers a turn [default: chooses the first option]
    #[arg(long, value_name = "COMMAND")]
    answer: Option<String>,
    /// Enrols the agent in this league first, in place of its enrolment; may be repeated
    #[arg(long = "enrol", value_name = "LEAGUE")]
    leagues: Vec<String>,
    /// Plays the server's sparring bot in this league instead of waiting in the queue
    #[arg(long, value_name = "LEAGUE")]
    spar: Option<String>,
    /// Ends after this many matches; 0: never
    #[arg(long, value_name = "N", default_value_t = 1)]
    matches: u32,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// What is known over all connections.
#[derive(Debug)]
struct Player<'p> {
    play: &'p Play,
    /// The agent's id on the socket, `agt_…`.
    id: String,
    /// The matches that have ended.
    finished: u32,
    results: VecDeque<String>,
    has_sparred: bool,
}

impl Play {
    /// Plays until a signal ends it, and the programs with it: they are not in the group that a terminal's Ctrl-C reaches.
    pub(crate) async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let failed = |error: std::io::Error| Failure::Failed(error.to_string());
        let mut interrupted = signal(SignalKind::interrupt()).map_err(failed)?;
        let mut terminated = signal(SignalKind::terminate()).map_err(failed)?;
        let mut hung_up = signal(SignalKind::hangup()).map_err(failed)?;
        tokio::select! {
            played = self.play(client) => return played,
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
            _ = hung_up.recv() => {}
        }
        Err(Failure::Failed("A signal ended the command.".to_owned()))
    }

    async fn play(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let agent = client.own_id()?;
        if !self.leagues.is_empty() {
            let path = format!("/api/v1/agents/{agent}/arena");
            client.send(&Call::put(path, Some(json!({ "leagues": self.leagues })))).await?;
        }
        let id = agent.replacen("ag_", "agt_", 1);
        let mut player = Player { play: self, id, finished: 0, results: VecDeque::new(), has_sparred: false };
        let mut failures = 0;
        while !player.is_done() {
            let token = client.token().await?.ok_or_else(|| client.not_logged_in())?;
            let connected = socket::connect(client, &token).await;
            let wait = match connected {
                Ok(socket) => {
                    failures = 0;
                    match Connection::new(socket).serve(&mut player, client).await? {
                        End::Done => return Ok(()),
                        End::Replaced => {
                            return Err(Failure::Failed(
                                "Another connection of this agent replaced this one.".to_owned(),
                            ));
                        }
                        End::Lost(pause) => pause.unwrap_or_else(|| client.transport().pause(2)),
                    }
                }
                Err(failure) => client.transport().wait(&failure, true, failures).ok_or(failure)?,
            };
            client.output.progress("Connecting again …");
            sleep(wait).await;
            failures += 1;
        }
        Ok(())
    }
}

impl Player<'_> {
    fn is_done(&self) -> bool {
        self.play.matches > 0 && self.finished >= self.play.matches
    }

    /// Joins the queue, or asks for a match with the bot. Returns the message to send.
    async fn enter(&mut self, client: &mut Client<'_>) -> Result<Option<Value>, Failure> {
        let Some(league) = &self.play.spar else {
            client.output.progress("Waiting in the queue for an opponent …");
            return Ok(Some(json!({ "type": "evalduel.queue.join", "mode": "ranked" })));
        };
        if !self.has_sparred {
            self.has_sparred = true;
            let agents = [client.own_id()?, "sparring".to_owned()];
            let call = client.post("/api/v1/arena/matches", Some(json!({ "league": league, "agentIds": agents })));
            client.send(&call).await?;
        }
        Ok(None)
    }

    /// Counts a result and shows it, once: a new connection gets the last ones again.
    fn record(&mut self, client: &Client<'_>, result: &Value) -> Result<bool, Failure> {
        let id = member(result, "/match_id");
        if self.results.contains(&id) {
            return Ok(false);
        }
        self.results.push_back(id);
        if self.results.len() > RESULTS_KNOWN {
            self.results.pop_front();
        }
        self.finished += 1;
        self.has_sparred = false;
        client.output.show(result, || outcome(result, &self.id))?;
        Ok(true)
    }
}

/// A result as a line.
fn outcome(result: &Value, own: &str) -> String {
    let scores = result.get("scores").and_then(Value::as_object);
    let score = |is_own: bool| {
        let scores = scores.into_iter().flatten().filter(|(id, _)| (*id == own) == is_own);
        scores.map(|(_, score)| score.to_string()).collect::<Vec<_>>().join(", ")
    };
    let outcome = match result.get("winner_agent_id").and_then(Value::as_str) {
        Some(winner) if winner == own => "Won",
        Some(_) => "Lost",
        None => "No winner in",
    };
    let id = in_one_line(&member(result, "/match_id"));
    let reason = in_one_line(&member(result, "/reason"));
    format!("{outcome} {id}: {} to {} ({reason})", score(true), score(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_shown_from_the_agents_side() {
        let result = json!({
            "match_id": "mt_1", "winner_agent_id": "agt_1", "scores": { "agt_1": 0.9, "agt_2": 0.2 }, "reason": "completed",
        });
        assert_eq!(outcome(&result, "agt_1"), "Won mt_1: 0.9 to 0.2 (completed)");
        assert_eq!(outcome(&result, "agt_2"), "Lost mt_1: 0.2 to 0.9 (completed)");
        let draw = json!({ "match_id": "mt_2", "winner_agent_id": null, "scores": {}, "reason": "void: lost" });
        assert_eq!(outcome(&draw, "agt_1"), "No winner in mt_2:  to  (void: lost)");
    }
}
