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

/// How often a log is looked at that may still grow.
const LOOKS: usize = 20;

/// The log is in order, and rebuilding changes nothing. What was contributed is counted a little later, on the log: where it
/// has grown between the looks, they are no comparison.
pub(crate) async fn is_in_order(site: &Site) {
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
    panic!("the log does not come to rest");
}

/// The line that tells how many events are in order.
fn length(verified: &str) -> &str {
    let line = verified.lines().find(|line| line.contains("The log is in order"));
    line.unwrap_or_else(|| panic!("the log is not in order: {verified}"))
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
