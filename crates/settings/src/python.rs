//! The Python interpreter of the sandbox.

use std::{
    env,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::{Fault, Faults, Settings, SettingsError, known::variable};

/// The default: the first of this name on the `PATH`. A machine may lack it, and then plays no Python.
pub(crate) const PYTHON: &str = "python3";

/// The interpreter of the settings. One that a setting names must be there.
pub fn python(settings: &Settings) -> Result<PathBuf, SettingsError> {
    let python = &settings.arena_python;
    if python == Path::new(PYTHON) || is_there(python) {
        return Ok(python.clone());
    }
    let expected = "a Python of version 3.9 or newer: the path of a program, or its name on the PATH".to_owned();
    let value = Some(python.display().to_string());
    Err(SettingsError::Invalid(Faults(vec![Fault::Value { name: variable("arena_python"), value, expected }])))
}

/// Whether the path, or the name on the `PATH`, is a program.
fn is_there(python: &Path) -> bool {
    if python.components().count() > 1 {
        return is_program(python);
    }
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| is_program(&folder.join(python))))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(python: &Path) -> Result<PathBuf, String> {
        let settings = Settings { arena_python: python.to_owned(), ..Settings::default() };
        super::python(&settings).map_err(|error| error.to_string())
    }

    #[test]
    fn an_interpreter_that_a_setting_names_must_be_a_program() {
        assert!(found(Path::new(PYTHON)).is_ok());
        assert!(found(Path::new("sh")).is_ok());
        assert!(found(Path::new("/bin/sh")).is_ok());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("python3");
        std::fs::write(&file, "").unwrap();
        for wrong in [Path::new("no-such-python"), folder.path(), &file] {
            let error = found(wrong).unwrap_err();
            let expected = format!("BUILDTRACK_ARENA_PYTHON is {:?}: expected a Python", wrong.display().to_string());
            assert!(error.contains(&expected), "{error}");
        }
    }
}
