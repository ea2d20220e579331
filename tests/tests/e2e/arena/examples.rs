//! The sample agents of `examples/arena`, in Rust and in Python: they play a ranked match over both protocols, and are conformant.

use std::{
    net::{SocketAddr, TcpListener},
    path::Path,
    process::Stdio,
    time::Duration,
};

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, Command},
};

use super::{
    arena::{contestant, count, shown},
    cast::Agent,
    site::{Site, program},
    waiting::{soon, soon_after, until, within},
};
use crate::either;

/// How long a match of ten turns may take, reconnecting included.
const MATCH: Duration = Duration::from_mins(1);

/// The language of a sample.
#[derive(Debug, Clone, Copy)]
enum Language {
    Rust,
    Python,
}

impl Language {
    /// Starts a sample, which ends with the returned value.
    fn start(self, name: &str, settings: &[(&str, String)]) -> Child {
        let mut command = match self {
            Self::Rust => Command::new(program("buildtrack").with_file_name("examples").join(name)),
            Self::Python => {
                let python = std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
                let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/arena");
                let mut command = Command::new(python);
                command.arg(folder.join(format!("{name}.py"))).env("NO_PROXY", "*");
                command
            }
        };
        command.envs(settings.iter().map(|(key, value)| (key, value))).kill_on_drop(true);
        command.spawn().unwrap_or_else(|error| panic!("{self:?}: {name} does not start: {error}"))
    }
}

/// An address that nothing listens on.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

async fn play_over_both_protocols(backend: Backend, language: Language) {
    // The agent knows the server by its public address.
    let (bind, port) = (free().to_string(), free().port());
    let site = Site::new(backend).await.with("BUILDTRACK_BIND", &bind);
    // On a slow machine, the endpoint's first health check may come after the patience of the agent in the queue.
    let site =
        site.with("BUILDTRACK_PUBLIC_URL", &format!("http://{bind}")).with("BUILDTRACK_ARENA_LIMITS", "sparring=0");
    let server = site.serve().await;
    let (scout, ranger) = (contestant(&server, "Scout").await, Agent::new(&server, "Ranger").await);
    let endpoint = format!("http://127.0.0.1:{port}");
    let settings =
        [("ARENA_SERVER", server.url().to_owned()), ("ARENA_ENDPOINT", endpoint.clone()), ("PORT", port.to_string())];
    let _answering = language.start("aap_agent", &settings);
    let body = json!({ "endpointUrl": endpoint, "leagues": ["trivia"] });
    let path = format!("/api/v1/agents/{}/arena", ranger.id);
    server.with(&ranger.token).send(reqwest::Method::PUT, &path, Some(body)).await.unwrap().expect(200);
    let url = format!("{}/agent/connect", server.url().replacen("http", "ws", 1));
    let settings = [("ARENA_URL", url), ("ARENA_TOKEN", scout.token.clone()), ("ARENA_MATCHES", "1".to_owned())];
    let mut playing = language.start("evalduel_agent", &settings);
    let ended = async || playing.try_wait().unwrap();
    let status = within(MATCH, "the end of the match", ended).await;
    assert!(status.success(), "{status}");
    for agent in [&scout, &ranger] {
        let results = server.anyone().get(&format!("/api/v1/agents/{}/arena/results", agent.id)).await.expect(200);
        assert_eq!((&results["items"][0]["mode"], results["items"].as_array().unwrap().len()), (&"ranked".into(), 1));
    }
    let matches = server.anyone().get("/replays").await.expect(200);
    let shown = shown(&server, matches["items"][0]["match_id"].as_str().unwrap()).await;
    assert_eq!((count(&shown, "match.answered"), count(&shown, "match.missed")), (20, 0));
    server.stop().await;
}

#[apply(either)]
async fn the_example_agents_play_a_ranked_match_over_both_protocols(backend: Backend) {
    play_over_both_protocols(backend, Language::Rust).await;
}

#[apply(either)]
async fn the_example_agents_in_python_play_a_ranked_match_over_both_protocols(backend: Backend) {
    play_over_both_protocols(backend, Language::Python).await;
}

async fn check_endpoint(language: Language) {
    let (keys, port) = (free().to_string(), free().port());
    let endpoint = format!("http://127.0.0.1:{port}");
    let server = format!("http://{keys}");
    let settings = [("ARENA_SERVER", server), ("ARENA_ENDPOINT", endpoint.clone()), ("PORT", port.to_string())];
    let _answering = language.start("aap_agent", &settings);
    let checked = async || {
        let mut command = Command::new(program("buildtrack"));
        let output = command.args(["arena", "check", &endpoint, "--listen", &keys]).output().await.unwrap();
        // Not yet there: nothing was checked.
        (output.status.code() != Some(2)).then(|| (String::from_utf8(output.stdout).unwrap(), output.status.code()))
    };
    let (text, code) = until("the example to listen", checked).await;
    assert!(text.ends_with("\n0 faults, 0 warnings\n"), "{text}");
    assert_eq!(code, Some(0), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_of_an_endpoint_is_conformant() {
    check_endpoint(Language::Rust).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_of_an_endpoint_in_python_is_conformant() {
    check_endpoint(Language::Python).await;
}

async fn check_socket(language: Language) {
    let mut command = Command::new(program("buildtrack"));
    command.args(["arena", "check", "--socket"]).stdout(Stdio::piped()).kill_on_drop(true);
    let mut check = command.spawn().unwrap();
    let mut stdout = BufReader::new(check.stdout.take().unwrap());
    let mut line = String::new();
    soon("the address", stdout.read_line(&mut line)).await.unwrap();
    let address = line.strip_prefix("Connect the agent to ").unwrap().trim_end();
    let (url, token) = address.split_once("?token=").unwrap();
    let settings =
        [("ARENA_URL", url.to_owned()), ("ARENA_TOKEN", token.to_owned()), ("ARENA_MATCHES", "1".to_owned())];
    let mut playing = language.start("evalduel_agent", &settings);
    let mut text = String::new();
    soon_after(MATCH, "the report", stdout.read_to_string(&mut text)).await.unwrap();
    assert_eq!(check.wait().await.unwrap().code(), Some(0), "{text}");
    assert!(text.ends_with("\n0 faults, 0 warnings\n"), "{text}");
    for expected in ["after cost_guard_active", "after unavailable", "connects again", "turn 10: answered", "completed"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let status = soon("the end of the example", playing.wait()).await.unwrap();
    assert!(status.success(), "{status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_of_a_socket_agent_is_conformant() {
    check_socket(Language::Rust).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_of_a_socket_agent_in_python_is_conformant() {
    check_socket(Language::Python).await;
}
