//! The `buildtrack-worker` program.

use std::process::ExitCode;

use tikv_jemallocator::Jemalloc;

/// The same allocator as in `buildtrack`.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    // First of all, while there is one thread: the sandbox starts this program again to become Python.
    buildtrack_sandbox::launch_if_asked().unwrap_or_else(buildtrack_worker::process::start)
}
