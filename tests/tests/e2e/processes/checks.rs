//! What must be true of a site, whatever happened to its processes.

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

/// The log is in order, and rebuilding changes nothing.
pub(crate) async fn is_in_order(site: &Site) {
    let verified = site.succeeds(&["verify-log"]).await;
    assert!(verified.contains("The log is in order"), "{verified}");
    let rebuilt = site.succeeds(&["rebuild"]).await;
    assert_eq!(digests(&rebuilt), digests(&verified));
    let again = site.succeeds(&["verify-log"]).await;
    assert_eq!(digests(&again), digests(&verified));
}

/// Every message that was answered with 201 is there, word for word; gives how many there are beyond those.
pub(crate) async fn nothing_is_missing(server: &Server, track: &Track, written: &Written) -> usize {
    let read: HashMap<_, _> = track.read(server).await.into_iter().collect();
    assert!(!written.receipts.is_empty());
    for (id, content) in &written.receipts {
        assert_eq!(read.get(id), Some(content), "{id} was answered with 201");
    }
    assert_eq!(track.count(server).await, u64::try_from(read.len()).unwrap());
    read.len() - written.receipts.len()
}
