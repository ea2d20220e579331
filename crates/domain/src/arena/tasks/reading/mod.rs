//! Reading task files: strict JSON (no duplicate keys, no unknown fields), with every fault named by task and pointer.

mod at;
mod entry;
mod fault;
mod motion;

use std::collections::HashMap;

use agora_envelope::{Limits, json::parse_strict};

pub(super) use at::{At, Object, Sink};
pub(super) use entry::read_entry;
pub use fault::{Problem, TaskFault};

use super::{FILE_BYTES_MAX, FILE_TASKS_MAX, Task};

/// Schemas nest deeper than answers, and so do the tasks around them.
const FILE_LIMITS: Limits = Limits { bytes: FILE_BYTES_MAX, depth: 64 };

/// Reads a task file: `{"tasks": […]}`. Each task passes its own self tests, or the answer lists every fault of the file
/// in the order of its text.
pub fn read_tasks(text: &[u8]) -> Result<Vec<Task>, Vec<TaskFault>> {
    let sink = Sink::default();
    let file = parse_strict(text, &FILE_LIMITS).map_err(|error| vec![TaskFault::of_file(Problem::NotJson(error))])?;
    let tasks = read_file(&At::root(&file, &sink));
    let faults = sink.into_faults();
    if faults.is_empty() { Ok(tasks.unwrap_or_default()) } else { Err(faults) }
}

fn read_file(file: &At<'_>) -> Option<Vec<Task>> {
    let mut object = file.object()?;
    let entries = object.required("tasks").and_then(|tasks| tasks.items(1..=FILE_TASKS_MAX));
    object.finish();
    let mut first = HashMap::new();
    let mut tasks = Vec::new();
    for (index, entry) in entries?.into_iter().enumerate() {
        let id = entry.member_text("id");
        let entry = entry.in_task(id);
        if let Some(first) = id.and_then(|id| first.insert(id, index)) {
            entry.member("id").fault::<()>(Problem::Repeated { first });
        }
        tasks.extend(read_entry(&entry));
    }
    Some(tasks)
}

#[cfg(test)]
mod tests;
