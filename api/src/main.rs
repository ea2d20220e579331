//! The `buildtrack` program.

use std::process::ExitCode;

use tikv_jemallocator::Jemalloc;

/// The server makes many small allocations on many threads. For these the system allocator uses a tenth of the CPU time and
/// retains more memory than is in use.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    // First of all, while there is one thread: the sandbox starts this program again to become Python.
    buildtrack_sandbox::launch_if_asked().unwrap_or_else(buildtrack::command_line::start)
}
