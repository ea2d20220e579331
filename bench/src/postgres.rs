//! Temporary databases on a running PostgreSQL, created and dropped with its client programs.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process;

const STANDARD: &str = "postgres://postgres@127.0.0.1:5432/postgres";

/// A database that is dropped with this value.
pub(crate) struct Database {
    /// A libpq connection string, which sqlx understands too.
    pub(crate) url: String,
    name: String,
    is_retained: bool,
}

impl Database {
    /// Creates the database `{prefix}_{random}` on the server of `TEST_DATABASE_URL`.
    pub(crate) fn create(prefix: &str) -> Result<Self> {
        let name = format!("{prefix}_{}", random_hex(6)?);
        query(&server(), &format!("CREATE DATABASE {name}"))?;
        Ok(Self { url: with_database(&server(), &name), name, is_retained: false })
    }

    /// Keeps the database when this value is dropped.
    pub(crate) fn keep(&mut self) {
        self.is_retained = true;
    }

    /// Vacuums the database if its server does not do that by itself.
    pub(crate) fn vacuum(&self) -> Result<()> {
        if query(&self.url, "SHOW autovacuum")?.trim() == "off" {
            println!("autovacuum is off on this PostgreSQL: vacuuming");
            query(&self.url, "VACUUM ANALYZE")?;
        }
        Ok(())
    }

    /// The backend processes, if they run on this machine.
    pub(crate) fn backends(&self) -> Result<Vec<u32>> {
        let here = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let all = query(&self.url, here)?;
        Ok(all
            .lines()
            .filter_map(|pid| pid.parse().ok())
            .filter(|pid| process::parent_of(*pid, "postgres").is_some())
            .collect())
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if self.is_retained {
            eprintln!("kept: {}", self.name);
        } else if let Err(error) = query(&server(), &format!("DROP DATABASE {} WITH (FORCE)", self.name)) {
            eprintln!("the database {} could not be dropped: {error:#}", self.name);
        }
    }
}

/// Runs a checkpoint, so that earlier writes do not fall into the next measurement. Needs a superuser; otherwise it is
/// skipped.
pub(crate) fn checkpoint() {
    if let Err(error) = query(&server(), "CHECKPOINT") {
        eprintln!("no checkpoint before the measurement: {error:#}");
    }
}

/// The process id of the postmaster, if PostgreSQL runs on this machine and reports it.
pub(crate) fn postmaster() -> Option<u32> {
    let checkpointer = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'";
    process::parent_of(query(&server(), checkpointer).ok()?.trim().parse().ok()?, "postgres")
}

/// Runs one statement through `psql` and returns its rows as plain text.
pub(crate) fn query(url: &str, statement: &str) -> Result<String> {
    let mut command = Command::new(program("psql")?);
    command.args(["--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1"]);
    // Without a terminal a wrong password must be an error, not a prompt.
    command.args(["--no-password", "--command", statement, url]).stdin(Stdio::null());
    let output = command.output().context("running psql")?;
    ensure!(output.status.success(), "PostgreSQL refused: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Finds a client program in `PATH`, or in the folder of Debian's newest PostgreSQL.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let packaged = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut packaged: Vec<PathBuf> = packaged.map(|version| version.path().join("bin")).collect();
    packaged.sort();
    let mut directories = env::split_paths(&path).chain(packaged.into_iter().rev());
    let found = directories.find_map(|directory| Some(directory.join(name)).filter(|file| file.is_file()));
    found.with_context(|| format!("{name} is neither in PATH nor in /usr/lib/postgresql/*/bin; install PostgreSQL's client and contrib programs"))
}

/// Random bytes from the system, in hexadecimal.
pub(crate) fn random_hex(bytes: usize) -> Result<String> {
    use std::fmt::Write as _;
    use std::io::Read as _;
    let mut random = vec![0; bytes];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(random.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

fn server() -> String {
    env::var("TEST_DATABASE_URL").unwrap_or_else(|_| STANDARD.to_owned())
}

/// The same server, user and options with another database.
fn with_database(url: &str, name: &str) -> String {
    let (address, options) = url.split_once('?').map_or((url, None), |(address, options)| (address, Some(options)));
    let authority = address.find("://").map_or(0, |position| position + 3);
    let end = address[authority..].find('/').map_or(address.len(), |position| authority + position);
    let options = options.map(|options| format!("?{options}")).unwrap_or_default();
    format!("{}/{name}{options}", &address[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_database_keeps_server_user_and_options() {
        assert_eq!(with_database("postgres://u:p@h:1/a?sslmode=disable", "b"), "postgres://u:p@h:1/b?sslmode=disable");
        assert_eq!(with_database("postgres://h", "b"), "postgres://h/b");
    }
}
