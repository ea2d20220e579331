//! Sandbox: runs untrusted Python in a process of its own, without network and files, with limits. Linux only.
//!
//! [`Sandbox::run`] starts the server's own program again ([`launch_if_asked`]). That process gives up every right, then
//! executes Python with a driver, which calls the function of an answer and writes its results to a pipe.
//!
//! **Invariant:** expected results never enter the process. The driver sends values, and the caller compares them.
//! **Invariant:** a failure of the server or the machine is an `Err`, never an [`Outcome`], so that it scores nothing: no
//! line of the answer runs before the driver has reported that it is ready.
//! **Invariant:** [`Sandbox::detect`] returns a sandbox only if a hostile program has failed in it.

mod error;
mod interpreter;
#[cfg(target_os = "linux")]
mod launcher;
pub mod limits;
mod outcome;
mod plan;
mod probe;
mod process;
mod results;
mod sandbox;
mod spawner;
mod usage;

use std::{env, process::ExitCode};

pub use error::{LaunchFault, SandboxError, Unavailable};
pub use outcome::{End, Outcome};
pub use sandbox::{Sandbox, SandboxSettings};

/// The first argument of the program when the sandbox starts it. It is no command for people, so no help text names it.
const LAUNCH_ARGUMENT: &str = "__launch-sandbox";

/// Becomes Python in a sandbox, if the sandbox has started this program for that.
///
/// A program that uses a [`Sandbox`] calls this first in `main`, before it starts a thread: the restrictions apply to the
/// calling thread. `None` if the program was started for anything else.
pub fn launch_if_asked() -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    if arguments.next()? != LAUNCH_ARGUMENT {
        return None;
    }
    #[cfg(target_os = "linux")]
    launcher::launch(arguments.next());
    Some(ExitCode::FAILURE)
}
