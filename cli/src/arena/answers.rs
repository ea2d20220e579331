//! Answers to turns: of a program, within the turn's time, or a guess.

use std::{process::Stdio, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::Command,
    time::timeout,
};

/// The bytes of an answer, as the protocol allows them.
const ANSWER_MAX: u64 = 65536;
/// The time of a turn that names none.
const TURN: Duration = Duration::from_secs(30);

/// Answers a turn. An error says why the program gave no answer.
pub(super) async fn answer(command: Option<&str>, turn: &Value) -> Result<String, String> {
    let Some(command) = command else { return Ok(guess(turn)) };
    let time = turn.get("deadline_ms").and_then(Value::as_u64).map_or(TURN, Duration::from_millis);
    timeout(time, run(command, turn))
        .await
        .unwrap_or_else(|_| Err("it did not answer within the turn's time".to_owned()))
}

/// The first option; without options, a number.
fn guess(turn: &Value) -> String {
    turn.pointer("/task/options/0").and_then(Value::as_str).unwrap_or("42").to_owned()
}

/// Runs the program until it closes its output. It is killed when this future is dropped.
async fn run(command: &str, turn: &Value) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let question = format!("{turn}\n");
    let write = async {
        if let Some(mut stdin) = stdin {
            // A program may answer without reading.
            drop(stdin.write_all(question.as_bytes()).await);
        }
    };
    let mut text = String::new();
    let read = async {
        match stdout {
            Some(stdout) => stdout.take(ANSWER_MAX + 1).read_to_string(&mut text).await,
            None => Ok(0),
        }
    };
    let ((), read) = tokio::join!(write, read);
    read.map_err(failed)?;
    if u64::try_from(text.len()).is_ok_and(|length| length > ANSWER_MAX) {
        return Err(format!("its answer has more than {ANSWER_MAX} bytes"));
    }
    let status = child.wait().await.map_err(failed)?;
    if status.success() {
        Ok(text.trim_end_matches(['\r', '\n']).to_owned())
    } else {
        Err(format!("it ended with {status}"))
    }
}

/// The message with the answer to a turn.
pub(super) fn response(turn: &Value, output: &str) -> Value {
    json!({
        "type": "evalduel.match.response", "match_id": turn["match_id"], "turn_id": turn["turn_id"], "output": output,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_program_answers_a_turn() {
        let turn = json!({ "task": { "id": "t1" }, "deadline_ms": 20000 });
        assert_eq!(answer(Some("grep -c t1"), &turn).await, Ok("1".to_owned()));
        assert_eq!(answer(Some("echo 7"), &turn).await, Ok("7".to_owned()));
        assert!(answer(Some("exit 3"), &turn).await.unwrap_err().contains("exit status: 3"));
        assert!(answer(Some("yes"), &turn).await.unwrap_err().contains("65536"));
        assert!(answer(Some("exec sleep 60"), &json!({ "deadline_ms": 50 })).await.unwrap_err().contains("time"));
    }

    #[tokio::test]
    async fn a_guess_is_the_first_option() {
        let turn = json!({ "task": { "options": ["A", "B"] } });
        assert_eq!(answer(None, &turn).await, Ok("A".to_owned()));
        assert_eq!(answer(None, &json!({})).await, Ok("42".to_owned()));
    }
}
