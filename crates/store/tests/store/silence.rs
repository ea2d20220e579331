//! Connections that go silent without being closed, as after the failover of a proxy.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use buildtrack_store::{Database, Settings, Store, StoreError};
use futures_util::{
    FutureExt,
    future::{join, join_all},
};
use sqlx::{ConnectOptions, postgres::PgConnectOptions};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    time::{error::Elapsed, interval, timeout},
};

use crate::{
    cast::owner,
    database::{Kind, TestDatabase},
};

/// A proxy in front of PostgreSQL. Freezing it silences the connections that exist at that moment; new connections work.
struct Proxy {
    port: u16,
    freezes: watch::Sender<u64>,
    /// Whether new connections are closed at once, and how many were.
    refusing: watch::Sender<(bool, u64)>,
}

impl Proxy {
    async fn start(options: &PgConnectOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (freezes, frozen) = watch::channel(0);
        let refusing = watch::Sender::new((false, 0));
        let refuses = refusing.clone();
        let target = Arc::new((options.get_host().to_owned(), options.get_port()));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if refuses.borrow().0 {
                    // Reset, as by a port without a listener.
                    client.set_zero_linger().unwrap();
                    refuses.send_modify(|(_, count)| *count += 1);
                    continue;
                }
                let (target, mut frozen) = (Arc::clone(&target), frozen.clone());
                frozen.mark_unchanged();
                tokio::spawn(forward(client, target, frozen));
            }
        });
        Self { port, freezes, refusing }
    }

    fn refuse(&self, refusing: bool) {
        self.refusing.send_modify(|(now, _)| *now = refusing);
    }

    /// Waits for the first connection that was closed at once.
    async fn refused(&self) {
        self.refusing.subscribe().wait_for(|(_, count)| *count > 0).await.unwrap();
    }

    fn freeze(&self) {
        self.freezes.send_modify(|freezes| *freezes += 1);
    }
}

async fn forward(mut client: TcpStream, target: Arc<(String, u16)>, mut frozen: watch::Receiver<u64>) {
    let mut server = TcpStream::connect((&*target.0, target.1)).await.unwrap();
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        _ = frozen.changed() => std::future::pending().await,
    }
}

/// A store on PostgreSQL, and the proxy that it connects through.
async fn store_behind_a_proxy(database: &TestDatabase) -> (Store, Proxy) {
    let Database::Postgres(url) = database.database() else { unreachable!() };
    let options: PgConnectOptions = url.parse().unwrap();
    let proxy = Proxy::start(&options).await;
    let url = options.port(proxy.port).to_url_lossy().into();
    let (secret, clock) = (database.secret.clone(), database.clock.clone());
    let store = Store::open(Settings { database: Database::Postgres(url), secret, clock }).await.unwrap();
    (store, proxy)
}

/// More reads at once than the pool has connections.
async fn read_at_once(store: &Store) -> Vec<Result<Result<i64, StoreError>, Elapsed>> {
    join_all((0..40).map(|_| timeout(Duration::from_secs(30), store.log().head()))).await
}

async fn becomes_not_ready(store: &Store) {
    let mut ticks = interval(Duration::from_millis(100));
    while store.log().tail().is_alive() {
        ticks.tick().await;
    }
}

/// Closing a store would wait for its silent connections.
fn abandon(store: Store) {
    std::mem::forget(store);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_follower_replaces_a_silent_connection() {
    let database = TestDatabase::new(Kind::Postgres).await;
    let other = database.open().await;
    let (store, proxy) = store_behind_a_proxy(&database).await;
    owner(&store).await;
    proxy.freeze();
    owner(&other).await;
    let head = other.log().tail().head();
    let reached = timeout(Duration::from_secs(30), store.log().tail().wait_past(head - 1)).await;
    assert!(reached.is_ok(), "the log is followed on another connection");
    assert!(store.log().tail().is_alive());
    abandon(store);
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_on_silent_connections_end_and_free_the_pool() {
    let database = TestDatabase::new(Kind::Postgres).await;
    let (store, proxy) = store_behind_a_proxy(&database).await;
    assert!(read_at_once(&store).await.into_iter().all(|read| read.unwrap().is_ok()));
    proxy.freeze();
    // As many as the pool has connections were given a silent one, and say so; none waits for ever.
    let first = read_at_once(&store).await;
    assert!(first.iter().all(Result::is_ok), "{first:?}");
    assert!(first.into_iter().any(|read| read.unwrap().is_err()), "no connection was silent");
    assert!(read_at_once(&store).await.into_iter().all(|read| read.unwrap().is_ok()));
    abandon(store);
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_wait_for_a_server_that_restarts() {
    let database = TestDatabase::new(Kind::Postgres).await;
    let (store, proxy) = store_behind_a_proxy(&database).await;
    proxy.refuse(true);
    let (reads, ()) = join(read_at_once(&store), async {
        timeout(Duration::from_secs(5), proxy.refused()).await.unwrap();
        proxy.refuse(false);
    })
    .await;
    assert!(reads.iter().all(|read| matches!(read, Ok(Ok(_)))), "{reads:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_its_caller_gave_up_frees_the_pool() {
    let database = TestDatabase::new(Kind::Postgres).await;
    let (store, proxy) = store_behind_a_proxy(&database).await;
    join_all((0..40).map(|_| store.log().head())).await;
    proxy.freeze();
    let given_up = join_all((0..40).map(|_| timeout(Duration::from_millis(300), store.log().head()))).await;
    assert!(given_up.iter().any(Result::is_err), "no connection was silent");
    let read = timeout(Duration::from_secs(5), join_all((0..40).map(|_| store.log().head()))).await.unwrap();
    assert!(read.iter().all(Result::is_ok), "{read:?}");
    abandon(store);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_on_a_silent_connection_ends_and_the_next_is_written() {
    let database = TestDatabase::new(Kind::Postgres).await;
    let (store, proxy) = store_behind_a_proxy(&database).await;
    owner(&store).await;
    proxy.freeze();
    let writing = timeout(Duration::from_secs(30), AssertUnwindSafe(owner(&store)).catch_unwind());
    let (outcome, noticed) = join(writing, timeout(Duration::from_secs(20), becomes_not_ready(&store))).await;
    assert!(noticed.is_ok(), "the store is not ready while a write is pending");
    let outcome = outcome.unwrap();
    assert!(outcome.is_err(), "the connection was not silent");
    let next = timeout(Duration::from_secs(20), owner(&store)).await;
    assert!(next.is_ok(), "the next write is on another connection");
    abandon(store);
}
