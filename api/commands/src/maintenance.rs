//! The commands `migrate`, `rebuild`, `verify-log` and `openapi`.

use buildtrack_settings::{Settings, exit};
use buildtrack_store::{
    StoreError,
    verification::{self, Progress, SearchCheck, TableDigest, Verification, VerifyError},
};
use buildtrack_terminal::{note, notes_are_shown, progress as show_progress};

use super::{CommandError, open_store, print};

/// Migrates the database to the current schema.
pub async fn migrate(settings: &Settings) -> Result<(), CommandError> {
    open_store(settings).await?.close().await;
    print("The schema is up to date.")
}

/// Rebuilds the read tables from the log.
pub async fn rebuild(settings: &Settings) -> Result<(), CommandError> {
    let store = open_store(settings).await?;
    let digests = verification::rebuild(store.log(), progress("rebuilding")).await?;
    let events = store.log().tail().head();
    store.close().await;
    print_digests(&digests)?;
    print(&format!("The read tables are rebuilt from {events} events."))
}

/// Verifies the log's hash chain, and compares the read tables with a rebuild.
pub async fn verify_log(settings: &Settings) -> Result<(), CommandError> {
    let store = open_store(settings).await.map_err(unchecked)?;
    let verified = verification::verify(store.log(), store.reputation(), progress("verifying")).await;
    store.close().await;
    let verified = verified.map_err(|error| match error {
        VerifyError::Store(error) if is_unreachable(&error) => CommandError::Unchecked(error),
        error => CommandError::Failed(format!("The log is NOT in order: {error}.")),
    })?;
    // A fault is reported even if the details cannot be printed.
    let printed = print_details(&verified);
    let differing = verified.differing();
    if !differing.is_empty() {
        let tables = differing.join(", ");
        return Err(CommandError::Failed(format!(
            "{tables}: the rows differ from a rebuild of the log. Run `buildtrack rebuild`."
        )));
    }
    if !verified.miscounted.is_empty() {
        let agents: Vec<_> = verified.miscounted.iter().map(ToString::to_string).collect();
        let agents = agents.join(", ");
        return Err(CommandError::Failed(format!("{agents}: the stored contribution counts differ from the log.")));
    }
    printed?;
    print(&format!(
        "The log is in order: {} events, head {}; the read tables match it.",
        verified.position, verified.hash
    ))
}

fn print_details(verified: &Verification) -> Result<(), CommandError> {
    for redaction in &verified.redactions {
        print(&format!(
            "redacted: position {} of {}, by the event at position {}",
            redaction.position, redaction.stream, redaction.by
        ))?;
    }
    print_digests(&verified.live)?;
    let SearchCheck { indexed_to, found, .. } = &verified.search;
    print(&format!("{}: {} up to date, indexed up to position {indexed_to}", found.table, found.rows))
}

/// Reports an unreachable database as "not checked". It is no finding about the log.
fn unchecked(error: CommandError) -> CommandError {
    match error {
        CommandError::Store(error) if is_unreachable(&error) => CommandError::Unchecked(error),
        error => error,
    }
}

fn is_unreachable(error: &StoreError) -> bool {
    exit::code_of(error) == exit::UNAVAILABLE
}

fn print_digests(digests: &[TableDigest]) -> Result<(), CommandError> {
    digests
        .iter()
        .try_for_each(|TableDigest { table, rows, sha256 }| print(&format!("{table}: {rows} rows, sha256 {sha256}")))
}

/// Returns a progress display: a line that is overwritten on a terminal, otherwise one line per ten percent.
fn progress(doing: &'static str) -> impl FnMut(Progress) {
    let terminal = notes_are_shown();
    let mut shown = -1;
    move |Progress { done, total }| {
        let tenth = done * 10 / total.max(1);
        if terminal {
            show_progress(&format!("{doing}: {done} of {total} events"));
            if done == total {
                note("");
            }
        } else if tenth > shown {
            shown = tenth;
            note(&format!("{doing}: {done} of {total} events"));
        }
    }
}
