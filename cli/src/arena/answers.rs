//! Answers to turns: of a program, within the turn's time, or a guess.

use std::{process::Stdio, time::Duration};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
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

/// A program with the processes that it has started. They end with this value, unless the program has ended itself before: what it leaves
/// running then is its own affair.
struct Group(Option<Pid>);

impl Group {
    /// Of a child that leads its own group, and that nothing reaps while this value lives.
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| Pid::from_raw(id.cast_signed())))
    }

    fn release(mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            // A group that has ended is no error.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

/// The first option; without options, a number.
fn guess(turn: &Value) -> String {
    turn.pointer("/task/options/0").and_then(Value::as_str).unwrap_or("42").to_owned()
}

/// Runs the program until it closes its output. It is killed with its children when this future is dropped.
async fn run(command: &str, turn: &Value) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // A group of its own, so that its children can be ended with it.
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    let group = Group::of(&child);
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
    group.release();
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
    use std::os::fd::OwnedFd;

    use rustix::io::{FdFlags, fcntl_setfd};
    use tokio::net::unix::pipe;

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

    /// All processes hold the pipe open, so that its end tells that they have ended.
    #[tokio::test]
    async fn a_program_that_is_late_or_says_too_much_ends_with_its_children() {
        for (command, time) in [("sleep 600 & sleep 600 & wait", 300), ("sleep 600 & yes", 20_000)] {
            let (ended, held) = std::io::pipe().unwrap();
            let (mut ended, held) = (pipe::Receiver::from_owned_fd(ended.into()).unwrap(), OwnedFd::from(held));
            fcntl_setfd(&held, FdFlags::empty()).unwrap();
            answer(Some(command), &json!({ "deadline_ms": time })).await.unwrap_err();
            drop(held);
            let end = timeout(Duration::from_mins(1), async { ended.read(&mut [0]).await.unwrap() });
            assert_eq!(end.await, Ok(0), "{command}");
        }
    }

    #[tokio::test]
    async fn a_guess_is_the_first_option() {
        let turn = json!({ "task": { "options": ["A", "B"] } });
        assert_eq!(answer(None, &turn).await, Ok("A".to_owned()));
        assert_eq!(answer(None, &json!({})).await, Ok("42".to_owned()));
    }
}
