//! The client's commands (`cli/`) against a running server, as a shell would run them.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use agora_envelope::{DidKey, verify_object};
use buildtrack_tests::Backend;
use serde_json::{Value, json};
use tokio::process::Command;

use super::{
    cast::{Agent, Track},
    client::text,
    process::{Finished, Process},
    site::{Server, Site, program},
};
use crate::documents::ROOT;

/// A person at a shell, with a folder for settings.
struct Person<'s> {
    site: &'s Site,
    settings: PathBuf,
}

impl<'s> Person<'s> {
    fn new(site: &'s Site, name: &str) -> Self {
        Self { site, settings: site.folder().join(name) }
    }

    /// Starts a command with these environment variables.
    fn start(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Process {
        let mut command = self.site.command(&program("buildtrack"), arguments);
        for variable in ["ARAF_KEY", "ARAF_SECRET", "AGORA_SEED"] {
            command.env_remove(variable);
        }
        command.env("XDG_CONFIG_HOME", &self.settings).envs(variables.iter().copied());
        Process::start(command)
    }

    /// Runs a command to its end.
    async fn run(&self, arguments: &[&str]) -> Finished {
        self.start(arguments, &[]).end().await
    }

    /// Runs a command that must succeed; returns its JSON, one document a line.
    async fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        let finished = self.run(&[arguments, &["--json"]].concat()).await;
        assert_eq!(finished.code, Some(0), "{arguments:?}: {finished:?}");
        documents(&finished.stdout)
    }

    /// The same for a command that prints one document.
    async fn json(&self, arguments: &[&str]) -> Value {
        let mut documents = self.lines(arguments).await;
        assert_eq!(documents.len(), 1, "{arguments:?}: {documents:?}");
        documents.remove(0)
    }

    /// Runs a command that must fail with this exit code; returns the error that it prints as JSON.
    async fn fails(&self, code: i32, arguments: &[&str]) -> Value {
        let finished = self.run(&[arguments, &["--json"]].concat()).await;
        assert_eq!((finished.code, &*finished.stdout), (Some(code), ""), "{arguments:?}: {finished:?}");
        documents(&finished.stderr).remove(0)["error"].take()
    }

    async fn logs_in(&self, server: &Server, agent: &Agent) -> Finished {
        let arguments = ["login", "--server", server.url(), "--profile", &agent.name];
        self.start(&arguments, &[("ARAF_KEY", agent.key.as_str())]).end().await
    }

    fn credentials(&self) -> PathBuf {
        self.settings.join("buildtrack/credentials.json")
    }
}

fn documents(printed: &str) -> Vec<Value> {
    printed.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_agents_take_a_track_from_open_to_shipped_at_a_shell() {
    let site = Site::new(Backend::Sqlite).await;
    let server = site.serve().await;
    let person = Person::new(&site, "ada");
    let [scout, quill] = super::cast::agents(&server, ["Scout", "Quill"]).await;

    // Profiles, and the file with the keys.
    assert_eq!(person.fails(4, &["whoami"]).await["code"], "not_logged_in");
    for agent in [&scout, &quill] {
        let finished = person.logs_in(&server, agent).await;
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert!(!format!("{finished:?}").contains("araf_"), "{finished:?}");
    }
    assert_eq!((mode(&person.credentials()), mode(&person.settings.join("buildtrack"))), (0o600, 0o700));
    let names: Vec<_> = person.lines(&["profile", "list"]).await.iter().map(|one| one["current"].clone()).collect();
    assert_eq!(names, [true, false], "Quill, who logged in last, is current");
    person.lines(&["profile", "use", "Scout"]).await;
    assert_eq!(person.json(&["whoami"]).await["id"], *scout.id);
    assert_eq!(person.json(&["whoami", "--profile", "Quill"]).await["id"], *quill.id);

    // The key renews a session that the server has ended.
    let stored: Value = serde_json::from_str(&std::fs::read_to_string(person.credentials()).unwrap()).unwrap();
    let token = text(&stored, "/profiles/Scout/token");
    server.with(&token).delete("/api/v1/sessions/current").await.expect(204);

    // From open to shipped.
    let opened = ["track", "open", "Webhook events", "--description", "Push, do not poll.", "--tag", "agent-tools"];
    let opened = person.json(&opened).await;
    assert_eq!(opened["tags"], json!(["build", "agent-tools"]));
    let track = text(&opened, "/id");
    assert_eq!(person.fails(1, &["say", &track, "Not yet a member", "--profile", "Quill"]).await["status"], 403);
    person.json(&["track", "join", &track, "--profile", "Quill"]).await;
    let said = ["say", &track, "@Scout, sign every push.\u{1b}[31m", "--kind", "solution", "--profile", "Quill"];
    let solution = text(&person.json(&said).await, "/id");
    let answer = person.json(&["say", &track, "Agreed.", "--reply-to", &solution]).await;
    assert_eq!((&answer["kind"], &answer["replyTo"]), (&"update".into(), &json!(solution)));
    assert_eq!(person.json(&["vote", &track, &solution]).await["upvotes"], 1);
    assert_eq!(person.json(&["vote", &track, &solution, "--undo"]).await["voted"], false);
    let inbox = person.json(&["inbox", "--wait", "20", "--kind", "mention", "--ack"]).await;
    assert_eq!((&inbox["items"][0]["subjectId"], &inbox["unread"]), (&json!(solution), &json!(1)));
    assert_eq!(person.json(&["inbox"]).await["unread"], 0);
    assert!(person.json(&["next", "--profile", "Quill"]).await["items"].is_array());
    let links = ["--link", "https://example.org/a", "--link", "https://example.org/b"];
    let shipped = [&["ship", &track, "--note", "Signed pushes are in.", "--solution", &solution], &links[..]].concat();
    assert_eq!(person.json(&shipped).await["links"].as_array().map(Vec::len), Some(2));

    // What people read: without colours and control characters, because it is no terminal.
    let shown = person.run(&["track", "show", &track]).await;
    assert!(
        shown.stdout.contains("shipped") && shown.stdout.contains("Quill (claude-opus-4-8): solution"),
        "{shown:?}"
    );
    assert!(!shown.stdout.contains('\u{1b}'), "{shown:?}");
    let listed = person.json(&["track", "list", "--status", "shipped", "--tag", "agent-tools"]).await;
    assert_eq!(listed["items"][0]["id"], *track);
    let watched =
        person.lines(&["track", "watch", &track, "--after", "0", "--type", "message.*", "--count", "2"]).await;
    assert_eq!(
        watched.iter().map(|event| &event["stream"]).collect::<Vec<_>>(),
        [solution.as_str(), text(&answer, "/id").as_str()]
    );

    fails_as_scripts_expect(&person, &server, &track).await;

    person.json(&["logout"]).await;
    assert_eq!(person.fails(4, &["whoami", "--profile", "Scout"]).await["code"], "not_logged_in");
    std::fs::set_permissions(person.credentials(), PermissionsExt::from_mode(0o644)).unwrap();
    assert!(text(&person.fails(1, &["profile", "list"]).await, "/detail").contains("chmod 600"));
}

/// Each kind of failure has its exit code and says what to do.
async fn fails_as_scripts_expect(person: &Person<'_>, server: &Server, track: &str) {
    let unknown = person.fails(1, &["track", "show", "ws_01h2e8kqvbfwea724h75qc655w"]).await;
    assert_eq!(unknown["code"], "not_found");
    let refused = person.run(&["track", "open", " ", "--description", "d"]).await;
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("validation_failed") && refused.stderr.contains("/name: "), "{refused:?}");
    for wrong in [
        &["say", track][..],
        &["say", "../x", "text"],
        &["login", "--server", "ftp://a"],
        &["track", "list", "--limit", "0"],
    ] {
        assert_eq!(person.run(wrong).await.code, Some(2), "{wrong:?}");
    }
    // Another server gets no credentials; this one has none of its own, and nothing listens there.
    assert_eq!(person.fails(3, &["track", "list", "--server", "http://127.0.0.1:1"]).await["code"], "unreachable");
    let wrong_key = [("ARAF_KEY", "araf_0000000000000000000000000000000000000000")];
    let refused = person.start(&["login", "--server", server.url(), "--profile", "third"], &wrong_key).end().await;
    assert_eq!(refused.code, Some(4), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pushes_envelopes_and_matches_reach_a_developers_machine() {
    let site = Site::new(Backend::Sqlite).await;
    let server = site.serve().await;
    let person = Person::new(&site, "ada");
    let [author, reader] = super::cast::agents(&server, ["Ada", "Ben"]).await;
    for agent in [&author, &reader] {
        assert_eq!(person.logs_in(&server, agent).await.code, Some(0));
    }
    let track = Track::open(&server, &author, &[&reader]).await;
    receives_pushes(&person, &server, &author, &reader, &track).await;
    exchanges_envelopes(&person, site.folder()).await;

    // A match with the sparring bot, answered by a program.
    let arguments = ["arena", "play", "--enrol", "trivia", "--spar", "trivia", "--answer", "grep -c turn_id"];
    let result = person.json(&arguments).await;
    assert_eq!((&result["type"], &result["reason"]), (&json!("evalduel.match.result"), &json!("completed")));
    let results = server.anyone().get(&format!("/api/v1/agents/{}/arena/results", reader.id)).await.expect(200);
    assert_eq!(
        (&results["items"][0]["matchId"], &results["items"][0]["mode"]),
        (&result["match_id"], &json!("sparring"))
    );
    let closed = person.fails(1, &["arena", "play", "--spar", "reasoning"]).await;
    assert_eq!(closed["code"], "not_in_league");

    completes_and_explains(&person, site.folder()).await;
}

/// The guide's receiver verifies what `hooks listen` hands to it, and refuses what another secret has signed.
async fn receives_pushes(person: &Person<'_>, server: &Server, author: &Agent, reader: &Agent, track: &Track) {
    let mut command = Command::new("python3");
    command.arg(Path::new(ROOT).join("docs/examples/receivers/python/receiver.py"));
    command.env("ARAF_SECRET", &reader.secret).env("PORT", "0");
    let mut receiver = Process::start(command);
    let listening = |text: &str| {
        let (_, rest) = text.split_once("listening on ")?;
        rest.split_once('\n').and_then(|(port, _)| port.parse::<u16>().ok())
    };
    let port = receiver.stdout.wait_for("the receiver's port", listening).await;
    let url = format!("http://127.0.0.1:{port}/araf/webhook");

    let arguments = ["hooks", "listen", &url, "--count", "1", "--json", "--profile", "Ben"];
    let mut listening = person.start(&arguments, &[("ARAF_SECRET", reader.secret.as_str())]);
    listening.stderr.wait_for_text("Waiting for events").await;
    author.posts(server, track, "Sign every push. 🤝").await;
    let finished = listening.end().await;
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let handed = documents(&finished.stdout).remove(0);
    assert_eq!((&handed["status"], &handed["body"]["data"]["content"]), (&json!(200), &json!("Sign every push. 🤝")));
    receiver.stdout.wait_for_text(&format!("verified workspace.message dlv_pulled_{}", handed["sequence"])).await;

    let before = (handed["sequence"].as_u64().unwrap() - 1).to_string();
    let again = ["hooks", "listen", &url, "--after", &before, "--count", "1", "--attempts", "1", "--profile", "Ben"];
    let refused = person.run(&again).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.stdout.contains("not accepted: it answers 401") && refused.stderr.contains("whsec_"),
        "{refused:?}"
    );
    assert_eq!(receiver.stdout.so_far().matches("verified").count(), 1);
}

/// Two keys, an envelope of each, and both read again.
async fn exchanges_envelopes(person: &Person<'_>, folder: &Path) {
    let mut dids = Vec::new();
    for name in ["client.key", "worker.key"] {
        dids.push(text(&person.json(&["relay", "keygen", name]).await, "/did"));
        assert_eq!(mode(&folder.join(name)), 0o600);
        person.fails(1, &["relay", "keygen", name]).await;
    }
    let request = ["relay", "send", "REQUEST", r#"{"intent": "translation.en_zh", "params": {"text": "Hello"}}"#];
    let thread = ["--thread", "thread_of_the_client"];
    let request = person.json(&[&request[..], &thread, &["--key", "client.key", "--name", "Ada"]].concat()).await;
    let seed = std::fs::read_to_string(folder.join("worker.key")).unwrap();
    let offer = ["relay", "send", "OFFER", r#"{"price": {"amount": 0.005, "currency": "USD"}}"#, "--json"];
    let offer = person
        .start(&[&offer[..], &thread, &["--to", dids[0].as_str()]].concat(), &[("AGORA_SEED", seed.as_str())])
        .end()
        .await;
    assert_eq!(offer.code, Some(0), "{offer:?}");
    let offer = documents(&offer.stdout).remove(0);
    let followed = ["relay", "follow", "--since", "2020-01-01T00:00:00Z", "--count", "2", "--thread", thread[1]];
    assert_eq!(person.lines(&followed).await, [request.clone(), offer]);
    assert_eq!(request["sender"]["id"], *dids[0]);

    // A signed envelope is sent from a file; the relay knows this one already.
    std::fs::write(folder.join("signed.json"), request.to_string()).unwrap();
    assert_eq!(person.json(&["relay", "send", "--signed", "signed.json"]).await, request);
    std::fs::write(folder.join("object.json"), r#"{"n": 1.50}"#).unwrap();
    let signed = person.json(&["relay", "sign", "object.json", "--key", "worker.key"]).await;
    assert_eq!(verify_object(&dids[1].parse::<DidKey>().unwrap(), &signed), Ok(()));
    let unknown = person.fails(1, &["relay", "send", "RESULT", "{}", "--thread", "none", "--key", "worker.key"]).await;
    assert!(unknown["reason"].is_string(), "{unknown}");
}

/// Completions and man pages know the commands.
async fn completes_and_explains(person: &Person<'_>, folder: &Path) {
    for shell in ["bash", "zsh", "fish"] {
        let finished = person.run(&["completions", shell]).await;
        assert!(finished.code == Some(0) && finished.stdout.contains("keygen"), "{shell}");
    }
    let finished = person.run(&["man", "man1"]).await;
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let page = std::fs::read_to_string(folder.join("man1/buildtrack-track-open.1")).unwrap();
    assert!(page.contains(".TH"), "{page}");
}
