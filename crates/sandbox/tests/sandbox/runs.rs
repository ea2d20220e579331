//! Runs: independence, number at once, ends, and failures that are no fault of the answer.

use std::path::PathBuf;

use buildtrack_sandbox::{LaunchFault, Sandbox, SandboxError, SandboxSettings, Unavailable, limits::REQUEST_BYTES};
use serde_json::json;

use crate::harness::{sandbox, settings, value};

#[tokio::test]
async fn runs_do_not_influence_each_other() {
    let spoiled = "
import builtins, math, sys
builtins.left = math.left = 1
sys.setrecursionlimit(50)
def f(): return 1
";
    assert_eq!(value(spoiled).await, json!(1));
    let look = "import builtins, math\ndef f(): return hasattr(builtins, 'left') or hasattr(math, 'left')";
    assert_eq!(value(look).await, json!(false));
}

#[tokio::test]
async fn as_many_answers_run_at_once_as_the_settings_allow() {
    let sandbox = Sandbox::detect(&SandboxSettings { runs: 1, ..settings() }).await.unwrap();
    let source = "import time\ndef f():\n    began = time.monotonic()\n    time.sleep(0.3)\n    return [began, time.monotonic()]";
    let run = || async { sandbox.run(source, "f", &[&[]]).await.unwrap().results.remove(0).unwrap() };
    let mut times = Vec::from(<[_; 3]>::from(tokio::join!(run(), run(), run())));
    times.sort_by(|one, other| one[0].as_f64().unwrap().total_cmp(&other[0].as_f64().unwrap()));
    for pair in times.windows(2) {
        assert!(pair[0][1].as_f64().unwrap() <= pair[1][0].as_f64().unwrap(), "{times:?}");
    }
}

#[tokio::test]
async fn a_missing_interpreter_is_named() {
    let python = PathBuf::from("/no/such/python3");
    let unavailable = Sandbox::detect(&SandboxSettings { python: python.clone(), ..settings() }).await.unwrap_err();
    assert_eq!(unavailable, Unavailable::NoPython(python));
    assert_eq!(unavailable.to_string(), "/no/such/python3 is not installed");
    let python = PathBuf::from("/bin/true");
    let unavailable = Sandbox::detect(&SandboxSettings { python, ..settings() }).await.unwrap_err();
    assert!(matches!(unavailable, Unavailable::Python { .. }), "{unavailable}");
}

/// Programs that are no launcher: none of them makes an outcome.
#[tokio::test]
async fn a_launcher_that_does_not_launch_is_an_error() {
    for launcher in ["/no/such/launcher", "/bin/true", "/bin/echo"] {
        let launcher = Some(PathBuf::from(launcher));
        let unavailable = Sandbox::detect(&SandboxSettings { launcher, ..settings() }).await.unwrap_err();
        let Unavailable::Start(error) = unavailable else { panic!("{unavailable}") };
        assert!(matches!(error, SandboxError::Spawn(_) | SandboxError::NotReady(_)), "{error}");
    }
}

#[tokio::test]
async fn the_launcher_reports_a_plan_that_it_cannot_read() {
    let launcher = settings().launcher.unwrap();
    let output = std::process::Command::new(launcher).args(["__launch-sandbox", "{}"]).output().unwrap();
    assert_eq!(output.stdout[0], b'!');
    let fault: LaunchFault = serde_json::from_slice(&output.stdout[5..]).unwrap();
    assert!(matches!(fault, LaunchFault::Plan(_)), "{fault}");
}

#[tokio::test]
async fn a_request_that_is_too_large_is_an_error() {
    let source = "x".repeat(REQUEST_BYTES);
    assert_eq!(sandbox().await.run(&source, "f", &[]).await, Err(SandboxError::TooLarge));
}

#[tokio::test]
async fn many_runs_at_once_all_finish() {
    let runs = (0..20).map(|number| async move {
        let outcome = sandbox().await.run("def f(n): return n * 2", "f", &[&[json!(number)]]).await.unwrap();
        assert_eq!(outcome.results, [Some(json!(number * 2))]);
    });
    let mut tasks: tokio::task::JoinSet<()> = runs.collect();
    while let Some(result) = tasks.join_next().await {
        result.unwrap();
    }
}
