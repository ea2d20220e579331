//! The sandbox with real processes. Needs Linux with Landlock and seccomp, and python3.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod attacks;
mod bank;
mod floods;
mod harness;
mod limits;
mod processes;
mod programs;
mod runs;
