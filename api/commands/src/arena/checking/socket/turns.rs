//! A turn of the check: the request with what it tries, the answer, and what is wrong with it.

use std::time::Duration;

use actix_ws::CloseCode;
use buildtrack_arena::socket::{
    SocketError,
    reading::{addressed, sealed},
};
use buildtrack_worker::conformance::fault_of_answer;
use tokio::time::Instant;

use super::{
    conversation::{Answered, Next},
    duel::{Duel, Turn},
    play::Play,
    probes::{Probe, later_message, with_later_member},
};

/// The time that `unavailable` tells the agent to wait, and how much longer the check waits.
pub(super) const RETRY: Duration = Duration::from_secs(1);
const RETRY_PATIENCE: Duration = Duration::from_secs(5);
/// How long the check waits for answers after the deadline, and listens after an answer.
const LATE: Duration = Duration::from_secs(2);
const QUIET: Duration = Duration::from_millis(250);

/// The turn that is played.
struct Playing<'t> {
    turn: &'t Turn,
    check: String,
    probe: Probe,
    due: Instant,
    /// The faults before the turn.
    faults: usize,
    was_late: bool,
}

impl Play<'_> {
    /// Plays a turn. An error says why it cannot be judged.
    pub(super) async fn play(&mut self, duel: &mut Duel, turn: &Turn) -> Result<(), String> {
        let time = (turn.due_at - self.conversation.clock.now()).to_std().unwrap_or_default();
        let probe = Probe::of(turn.number, time);
        let (check, due) = (probe.name(turn.number), Instant::now() + time);
        let faults = self.conversation.findings.faults();
        let mut playing = Playing { turn, check, probe, due, faults, was_late: false };
        if probe == Probe::LaterVersion {
            self.conversation.send(later_message()).await;
        }
        self.request(duel, probe).await;
        let mut left_at = None;
        if probe == Probe::Restart {
            self.conversation.close(CloseCode::Restart, "the server restarts").await;
            left_at = Some(Instant::now());
        }
        if self.wait_for_answer(duel, &mut playing, left_at).await {
            self.expect_no_second_answer(duel, &mut playing).await;
        } else if !playing.was_late {
            self.report_missing(&playing, time);
        }
        duel.close(self.conversation.is_connected(), &self.programs).await
    }

    /// Sends the request of the open turn.
    async fn request(&mut self, duel: &Duel, probe: Probe) {
        let Some(text) = duel.request() else { return };
        let text = if probe == Probe::LaterVersion { with_later_member(&text) } else { text };
        self.conversation.send(text).await;
    }

    /// True once the turn has an answer. `left_at` is when the connection was closed, if it was.
    async fn wait_for_answer(
        &mut self,
        duel: &mut Duel,
        playing: &mut Playing<'_>,
        mut left_at: Option<Instant>,
    ) -> bool {
        let (mut until, mut held): (_, Option<(Answered, Instant)>) = (playing.due + LATE, None);
        loop {
            match self.conversation.next(&playing.check, until).await {
                Next::Answer(answered) => {
                    if held.is_none() && should_fail(&answered, playing, duel) {
                        let about = Some((&*answered.match_id, &*answered.turn_id));
                        self.conversation.send(SocketError::unavailable().text(about)).await;
                        let now = Instant::now();
                        until = until.min(now + RETRY + RETRY_PATIENCE);
                        held = Some((answered, now));
                        continue;
                    }
                    if let Some((_, failed_at)) = held.take() {
                        self.report_wait(&playing.check, "unavailable", (failed_at.elapsed(), RETRY));
                        until = playing.due + LATE;
                    }
                    if self.record(duel, playing, answered).await {
                        return true;
                    }
                }
                Next::Join => self.conversation.join().await,
                Next::Connected => {
                    if let Some(left_at) = left_at.take() {
                        let message = format!("connects again after {} ms", left_at.elapsed().as_millis());
                        self.conversation.findings.good(&playing.check, message);
                    }
                    self.request(duel, playing.probe).await;
                }
                Next::Gone => {
                    left_at = left_at.or(Some(Instant::now()));
                    self.conversation.findings.fault(&playing.check, None, "the agent closes the connection");
                }
                Next::Nothing => {
                    let Some((answered, _)) = held.take() else { return false };
                    let message = "does not send its answer again after the error unavailable: the turn would be lost";
                    self.conversation.findings.warn(&playing.check, None, message);
                    return self.record(duel, playing, answered).await;
                }
            }
        }
    }

    /// Records an answer, or refuses it as the server would. True if it counts.
    async fn record(&mut self, duel: &mut Duel, playing: &mut Playing<'_>, answered: Answered) -> bool {
        let Answered { match_id, turn_id, output, metadata } = answered;
        let taken = addressed(&match_id, &turn_id).and_then(|(match_id, turn)| {
            let answer = sealed(&output, metadata)?;
            duel.take(match_id, turn, answer)
        });
        let findings = &mut self.conversation.findings;
        let error = match taken {
            Ok(latency) => {
                if let Some(fault) = fault_of_answer(playing.turn.task, Some(&output)) {
                    findings.fault(&playing.check, Some("output"), fault);
                } else if findings.faults() == playing.faults {
                    findings.good(&playing.check, format!("answered in {latency} ms"));
                }
                return true;
            }
            Err(error) => error,
        };
        let shown = |id: &str| id.chars().take(64).collect::<String>();
        let (field, message) = match error.code() {
            "unknown_match" => {
                let own = duel.match_id().map(|id| id.to_string()).unwrap_or_default();
                (Some("match_id"), format!("{:?} is not the id of the match, {own:?}", shown(&match_id)))
            }
            "wrong_turn" => {
                let open = playing.turn.number;
                (Some("turn_id"), format!("{:?} is not the open turn, \"turn_{open}\"", shown(&turn_id)))
            }
            "already_answered" => (None, format!("a second answer to {}: the first one counts", shown(&turn_id))),
            "late_answer" => {
                playing.was_late = true;
                let late = playing.due.elapsed().as_millis();
                (None, format!("the answer comes {late} ms after the deadline: the match is forfeited"))
            }
            _ => (Some("output"), error.message().to_owned()),
        };
        findings.fault(&playing.check, field, message);
        self.conversation.send(error.text(Some((&match_id, &turn_id)))).await;
        false
    }

    /// Listens for a moment after the answer.
    async fn expect_no_second_answer(&mut self, duel: &mut Duel, playing: &mut Playing<'_>) {
        let until = Instant::now() + QUIET;
        loop {
            match self.conversation.next(&playing.check, until).await {
                Next::Answer(answered) => {
                    self.record(duel, playing, answered).await;
                }
                Next::Join => self.conversation.join().await,
                Next::Connected => {}
                Next::Gone => {
                    let message = "the agent closes the connection after its answer";
                    self.conversation.findings.fault(&playing.check, None, message);
                }
                Next::Nothing => return,
            }
        }
    }

    fn report_missing(&mut self, playing: &Playing<'_>, time: Duration) {
        let message = if self.conversation.is_connected() {
            format!("no answer within {} s: the match is forfeited", time.as_secs())
        } else {
            "not connected at the deadline: the match is forfeited".to_owned()
        };
        self.conversation.findings.fault(&playing.check, None, message);
    }
}

/// Whether the answer gets the error `unavailable`: in the turn that tries it, if there is time for another attempt.
fn should_fail(answered: &Answered, playing: &Playing<'_>, duel: &Duel) -> bool {
    let is_in_time = Instant::now() + RETRY + RETRY < playing.due;
    let is_addressed = addressed(&answered.match_id, &answered.turn_id)
        .is_ok_and(|(match_id, turn)| Some(match_id) == duel.match_id() && turn == playing.turn.number);
    playing.probe == Probe::Unavailable && is_in_time && is_addressed
}
