//! Verifies a replay offline: its seal, the commitment to each answer, and each score, which it judges again.

use std::collections::{BTreeSet, HashMap};

use buildtrack_domain::{
    arena::{
        matches::{AnswerRevealed, Commitment, MatchEvent, TaskRef, TurnJudged},
        tasks::{Answer, Bank, Reason, Score, Task, Verdict},
    },
    event::EventSet,
};
use buildtrack_store::sha256_hex;
use buildtrack_terminal::visible_line;

use super::{
    parts::{Replay, ReplayEvent},
    programs::Programs,
    votes::Votes,
};

/// The tasks by turn.
type Tasks = HashMap<u16, TaskRef>;
/// The answers by turn and seat.
type Answers = HashMap<(u16, u16), String>;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// One line for each turn, and a last one.
    pub(super) text: String,
    /// The number of differences.
    pub(super) differences: usize,
    /// The number of turns whose task is not in the bank.
    pub(super) missing: usize,
}

impl Findings {
    fn differ(&mut self, line: &str) {
        self.differences += 1;
        self.tell(&format!("DIFFERENT: {line}"));
    }

    /// Adds one line. Texts of the replay add no second one.
    fn tell(&mut self, line: &str) {
        self.text.push_str(&visible_line(line));
        self.text.push('\n');
    }
}

/// Verifies the text of a replay. An error says that it is no replay.
pub(super) async fn verify(text: &str, bank: &Bank, programs: &Programs) -> Result<Findings, String> {
    let replay = Replay::read(text)?;
    let mut findings = Findings::default();
    let (mut tasks, mut commitments, mut answers) = (HashMap::new(), HashMap::new(), HashMap::new());
    let (mut judged, mut votes) = (0, Votes::default());
    let sealed = sealed_turns(&replay, &mut findings);
    for event in replay.events.iter().filter(|event| event.sealed_turn().is_none()) {
        let decoded = MatchEvent::decode(&event.event_type, event.data.get()).map_err(|error| error.to_string())?;
        if let Some(difference) = votes.read(&decoded) {
            findings.differ(&difference);
        }
        match decoded {
            MatchEvent::TurnOpened(data) => drop(tasks.insert(data.turn, data.task)),
            MatchEvent::Answered(data) => drop(commitments.insert((data.turn, data.seat), data.commitment)),
            MatchEvent::Revealed(data) => {
                if !fulfils(&data, commitments.get(&(data.turn, data.seat))) {
                    let (turn, seat) = (data.turn, data.seat);
                    findings.differ(&format!("the answer of seat {seat} to turn {turn} is not the one committed to"));
                }
                answers.insert((data.turn, data.seat), data.output);
            }
            // What its result follows from is not shown.
            MatchEvent::Judged(data) if sealed.contains(&data.turn) => {}
            MatchEvent::Judged(data) => {
                judged += 1;
                match votes.count(&data) {
                    Some(Ok(line)) => {
                        findings.tell(&format!("turn {}: {line}", data.turn));
                    }
                    Some(Err(difference)) => findings.differ(&difference),
                    None => judge(&mut findings, &data, (&tasks, &answers), (bank, programs)).await,
                }
            }
            MatchEvent::Created(_)
            | MatchEvent::Missed(_)
            | MatchEvent::PanelDrawn(_)
            | MatchEvent::VoteCast(_)
            | MatchEvent::VoteMissed(_)
            | MatchEvent::VoteRevealed(_)
            | MatchEvent::Finished(_)
            | MatchEvent::Voided(_) => {}
        }
    }
    let hashes: String = replay.events.iter().flat_map(|event| [event.hash.as_str(), "\n"]).collect();
    match &replay.seal {
        Some(seal) if *seal != sha256_hex(&hashes) => {
            findings.differ("the seal does not cover the hashes of the events");
        }
        Some(_) => {}
        None => findings.tell("The match goes on: it has no seal yet."),
    }
    let (id, differences, judged) = (&replay.id, findings.differences, judged - findings.missing);
    findings.tell(&format!("{id}: {judged} turns judged again, {differences} differences"));
    Ok(findings)
}

/// The turns that have sealed events. In a match that has ended, each of them is a difference.
fn sealed_turns(replay: &Replay, findings: &mut Findings) -> BTreeSet<u16> {
    let turns: BTreeSet<_> = replay.events.iter().filter_map(ReplayEvent::sealed_turn).collect();
    for turn in &turns {
        if replay.seal.is_some() {
            findings.differ(&format!("turn {turn} is sealed, though the match has ended; fetch it again"));
        } else {
            findings.tell(&format!("turn {turn}: sealed"));
        }
    }
    turns
}

/// Whether the answer is the one whose commitment the log showed before.
fn fulfils(revealed: &AnswerRevealed, commitment: Option<&Commitment>) -> bool {
    let salt = hex::decode(&revealed.salt).unwrap_or_default();
    commitment == Some(&Commitment::of(&salt, &revealed.output))
}

/// The task of a turn, as it was when it was sent; or why it is not there.
fn task_of<'b>(bank: &'b Bank, named: &TaskRef) -> Result<&'b Task, String> {
    let TaskRef { id, version, hash } = named;
    let task = bank.get(id).ok_or_else(|| format!("there is no task {id}"))?;
    if task.hash().to_string() == *hash {
        return Ok(task);
    }
    let own = task.version();
    Err(format!("the task {id} is there with version {own} and another hash, not with version {version}"))
}

/// Judges the answers of a turn again.
async fn judge(
    findings: &mut Findings,
    data: &TurnJudged,
    (tasks, answers): (&Tasks, &Answers),
    (bank, programs): (&Bank, &Programs),
) {
    let turn = data.turn;
    let Some(named) = tasks.get(&turn) else { return findings.differ(&format!("turn {turn} has no task")) };
    let task = match task_of(bank, named) {
        Ok(task) => task,
        Err(missing) => {
            findings.missing += 1;
            findings.tell(&format!("turn {turn}: NOT JUDGED: {missing}"));
            return;
        }
    };
    for result in &data.results {
        let Some(output) = answers.get(&(turn, result.seat)) else { continue };
        let verdict = match (task.judge(&Answer::new(output.clone())), task.python_tests()) {
            (Verdict::NeedsSandbox, Some(tests)) => match programs.verdict(tests, output).await {
                Ok(verdict) => verdict,
                Err(reason) => {
                    findings.tell(&format!("turn {turn}: answers in Python were not run: {reason}"));
                    return;
                }
            },
            // The only argument that counts needs no panel.
            (Verdict::NeedsPanel, _) => Verdict::Scored { score: Score::ONE, reason: Reason::Unopposed },
            (verdict, _) => verdict,
        };
        let Verdict::Scored { score, reason } = verdict else { continue };
        if (score.thousandths(), reason.as_str()) != (result.score, &*result.reason) {
            findings.differ(&format!(
                "turn {turn}, seat {}: {} of 1000 ({}), but the replay has {} ({})",
                result.seat,
                score.thousandths(),
                reason.as_str(),
                result.score,
                result.reason
            ));
        }
    }
    let scores: Vec<_> = data.results.iter().map(|result| format!("{} ({})", result.score, result.reason)).collect();
    findings.tell(&format!("turn {turn}: {}: {}", named.id, scores.join(", ")));
}

#[cfg(test)]
mod tests {
    use buildtrack_domain::arena::tasks::League;
    use serde_json::{Value, json};

    use super::*;

    /// A replay of one turn, with one right answer.
    fn replay() -> Value {
        let task = Bank::bundled().in_league(League::Trivia).next().unwrap();
        let output = task.accepted_answers().next().unwrap().as_str();
        let match_id = "match_01h2e8kqvbfwea724h75qc655w";
        let salt = [7; 16];
        let task = json!({ "id": task.id(), "version": task.version(), "hash": task.hash().to_string() });
        let time = "2026-03-01T12:00:00Z";
        let event = |event_type: &str, data: Value| json!({ "type": event_type, "data": data, "hash": "ab" });
        let of = |rest: Value| {
            let mut data = json!({ "matchId": match_id, "turn": 1 });
            data.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            data
        };
        let commitment = Commitment::of(&salt, output).to_string();
        let events = vec![
            event("match.turn_opened", of(json!({ "task": task, "openedAt": time, "dueAt": time }))),
            event("match.answered", of(json!({ "seat": 0, "commitment": commitment, "latencyMs": 5 }))),
            event("match.answer_revealed", of(json!({ "seat": 0, "output": output, "salt": hex::encode(salt) }))),
            event(
                "match.turn_judged",
                of(json!({
                    "results": [{ "seat": 0, "score": 1000, "reason": "correct" },
                                { "seat": 1, "score": 0, "reason": "timeout" }],
                    "judge": "buildtrack/0.1.0",
                })),
            ),
        ];
        let seal = sha256_hex("ab\n".repeat(events.len()));
        json!({ "id": match_id, "events": events, "seal": seal })
    }

    async fn differences(replay: &Value) -> usize {
        verify(&replay.to_string(), Bank::bundled(), &Programs::default()).await.unwrap().differences
    }

    #[tokio::test]
    async fn an_unchanged_replay_is_verified() {
        let findings = verify(&replay().to_string(), Bank::bundled(), &Programs::default()).await.unwrap();
        assert_eq!(findings.differences, 0, "{}", findings.text);
        assert!(findings.text.ends_with("1 turns judged again, 0 differences\n"), "{}", findings.text);
    }

    #[tokio::test]
    async fn a_replay_in_parts_is_verified_as_one() {
        let whole = replay();
        let events = whole["events"].as_array().unwrap();
        let part = |events: &[Value], cursor: Value| {
            json!({ "id": whole["id"], "events": events, "seal": whole["seal"], "nextCursor": cursor }).to_string()
        };
        let (first, last) = (part(&events[..3], "p3".into()), part(&events[3..], Value::Null));
        let verified = async |text: &str| verify(text, Bank::bundled(), &Programs::default()).await;
        assert_eq!(verified(&format!("{first}\n{last}")).await.unwrap().differences, 0);
        assert_eq!(verified(&last).await.unwrap().differences, 2, "the answer is missing, and hashes of the seal");
        assert!(verified(&first).await.unwrap_err().contains("?cursor=p3"));
        let other = last.replace("match_01h2e8kqvbfwea724h75qc655w", "match_01h2e8kqvbfwea724h75qc655x");
        assert!(verified(&format!("{first}{other}")).await.unwrap_err().contains("two replays"));
        assert!(verified("").await.is_err());
    }

    #[tokio::test]
    async fn what_is_sealed_is_not_verified() {
        let mut sealed = replay();
        sealed["events"][2]["data"] = json!({ "turn": 1, "seat": 0, "sealed": true });
        sealed["seal"] = Value::Null;
        let findings = verify(&sealed.to_string(), Bank::bundled(), &Programs::default()).await.unwrap();
        assert_eq!(findings.differences, 0, "{}", findings.text);
        // The first turn of a motion was judged by a panel that is not shown yet.
        sealed["events"][0]["data"] = json!({ "turn": 1, "sealed": true });
        sealed["events"][3]["data"]["judge"] = "panel/1".into();
        let findings = verify(&sealed.to_string(), Bank::bundled(), &Programs::default()).await.unwrap();
        assert_eq!(findings.differences, 0, "{}", findings.text);
        assert!(findings.text.starts_with("turn 1: sealed\n"), "{}", findings.text);
    }

    #[tokio::test]
    async fn nothing_is_sealed_in_a_match_that_has_ended() {
        let mut changed = replay();
        changed["events"][2]["data"]["output"] = "something else".into();
        changed["events"][2]["data"]["sealed"] = true.into();
        assert_eq!(differences(&changed).await, 1);
    }

    #[tokio::test]
    async fn a_task_that_is_missing_is_named() {
        let mut changed = replay();
        changed["events"][0]["data"]["task"]["id"] = "own-a".into();
        let findings = verify(&changed.to_string(), Bank::bundled(), &Programs::default()).await.unwrap();
        assert_eq!((findings.differences, findings.missing), (0, 1), "{}", findings.text);
        assert!(findings.text.starts_with("turn 1: NOT JUDGED: there is no task own-a\n"), "{}", findings.text);
        assert!(findings.text.ends_with("0 turns judged again, 0 differences\n"), "{}", findings.text);
    }

    #[tokio::test]
    async fn a_changed_answer_score_or_hash_is_found() {
        let mut changed = replay();
        changed["events"][2]["data"]["output"] = "something else".into();
        assert_eq!(differences(&changed).await, 2);
        let mut changed = replay();
        changed["events"][3]["data"]["results"][0]["score"] = 500.into();
        assert_eq!(differences(&changed).await, 1);
        let mut changed = replay();
        changed["events"][0]["hash"] = "cd".into();
        assert_eq!(differences(&changed).await, 1);
        assert!(verify("{}", Bank::bundled(), &Programs::default()).await.is_err());
    }
}
