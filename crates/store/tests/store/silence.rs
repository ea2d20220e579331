//! Connections that go silent without being closed, as after the failover of a proxy.

use std::{sync::Arc, time::Duration};

use buildtrack_store::{Database, Settings, Store};
use sqlx::{ConnectOptions, postgres::PgConnectOptions};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};

use crate::{
    cast::owner,
    database::{Kind, TestDatabase},
};

/// A proxy in front of PostgreSQL. Freezing it silences the connections that exist at that moment; new connections work.
struct Proxy {
    port: u16,
    freezes: watch::Sender<u64>,
}

impl Proxy {
    async fn start(options: &PgConnectOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (freezes, frozen) = watch::channel(0);
        let target = Arc::new((options.get_host().to_owned(), options.get_port()));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (target, mut frozen) = (Arc::clone(&target), frozen.clone());
                frozen.mark_unchanged();
                tokio::spawn(forward(client, target, frozen));
            }
        });
        Self { port, freezes }
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

#[tokio::test(flavor = "multi_thread")]
async fn the_follower_abandons_a_silent_connection() {
    let database = TestDatabase::new(Kind::Postgres).await;
    let other = database.open().await;
    let Database::Postgres(url) = database.database() else { unreachable!() };
    let options: PgConnectOptions = url.parse().unwrap();
    let proxy = Proxy::start(&options).await;
    let url = options.port(proxy.port).to_url_lossy().into();
    let (secret, clock) = (database.secret.clone(), database.clock.clone());
    let store = Store::open(Settings { database: Database::Postgres(url), secret, clock }).await.unwrap();
    owner(&store).await;
    proxy.freeze();
    owner(&other).await;
    let head = other.tail().head();
    let reached = tokio::time::timeout(Duration::from_secs(30), store.tail().beyond(head - 1)).await;
    assert!(reached.is_ok(), "the log is followed on another connection");
    assert!(store.tail().is_alive());
    // Dropping the store would wait for the silent connections.
    std::mem::forget(store);
}
