//! The probe: a hostile program that a sandbox must contain before it runs an answer.

use serde_json::{Value, json};

use crate::{End, Outcome, Unavailable};

pub(crate) const SOURCE: &str = include_str!("python/probe.py");
pub(crate) const FUNCTION: &str = "probe";

/// The arguments of the probe: files that it must not read, and a folder that it must not write to.
pub(crate) fn arguments() -> Vec<Value> {
    let files = ["/etc/passwd", "/proc/self/environ", "/proc/self/status", "/proc/1/cmdline", "/dev/zero"];
    vec![json!(files), json!(std::env::temp_dir())]
}

/// Refuses a sandbox in which the probe did anything.
pub(crate) fn check(outcome: &Outcome) -> Result<(), Unavailable> {
    let Some(Some(Value::Array(succeeded))) = outcome.results.first() else {
        return Err(Unavailable::Probe(outcome.end));
    };
    match (&outcome.end, succeeded.is_empty()) {
        (End::Finished, true) => Ok(()),
        (End::Finished, false) => Err(Unavailable::Hole(succeeded.iter().filter_map(name).collect())),
        (end, _) => Err(Unavailable::Probe(*end)),
    }
}

fn name(value: &Value) -> Option<String> {
    value.as_str().map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use std::{process::Command, time::Duration};

    use super::*;

    /// Without this, a probe that can do nothing anywhere would vouch for every sandbox.
    #[test]
    fn the_probe_succeeds_outside_the_sandbox() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["/etc/passwd", "/proc/self/environ", "/proc/self/status", "/dev/zero"];
        let script =
            format!("{SOURCE}\nimport json\nprint(json.dumps(probe({}, {})))", json!(files), json!(folder.path()));
        let output = Command::new("python3").args(["-I", "-c", &script]).output().unwrap();
        let succeeded: Vec<String> = serde_json::from_slice(&output.stdout).unwrap();
        for name in [
            "open a TCP socket",
            "open a UDP socket",
            "open a Unix socket",
            "read /etc/passwd",
            "read /proc/self/environ",
            "list /",
            "write a file",
            "create a folder",
            "fork",
            "execute a program",
            "start a thread",
            "use more memory than allowed",
        ] {
            assert!(succeeded.iter().any(|succeeded| succeeded == name), "{name}: {succeeded:?}");
        }
    }

    #[test]
    fn a_sandbox_with_a_hole_is_refused() {
        let outcome = |value: Option<Value>, end| Outcome { results: vec![value], end, cost: Duration::ZERO };
        assert_eq!(check(&outcome(Some(json!([])), End::Finished)), Ok(()));
        let hole = Unavailable::Hole(vec!["fork".to_owned()]);
        assert_eq!(check(&outcome(Some(json!(["fork"])), End::Finished)), Err(hole));
        assert_eq!(check(&outcome(None, End::Raised)), Err(Unavailable::Probe(End::Raised)));
        assert_eq!(check(&outcome(Some(json!([])), End::Killed)), Err(Unavailable::Probe(End::Killed)));
    }
}
