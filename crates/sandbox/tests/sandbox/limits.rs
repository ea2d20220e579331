//! Limits: time, memory, output, depth.

use std::time::{Duration, Instant};

use buildtrack_sandbox::{
    End, Sandbox, SandboxSettings,
    limits::{CPU_SECONDS, IDLE_TIME, RESULT_BYTES, RUN_TIME},
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{call, run, settings, value};

#[tokio::test]
async fn memory_is_limited() {
    let hoard = "def f():\n    hoard = []\n    while True: hoard.append(bytearray(1 << 20))";
    assert_eq!(call(hoard).await.end, End::MemoryLimit);
    assert_eq!(call("hoard = bytearray(1 << 30)\ndef f(): return 1").await.end, End::MemoryLimit);
    let shared = "import mmap\ndef f():\n    mmap.mmap(-1, 1 << 30)";
    assert_eq!(call(shared).await.results, [None]);
    // A case that was refused memory does not harm the next one.
    let outcome = run("def f(n): return len(bytearray(n))", &[&[json!(1 << 30)], &[json!(1 << 20)]]).await;
    assert_eq!((outcome.end, outcome.results), (End::MemoryLimit, vec![None, Some(json!(1 << 20))]));
}

#[tokio::test]
async fn an_endless_loop_ends_at_the_limit_of_processor_time() {
    let started = Instant::now();
    assert_eq!(call("def f():\n    while True: pass").await.end, End::TimeLimit);
    assert!(started.elapsed() < RUN_TIME + Duration::from_secs(5));
    // The signal at the limit can be ignored; the one a second later cannot.
    let stubborn = "
import signal
def f():
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        try:
            while True: pass
        except BaseException:
            pass
";
    let started = Instant::now();
    let outcome = call(stubborn).await;
    assert!(matches!(outcome.end, End::Killed | End::TimeLimit), "{outcome:?}");
    assert!(started.elapsed() >= Duration::from_secs(CPU_SECONDS - 1));
}

/// The cost is what the run has taken from others, so that it does not depend on the load of the machine.
#[tokio::test]
async fn a_program_that_sleeps_ends_after_a_second_of_sleep() {
    let sleeper = "import time\ndef f(n):\n    time.sleep(n)\n    return n";
    let outcome = run(sleeper, &[&[json!(0)], &[json!(100)]]).await;
    assert_eq!((outcome.end, outcome.results), (End::TimeLimit, vec![Some(json!(0)), None]));
    assert!((IDLE_TIME..2 * IDLE_TIME).contains(&outcome.cost), "{:?}", outcome.cost);
    // Many short sleeps are a long one, and short work between them changes nothing.
    let dozer = "
import time
def f():
    for _ in range(1000):
        time.sleep(0.09)
        until = time.process_time() + 0.01
        while time.process_time() < until: pass
";
    let outcome = call(dozer).await;
    assert_eq!(outcome.end, End::TimeLimit);
    assert!((IDLE_TIME..2 * IDLE_TIME).contains(&outcome.cost), "{:?}", outcome.cost);
}

#[tokio::test]
async fn a_short_sleep_is_no_fault() {
    assert_eq!(value("import time\ndef f(): return time.sleep(0.2)").await, Value::Null);
}

/// More programs than the machine has cores, so that each waits for a processor most of the time.
#[tokio::test]
async fn a_program_that_waits_for_a_processor_does_not_sleep() {
    let sandbox = Sandbox::detect(&SandboxSettings { runs: 12, ..settings() }).await.unwrap();
    let work = "
import time
def f():
    until = time.process_time() + 0.7
    while time.process_time() < until: pass
";
    let mut runs = JoinSet::new();
    for _ in 0..12 {
        let sandbox = sandbox.clone();
        runs.spawn(async move { sandbox.run(work, "f", &[&[]]).await });
    }
    while let Some(outcome) = runs.join_next().await {
        let outcome = outcome.unwrap().unwrap();
        assert_eq!(outcome.end, End::Finished);
        assert!(outcome.cost < IDLE_TIME + Duration::from_millis(900), "{:?}", outcome.cost);
    }
}

#[tokio::test]
async fn standard_output_leads_nowhere() {
    let source = "
import os, sys
def f():
    for _ in range(100): print('x' * 1_000_000)
    os.write(1, b'x'); os.write(2, b'x'); sys.stderr.write('x')
    return 1
";
    assert_eq!(value(source).await, json!(1));
}

#[tokio::test]
async fn results_are_bounded() {
    let outcome = run("def f(n): return 'x' * n", &[&[json!(RESULT_BYTES)], &[json!(RESULT_BYTES - 2)]]).await;
    assert_eq!(outcome.end, End::OutputLimit);
    assert!(outcome.results[0].is_none() && outcome.results[1].is_some());
    let cases: Vec<&[Value]> = vec![&[]; 100];
    let outcome = run(&format!("def f(): return 'x' * {}", RESULT_BYTES - 2), &cases).await;
    assert_eq!((outcome.end, outcome.results.len()), (End::OutputLimit, 100));
    assert_eq!(outcome.results.iter().flatten().count(), 16);
}

#[tokio::test]
async fn deep_recursion_and_deep_results_are_no_values() {
    assert_eq!(call("def f(): return f()").await.end, End::Raised);
    let deep = "
import sys
def f():
    sys.setrecursionlimit(10**9)
    def g(): return g()
    return g()
";
    assert!(matches!(call(deep).await.end, End::Killed | End::MemoryLimit | End::TimeLimit | End::Raised));
    for (depth, end) in [(100, End::Finished), (200, End::NotJson), (100_000, End::NotJson)] {
        let source =
            format!("def f():\n    value = []\n    for _ in range({depth}): value = [value]\n    return value");
        assert_eq!(call(&source).await.end, end, "{depth}");
    }
    assert_eq!(call("def f():\n    value = []\n    value.append(value)\n    return value").await.end, End::NotJson);
    let nested = format!("x = {}{}\ndef f(): return 1", "(".repeat(10_000), ")".repeat(10_000));
    assert!(matches!(call(&nested).await.end, End::SyntaxError | End::MemoryLimit | End::Killed));
}
