//! Runs sources in one sandbox that all tests share, and outside of it.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use buildtrack_sandbox::{End, Outcome, Sandbox, SandboxSettings};
use serde_json::Value;
use tokio::sync::OnceCell;

static SANDBOX: OnceCell<Sandbox> = OnceCell::const_new();

/// Settings with the launcher of this crate.
pub(crate) fn settings() -> SandboxSettings {
    let launcher = Some(PathBuf::from(env!("CARGO_BIN_EXE_buildtrack-sandbox-launcher")));
    SandboxSettings { launcher, ..SandboxSettings::default() }
}

/// The sandbox. A machine without one fails the tests.
pub(crate) async fn sandbox() -> &'static Sandbox {
    SANDBOX.get_or_init(|| async { Sandbox::detect(&settings()).await.unwrap() }).await
}

/// Runs a source whose function `f` is called with the arguments of each case.
pub(crate) async fn run(source: &str, cases: &[&[Value]]) -> Outcome {
    sandbox().await.run(source, "f", cases).await.unwrap()
}

/// Runs a source whose function `f` has no arguments.
pub(crate) async fn call(source: &str) -> Outcome {
    run(source, &[&[]]).await
}

/// The value that `f` returns.
pub(crate) async fn value(source: &str) -> Value {
    let mut outcome = call(source).await;
    assert_eq!(outcome.end, End::Finished, "{source}");
    outcome.results.remove(0).unwrap()
}

/// Asserts that statements succeed outside the sandbox, and raise an exception inside.
pub(crate) async fn refused(statements: &str) {
    let source = format!("def f():\n    {}\n", statements.replace('\n', "\n    "));
    let folder = tempfile::tempdir().unwrap();
    let outside = Command::new("python3")
        .args(["-c", &format!("{source}\nf()")])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(outside.status.success(), "{statements}\n{}", String::from_utf8_lossy(&outside.stderr));
    let outcome = call(&source).await;
    assert_eq!((outcome.end, outcome.results), (End::Raised, vec![None]), "{statements}");
}
