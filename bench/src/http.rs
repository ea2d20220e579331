//! A raw HTTP/1.1 client: one keep-alive connection, one request at a time, no allocation after warm-up.
//!
//! It supports only what a benchmark needs: bodies by `Content-Length`, chunked, or up to the end of the connection (RFC 9112
//! section 6.3). No TLS, no redirects, no pipelining.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const MOST_HEADERS: usize = 64;
/// A response of the API is much shorter, so a longer one means that the framing is wrong.
const LONGEST_ANSWER: usize = 64 * 1024 * 1024;

/// The bytes of a request: head and JSON body.
pub(crate) fn request(method: &str, path: &str, host: SocketAddr, token: Option<&str>, body: Option<&str>) -> Vec<u8> {
    let authorization = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let content = body.map_or_else(String::new, |body| {
        format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len())
    });
    let body = body.unwrap_or_default();
    format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{authorization}{content}\r\n{body}").into_bytes()
}

/// One connection to the server.
pub(crate) struct Connection {
    stream: TcpStream,
    /// The bytes of the current response read so far.
    buffer: Vec<u8>,
    /// The decoded body of the current response, if it is chunked.
    unchunked: Vec<u8>,
}

/// A response; its body is valid until the connection's next exchange.
pub(crate) struct Answer<'connection> {
    pub(crate) status: u16,
    pub(crate) body: &'connection [u8],
    /// Whether the server accepts another request on this connection.
    pub(crate) keeps_alive: bool,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await.with_context(|| format!("connecting to {address}"))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(16 * 1024), unchunked: Vec::new() })
    }

    /// Sends one request and reads its response. After an error the connection is unusable, and the outcome of the request is
    /// unknown.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> Result<Answer<'_>> {
        self.buffer.clear();
        self.stream.write_all(request).await?;
        let head = self.read_head().await?;
        let body = match head.framing {
            Framing::Length(length) => self.read_length(head.length, length).await?,
            Framing::Chunked => self.read_chunks(head.length).await?,
            Framing::UntilClose => self.read_to_end(head.length).await?,
        };
        Ok(Answer { status: head.status, body, keeps_alive: head.keeps_alive })
    }

    /// Reads up to the end of the final head, skipping informational (1xx) ones.
    async fn read_head(&mut self) -> Result<Head> {
        loop {
            match Head::parse(&self.buffer)? {
                Some(head) if head.status < 200 => drop(self.buffer.drain(..head.length)),
                Some(head) => return Ok(head),
                None => self.fill().await?,
            }
        }
    }

    async fn read_length(&mut self, from: usize, length: usize) -> Result<&[u8]> {
        let end = from + length;
        while self.buffer.len() < end {
            self.fill().await?;
        }
        ensure!(self.buffer.len() == end, "the answer is longer than its Content-Length");
        Ok(&self.buffer[from..])
    }

    async fn read_chunks(&mut self, from: usize) -> Result<&[u8]> {
        loop {
            self.unchunked.clear();
            if let Some(length) = unchunk(&self.buffer[from..], &mut self.unchunked)? {
                ensure!(self.buffer.len() == from + length, "the answer has data after its last chunk");
                return Ok(&self.unchunked);
            }
            self.fill().await?;
        }
    }

    async fn read_to_end(&mut self, from: usize) -> Result<&[u8]> {
        while self.stream.read_buf(&mut self.buffer).await? > 0 {}
        Ok(&self.buffer[from..])
    }

    async fn fill(&mut self) -> Result<()> {
        ensure!(self.buffer.len() < LONGEST_ANSWER, "the answer does not end");
        if self.buffer.capacity() - self.buffer.len() < 4096 {
            self.buffer.reserve(16 * 1024);
        }
        let read = self.stream.read_buf(&mut self.buffer).await?;
        ensure!(read > 0, "the server closed the connection in the middle of an exchange");
        Ok(())
    }
}

/// The framing of a response according to its head.
struct Head {
    length: usize,
    status: u16,
    framing: Framing,
    keeps_alive: bool,
}

enum Framing {
    Length(usize),
    Chunked,
    UntilClose,
}

impl Head {
    /// Returns `None` until the head is complete.
    fn parse(bytes: &[u8]) -> Result<Option<Self>> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut answer = httparse::Response::new(&mut headers);
        let httparse::Status::Complete(length) = answer.parse(bytes).context("reading the head of an answer")? else {
            return Ok(None);
        };
        let (Some(status), Some(version)) = (answer.code, answer.version) else { bail!("an answer without a status") };
        let framing = Framing::of(status, answer.headers)?;
        let closes = matches!(framing, Framing::UntilClose)
            || version == 0
            || header(answer.headers, "connection").is_some_and(|value| value.eq_ignore_ascii_case(b"close"));
        Ok(Some(Self { length, status, framing, keeps_alive: !closes }))
    }
}

impl Framing {
    fn of(status: u16, headers: &[httparse::Header]) -> Result<Self> {
        if status < 200 || status == 204 || status == 304 {
            return Ok(Self::Length(0));
        }
        if header(headers, "transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case(b"chunked")) {
            return Ok(Self::Chunked);
        }
        let Some(length) = header(headers, "content-length") else {
            return Ok(Self::UntilClose);
        };
        Ok(Self::Length(std::str::from_utf8(length)?.trim().parse().context("reading a Content-Length")?))
    }
}

fn header<'bytes>(headers: &[httparse::Header<'bytes>], name: &str) -> Option<&'bytes [u8]> {
    headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value)
}

/// Appends the content of a chunked body (RFC 9112 section 7.1) to `content` and returns the encoded length, or `None` if the
/// body is incomplete.
fn unchunk(bytes: &[u8], content: &mut Vec<u8>) -> Result<Option<usize>> {
    let mut at = 0;
    loop {
        let size = match httparse::parse_chunk_size(&bytes[at..]) {
            Ok(httparse::Status::Complete((length, size))) => {
                at += length;
                usize::try_from(size)?
            }
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) => bail!("a chunk without a size"),
        };
        if size == 0 {
            return Ok(end_of_trailers(&bytes[at..]).map(|length| at + length));
        }
        ensure!(size < LONGEST_ANSWER, "a chunk of {size} bytes");
        let Some(chunk) = bytes.get(at..at + size + 2) else {
            return Ok(None);
        };
        ensure!(chunk.ends_with(b"\r\n"), "a chunk longer than its size");
        content.extend_from_slice(&chunk[..size]);
        at += size + 2;
    }
}

/// The length of the trailer section with the empty line that ends it.
fn end_of_trailers(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(b"\r\n") {
        return Some(2);
    }
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|position| position + 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock;

    #[tokio::test]
    async fn answers_split_across_reads_arrive_whole_on_one_connection() {
        let script: &[&[&str]] = &[
            &["HTTP/1.1 201 Cre", "ated\r\nContent-Le", "ngth: 11\r\n\r\nhello", " world"],
            &[
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r",
                "\nhel",
                "lo\r\n6;x=y\r\n world\r\n0\r",
                "\n\r\n",
            ],
            &["HTTP/1.1 204 No Content\r\n\r\n"],
            &["HTTP/1.1 429 Too Many Requests\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"],
        ];
        let address = mock::scripted(script).await;
        let mut connection = Connection::open(address).await.unwrap();
        let request = request("POST", "/", address, Some("token"), Some("{}"));
        let mut answers = Vec::new();
        for _ in script {
            let answer = connection.exchange(&request).await.unwrap();
            answers.push((answer.status, String::from_utf8(answer.body.to_vec()).unwrap(), answer.keeps_alive));
        }
        let hello = || "hello world".to_owned();
        let expected =
            vec![(201, hello(), true), (200, hello(), true), (204, String::new(), true), (429, "{}".to_owned(), false)];
        assert_eq!(answers, expected);
    }

    #[tokio::test]
    async fn a_connection_cut_in_the_middle_of_an_answer_is_an_error() {
        let address = mock::scripted(&[&["HTTP/1.1 201 Created\r\nContent-Length: 11\r\n\r\nhello"]]).await;
        let mut connection = Connection::open(address).await.unwrap();
        let outcome = connection.exchange(b"GET / HTTP/1.1\r\n\r\n").await.map(|answer| answer.status);
        assert!(outcome.unwrap_err().to_string().contains("closed the connection"));
    }
}
