//! The bundled tasks in Python pass their own self tests in the sandbox.

use buildtrack_domain::arena::tasks::{Answer, Bank, League, Task, Verdict};
use serde_json::Value;

use crate::harness::sandbox;

/// Runs an answer, and judges its results.
async fn judged(task: &Task, answer: &Answer) -> Verdict {
    let tests = task.python_tests().unwrap();
    let cases: Vec<&[Value]> = tests.cases.iter().map(|case| &*case.arguments).collect();
    let outcome = sandbox().await.run(answer.as_str(), &tests.function, &cases).await.unwrap();
    tests.verdict(&outcome.results)
}

#[tokio::test]
async fn references_pass_and_rejected_answers_fail() {
    let mut runs = 0;
    for task in Bank::bundled().in_league(League::Python) {
        for answer in task.accepted_answers() {
            assert_eq!(judged(task, answer).await, Verdict::CORRECT, "{}: {}", task.id(), answer.as_str());
            runs += 1;
        }
        for answer in task.rejected_answers() {
            let verdict = judged(task, answer).await;
            assert_ne!(verdict, Verdict::CORRECT, "{}: {}", task.id(), answer.as_str());
            runs += 1;
        }
    }
    assert!(runs >= 24, "{runs}");
}
