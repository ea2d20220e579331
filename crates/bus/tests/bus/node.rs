//! A private broker of one test, which it can kill and restart.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

/// Removes the broker and its data when dropped.
pub(crate) struct Node {
    // Declared before the process: closing this pipe tells the process to clean up.
    commands: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    _process: Child,
}

impl Node {
    /// A broker that is prepared but not started.
    pub(crate) fn new() -> Self {
        let script = "scripts/lib/rabbitmq-node";
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join(script).is_file());
        let script = root.expect("the script is in the repository").join(script);
        let mut process = Command::new(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let commands = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { commands, answers, _process: process }
    }

    /// Starts the broker with its existing data. Returns its URL.
    pub(crate) async fn start(&mut self) -> String {
        self.ask("start").await.strip_prefix("started ").unwrap().to_owned()
    }

    /// Kills the broker, as a power failure does.
    pub(crate) async fn kill(&mut self) {
        assert_eq!(self.ask("kill").await, "killed");
    }

    /// Writes the list of quorum queues to the disk. RabbitMQ 3.10 keeps it in memory for some seconds, and a queue that a kill takes from
    /// it never has a leader again.
    pub(crate) async fn sync_queues(&mut self) {
        self.rabbitmqctl("eval [dets:sync(T)||T<-dets:all()].").await;
    }

    pub(crate) async fn rabbitmqctl(&mut self, command: &str) {
        assert_eq!(self.ask(&format!("ctl {command}")).await, "done");
    }

    async fn ask(&mut self, command: &str) -> String {
        self.commands.write_all(format!("{command}\n").as_bytes()).await.unwrap();
        let answer = timeout(Duration::from_mins(2), self.answers.next_line()).await;
        answer.expect("no answer").unwrap().expect("the private RabbitMQ has exited; see its output above")
    }
}
