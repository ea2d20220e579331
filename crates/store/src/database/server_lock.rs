//! The lock file that prevents a second server on the same SQLite file.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    path::Path,
};

use super::Database;
use crate::StoreError;

/// The lock file's name, in the folder of the database.
const NAME: &str = "server.lock";

/// An exclusive lock on a file beside the SQLite database, held by the server that uses it. The operating system releases it when
/// the process ends, even after a crash. Commands that may run beside a server do not take it.
#[derive(Debug)]
pub struct ServerLock {
    _file: Option<File>,
}

impl ServerLock {
    /// Acquires the lock. Fails with the process id of the server that holds it. With PostgreSQL several servers may run, so there
    /// is no lock.
    pub fn acquire(database: &Database) -> Result<Self, StoreError> {
        match database {
            Database::Sqlite(path) => {
                lock(path.parent().unwrap_or(Path::new("."))).map(|file| Self { _file: Some(file) })
            }
            Database::Postgres(_) => Ok(Self { _file: None }),
        }
    }
}

fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(NAME);
    let fault = |error: std::io::Error| StoreError::folder(&path, error);
    make_private_folder(folder).map_err(fault)?;
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(fault)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(held(&mut file, folder)),
        Err(TryLockError::Error(error)) => return Err(fault(error)),
    }
    note_process(&mut file).map_err(fault)?;
    Ok(file)
}

/// Creates a data directory that only its owner can access. Leaves an existing directory unchanged.
pub fn make_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn held(file: &mut File, folder: &Path) -> StoreError {
    let mut process = String::new();
    let read = file.read_to_string(&mut process);
    let process = Some(process.trim().to_owned()).filter(|process| read.is_ok() && !process.is_empty());
    StoreError::Locked { path: folder.display().to_string(), process }
}

fn note_process(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_server_is_refused_until_the_first_ends() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::Sqlite(folder.path().join("buildtrack.sqlite"));
        let first = ServerLock::acquire(&database).unwrap();
        let Err(StoreError::Locked { process, .. }) = ServerLock::acquire(&database) else {
            panic!("two servers acquired the lock")
        };
        assert_eq!(process, Some(std::process::id().to_string()));
        drop(first);
        ServerLock::acquire(&database).unwrap();
    }

    #[test]
    fn several_servers_may_use_postgresql() {
        let database = Database::Postgres("postgres://localhost/x".to_owned());
        let _first = ServerLock::acquire(&database).unwrap();
        ServerLock::acquire(&database).unwrap();
    }
}
