use tokio::sync::oneshot;

use super::*;
use crate::log::Change;

#[test]
fn one_commit_that_the_server_does_not_repeat_makes_the_whole_batch_durable() {
    let commit = |change: Change| Commit { side_changes: vec![change.into()], ..Commit::default() };
    let repeated = || commit(Change::Consumed { consumer: "search", from: 0, to: 1 });
    let unrepeatable = || commit(Change::Handled { consumer: "webhooks", positions: vec![1] });
    let reads = || Commit { reads: HashMap::from([("stream".into(), 1)]), ..repeated() };
    let batch = |commits: Vec<Commit>| Batch::new(commits.into_iter().map(|commit| (commit, oneshot::channel().0)));
    assert!(batch(vec![repeated(), repeated()]).can_be_repeated());
    assert!(!batch(vec![repeated(), unrepeatable()]).can_be_repeated());
    assert!(!batch(vec![repeated(), reads()]).can_be_repeated());
}
