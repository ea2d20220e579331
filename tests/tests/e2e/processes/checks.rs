//! Invariants of a site, checked after crashes and restarts.

use std::collections::HashMap;

use super::{
    cast::Track,
    load::Written,
    site::{Server, Site},
};

/// The lines `table: N rows, sha256 …` that `verify-log` and `rebuild` print.
pub(crate) fn digests(printed: &str) -> Vec<&str> {
    let digests: Vec<_> = printed.lines().filter(|line| line.contains(" rows, sha256 ")).collect();
    assert!(digests.iter().any(|line| line.starts_with("messages: ")), "no digests in {printed}");
    digests
}

/// Maximum number of attempts to verify a log that may still grow.
const LOOKS: usize = 20;

/// Checks that the log verifies and a rebuild changes nothing. Contributions are counted with a delay, on the log: results
/// are compared only if the log has not grown between the commands.
pub(crate) async fn assert_in_order(site: &Site) {
    for _ in 0..LOOKS {
        let verified = site.succeeds(&["verify-log"]).await;
        let rebuilt = site.succeeds(&["rebuild"]).await;
        let again = site.succeeds(&["verify-log"]).await;
        if length(&again) == length(&verified) {
            assert_eq!(digests(&rebuilt), digests(&verified));
            assert_eq!(digests(&again), digests(&verified));
            return;
        }
    }
    panic!("the log still grows");
}

/// The line with the number of verified events.
fn length(verified: &str) -> &str {
    let line = verified.lines().find(|line| line.contains("The log is in order"));
    line.unwrap_or_else(|| panic!("the log is not in order: {verified}"))
}

/// Checks that every message with a 201 response exists unchanged; returns how many more messages there are.
pub(crate) async fn assert_complete(server: &Server, track: &Track, written: &Written) -> usize {
    let read: HashMap<_, _> = track.read(server).await.into_iter().collect();
    assert!(!written.receipts.is_empty());
    for (id, content) in &written.receipts {
        assert_eq!(read.get(id), Some(content), "{id} was answered with 201");
    }
    assert_eq!(track.count(server).await, u64::try_from(read.len()).unwrap());
    read.len() - written.receipts.len()
}
