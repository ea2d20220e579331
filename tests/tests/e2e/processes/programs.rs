//! `buildtrack arena tasks check` runs answers in Python in the sandbox, which starts the real program again.

use std::{path::Path, time::Duration};

use buildtrack_tests::Backend;
use serde_json::{Value, json};

use super::site::Site;

const TASKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../arena/tasks/python.json");

/// Checks a task file: what the command prints, and its exit code.
async fn check(file: &Path) -> (String, Option<i32>) {
    let site = Site::new(Backend::Sqlite).await;
    let checking = site.start(&["arena", "tasks", "check", file.to_str().unwrap()]);
    let finished = checking.end_of_work(Duration::from_mins(2)).await;
    (finished.stdout, finished.code)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bundled_answers_in_python_score_as_their_tasks_say() {
    let (text, code) = check(Path::new(TASKS)).await;
    assert!(text.ends_with("in Python, whose answers were run)\n"), "{text}");
    assert_eq!(code, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_reference_and_a_right_reject_are_errors_with_their_pointers() {
    let mut file: Value = serde_json::from_slice(&std::fs::read(TASKS).unwrap()).unwrap();
    let task = &mut file["tasks"][1];
    let (id, hidden) = (task["id"].as_str().unwrap().to_owned(), &mut task["hidden"]);
    hidden["rejects"] = json!([hidden["reference"].clone()]);
    hidden["reference"] = json!("print('hello')");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.json");
    std::fs::write(&path, file.to_string()).unwrap();
    let (text, code) = check(&path).await;
    let lines: Vec<_> = text.lines().filter_map(|line| line.split_once(": ")).map(|(_, line)| line).collect();
    let at = |pointer| format!("task {id}, at /tasks/1/hidden/{pointer}: this answer must score");
    let expected = [
        format!(
            "{} 1, and it scores 0 of 1000 (wrong; the program raised an exception or does not define the function)",
            at("reference")
        ),
        format!("{} less than 1, and it scores 1000 of 1000 (correct; finished)", at("rejects/0")),
    ];
    assert_eq!((lines, code), (expected.iter().map(String::as_str).collect(), Some(1)));
}
