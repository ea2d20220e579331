//! Callers who mean harm: each case asserts what the server spends on it, in counts and bytes.

mod answers;
mod bodies;
