//! The sandbox: found and probed once, then used for all runs.

use std::{env, ffi::OsString, path::PathBuf, sync::Arc, thread::available_parallelism};

use serde::Serialize;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::{
    Outcome, SandboxError, Unavailable, interpreter,
    limits::REQUEST_BYTES,
    plan::{Plan, Python},
    probe,
    process::Process,
    spawner::Spawner,
};

/// How a sandbox is set up.
#[derive(Debug, Clone)]
pub struct SandboxSettings {
    /// The Python interpreter: a path, or a name on the `PATH`.
    pub python: PathBuf,
    /// The program whose `main` calls [`launch_if_asked`](crate::launch_if_asked): this one, unless a test names another.
    pub launcher: Option<PathBuf>,
    /// The number of answers that run at once. Each may use a core and [`MEMORY_BYTES`](crate::limits::MEMORY_BYTES).
    pub runs: usize,
}

/// The first `python3` on the `PATH`, and one run at once for each core.
impl Default for SandboxSettings {
    fn default() -> Self {
        let runs = available_parallelism().map_or(1, usize::from);
        Self { python: PathBuf::from("python3"), launcher: None, runs }
    }
}

/// Runs answers in Python. Copies share the number of runs at once.
#[derive(Debug, Clone)]
pub struct Sandbox {
    launcher: OsString,
    plan: Arc<str>,
    permits: Arc<Semaphore>,
    runs: usize,
    spawner: Spawner,
}

/// What the driver reads. The arguments of each case are a text, which the driver parses right before the call.
#[derive(Serialize)]
struct Request<'r> {
    source: &'r str,
    function: &'r str,
    cases: Vec<String>,
}

impl Sandbox {
    /// Finds the interpreter, and runs a hostile program that must fail. Takes about a second.
    ///
    /// Root's answers run as `nobody`, where that user can read the interpreter's files.
    pub async fn detect(settings: &SandboxSettings) -> Result<Self, Unavailable> {
        check_system()?;
        let python = interpreter::describe(&settings.python).await?;
        if has_power_over_users() {
            match Self::probed(settings, &python, true).await {
                // An interpreter in root's own folders, or a container that has no other user.
                Err(Unavailable::Start(_)) => {}
                found => return found,
            }
        }
        Self::probed(settings, &python, false).await
    }

    async fn probed(settings: &SandboxSettings, python: &Python, as_nobody: bool) -> Result<Self, Unavailable> {
        let plan = Plan { server: std::process::id(), as_nobody, python: python.clone() };
        let sandbox = Self {
            launcher: settings.launcher.clone().map_or_else(own_program, OsString::from),
            plan: serde_json::to_string(&plan).map_err(|error| SandboxError::Spawn(error.to_string()))?.into(),
            permits: Arc::new(Semaphore::new(settings.runs.max(1))),
            runs: settings.runs.max(1),
            spawner: Spawner::start().map_err(|error| SandboxError::Spawn(error.to_string()))?,
        };
        let outcome = sandbox.run(probe::SOURCE, probe::FUNCTION, &[&probe::arguments()]).await?;
        probe::check(&outcome).map(|()| sandbox)
    }

    /// The number of runs at once.
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// Runs a source, and calls its function with the arguments of each case.
    ///
    /// Waits while as many runs as allowed are going on; the caller bounds how many wait. Dropping the future kills the run. An
    /// error is no fault of the answer.
    pub async fn run(&self, source: &str, function: &str, cases: &[&[Value]]) -> Result<Outcome, SandboxError> {
        let request = Request { source, function, cases: cases.iter().map(|arguments| text(arguments)).collect() };
        let request = serde_json::to_vec(&request).map_err(|error| SandboxError::Spawn(error.to_string()))?;
        if request.len() > REQUEST_BYTES {
            return Err(SandboxError::TooLarge);
        }
        // The semaphore is never closed.
        let _permit = self.permits.acquire().await.ok();
        let process = Process::start(&self.spawner, &self.launcher, &self.plan, &request).await?;
        Ok(process.finish(cases.len()).await)
    }
}

/// The arguments as JSON.
fn text(arguments: &[Value]) -> String {
    Value::from(arguments).to_string()
}

/// This program. On Linux by a name that still leads to it when the file has been replaced by a newer version.
fn own_program() -> OsString {
    if cfg!(target_os = "linux") {
        return "/proc/self/exe".into();
    }
    env::current_exe().unwrap_or_default().into()
}

/// Landlock and seccomp are Linux's, and the filter knows the system calls of these processors.
fn check_system() -> Result<(), Unavailable> {
    if !cfg!(target_os = "linux") {
        return Err(Unavailable::System);
    }
    match env::consts::ARCH {
        "x86_64" | "aarch64" | "riscv64" => Ok(()),
        other => Err(Unavailable::Architecture(other.to_owned())),
    }
}

/// Whether this process can become another user and still kill processes of that user. Root in a container may not.
#[cfg(target_os = "linux")]
fn has_power_over_users() -> bool {
    use rustix::thread::{CapabilitySet, capabilities};
    let needed = CapabilitySet::SETUID | CapabilitySet::SETGID | CapabilitySet::KILL;
    capabilities(None).is_ok_and(|own| own.effective.contains(needed))
}

#[cfg(not(target_os = "linux"))]
fn has_power_over_users() -> bool {
    false
}
