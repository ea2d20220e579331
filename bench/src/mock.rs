//! Mock servers for the tests of the client and of the loops.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Accepts one connection and answers its requests in order, each response in the given pieces, then closes it.
pub(crate) async fn scripted(script: &'static [&'static [&'static str]]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let mut stream = listener.accept().await.unwrap().0;
        stream.set_nodelay(true).unwrap();
        for answer in script {
            read_some(&mut stream).await;
            for piece in *answer {
                stream.write_all(piece.as_bytes()).await.unwrap();
                // Long enough that the client reads this piece separately. If it does not, the test is weaker but not wrong.
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    });
    address
}

/// Answers 201 to every request on every connection; the request with the number `stalled` takes `stall` first.
pub(crate) async fn accepting(stalled: usize, stall: Duration) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(accept_all(stream, stalled, stall));
        }
    });
    address
}

async fn accept_all(mut stream: TcpStream, stalled: usize, stall: Duration) {
    let mut number = 0;
    while read_some(&mut stream).await > 0 {
        if number == stalled {
            tokio::time::sleep(stall).await;
        }
        number += 1;
        stream.write_all(b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}").await.unwrap();
    }
}

/// A request of these tests fits into one segment.
async fn read_some(stream: &mut TcpStream) -> usize {
    stream.read(&mut [0; 8192]).await.unwrap_or(0)
}
