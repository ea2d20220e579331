//! One process: its request, its results within the time limits, and its end.

use std::{ffi::OsStr, os::unix::process::ExitStatusExt, process::Stdio, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncWriteExt, BufReader},
    process::{Child, ChildStdout, Command},
    time::{Instant, MissedTickBehavior, interval, sleep, timeout},
};

use crate::{
    End, LAUNCH_ARGUMENT, Outcome, SandboxError,
    limits::{IMPRECISE_RUN_TIME, RUN_TIME, START_TIME},
    results::{FAULT, READY, Received, Results, read_fault, receive},
    spawner::Spawner,
    usage::{Meter, PERIOD},
};

/// The time that a process gets to end after it has closed the pipe of its results. The end of a process closes the pipe
/// first, so that an honest end takes no time here.
const EXIT_TIME: Duration = Duration::from_secs(1);

/// The signal that the kernel sends at the limit of processor time.
const SIGXCPU: i32 = 24;

/// A process whose Python is ready to run the answer. Dropping it kills it.
pub(crate) struct Process {
    child: Child,
    results: BufReader<ChildStdout>,
}

impl Process {
    /// Starts the launcher, hands it the request, and waits until Python is ready.
    pub(crate) async fn start(
        spawner: &Spawner,
        launcher: &OsStr,
        plan: &str,
        request: &[u8],
    ) -> Result<Self, SandboxError> {
        let started = timeout(START_TIME, async {
            let child = spawner.spawn(command(launcher, plan)).await.map_err(|error| spawn_failed(&error))?;
            Self::hand_over(child, request).await
        });
        started.await.unwrap_or(Err(SandboxError::Slow))
    }

    async fn hand_over(mut child: Child, request: &[u8]) -> Result<Self, SandboxError> {
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(SandboxError::Spawn("its pipes are missing".to_owned()));
        };
        // A launcher that failed has closed its input; what it reports tells more than the error here.
        let _ = input.write_all(request).await;
        drop(input);
        let mut process = Self { child, results: BufReader::new(output) };
        match receive(&mut process.results).await {
            Received::Frame(READY, _) => Ok(process),
            Received::Frame(FAULT, payload) => Err(read_fault(&payload).into()),
            Received::Frame(..) | Received::TooLarge => Err(SandboxError::NotReady("unexpected output".to_owned())),
            Received::Closed => Err(SandboxError::NotReady(process.exit_status().await)),
        }
    }

    async fn exit_status(&mut self) -> String {
        match timeout(EXIT_TIME, self.child.wait()).await {
            Ok(Ok(status)) => status.to_string(),
            _ => "it closed its pipe".to_owned(),
        }
    }

    /// Reads the results until the last one or a time limit, and kills the process.
    pub(crate) async fn finish(mut self, cases: usize) -> Outcome {
        let mut meter = Meter::start(self.child.id());
        let mut results = Results::new(cases);
        let read = read(&mut self.results, &mut results, &mut meter).await;
        // Before anything reaps it: its id may then be another's.
        meter.look();
        match read {
            None => results.note(End::TimeLimit),
            Some(true) => results.note(self.early_end(&mut meter).await),
            Some(false) => {}
        }
        // Also reaps it. A process that is gone already is no error.
        let _ = self.child.kill().await;
        let mut values: Vec<Option<Value>> = results.values;
        values.resize(cases, None);
        Outcome { results: values, end: results.end.unwrap_or(End::Finished), cost: meter.cost() }
    }

    /// How a process ended that has closed the pipe before its last frame.
    async fn early_end(&mut self, meter: &mut Meter) -> End {
        let closed_at = Instant::now();
        let ended = timeout(EXIT_TIME, self.child.wait()).await;
        // It was not looked at meanwhile.
        meter.add(closed_at.elapsed());
        let Ok(Ok(status)) = ended else { return End::Exited };
        match status.signal() {
            Some(SIGXCPU) => End::TimeLimit,
            Some(_) => End::Killed,
            None => End::Exited,
        }
    }
}

/// Reads results up to the last one: whether the process closed the pipe instead. `None` at a time limit.
async fn read(pipe: &mut BufReader<ChildStdout>, results: &mut Results, meter: &mut Meter) -> Option<bool> {
    let limit = if meter.is_precise() { RUN_TIME } else { IMPRECISE_RUN_TIME };
    let reading = async {
        loop {
            let received = receive(pipe).await;
            if results.accept(&received).is_break() {
                break received == Received::Closed;
            }
        }
    };
    let looking = async {
        let mut looks = interval(PERIOD);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            if meter.look() {
                break;
            }
        }
    };
    tokio::select! {
        biased;
        is_closed = reading => Some(is_closed),
        () = looking => None,
        () = sleep(limit) => None,
    }
}

/// The launcher, with an empty environment, so that no secret of the server reaches the process.
fn command(launcher: &OsStr, plan: &str) -> Command {
    let mut command = Command::new(launcher);
    command
        .args([LAUNCH_ARGUMENT, plan])
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        // A group of its own, so that Ctrl-C in the server's terminal does not end an answer's run.
        .process_group(0)
        .kill_on_drop(true);
    command
}

fn spawn_failed(error: &std::io::Error) -> SandboxError {
    SandboxError::Spawn(error.to_string())
}
