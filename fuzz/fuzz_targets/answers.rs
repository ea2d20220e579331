//! Fuzz target: answers to every task of the bundled bank, and task files. Any text is judged or refused, without a panic.

#![no_main]

use buildtrack_domain::arena::tasks::{Answer, Bank, Reason, Score, Verdict, read_tasks};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let answer = Answer::new(text);
    for task in Bank::bundled().iter() {
        match task.judge(&answer) {
            Verdict::NeedsPanel => assert!(task.motion().is_some()),
            Verdict::NeedsSandbox => assert!(task.python_tests().is_some()),
            Verdict::Scored { score, reason } => assert_eq!(score == Score::ONE, reason == Reason::Correct),
        }
    }
    if let Err(faults) = read_tasks(text.as_bytes()) {
        assert!(!faults.is_empty());
    }
});
