//! Allowed targets of pushes.

use buildtrack_worker::{Worker, WorkerSettings};

use crate::{
    both,
    cast::{agent, local_bus, post, settings, workspace},
    database::{Kind, TestDatabase},
    receiver::Receiver,
};

use rstest_reuse::apply;

#[apply(both)]
async fn a_private_target_is_called_only_if_allowed(kind: Kind) {
    let (database, mut receiver) = tokio::join!(TestDatabase::at_noon(kind), Receiver::friendly());
    let store = database.open().await;
    let author = agent(&store, "Ada", None).await;
    let port = receiver.port();
    let urls = [receiver.url(), format!("https://127.0.0.1:{port}/"), format!("https://localhost:{port}/")];
    let mut members = vec![author.clone()];
    for url in urls {
        members.push(agent(&store, "Ben", Some(url)).await);
    }
    let workspace_id = workspace(&store, &members.iter().collect::<Vec<_>>()).await;
    let strict = WorkerSettings { allow_private_targets: false, ..settings() };
    let worker = Worker::new(store.clone(), local_bus(), strict).unwrap();
    post(&store, workspace_id, &author, "hello?").await;
    worker.drain().await.unwrap();
    let mut reasons: Vec<_> = database.deliveries().await.into_iter().flat_map(|(.., answers)| answers).collect();
    reasons.sort();
    reasons.dedup();
    assert_eq!(
        reasons,
        ["the address is not reachable from the public internet", "the address must begin with https://"]
    );
    assert_eq!(receiver.rest(), []);
}
