//! The SDKs, as `sdk/pack` packs them: their own tests, with the guide's vectors and against a real server, and the tours of their
//! READMEs.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use buildtrack_tests::Backend;
use tokio::{net::TcpListener, process::Command};

use super::{
    site::{Server, Site, program},
    waiting::soon_after,
};
use crate::documents::ROOT;

/// How long the tests of one SDK may take: each plays two matches.
const TESTS: Duration = Duration::from_mins(2);

/// A server that the agents of an SDK know by its public address.
pub(super) async fn serve() -> (Site, Server) {
    let bind = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string();
    let site = Site::new(Backend::Sqlite).await.with("BUILDTRACK_BIND", &bind);
    let site = site.with("BUILDTRACK_PUBLIC_URL", &format!("http://{bind}"));
    let server = site.serve().await;
    (site, server)
}

/// A file or folder of what `scripts/lib/sdk.sh` has unpacked.
fn packed(path: &str) -> PathBuf {
    let folder = std::env::var_os("TEST_SDK").expect("TEST_SDK names no folder; ./scripts/test packs the SDKs");
    Path::new(&folder).join(path)
}

pub(super) fn python() -> String {
    std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// Runs a program that must succeed; gives its output.
pub(super) async fn succeeds(what: &str, mut command: Command) -> String {
    let output = soon_after(TESTS, what, command.kill_on_drop(true).output()).await;
    let output = output.unwrap_or_else(|error| panic!("{what} does not start: {error}"));
    let printed = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what}: {}\n{printed}", output.status);
    printed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_python_sdk_passes_its_tests_against_a_server() {
    let (_site, server) = serve().await;
    let mut command = Command::new(python());
    command.args(["-m", "unittest", "discover", "--start-directory", "tests", "--top-level-directory", "."]);
    command.current_dir(Path::new(ROOT).join("sdk/python")).env("PYTHONPATH", packed("python"));
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("NO_PROXY", "*");
    command.env("BUILDTRACK_URL", server.url()).env("BUILDTRACK_BIN", program("buildtrack"));
    let printed = succeeds("the tests of sdk/python", command).await;
    // `discover` succeeds also where it finds nothing.
    assert!(printed.contains("\nRan ") && !printed.contains("\nRan 0 "), "{printed}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_python_sdk_passes_strict_type_checks() {
    let mut command = Command::new(python());
    command.args(["-m", "mypy", "--cache-dir=/dev/null"]).current_dir(Path::new(ROOT).join("sdk/python"));
    succeeds("mypy", command).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_typescript_sdk_tells_events_apart_by_their_type() {
    let mut command = Command::new("node");
    command.args(["tests/node/node_modules/typescript/bin/tsc", "--project", "sdk/typescript/tests/types"]);
    command.current_dir(ROOT);
    succeeds("tsc", command).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_typescript_sdk_passes_its_tests_against_a_server() {
    let (_site, server) = serve().await;
    // Node 20 has a WebSocket behind this flag, which later versions ignore.
    let mut command = Command::new("node");
    command.arg("--experimental-websocket").arg("--test");
    command.args(["arena", "client", "relay", "webhooks"].map(|name| packed(&format!("node/tests/{name}.test.mjs"))));
    command.arg(packed("node/tests/server/tour.mjs")).current_dir(packed("node"));
    command.env("BUILDTRACK_ROOT", Path::new(ROOT).canonicalize().unwrap()).env("NO_PROXY", "*");
    command.env("BUILDTRACK_URL", server.url()).env("BUILDTRACK_BIN", program("buildtrack"));
    succeeds("the tests of sdk/typescript", command).await;
    server.stop().await;
}
