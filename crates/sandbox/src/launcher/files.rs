//! Landlock: the process reads the files of Python, and nothing else. It writes nothing.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, HandleAccessError, HandleAccessesError,
    PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use crate::{LaunchFault, plan::Python};

/// Files outside the standard library that Python reads: where shared libraries are, and time zones.
const SYSTEM_FILES: [&str; 1] = ["/etc/ld.so.cache"];
const SYSTEM_FOLDERS: [&str; 1] = ["/usr/share/zoneinfo"];
/// Folders of the standard library with packages that the machine's owner has installed.
const PACKAGES: [&str; 2] = ["site-packages", "dist-packages"];

/// Restricts the process for ever. What the first version of Landlock can do is required; what later ones add (truncation, devices,
/// TCP, abstract sockets, signals) is used where the kernel has it, and the seccomp filter refuses it in any case.
pub(super) fn restrict(python: &Python) -> Result<(), LaunchFault> {
    let status = ruleset()
        .and_then(|ruleset| allow_python(ruleset, python))
        .and_then(RulesetCreated::restrict_self)
        .map_err(|error| fault(&error))?;
    if status.ruleset == RulesetStatus::NotEnforced { Err(LaunchFault::NoLandlock) } else { Ok(()) }
}

fn ruleset() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))?
        .handle_access(AccessNet::from_all(ABI::V4))?
        .scope(Scope::from_all(ABI::V6))?
        .create()
}

fn allow_python(mut ruleset: RulesetCreated, python: &Python) -> Result<RulesetCreated, RulesetError> {
    for file in &python.files {
        ruleset = allow(ruleset, file, AccessFs::ReadFile | AccessFs::Execute)?;
    }
    for file in SYSTEM_FILES {
        ruleset = allow(ruleset, Path::new(file), AccessFs::ReadFile.into())?;
    }
    for folder in SYSTEM_FOLDERS {
        ruleset = allow(ruleset, Path::new(folder), AccessFs::ReadFile | AccessFs::ReadDir)?;
    }
    for folder in &python.folders {
        ruleset = allow_library(ruleset, folder)?;
    }
    Ok(ruleset)
}

/// A rule covers all that a folder holds, so each entry gets its own: installed packages are listed, and cannot be read.
fn allow_library(ruleset: RulesetCreated, folder: &Path) -> Result<RulesetCreated, RulesetError> {
    let mut ruleset = allow(ruleset, folder, AccessFs::ReadDir.into())?;
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        if !PACKAGES.iter().any(|packages| entry.file_name() == *packages) {
            let path = entry.path();
            let of_folder: BitFlags<AccessFs> = if path.is_dir() { AccessFs::ReadDir.into() } else { BitFlags::EMPTY };
            ruleset = allow(ruleset, &path, of_folder | AccessFs::ReadFile)?;
        }
    }
    Ok(ruleset)
}

/// Allows an access to a file, or to all that a folder holds. A file that does not exist needs no rule.
fn allow(ruleset: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(path) {
        Ok(file) => ruleset.add_rule(PathBeneath::new(file, access)),
        Err(_) => Ok(ruleset),
    }
}

/// A required access that the kernel does not know means that it has no Landlock.
fn fault(error: &RulesetError) -> LaunchFault {
    match error {
        RulesetError::HandleAccesses(HandleAccessesError::Fs(HandleAccessError::Compat(_))) => LaunchFault::NoLandlock,
        other => LaunchFault::Landlock(other.to_string()),
    }
}
