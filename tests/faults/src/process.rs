//! A process under test: started, killed, stopped and let go on by its id, and killed when this value is dropped.

use std::{
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

/// A program with its settings, and the process that runs it, if one does.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) name: String,
    program: PathBuf,
    folder: PathBuf,
    settings: Vec<(String, String)>,
    child: Option<Child>,
}

impl Process {
    pub(crate) fn new(name: &str, program: PathBuf, folder: &Path, settings: Vec<(String, String)>) -> Self {
        Self { name: name.to_owned(), program, folder: folder.to_owned(), settings, child: None }
    }

    /// Sets it for the next start.
    pub(crate) fn set(&mut self, key: &str, value: &str) {
        self.settings.retain(|(other, _)| other != key);
        self.settings.push((key.to_owned(), value.to_owned()));
    }

    /// Starts it, unless it runs.
    pub(crate) fn start(&mut self) -> Result<()> {
        if self.child.is_none() {
            let log = OpenOptions::new().create(true).append(true).open(self.log())?;
            let mut command = command(&self.program, &self.folder, &self.settings);
            command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).kill_on_drop(true);
            let child = command.spawn().with_context(|| format!("starting {}", self.program.display()))?;
            self.child = Some(child);
        }
        Ok(())
    }

    /// `kill -9`, and waits for the end.
    pub(crate) async fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // Gone already: nothing to kill.
            drop(child.kill().await);
        }
    }

    /// Stops it or lets it go on.
    pub(crate) fn signal(&self, signal: Signal) {
        let id = self.child.as_ref().and_then(Child::id).and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(id) = id {
            // The process may have ended already.
            kill_process(id, signal).unwrap_or_default();
        }
    }

    /// How it ended, where it has ended by itself: the code, none where a signal ended it.
    pub(crate) fn ended(&mut self) -> Option<Option<i32>> {
        let status = self.child.as_mut()?.try_wait().ok()??;
        self.child = None;
        Some(status.code())
    }

    fn log(&self) -> PathBuf {
        self.folder.join(format!("{}.log", self.name))
    }

    /// What it printed, all starts together.
    pub(crate) fn printed(&self) -> String {
        fs::read(self.log()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }
}

/// A program with these settings only, independent of the runner's environment.
pub(crate) fn command(program: &Path, folder: &Path, settings: &[(String, String)]) -> Command {
    let mut command = Command::new(program);
    let ours = |key: &str| key.starts_with("BUILDTRACK_") || key.starts_with("OTEL_");
    for (key, _) in std::env::vars().filter(|(key, _)| ours(key)) {
        command.env_remove(key);
    }
    // The last is libfaketime's own, and would go before the file.
    command.env_remove("DATABASE_URL").env_remove("AMQP_URL").env_remove("FAKETIME");
    command.envs(settings.iter().map(|(key, value)| (key, value)));
    command.current_dir(folder).kill_on_drop(true);
    command
}
