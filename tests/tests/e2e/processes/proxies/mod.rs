//! Reverse proxies in front of servers: the nginx configuration of docker-compose.yml in a real nginx, and
//! docs/examples/Caddyfile in a real Caddy. `proxies/below_a_path.rs` has those on a host that the server shares.

mod below_a_path;

use std::{net::TcpListener as Listening, path::Path};

use buildtrack_tests::Backend;
use futures_util::{SinkExt, StreamExt};
use rstest_reuse::apply;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    process::Command,
    sync::mpsc,
};
use tokio_tungstenite::{connect_async, tungstenite::Message};

use super::{
    cast::{Agent, Track},
    client::Client,
    process::Process,
    site::Site,
    waiting::{soon, until},
};
use crate::either;

/// A proxy for one test, in front of one upstream.
struct Proxy {
    _process: Process,
    _folder: TempDir,
    address: String,
}

impl Proxy {
    /// nginx with the configuration of docker-compose.yml; both of its servers are this upstream.
    async fn nginx(upstream: &str) -> Self {
        let block = compose_block().replace("server-1:8080", upstream).replace("server-2:8080", upstream);
        Self::nginx_of(&block).await
    }

    /// nginx with a block of `http`, which listens on port 8080.
    async fn nginx_of(block: &str) -> Self {
        let (folder, address) = (TempDir::new().unwrap(), free_address());
        let block = block.replace("listen 8080;", &format!("listen {address};"));
        let root = folder.path().display();
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let temporary: String = temporary.map(|kind| format!("{kind}_temp_path {root}/{kind};\n")).concat();
        // One process, without a change of user, because only this user can access the test's folder.
        let head = "daemon off; master_process off; error_log stderr warn; events {}";
        let settings = format!("{head}\npid {root}/pid;\nhttp {{\naccess_log off;\n{temporary}{block}}}\n");
        std::fs::write(folder.path().join("nginx.conf"), settings).unwrap();
        let mut command = Command::new(program("NGINX"));
        command.arg("-p").arg(folder.path()).arg("-c").arg(folder.path().join("nginx.conf"));
        command.arg("-e").arg("stderr");
        let process = Process::start(command);
        answers(&address).await;
        Self { _process: process, _folder: folder, address }
    }

    /// Caddy with a configuration, which becomes its own with the address that it listens on.
    async fn caddy(configuration: impl FnOnce(&str) -> String) -> Option<Self> {
        let Some(caddy) = std::env::var_os("CADDY") else {
            println!("docs/examples/Caddyfile: NOT CHECKED, CADDY names no program");
            return None;
        };
        let (folder, address) = (TempDir::new().unwrap(), free_address());
        std::fs::write(folder.path().join("Caddyfile"), configuration(&address)).unwrap();
        let mut command = Command::new(caddy);
        command.args(["run", "--adapter", "caddyfile", "--config"]).arg(folder.path().join("Caddyfile"));
        // Certificates and other state stay in the test's folder.
        for name in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
            command.env(name, folder.path());
        }
        let process = Process::start(command);
        answers(&address).await;
        Some(Self { _process: process, _folder: folder, address })
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// The text under `content: |` in docker-compose.yml, as Compose passes it to nginx.
fn compose_block() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docker-compose.yml");
    let text = std::fs::read_to_string(file).unwrap();
    let (_, rest) = text.split_once("    content: |\n").expect("the proxy's block is in docker-compose.yml");
    let lines = rest.lines().take_while(|line| line.is_empty() || line.starts_with("      "));
    lines.map(|line| line.trim().replace("$$", "$") + "\n").collect::<Vec<_>>().concat()
}

fn program(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} names no program; ./scripts/test brings one"))
}

/// An address with a free port.
fn free_address() -> String {
    Listening::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// Waits until a server listens there.
async fn answers(address: &str) {
    until("the proxy listens", async || tokio::net::TcpStream::connect(address).await.ok().map(drop)).await;
}

/// An upstream that responds to every request, and sends the request's head, in lower case, to the test.
async fn upstream() -> (String, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (sender, heads) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && stream.read_exact(&mut byte).await.is_ok() {
                head.push(byte[0]);
            }
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";
            drop(stream.write_all(answer).await);
            drop(sender.send(String::from_utf8_lossy(&head).to_lowercase()));
        }
    });
    (address, heads)
}

/// The value of a header in a request's head.
fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let value = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    value.map(str::trim)
}

#[tokio::test]
async fn nginx_appends_the_peer_and_trusts_forwarded_proto_of_private_peers() {
    let (address, mut heads) = upstream().await;
    let proxy = Proxy::nginx(&address).await;
    let client = Client::new(&proxy.url(), None);
    client.get("/api/v1/workspaces").await.expect(200);
    let head = soon("a request", heads.recv()).await.unwrap();
    assert_eq!(header(&head, "x-forwarded-for"), Some("127.0.0.1"));
    assert_eq!(header(&head, "x-forwarded-proto"), Some("http"));
    assert_eq!(header(&head, "connection"), None, "connections to servers are kept");
    assert_eq!(header(&head, "host"), Some(&*proxy.address));
    let behind_tls = client.sending("x-forwarded-for", "203.0.113.7").sending("x-forwarded-proto", "https");
    behind_tls.get("/api/v1/workspaces").await.expect(200);
    let head = soon("a request", heads.recv()).await.unwrap();
    assert_eq!(header(&head, "x-forwarded-for"), Some("203.0.113.7, 127.0.0.1"));
    assert_eq!(header(&head, "x-forwarded-proto"), Some("https"));
}

#[tokio::test]
async fn nginx_does_not_expose_metrics() {
    let (address, mut heads) = upstream().await;
    let proxy = Proxy::nginx(&address).await;
    let client = Client::new(&proxy.url(), None);
    for path in ["/metrics", "/metrics?all", "//metrics", "/%6detrics", "/x/../metrics"] {
        assert_eq!(client.get(path).await.status, 404, "{path}");
    }
    client.get("/livez").await.expect(200);
    // None of the other requests reached the upstream before.
    assert!(soon("a request", heads.recv()).await.unwrap().starts_with("get /livez "));
}

#[apply(either)]
async fn live_streams_and_websockets_pass_through_nginx(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_TRUSTED_PROXIES", "127.0.0.0/8");
    let server = site.serve().await;
    let proxy = Proxy::nginx(server.url().trim_start_matches("http://")).await;
    let scout = Agent::new(&server, "Scout").await;
    let track = Track::open(&server, &scout, &[]).await;
    let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).build().unwrap();
    let live = http.get(format!("{}/api/v1/live", proxy.url())).send().await.unwrap();
    assert_eq!(live.status().as_u16(), 200);
    let mut live = live.bytes_stream();
    scout.posts(&server, &track, "Through the proxy").await;
    let mut seen = String::new();
    // The stream is still open: the proxy does not buffer it until its end.
    while !seen.contains("message.posted") {
        let part = soon("the event", live.next()).await.expect("the stream stays open").unwrap();
        seen.push_str(&String::from_utf8_lossy(&part));
    }
    let (mut socket, answer) =
        soon("the upgrade", connect_async(format!("ws://{}/events?cursor=0", proxy.address))).await.unwrap();
    assert_eq!(answer.status().as_u16(), 101);
    socket.send(Message::Ping("there?".into())).await.unwrap();
    let answered = async { while !matches!(socket.next().await.expect("it is open").unwrap(), Message::Pong(_)) {} };
    soon("a pong", answered).await;
}

#[apply(either)]
async fn a_server_behind_nginx_sees_client_addresses(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_TRUSTED_PROXIES", "127.0.0.0/8");
    let mut server = site.serve().await;
    let proxy = Proxy::nginx(server.url().trim_start_matches("http://")).await;
    let caller = Client::new(&proxy.url(), None).sending("x-forwarded-for", "198.51.100.1, 203.0.113.7");
    let guess = serde_json::json!({"email": "ada@example.org", "password": "a wrong password"});
    caller.post("/api/v1/sessions", guess).await.expect(401);
    let line = |text: &str| text.lines().find(|line| line.contains("login failed")).map(ToOwned::to_owned);
    let line = server.process.stderr.wait_for("the failed login", line).await;
    assert!(line.contains("client=203.0.113.7") && !line.contains("ada@"), "{line}");
}

/// docs/examples/Caddyfile with this upstream, a certificate that Caddy issues, and the address that it listens on.
fn caddyfile(upstream: &str, address: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/Caddyfile");
    let text = std::fs::read_to_string(file).unwrap();
    let (_, port) = address.split_once(':').unwrap();
    let text = text
        .replace("127.0.0.1:8080", upstream)
        .replace("\nbuild.example {\n", &format!("\nhttps://localhost:{port} {{\n\ttls internal\n"));
    format!("{{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}}\n{text}")
}

#[tokio::test]
async fn caddy_terminates_tls_and_forwards_client_addresses() {
    let (upstream, mut heads) = upstream().await;
    let Some(proxy) = Proxy::caddy(|address| caddyfile(&upstream, address)).await else { return };
    drop(rustls::crypto::ring::default_provider().install_default());
    let http = reqwest::Client::builder().no_proxy().danger_accept_invalid_certs(true).build().unwrap();
    let port = proxy.address.split_once(':').unwrap().1;
    let get = async |path: &str| {
        let request = http.get(format!("https://localhost:{port}{path}")).header("x-forwarded-for", "203.0.113.7");
        until("an answer over TLS", async || request.try_clone()?.send().await.ok()).await.status().as_u16()
    };
    assert_eq!(get("/livez").await, 200);
    let head = soon("a request", heads.recv()).await.unwrap();
    assert_eq!(header(&head, "x-forwarded-proto"), Some("https"));
    // The header of an untrusted client is dropped.
    let forwarded = header(&head, "x-forwarded-for").unwrap();
    assert!(["127.0.0.1", "::1"].contains(&forwarded), "{forwarded}");
    assert_eq!(get("/metrics").await, 404);
    assert_eq!(get("/Metrics/../metrics").await, 404);
}
