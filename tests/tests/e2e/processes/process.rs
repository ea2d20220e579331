//! A child process and its output.

use std::{
    path::PathBuf,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::{Child, Command},
    sync::watch,
};

use super::waiting::{soon, soon_after};

/// A process that is killed when this value is dropped.
pub(crate) struct Process {
    name: String,
    child: Child,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
}

/// The exit status and output of a process that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Process {
    pub(crate) fn start(mut command: Command) -> Self {
        let name = PathBuf::from(command.as_std().get_program()).file_name().unwrap().to_string_lossy().into_owned();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        let stdout = Output::of(child.stdout.take().unwrap());
        let stderr = Output::of(child.stderr.take().unwrap());
        Self { name, child, stdout, stderr }
    }

    /// Sends a signal to the process.
    pub(crate) fn signal(&self, signal: Signal) {
        let id = self.child.id().unwrap_or_else(|| panic!("{} has ended", self.name));
        kill_process(Pid::from_raw(id.try_into().unwrap()).unwrap(), signal).unwrap();
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id().unwrap_or_else(|| panic!("{} has ended", self.name))
    }

    /// Waits for the exit and for the whole output.
    pub(crate) async fn end(self) -> Finished {
        self.end_of_work(Duration::ZERO).await
    }

    /// Like [`Self::end`], of a process that works for `time` on a busy machine.
    pub(crate) async fn end_of_work(mut self, time: Duration) -> Finished {
        let status = soon_after(time, &format!("the end of {}", self.name), self.child.wait()).await.unwrap();
        self.finished(status).await
    }

    /// Sends `kill -9`; returns the output until then.
    pub(crate) async fn kill(mut self) -> Finished {
        self.child.kill().await.unwrap();
        let status = self.child.wait().await.unwrap();
        self.finished(status).await
    }

    async fn finished(&mut self, status: ExitStatus) -> Finished {
        Finished { code: status.code(), stdout: self.stdout.whole().await, stderr: self.stderr.whole().await }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Exited already: nothing to kill.
        drop(self.child.start_kill());
        // Waits, because its files and connections end with it and the database is removed next.
        while matches!(self.child.try_wait(), Ok(None)) {
            std::thread::yield_now();
        }
        if std::thread::panicking() {
            eprintln!("--- {} printed:\n{}{}", self.name, self.stdout.so_far(), self.stderr.so_far());
        }
    }
}

/// The output of a process so far.
pub(crate) struct Output(watch::Receiver<String>);

impl Output {
    fn of(stream: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let (sender, receiver) = watch::channel(String::new());
        tokio::spawn(async move {
            let (mut stream, mut line) = (BufReader::new(stream), Vec::new());
            while stream.read_until(b'\n', &mut line).await.is_ok_and(|read| read > 0) {
                sender.send_modify(|text| text.push_str(&String::from_utf8_lossy(&line)));
                line.clear();
            }
        });
        Self(receiver)
    }

    pub(crate) fn so_far(&self) -> String {
        self.0.borrow().clone()
    }

    /// Waits until `look` finds something in the output; `None` if the process ends without it.
    pub(crate) async fn wait_for_or_end<T>(&mut self, mut look: impl FnMut(&str) -> Option<T>) -> Option<T> {
        let mut seen = None;
        let shown = self.0.wait_for(|text| {
            seen = look(text);
            seen.is_some()
        });
        drop(shown.await);
        seen
    }

    /// Waits until `look` finds something in the output.
    pub(crate) async fn wait_for<T>(&mut self, what: &str, look: impl FnMut(&str) -> Option<T>) -> T {
        let seen = soon(what, self.wait_for_or_end(look)).await;
        seen.unwrap_or_else(|| panic!("{what}: it ended before, having printed:\n{}", self.so_far()))
    }

    /// Waits for a text in the output.
    pub(crate) async fn wait_for_text(&mut self, words: &str) {
        self.wait_for(words, |text| text.contains(words).then_some(())).await;
    }

    /// Waits until the output is closed.
    async fn whole(&mut self) -> String {
        soon("the end of what it prints", async { while self.0.changed().await.is_ok() {} }).await;
        self.so_far()
    }
}
