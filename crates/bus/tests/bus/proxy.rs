//! A TCP proxy between the bus and the broker that simulates network failures.

use std::{io, sync::Arc};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy, copy_bidirectional},
    net::{
        TcpListener, TcpStream,
        tcp::{ReadHalf, WriteHalf},
    },
    sync::watch,
    task::JoinHandle,
};
use url::Url;

/// The state of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Network {
    Up,
    /// New connections end at once.
    Down,
    /// New connections are accepted, but transfer nothing.
    Silent,
    /// New connections transfer everything but the broker's confirms, until the state changes.
    Unconfirming,
}

pub(crate) struct Proxy {
    url: Url,
    network: watch::Sender<Network>,
    /// Each change closes every connection.
    cuts: watch::Sender<u32>,
    /// While set, existing connections transfer nothing and stay open.
    frozen: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    pub(crate) async fn to(url: &str) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap(), url)
    }

    pub(crate) fn on(listener: TcpListener, url: &str) -> Self {
        let mut url = Url::parse(url).unwrap();
        let upstream = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap_or(5672));
        url.set_host(Some("127.0.0.1")).unwrap();
        url.set_port(Some(listener.local_addr().unwrap().port())).unwrap();
        let (network, cuts, frozen) =
            (watch::Sender::new(Network::Up), watch::Sender::new(0), watch::Sender::new(false));
        let accepting = tokio::spawn(accept(listener, upstream, network.clone(), cuts.clone(), frozen.clone()));
        Self { url, network, cuts, frozen, accepting }
    }

    pub(crate) fn url(&self) -> String {
        self.url.to_string()
    }

    /// Sets the state for new connections.
    pub(crate) fn set(&self, network: Network) {
        self.network.send_replace(network);
    }

    /// Closes every connection.
    pub(crate) fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Freezes the existing connections: they stay open but transfer nothing.
    pub(crate) fn freeze(&self) {
        self.frozen.send_replace(true);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

async fn accept(
    listener: TcpListener,
    upstream: String,
    network: watch::Sender<Network>,
    cuts: watch::Sender<u32>,
    frozen: watch::Sender<bool>,
) {
    let upstream: Arc<str> = upstream.into();
    loop {
        let (client, _) = listener.accept().await.unwrap();
        let network = network.subscribe();
        // Later connections are not frozen.
        let (mut cut, mut freeze, upstream) = (cuts.subscribe(), frozen.subscribe(), Arc::clone(&upstream));
        freeze.mark_unchanged();
        tokio::spawn(async move {
            tokio::select! {
                () = carry(client, &network, &upstream, &mut freeze) => {}
                _ = cut.changed() => {}
            }
        });
    }
}

async fn carry(
    mut client: TcpStream,
    network: &watch::Receiver<Network>,
    upstream: &str,
    freeze: &mut watch::Receiver<bool>,
) {
    let state = *network.borrow();
    match state {
        Network::Down => return,
        Network::Silent => return std::future::pending().await,
        Network::Up | Network::Unconfirming => {}
    }
    client.set_nodelay(true).unwrap();
    let Ok(mut server) = TcpStream::connect(upstream).await else { return };
    server.set_nodelay(true).unwrap();
    if state == Network::Unconfirming {
        let ((mut client_read, client_write), (broker_read, mut broker_write)) = (client.split(), server.split());
        // The first direction to end closes both.
        tokio::select! {
            _ = copy(&mut client_read, &mut broker_write) => {}
            _ = pass_frames(broker_read, client_write, network) => {}
        }
        return;
    }
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => return,
        _ = freeze.changed() => {}
    }
    // Both ends stay open.
    std::future::pending::<()>().await;
}

/// Forwards frames (AMQP 0-9-1, section 2.3.5), dropping confirms (`basic.ack`, method 60.80) while the network is
/// [`Network::Unconfirming`].
async fn pass_frames(
    mut broker: ReadHalf<'_>,
    mut client: WriteHalf<'_>,
    network: &watch::Receiver<Network>,
) -> io::Result<()> {
    loop {
        let mut frame = vec![0; 7];
        broker.read_exact(&mut frame).await?;
        let size = frame[3..].iter().fold(0, |size, byte| size << 8 | usize::from(*byte));
        frame.resize(7 + size + 1, 0);
        broker.read_exact(&mut frame[7..]).await?;
        let confirms = frame[0] == 1 && frame[7..].starts_with(&[0, 60, 0, 80]);
        if !confirms || *network.borrow() != Network::Unconfirming {
            client.write_all(&frame).await?;
        }
    }
}
