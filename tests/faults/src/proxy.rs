//! A TCP proxy between a process and its database or broker, which can cut, freeze, lose, delay and half-close.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::JoinSet,
    time::sleep,
};

use crate::plan::Disturbance;

const PIECE: usize = 16 * 1024;

/// A listening proxy. Dropping it ends it with all its connections.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    weather: Arc<watch::Sender<Weather>>,
    _task: JoinSet<()>,
}

/// What is disturbed at the moment, and since which change.
#[derive(Debug, Clone, Copy, Default)]
struct Weather {
    disturbance: Option<Disturbance>,
    /// Grows with each change; a connection knows the one at which it was opened.
    change: u64,
    /// Connections opened before this change are ended.
    ended_before: u64,
}

impl Proxy {
    /// Listens on a free loopback port, and forwards to `target`.
    pub(crate) async fn start(target: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let weather = Arc::new(watch::Sender::new(Weather::default()));
        let mut task = JoinSet::new();
        task.spawn(accept(listener, target, Arc::clone(&weather)));
        Ok(Self { address, weather, _task: task })
    }

    /// Disturbs every connection from now on.
    pub(crate) fn disturb(&self, disturbance: Disturbance) {
        self.weather.send_modify(|weather| {
            weather.change += 1;
            weather.disturbance = Some(disturbance);
            if disturbance == Disturbance::Cut {
                weather.ended_before = weather.change;
            }
        });
    }

    /// Forwards everything again. What was lost or half closed stays so, and is ended.
    pub(crate) fn heal(&self) {
        self.weather.send_modify(|weather| {
            if matches!(weather.disturbance, Some(Disturbance::Lose | Disturbance::HalfClose)) {
                weather.ended_before = weather.change;
            }
            weather.disturbance = None;
            weather.change += 1;
        });
    }
}

impl Weather {
    fn holds(self, opened: u64) -> bool {
        match self.disturbance {
            Some(Disturbance::Freeze) => true,
            Some(Disturbance::Lose) => opened < self.change,
            _ => false,
        }
    }

    fn half_closes(self, opened: u64) -> bool {
        self.disturbance == Some(Disturbance::HalfClose) && opened < self.change
    }

    fn delay(self) -> Option<Duration> {
        match self.disturbance {
            Some(Disturbance::Delay(milliseconds)) => Some(Duration::from_millis(milliseconds)),
            _ => None,
        }
    }
}

async fn accept(listener: TcpListener, target: SocketAddr, weather: Arc<watch::Sender<Weather>>) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let weather = weather.subscribe();
        if weather.borrow().disturbance != Some(Disturbance::Cut) {
            connections.spawn(connection(stream, target, weather));
        }
        while connections.try_join_next().is_some() {}
    }
}

/// Forwards both ways until both have ended, or the connection is cut.
async fn connection(client: TcpStream, target: SocketAddr, mut weather: watch::Receiver<Weather>) {
    let opened = weather.borrow().change;
    let Ok(server) = TcpStream::connect(target).await else { return };
    if client.set_nodelay(true).and_then(|()| server.set_nodelay(true)).is_err() {
        return;
    }
    let (client_reads, client_writes) = client.into_split();
    let (server_reads, server_writes) = server.into_split();
    let there = forward(client_reads, server_writes, weather.clone(), Direction { opened, half_closes: true });
    let back = forward(server_reads, client_writes, weather.clone(), Direction { opened, half_closes: false });
    tokio::select! {
        _ = async { tokio::join!(there, back) } => (),
        _ = weather.wait_for(|weather| opened < weather.ended_before) => (),
    }
}

/// One of the two ways of a connection.
#[derive(Debug, Clone, Copy)]
struct Direction {
    opened: u64,
    half_closes: bool,
}

async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut weather: watch::Receiver<Weather>,
    direction: Direction,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    let mut changes = weather.clone();
    loop {
        let read = tokio::select! {
            read = from.read(&mut piece) => read?,
            _ = changes.wait_for(|weather| direction.half_closes && weather.half_closes(direction.opened)) => 0,
        };
        drop(weather.wait_for(|weather| !weather.holds(direction.opened)).await);
        let delay = weather.borrow().delay();
        if let Some(delay) = delay {
            sleep(delay).await;
        }
        if read == 0 {
            return to.shutdown().await;
        }
        to.write_all(&piece[..read]).await?;
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    /// A peer that echoes its input.
    async fn echo() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                tokio::spawn(async move {
                    let (mut reads, mut writes) = stream.split();
                    tokio::io::copy(&mut reads, &mut writes).await
                });
            }
        });
        address
    }

    async fn asks(stream: &mut TcpStream) -> Option<u8> {
        stream.write_all(b"x").await.ok()?;
        let mut answer = [0];
        let read = timeout(Duration::from_millis(100), stream.read(&mut answer)).await;
        read.ok()?.ok().filter(|read| *read == 1).map(|_| answer[0])
    }

    #[tokio::test]
    async fn a_cut_ends_old_and_new_connections() {
        let proxy = Proxy::start(echo().await).await.unwrap();
        let mut old = TcpStream::connect(proxy.address).await.unwrap();
        assert_eq!(asks(&mut old).await, Some(b'x'));
        proxy.disturb(Disturbance::Cut);
        assert_eq!(asks(&mut old).await, None);
        assert_eq!(asks(&mut TcpStream::connect(proxy.address).await.unwrap()).await, None);
        proxy.heal();
        assert_eq!(asks(&mut TcpStream::connect(proxy.address).await.unwrap()).await, Some(b'x'));
    }

    #[tokio::test]
    async fn a_frozen_connection_goes_on_and_a_lost_one_ends() {
        let proxy = Proxy::start(echo().await).await.unwrap();
        let mut old = TcpStream::connect(proxy.address).await.unwrap();
        assert_eq!(asks(&mut old).await, Some(b'x'));
        proxy.disturb(Disturbance::Freeze);
        assert_eq!(asks(&mut old).await, None);
        proxy.heal();
        let mut held = [0];
        old.read_exact(&mut held).await.unwrap();
        proxy.disturb(Disturbance::Lose);
        assert_eq!(asks(&mut old).await, None);
        assert_eq!(asks(&mut TcpStream::connect(proxy.address).await.unwrap()).await, Some(b'x'));
        proxy.heal();
        assert!(old.read(&mut held).await.is_ok_and(|read| read == 0) || asks(&mut old).await.is_none());
    }

    #[tokio::test]
    async fn a_half_closed_connection_ends_at_the_peer() {
        let proxy = Proxy::start(echo().await).await.unwrap();
        let mut old = TcpStream::connect(proxy.address).await.unwrap();
        assert_eq!(asks(&mut old).await, Some(b'x'));
        proxy.disturb(Disturbance::HalfClose);
        assert_eq!(timeout(Duration::from_secs(5), old.read(&mut [0])).await.unwrap().unwrap(), 0);
    }
}
