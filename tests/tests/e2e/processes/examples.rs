//! The examples of the documentation, run as a reader would run them: every block of commands that is marked `bash run`, in the
//! order of its page, and every receiver of `docs/examples/receivers`.

use std::{
    path::Path,
    process::{Output, Stdio},
    time::Duration,
};

use buildtrack_domain::webhooks::standard_signature;
use buildtrack_tests::Backend;
use futures_util::StreamExt;
use reqwest::StatusCode;
use rstest_reuse::apply;
use serde_json::json;
use tokio::{net::TcpListener, process::Command, time::timeout};

use super::{
    cast::{Agent, Track, agents},
    listener::{Call, Fault, Listener},
    process::Process,
    receiver::address,
    site::{Site, program},
};
use crate::{
    documents::{Block, Document, ROOT, documents},
    either,
};

/// Seconds that the commands of one page may take.
const PAGE: &str = "120";

/// The page that starts a server of its own.
const TOUR: &str = "docs/guide/tour.md";

#[apply(either)]
async fn every_command_in_the_documentation_runs(backend: Backend) {
    let (all, front) = (documents(), front_door());
    let pages: Vec<_> = all.iter().filter(|page| page.blocks.iter().any(Block::is_run)).collect();
    assert!(pages.len() >= 15, "the documentation has commands that run");
    let running = pages.iter().map(|page| run_page(backend, page, &front));
    let failures: Vec<_> =
        futures_util::stream::iter(running).buffer_unordered(2).filter_map(std::future::ready).collect().await;
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The commands of the README's tour, which the other pages continue.
fn front_door() -> String {
    script(&Document::read("README.md"))
}

/// A page's commands; each block says where it begins.
fn script(page: &Document) -> String {
    let blocks = page.blocks.iter().filter(|block| block.is_run());
    let blocks: Vec<_> =
        blocks.map(|block| format!("echo '--- {}:{}' >&2\n{}", page.path, block.line, block.text)).collect();
    blocks.concat()
}

/// Runs a page's commands in a folder like a clone; gives what went wrong.
async fn run_page(backend: Backend, page: &Document, front: &str) -> Option<String> {
    let site = Site::new(backend).await;
    let site = ["RATE_LIMITS", "ALLOW_PRIVATE_TARGETS", "TARGET_RATE", "PUBLIC_URL"]
        .iter()
        .fold(site, |site, name| site.without(&format!("BUILDTRACK_{name}")));
    clone(site.folder());
    let (server, address, commands) = match page.path.as_str() {
        TOUR => (None, free_address().await, script(page)),
        "README.md" => (Some(site.serve().await), String::new(), script(page)),
        _ => (Some(site.serve().await), String::new(), format!("{front}{}", script(page))),
    };
    let address = server.as_ref().map_or(address, |server| server.url().trim_start_matches("http://").to_owned());
    let site = site.with("BUILDTRACK_BIND", &address);
    let commands = commands.replace("127.0.0.1:8080", &address).replace("127.0.0.1:8090", &address);
    let receiver = free_address().await;
    let commands = commands.replace("127.0.0.1:8099", &receiver);
    let commands = commands.replace("PORT=8099", &format!("PORT={}", receiver.rsplit(':').next().unwrap()));
    let output = bash(&site, &commands).await;
    let printed = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let Output { status, stdout, stderr } = output;
    (!status.success()).then(|| format!("{}: {status}\n{}\n{}", page.path, printed(&stdout), printed(&stderr)))
}

/// What the commands expect around them: the project's folder, with what was built.
fn clone(folder: &Path) {
    let link = |name: &str, target: &Path| std::os::unix::fs::symlink(target, folder.join(name)).unwrap();
    link("docs", &Path::new(ROOT).join("docs"));
    let built = program("buildtrack").parent().unwrap().to_owned();
    std::fs::create_dir(folder.join("target")).unwrap();
    std::os::unix::fs::symlink(&built, folder.join("target/debug")).unwrap();
    std::fs::create_dir(folder.join("bin")).unwrap();
    let cargo = folder.join("bin/cargo");
    std::fs::write(&cargo, CARGO.replace("BUILDTRACK", &program("buildtrack").display().to_string())).unwrap();
    std::fs::set_permissions(&cargo, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// Stands in for cargo: the program is built already.
const CARGO: &str = r#"#!/bin/sh
case "$*" in
  "run --release") exec BUILDTRACK ;;
  "run --release -- "*) shift 3; exec BUILDTRACK "$@" ;;
  "build -q -p agora-envelope --example sign") test -x target/debug/examples/sign ;;
  *) echo "the tests cannot run: cargo $*" >&2; exit 64 ;;
esac
"#;

/// Ends with the first command that fails, and leaves nothing running.
async fn bash(site: &Site, commands: &str) -> Output {
    let file = site.folder().join("commands.sh");
    let head = "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n";
    std::fs::write(&file, format!("{head}{commands}")).unwrap();
    let mut command = site.command(Path::new("timeout"), &["--kill-after=5", PAGE, "bash", "commands.sh"]);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", site.folder().join("bin").display()));
    command.stdin(Stdio::null()).kill_on_drop(true).output().await.unwrap()
}

/// An address on which nothing listens.
async fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string()
}

#[apply(either)]
async fn the_node_receiver_verifies_a_real_push_and_refuses_a_tampered_one(backend: Backend) {
    let receiver = || {
        let mut command = Command::new("node");
        command.arg(source("node/receiver.mjs"));
        command
    };
    verifies(backend, receiver).await;
}

#[apply(either)]
async fn the_python_receiver_verifies_a_real_push_and_refuses_a_tampered_one(backend: Backend) {
    let receiver = || {
        let mut command = Command::new("python3");
        command.arg(source("python/receiver.py"));
        command
    };
    verifies(backend, receiver).await;
}

#[apply(either)]
async fn the_go_receiver_verifies_a_real_push_and_refuses_a_tampered_one(backend: Backend) {
    let go = std::env::var_os("TEST_GO").expect("TEST_GO names no Go; ./scripts/test finds or installs one");
    let folder = tempfile::tempdir().unwrap();
    let built = folder.path().join("receiver");
    let mut build = Command::new(go);
    build.arg("build").arg("-o").arg(&built).arg(source("go/receiver.go"));
    build.env("GOTOOLCHAIN", "local").env("GOFLAGS", "").env("GOPROXY", "off");
    build.env("GOCACHE", program("buildtrack").with_file_name("go-cache"));
    let output = build.output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    verifies(backend, || Command::new(&built)).await;
}

#[apply(either)]
async fn the_rust_receiver_verifies_a_real_push_and_refuses_a_tampered_one(backend: Backend) {
    let built = program("buildtrack").with_file_name("examples").join("receiver");
    assert!(
        built.is_file(),
        "there is no {}: build it with `cargo build -p buildtrack-tests --examples`",
        built.display()
    );
    verifies(backend, || Command::new(&built)).await;
}

fn source(file: &str) -> std::path::PathBuf {
    Path::new(ROOT).join("docs/examples/receivers").join(file)
}

/// Secrets that a receiver refuses when it starts: none, and keys of 0, 1 and 23 bytes or no base64.
const WEAK: [Option<&str>; 6] = [
    None,
    Some(""),
    Some("whsec_"),
    Some("whsec_AA=="),
    Some("whsec_eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg="),
    Some("whsec_ no base64, although it is long enough"),
];

/// Starts a receiver with each weak secret: it must end at once, and say why.
async fn refuses_weak_secrets(receiver: impl Fn() -> Command) {
    for secret in WEAK {
        let mut command = receiver();
        command.env("PORT", "0").env_remove("ARAF_SECRET").stdin(Stdio::null()).kill_on_drop(true);
        if let Some(secret) = secret {
            command.env("ARAF_SECRET", secret);
        }
        let output = timeout(Duration::from_mins(1), command.output()).await.expect("it ends").unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("at least 24 bytes"), "{secret:?}: {said}");
    }
}

/// Starts a receiver with weak secrets, pushes to it, then sends it a captured push again, as it was and altered in every way that matters.
async fn verifies(backend: Backend, receiver: impl Fn() -> Command) {
    refuses_weak_secrets(&receiver).await;
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let [author, reader] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &author, &[&reader]).await;
    let mut listener = Listener::with(Fault::None).await;
    reader.changes(&server, json!({"webhookUrl": listener.url()})).await;
    author.posts(&server, &track, "Sign every push. 🤝").await;
    let captured = listener.wait_for_calls(1).await.remove(0);

    let (mut process, port) = start(receiver(), &reader).await;
    reader.changes(&server, json!({"webhookUrl": address(port)})).await;
    author.posts(&server, &track, "And verify it.").await;
    process.stdout.wait_for_text("verified workspace.message dlv_").await;

    for (what, push, expected) in altered(&captured, &reader.secret) {
        let status = send(port, push).await;
        assert_eq!(status, expected, "{what}");
    }
}

/// Starts a receiver with an agent's secret on any port; gives the port.
async fn start(mut command: Command, agent: &Agent) -> (Process, u16) {
    command.env("ARAF_SECRET", &agent.secret).env("PORT", "0");
    let mut process = Process::start(command);
    let listening = |text: &str| {
        let (_, rest) = text.split_once("listening on ")?;
        rest.split_once('\n').and_then(|(port, _)| port.parse().ok())
    };
    let port = process.stdout.wait_for("the receiver's port", listening).await;
    (process, port)
}

/// A genuine push in several forms, with the status that a receiver must answer.
fn altered(genuine: &Call, secret: &str) -> Vec<(&'static str, Call, StatusCode)> {
    let with = |name: &str, value: &str| {
        let mut call = genuine.clone();
        call.headers.insert(name.to_owned(), value.to_owned());
        call
    };
    let without = |name: &str| {
        let mut call = genuine.clone();
        call.headers.remove(name).expect("a push has it");
        call
    };
    let mut changed = genuine.clone();
    changed.body = changed.body.replacen("Sign every push", "Sign no push", 1);
    let (id, signature) = (genuine.header("webhook-id"), genuine.header("webhook-signature"));
    let old = genuine.header("webhook-timestamp").parse::<i64>().unwrap() - 3600;
    let mut late = with("webhook-timestamp", &old.to_string());
    late.headers.insert("webhook-signature".to_owned(), standard_signature([secret], id, old, &genuine.body));
    let (fine, refused) = (StatusCode::OK, StatusCode::UNAUTHORIZED);
    vec![
        ("as it was", genuine.clone(), fine),
        ("with a second signature", with("webhook-signature", &format!("v1,c2Vjb25k {signature}")), fine),
        ("with another body", changed, refused),
        ("without X-ARAF-Signature", without("x-araf-signature"), refused),
        ("with another X-ARAF-Signature", with("x-araf-signature", &format!("sha256={}", "0".repeat(64))), refused),
        ("without webhook-signature", without("webhook-signature"), refused),
        ("with another webhook-signature", with("webhook-signature", "v1,c2Vjb25k"), refused),
        ("with another id", with("webhook-id", "dlv_other"), refused),
        ("an hour late", late, refused),
        ("at a time of 400 digits", with("webhook-timestamp", &"9".repeat(400)), refused),
        ("at a time of 5000 digits", with("webhook-timestamp", &"9".repeat(5000)), refused),
        ("at no time", with("webhook-timestamp", "soon"), refused),
    ]
}

async fn send(port: u16, Call { headers, body }: Call) -> StatusCode {
    let mut request = reqwest::Client::new().post(address(port)).body(body);
    for (name, value) in headers.iter().filter(|(name, _)| name.starts_with("x-araf-") || name.starts_with("webhook-"))
    {
        request = request.header(name, value);
    }
    request.send().await.unwrap().status()
}
