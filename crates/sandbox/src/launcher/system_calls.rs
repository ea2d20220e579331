//! The seccomp filter: the system calls that Python needs to compute, and none that reaches beyond the process.
//!
//! The filter is a list of what is allowed, so that new system calls of new kernels are refused. All others fail with
//! `ENOSYS`: libraries then use an older call, and a program that opens a socket gets an exception.
//!
//! `execve` stays allowed, because Python itself is executed behind the filter. Landlock lets it execute Python and the
//! loader only, which the same restrictions bind.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

use crate::LaunchFault;

/// Calls that are allowed with any arguments: memory, open files, time, the process's own state.
const ALLOWED: &[c_long] = &[
    // Memory.
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    // Open files, and folders to find modules in.
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fstat,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_lseek,
    libc::SYS_newfstatat,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_pselect6,
    libc::SYS_read,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_statx,
    libc::SYS_write,
    libc::SYS_writev,
    // Time and randomness.
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_getrandom,
    libc::SYS_gettimeofday,
    libc::SYS_nanosleep,
    // The process itself.
    libc::SYS_execve,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getpid,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_sigaltstack,
    libc::SYS_sysinfo,
    libc::SYS_times,
    libc::SYS_uname,
];

/// Older forms of the same calls.
#[cfg(target_arch = "x86_64")]
const ALLOWED_OLD: &[c_long] = &[
    libc::SYS_access,
    libc::SYS_arch_prctl,
    libc::SYS_dup2,
    libc::SYS_lstat,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_time,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_OLD: &[c_long] = &[];

/// `fcntl` for flags and copies of descriptors. Not for locks, nor to have signals sent to other processes (`F_SETOWN`).
const FCNTL: [i32; 5] = [libc::F_DUPFD, libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL];

/// `ioctl` to ask whether a file is a terminal, and to set or clear close-on-exec: `TCGETS`, `FIOCLEX`, `FIONCLEX`, whose type differs
/// between C libraries.
const IOCTL: [u64; 3] = [0x5401, 0x5451, 0x5450];

/// `__O_TMPFILE` of the kernel: `libc::O_TMPFILE` contains `O_DIRECTORY`.
const O_TMPFILE: i32 = libc::O_TMPFILE & !libc::O_DIRECTORY;
/// Flags of `open` that write.
const WRITING: i32 = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND | O_TMPFILE;

/// Installs the filter for ever, on this thread and what it executes.
pub(super) fn restrict() -> Result<(), LaunchFault> {
    let program = filter().map_err(|error| LaunchFault::Seccomp(error.to_string()))?;
    apply_filter(&program).map_err(|error| LaunchFault::Seccomp(error.to_string()))
}

fn filter() -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> =
        ALLOWED.iter().chain(ALLOWED_OLD).map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_openat, vec![rule([reads(2)?])?]);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, vec![rule([reads(1)?])?]);
    rules.insert(
        libc::SYS_fcntl,
        FCNTL.into_iter().map(|command| rule([is(1, command.unsigned_abs().into())?])).collect::<Result<_, _>>()?,
    );
    rules.insert(libc::SYS_ioctl, IOCTL.into_iter().map(|request| rule([is(1, request)?])).collect::<Result<_, _>>()?);
    // Reads its own limits: the third argument, the new limit, is a null pointer.
    rules.insert(libc::SYS_prlimit64, vec![rule([is(0, 0)?, null(2)?])?]);
    let refused = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    SeccompFilter::new(rules, refused, SeccompAction::Allow, std::env::consts::ARCH.try_into()?)?.try_into()
}

fn rule<const N: usize>(conditions: [SeccompCondition; N]) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions.into())
}

/// The flags of an `open` contain none that writes.
fn reads(argument: u8) -> Result<SeccompCondition, BackendError> {
    let mask = SeccompCmpOp::MaskedEq(WRITING.unsigned_abs().into());
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, mask, 0)
}

/// A number, of which the kernel reads 32 bits.
fn is(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn null(argument: u8) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)
}
