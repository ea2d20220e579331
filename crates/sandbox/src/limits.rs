//! The limits of one run.

use std::time::Duration;

/// The processor time of a run, in seconds, the start of Python included.
pub const CPU_SECONDS: u64 = 5;
/// The time for which a run may sleep, all its sleeps together, after Python has started. A wait for a processor is no sleep.
pub const IDLE_TIME: Duration = Duration::from_secs(1);
/// The time of a run, after Python has started. A run that neither works nor sleeps for so long waits for an overloaded machine.
pub const RUN_TIME: Duration = Duration::from_mins(1);
/// The time of a run where the kernel does not count processor time and waits of a process, so that sleep cannot be told from work.
pub const IMPRECISE_RUN_TIME: Duration = Duration::from_secs(10);
/// The time to start Python. A machine that takes longer is overloaded, which is no fault of the answer.
pub const START_TIME: Duration = Duration::from_secs(20);
/// The address space of the process, in bytes.
pub const MEMORY_BYTES: u64 = 256 * 1024 * 1024;
/// The stack of the process, in bytes.
pub const STACK_BYTES: u64 = 8 * 1024 * 1024;
/// The maximum number of open files.
pub const OPEN_FILES: u64 = 64;
/// The maximum number of bytes of one result, as JSON.
pub const RESULT_BYTES: usize = 64 * 1024;
/// The maximum number of bytes of all results of a run, as JSON.
pub const RESULTS_BYTES: usize = 1024 * 1024;
/// The maximum number of bytes of a source, function name and arguments together, as JSON.
pub const REQUEST_BYTES: usize = 4 * 1024 * 1024;
