//! A broker of one test's own, which it may end and start again.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

/// Gone, with its data, when it is dropped.
pub(crate) struct Node {
    // Before the process: its end is the process's sign to clear away.
    commands: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    _process: Child,
}

impl Node {
    /// Prepared, and not started.
    pub(crate) fn new() -> Self {
        let script = "scripts/lib/rabbitmq-node";
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join(script).is_file());
        let script = root.expect("the script is in the repository").join(script);
        let mut process = Command::new(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let commands = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { commands, answers, _process: process }
    }

    /// Starts it with the data that it had; says its URL.
    pub(crate) async fn start(&mut self) -> String {
        self.ask("start").await.strip_prefix("started ").unwrap().to_owned()
    }

    /// Ends it as a power cut does.
    pub(crate) async fn kill(&mut self) {
        assert_eq!(self.ask("kill").await, "killed");
    }

    pub(crate) async fn rabbitmqctl(&mut self, command: &str) {
        assert_eq!(self.ask(&format!("ctl {command}")).await, "done");
    }

    async fn ask(&mut self, command: &str) -> String {
        self.commands.write_all(format!("{command}\n").as_bytes()).await.unwrap();
        let answer = timeout(Duration::from_mins(2), self.answers.next_line()).await;
        answer.expect("no answer").unwrap().expect("the private RabbitMQ is gone; its last words are above")
    }
}
