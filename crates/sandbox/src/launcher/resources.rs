//! The limits that the kernel enforces on the process.

use rustix::{
    io::Result,
    process::{Resource, Rlimit, getrlimit, setrlimit},
};

use crate::limits::{CPU_SECONDS, MEMORY_BYTES, OPEN_FILES, STACK_BYTES};

/// Sets the limits. Without capabilities, no process can raise its own again.
pub(super) fn limit() -> Result<()> {
    // The kernel sends SIGXCPU at the first limit, and SIGKILL at the second one, for programs that ignore it.
    set(Resource::Cpu, CPU_SECONDS, CPU_SECONDS + 1)?;
    for (resource, limit) in [
        (Resource::As, MEMORY_BYTES),
        (Resource::Stack, STACK_BYTES),
        (Resource::Nofile, OPEN_FILES),
        (Resource::Fsize, 0),
        // Less than a page, so no file; and for the kernel, 1 means that no program gets the dump either, which 0 does not.
        (Resource::Core, 1),
        (Resource::Nproc, 0),
        (Resource::Memlock, 0),
        (Resource::Msgqueue, 0),
        (Resource::Sigpending, 16),
    ] {
        set(resource, limit, limit)?;
    }
    Ok(())
}

/// Sets a limit, unless the server's own is lower.
fn set(resource: Resource, soft: u64, hard: u64) -> Result<()> {
    let highest = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    setrlimit(resource, Rlimit { current: Some(soft.min(highest)), maximum: Some(hard.min(highest)) })
}
