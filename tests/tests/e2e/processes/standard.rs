//! Standard Webhooks: the published verifiers for Node and Python accept pushes as received, with either secret during a
//! rotation, and refuse everything else.

use std::path::Path;

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, process::Command};

use super::{
    cast::{Agent, Track, agents},
    client::text,
    listener::{Call, Fault, Listener},
    site::{Server, Site},
    waiting::soon,
};
use crate::either;

/// A verifier's result: `None` if it accepts the push.
type Verdict = Result<(), String>;

/// Runs the verifiers of npm and `PyPI`, each on all of these: the secret, the push, and the body.
async fn verdicts(asked: &[(&str, &Call, &str)]) -> Vec<[Verdict; 2]> {
    let lines: String = asked
        .iter()
        .map(|(secret, call, body)| json!({"secret": secret, "headers": call.headers, "body": body}).to_string() + "\n")
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let npm = verify("node", "verify.mjs", &folder.join("node"), &lines).await;
    let pypi = verify(&python, "verify.py", &folder.join("python"), &lines).await;
    assert_eq!((npm.len(), pypi.len()), (asked.len(), asked.len()));
    npm.into_iter().zip(pypi).map(|(npm, pypi)| [npm, pypi]).collect()
}

async fn verify(program: &str, script: &str, folder: &Path, lines: &str) -> Vec<Verdict> {
    let mut command = Command::new(program);
    command.arg(script).current_dir(folder).kill_on_drop(true);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut process = command.spawn().unwrap_or_else(|error| panic!("{program} does not start: {error}"));
    process.stdin.take().unwrap().write_all(lines.as_bytes()).await.unwrap();
    let output = soon(script, process.wait_with_output()).await.unwrap();
    assert!(output.status.success(), "{program} {script} failed: scripts/test brings the packages that it needs");
    let verdict = |line: &str| match line {
        "verified" => Ok(()),
        refused => Err(refused.to_owned()),
    };
    String::from_utf8(output.stdout).unwrap().lines().map(verdict).collect()
}

/// An agent with a listener, and an author.
struct Line {
    site: Site,
    server: Server,
    author: Agent,
    reader: Agent,
    track: Track,
    listener: Listener,
}

impl Line {
    async fn open(backend: Backend) -> Self {
        let site = Site::new(backend).await;
        let server = site.serve().await;
        let [author, reader] = agents(&server, ["Ada", "Ben"]).await;
        let track = Track::open(&server, &author, &[&reader]).await;
        let listener = Listener::with(Fault::None).await;
        let changes = json!({"webhookUrl": listener.url(), "webhookEvents": ["workspace.message"]});
        reader.changes(&server, changes).await;
        Self { site, server, author, reader, track, listener }
    }

    /// A live push.
    async fn push(&mut self, content: &str) -> Call {
        let before = self.listener.calls().len();
        self.author.posts(&self.server, &self.track, content).await;
        self.listener.wait_for_calls(before + 1).await.pop().unwrap()
    }

    /// The path of the reader's endpoint.
    async fn endpoint(&self) -> String {
        let path = format!("/api/v1/agents/{}/webhooks", self.reader.id);
        let webhooks = self.server.with(&self.reader.token).get(&path).await.expect(200);
        format!("{path}/{}", text(&webhooks, "/items/0/id"))
    }

    async fn acts(&self, path: &str, body: Value, status: u16) -> Value {
        self.server.with(&self.reader.token).post(path, body).await.expect(status)
    }
}

#[apply(either)]
async fn the_verifiers_of_npm_and_pypi_accept_only_signed_pushes(backend: Backend) {
    let mut line = Line::open(backend).await;
    let (old, path) = (line.reader.secret.clone(), line.endpoint().await);
    let before = line.push("Verify me. \u{1f91d} \u{2028} \"quoted\"").await;
    let new = text(&line.acts(&format!("{path}/secret"), json!({}), 201).await, "/secret");
    let during = line.push("Either secret will do").await;
    line.acts(&format!("{path}/secret/activate"), json!({}), 200).await;
    let after = line.push("Only the new one").await;

    let changed = during.body.replace("Either", "No");
    assert_ne!(changed, during.body);
    let mut later = during.clone();
    later.headers.insert("webhook-id".to_owned(), after.header("webhook-id").to_owned());
    let asked = [
        ("before, the old secret", true, &*old, &before, &*before.body),
        ("before, the new secret", false, &new, &before, &before.body),
        ("in the overlap, the old secret", true, &old, &during, &during.body),
        ("in the overlap, the new secret", true, &new, &during, &during.body),
        ("in the overlap, the old secret, another body", false, &old, &during, &changed),
        ("in the overlap, the new secret, another body", false, &new, &during, &changed),
        ("in the overlap, the new secret, another id", false, &new, &later, &later.body),
        ("after, the old secret", false, &old, &after, &after.body),
        ("after, the new secret", true, &new, &after, &after.body),
    ];
    let said = verdicts(&asked.map(|(_, _, secret, call, body)| (secret, call, body))).await;
    for ((what, accepted, ..), verdicts) in asked.iter().zip(&said) {
        assert!(verdicts.iter().all(|verdict| verdict.is_ok() == *accepted), "{what}: {verdicts:?}");
    }
    let signatures = |call: &Call| call.header("webhook-signature").split(' ').count();
    assert_eq!([&before, &during, &after].map(signatures), [1, 2, 1]);
    let accepted = said.iter().flatten().filter(|verdict| verdict.is_ok()).count();
    println!("{backend:?}: {} verdicts of two verifiers, {accepted} accepted", said.len() * 2);
    line.site.wait_until_idle().await;
}
