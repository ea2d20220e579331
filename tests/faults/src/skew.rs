//! A wrong wall clock for one process, by libfaketime, which reads how wrong it is from a file.
//!
//! The monotonic clocks stay right, as those of a machine do whose wall clock is set.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

/// Where Debian and others put the library, behind the machine's own folders.
const PATHS: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib64/faketime/libfaketimeMT.so.1",
    "/usr/lib/faketime/libfaketimeMT.so.1",
];

/// One process's wall clock.
#[derive(Debug, Clone)]
pub(crate) struct WallClock {
    file: PathBuf,
    library: PathBuf,
}

impl WallClock {
    /// A right one.
    pub(crate) fn new(folder: &Path, name: &str) -> Result<Self> {
        let given = std::env::var_os("LIBFAKETIME").map(PathBuf::from);
        let library = given.into_iter().chain(PATHS.map(PathBuf::from)).find(|path| path.is_file());
        let library = library.context(
            "libfaketime is missing: install it (Debian: apt-get install faketime), or let LIBFAKETIME name libfaketimeMT.so.1",
        )?;
        let clock = Self { file: folder.join(format!("{name}.clock")), library };
        clock.set(0)?;
        Ok(clock)
    }

    /// Makes it wrong by so many seconds.
    pub(crate) fn set(&self, seconds: i64) -> Result<()> {
        fs::write(&self.file, format!("{seconds:+}\n")).with_context(|| format!("writing {}", self.file.display()))
    }

    /// What the process's environment needs.
    pub(crate) fn settings(&self) -> Vec<(String, String)> {
        let text = |path: &Path| path.display().to_string();
        [
            ("LD_PRELOAD", text(&self.library)),
            ("FAKETIME_TIMESTAMP_FILE", text(&self.file)),
            ("FAKETIME_CACHE_DURATION", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
    }
}
