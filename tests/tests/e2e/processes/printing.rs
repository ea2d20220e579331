//! What commands print: to a reader that leaves, to a full disk, and with texts of others.

use std::{
    fs::File,
    io::Read as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use buildtrack_tests::Backend;
use serde_json::json;

use super::{
    site::{Site, program},
    waiting::soon,
};

/// The code of an answer that cannot be written.
const OUTPUT_FAILED: i32 = 74;
/// Commands that print and need no server.
const COMMANDS: [&[&str]; 10] = [
    &["openapi"],
    &["config", "check"],
    &["migrate"],
    &["rebuild"],
    &["verify-log"],
    &["admin", "invite"],
    &["arena", "tasks", "list"],
    &["man"],
    &["completions", "bash"],
    &["--help"],
];

async fn site() -> Site {
    let site = Site::new(Backend::Sqlite).await.with("BUILDTRACK_LOG", "error");
    site.succeeds(&["migrate"]).await;
    site
}

fn command(site: &Site, program: &Path, arguments: &[&str]) -> Command {
    let mut command = site.command(program, arguments).into_std();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

async fn ended(child: std::process::Child) -> Output {
    soon("the end of a command", tokio::task::spawn_blocking(|| child.wait_with_output())).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_leaves_ends_no_command_with_a_failure() {
    let site = site().await;
    for arguments in COMMANDS {
        let mut child = command(&site, &program("buildtrack"), arguments).spawn().unwrap();
        // Reads the first byte at most, as `head -c 1` does, and leaves.
        let mut stdout = child.stdout.take().unwrap();
        assert_eq!(stdout.read(&mut [0]).unwrap(), 1, "{arguments:?}");
        drop(stdout);
        let Output { status, stderr, .. } = ended(child).await;
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(status.code() == Some(0) && !stderr.contains("panicked"), "{arguments:?}: {status} {stderr}");
    }
    // The reader has left before the command prints anything.
    for arguments in COMMANDS {
        let mut child = command(&site, &program("buildtrack"), arguments);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let Output { status, stderr, .. } = ended(child.stdout(writer).spawn().unwrap()).await;
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(status.code() == Some(0) && !stderr.contains("panicked"), "{arguments:?}: {status} {stderr}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_a_full_disk_does_not_take_is_a_failure_with_its_reason() {
    let site = site().await;
    let worker: (&str, &[&str]) = ("buildtrack-worker", &["--help"]);
    for (name, arguments) in COMMANDS.map(|arguments| ("buildtrack", arguments)).into_iter().chain([worker]) {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let Output { status, stderr, .. } =
            ended(command(&site, &program(name), arguments).stdout(full).spawn().unwrap()).await;
        let stderr = String::from_utf8(stderr).unwrap();
        let named = "standard output: No space left on device (os error 28)";
        assert!(status.code() == Some(OUTPUT_FAILED), "{name} {arguments:?}: {status} {stderr}");
        assert!(stderr.contains(named) && !stderr.contains("panicked"), "{name} {arguments:?}: {stderr}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_log_and_output_are_not_read_serves() {
    let site = Site::new(Backend::Sqlite).await.with("BUILDTRACK_LOG", "debug");
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let site = site.with("BUILDTRACK_BIND", &address);
    let mut command = command(&site, &program("buildtrack"), &["serve"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = command.stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap();
    let http = reqwest::Client::new();
    let url = format!("http://{address}/api/v1/workspaces");
    super::waiting::until("the server's answers", async || {
        http.get(&url).send().await.ok().filter(|answer| answer.status() == 200)
    })
    .await;
    for _ in 0..20 {
        assert_eq!(http.get(&url).send().await.unwrap().status(), 200);
    }
    assert!(child.try_wait().unwrap().is_none());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_of_others_controls_no_terminal_and_adds_no_line() {
    let site = site().await;
    let file = site.folder().join("replay.json");
    let id = "match_1\u{1b}[2J\u{9b}31m\u{202e}\nmatch_2: 9 turns judged again, 0 differences";
    std::fs::write(&file, json!({ "id": id, "events": [], "seal": null }).to_string()).unwrap();
    let shown = site.succeeds(&["arena", "replay", file.to_str().unwrap()]).await;
    let line = "match_1\\u{1b}[2J\\u{9b}31m\\u{202e}\\u{a}match_2: 9 turns judged again, 0 differences: 0 turns judged again, \
                0 differences";
    assert_eq!(shown, format!("The match goes on: it has no seal yet.\n{line}\n"));
}
