//! The launcher: gives up every right of its process, then executes Python. Runs in a process of its own.
//!
//! The order matters: each step still needs what a later one takes away. A failure ends the launch, and reaches the
//! server through the pipe of the results.

mod files;
mod privileges;
mod resources;
mod system_calls;

use std::{convert::Infallible, ffi::OsString, fs, os::fd::OwnedFd, os::unix::process::CommandExt, process::Command};

use rustix::{
    fd::{AsFd, AsRawFd},
    fs::{Mode, OFlags},
    process::{Pid, Signal, getppid, set_parent_process_death_signal, setpriority_process},
};

use crate::{LaunchFault, limits, plan::Plan, results};

/// Higher than the server's, so that answers wait for it and not the other way round.
const NICENESS: i32 = 10;

/// Becomes Python, or reports why not.
pub(crate) fn launch(plan: Option<OsString>) {
    let Ok(pipe) = rustix::io::dup(rustix::stdio::stdout()) else { return };
    let Err(fault) = become_python(plan, &pipe);
    let _ = rustix::io::write(&pipe, &results::fault_frame(&fault));
}

fn become_python(plan: Option<OsString>, pipe: &OwnedFd) -> Result<Infallible, LaunchFault> {
    let plan = plan.and_then(|plan| plan.into_string().ok()).unwrap_or_default();
    let plan: Plan = serde_json::from_str(&plan).map_err(|error| LaunchFault::Plan(error.to_string()))?;
    let highest = prepare_pipes().map_err(|error| LaunchFault::Pipes(error.to_string()))?;
    yield_to_server();
    privileges::drop_all(plan.as_nobody).map_err(|error| LaunchFault::Privileges(error.to_string()))?;
    end_with_server(plan.server)?;
    files::restrict(&plan.python)?;
    resources::limit().map_err(|error| LaunchFault::Limits(error.to_string()))?;
    system_calls::restrict()?;
    let arguments = [pipe.as_raw_fd().to_string(), highest.to_string(), limits::RESULT_BYTES.to_string()];
    let error = Command::new(&plan.python.executable)
        // Isolated: no environment, no site-packages, no user folder, no bytecode files.
        .args(["-I", "-S", "-E", "-B", "-X", "utf8", "-c", include_str!("../python/driver.py")])
        .args(arguments)
        .env_clear()
        .exec();
    Err(LaunchFault::Execute(error.to_string()))
}

/// Leads standard output and standard error to `/dev/null`, and returns the highest open descriptor, for the driver to close
/// those that it does not know.
fn prepare_pipes() -> std::io::Result<i32> {
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdout(null.as_fd())?;
    rustix::stdio::dup2_stderr(null.as_fd())?;
    let open = fs::read_dir("/proc/self/fd")?;
    Ok(open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).max().unwrap_or(0))
}

/// Makes the process yield processor time and memory to the server. Where the system refuses, the limits still hold.
fn yield_to_server() {
    let _ = setpriority_process(None, NICENESS);
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
}

/// Asks the kernel to kill this process when the thread ends that has started it. A change of the user would undo this.
fn end_with_server(server: u32) -> Result<(), LaunchFault> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| LaunchFault::Privileges(error.to_string()))?;
    let parent = getppid().map(Pid::as_raw_nonzero);
    if parent.is_some_and(|parent| u32::try_from(parent.get()) == Ok(server)) {
        Ok(())
    } else {
        Err(LaunchFault::Orphan)
    }
}
