//! The launcher alone, for tests: in production, the sandbox starts the server's own program again.

use std::process::ExitCode;

fn main() -> ExitCode {
    buildtrack_sandbox::launch_if_asked().unwrap_or(ExitCode::FAILURE)
}
