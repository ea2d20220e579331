//! Finds the Python interpreter and its files.

use std::{
    io::ErrorKind,
    path::Path,
    process::{Output, Stdio},
};

use tokio::{process::Command, time::timeout};

use crate::{Unavailable, limits::START_TIME, plan::Python};

/// The oldest version that tasks may be written for.
const OLDEST: (u32, u32) = (3, 9);

/// Asks an interpreter, by path or by its name on the `PATH`, where its files are. It runs outside the sandbox, as the
/// operator's own program, and sees no answer.
pub(crate) async fn describe(python: &Path) -> Result<Python, Unavailable> {
    let failed = |detail: String| Unavailable::Python { python: python.to_owned(), detail };
    let run = Command::new(python)
        .args(["-I", "-S", "-B", "-c", include_str!("python/describe.py")])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = match timeout(START_TIME, run).await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) if error.kind() == ErrorKind::NotFound => return Err(Unavailable::NoPython(python.to_owned())),
        Ok(Err(error)) => return Err(failed(error.to_string())),
        Err(_) => return Err(failed(format!("no answer within {} s", START_TIME.as_secs()))),
    };
    let description = read(&output).map_err(failed)?;
    if description.version < OLDEST {
        let found = format!("{}.{}", description.version.0, description.version.1);
        return Err(Unavailable::Version { python: python.to_owned(), found });
    }
    Ok(description)
}

/// Reads the last line: modules may print when they are loaded.
fn read(output: &Output) -> Result<Python, String> {
    let last_line = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().last().unwrap_or_default().trim().to_owned();
    if !output.status.success() {
        return Err(format!("{} ({})", last_line(&output.stderr), output.status));
    }
    serde_json::from_str(&last_line(&output.stdout)).map_err(|error| error.to_string())
}
