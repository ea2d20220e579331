//! Errors: why there is no sandbox, and why a run has no outcome.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Why answers in Python cannot run on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// Another operating system than Linux.
    #[error("the sandbox needs Linux")]
    System,
    /// A processor without rules for system calls.
    #[error("the sandbox does not support the processor architecture {0}")]
    Architecture(String),
    /// No interpreter.
    #[error("{0} is not installed")]
    NoPython(PathBuf),
    /// The interpreter does not tell where its files are.
    #[error("{python} does not work: {detail}")]
    Python {
        /// Its path.
        python: PathBuf,
        /// What it reported.
        detail: String,
    },
    /// An interpreter that is too old.
    #[error("{python} is Python {found}, and the sandbox needs 3.9 or newer")]
    Version {
        /// Its path.
        python: PathBuf,
        /// Its version.
        found: String,
    },
    /// The probe did not run.
    #[error(transparent)]
    Start(#[from] SandboxError),
    /// The probe ended early.
    #[error("the probe of the sandbox did not finish: {0}")]
    Probe(super::End),
    /// The probe did what the sandbox must prevent.
    #[error("a program in the sandbox could {}", .0.join(", "))]
    Hole(Vec<String>),
}

/// Why a run has no outcome. The answer is not at fault, and gets no score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// The process could not be created.
    #[error("the sandbox's process cannot be started: {0}")]
    Spawn(String),
    /// A protection could not be installed, or Python could not be executed.
    #[error(transparent)]
    Launch(#[from] LaunchFault),
    /// Python ended before it was ready.
    #[error("Python ended in the sandbox before it was ready ({0})")]
    NotReady(String),
    /// Python was not ready in time.
    #[error("Python did not start within {} s in the sandbox", super::limits::START_TIME.as_secs())]
    Slow,
    /// The source and the arguments have too many bytes.
    #[error("the answer and its cases have more than {} bytes", super::limits::REQUEST_BYTES)]
    TooLarge,
}

/// The step at which the launcher failed. It reports this to the server through the pipe of the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum LaunchFault {
    /// The plan on the command line cannot be read.
    #[error("the sandbox's plan cannot be read: {0}")]
    Plan(String),
    /// A file descriptor could not be prepared.
    #[error("the sandbox's pipes cannot be prepared: {0}")]
    Pipes(String),
    /// The user or capabilities could not be changed.
    #[error("privileges cannot be dropped: {0}")]
    Privileges(String),
    /// The server ended before the launcher asked to be killed with it.
    #[error("the server has ended")]
    Orphan,
    /// A resource limit could not be set.
    #[error("resource limits cannot be set: {0}")]
    Limits(String),
    /// The kernel has no Landlock, or the container forbids it.
    #[error("Landlock is not supported by this kernel or not allowed in this container")]
    NoLandlock,
    /// Landlock failed otherwise.
    #[error("Landlock cannot be set up: {0}")]
    Landlock(String),
    /// The seccomp filter could not be installed.
    #[error("the seccomp filter cannot be installed: {0}")]
    Seccomp(String),
    /// Python could not be executed.
    #[error("Python cannot be executed in the sandbox: {0}")]
    Execute(String),
}
