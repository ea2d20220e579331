//! The number of statements that one task reads with, for the log line of a request.

use std::cell::Cell;

tokio::task_local! {
    /// Counts within [`counting_reads`]; other tasks have no count.
    static READS: Cell<u32>;
}

/// Runs a future, and counts the statements that it sends to read tables or the log. What other tasks read for it, such as a shared
/// lookup of positions, is not counted.
pub async fn counting_reads<F: Future>(future: F) -> (F::Output, u32) {
    let counted = async {
        let output = future.await;
        (output, READS.with(Cell::get))
    };
    READS.scope(Cell::new(0), counted).await
}

/// Counts one statement of the current task.
pub(crate) fn count_read() {
    // Background tasks have no count.
    let _ = READS.try_with(|reads| reads.set(reads.get() + 1));
}

#[cfg(test)]
mod tests {
    use super::{count_read, counting_reads};

    #[tokio::test]
    async fn each_task_has_a_count_of_its_own() {
        count_read();
        let inner = async {
            count_read();
            let ((), inner) = counting_reads(async { count_read() }).await;
            count_read();
            inner
        };
        assert_eq!(counting_reads(inner).await, (1, 2));
    }
}
