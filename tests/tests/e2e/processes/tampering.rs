//! `verify-log` on valid logs and on tampered ones.

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::Value;

use super::{
    cast::{Agent, Track},
    checks::assert_in_order,
    client::text,
    site::{Server, Site},
};
use crate::both;

/// Three messages on a server's log; the second was redacted before the third was posted.
struct Story {
    site: Site,
    server: Server,
    agent: Agent,
    track: Track,
    messages: Vec<Value>,
}

impl Story {
    async fn create(backend: Backend) -> Self {
        // No background work adds events or indexes the tampered ones.
        let site = Site::new(backend).await.with("BUILDTRACK_WORKER", "off");
        let server = site.serve().await;
        let agent = Agent::new(&server, "Scout").await;
        let track = Track::open(&server, &agent, &[]).await;
        let mut messages = Vec::new();
        for content in ["first", "second", "third", "fourth"] {
            messages.push(agent.posts(&server, &track, content).await);
            if content == "second" {
                agent.redacts(&server, &track, &messages[1]).await;
            }
        }
        Self { site, server, agent, track, messages }
    }

    fn position(&self, message: usize) -> i64 {
        self.messages[message]["position"].as_i64().unwrap()
    }
}

#[apply(both)]
async fn a_redaction_is_named_with_its_event(backend: Backend) {
    let story = Story::create(backend).await;
    let position = story.position(1);
    let log = story.server.anyone().get(&format!("/api/v1/log?after={position}")).await.expect(200);
    let events = log["items"].as_array().unwrap();
    let by = events.iter().find(|event| event["type"] == "message.redacted").unwrap()["position"].as_i64().unwrap();
    let printed = story.site.succeeds(&["verify-log"]).await;
    let stream = text(&story.messages[1], "/id");
    let line = format!("redacted: position {position} of {stream}, by the event at position {by}");
    assert_eq!(printed.lines().filter(|line| line.starts_with("redacted: ")).collect::<Vec<_>>(), [line]);
    assert_in_order(&story.site).await;
}

#[apply(both)]
async fn a_redacted_text_is_nowhere_in_the_database(backend: Backend) {
    let story = Story::create(backend).await;
    let mut database = story.site.database().await;
    for query in [
        "SELECT count(*) FROM events WHERE data LIKE '%second%'",
        "SELECT count(*) FROM messages WHERE content LIKE '%second%'",
        "SELECT count(*) FROM answers WHERE body LIKE '%second%'",
    ] {
        assert_eq!(database.number(query).await, 0, "{query}");
        assert_ne!(database.number("SELECT count(*) FROM events WHERE data LIKE '%third%'").await, 0);
    }
}

/// A change of the third message that bypasses the server, and the finding of `verify-log`. In both, `POSITION` and
/// `STREAM` are the message's, and `NEXT` is the position after it.
#[derive(Clone, Copy)]
struct Tampering {
    statement: &'static str,
    finding: &'static str,
}

const CHANGED_TEXT: Tampering = Tampering {
    statement: "UPDATE events SET data = replace(data, 'third', 'forth') WHERE position = POSITION",
    finding: "the data at position POSITION do not match their recorded hash.",
};
const CHANGED_AUTHOR: Tampering = Tampering {
    statement: "UPDATE events SET metadata = '{}' WHERE position = POSITION",
    finding: "the chain breaks at position POSITION: its header, or an event before it, was changed.",
};
const CHANGED_VERSION: Tampering = Tampering {
    statement: "UPDATE events SET version = 7 WHERE position = POSITION",
    finding: "the chain breaks at position POSITION: its header, or an event before it, was changed.",
};
const ERASED_DATA: Tampering = Tampering {
    statement: "UPDATE events SET data = NULL, salt = NULL WHERE position = POSITION",
    finding: "the data at position POSITION are missing, and no later event of STREAM redacts them.",
};
const DELETED_EVENT: Tampering = Tampering {
    statement: "DELETE FROM events WHERE position = POSITION",
    finding: "position POSITION is missing: the next event is at NEXT.",
};
const TRUNCATED_LOG: Tampering = Tampering {
    statement: "DELETE FROM events WHERE position > POSITION",
    finding: "the log ends at position POSITION, but its head says NEXT.",
};

#[apply(both)]
async fn a_tampered_log_is_refused_and_the_position_is_named(
    backend: Backend,
    #[values(CHANGED_TEXT, CHANGED_AUTHOR, CHANGED_VERSION, ERASED_DATA, DELETED_EVENT, TRUNCATED_LOG)]
    tampering: Tampering,
) {
    let story = Story::create(backend).await;
    let (position, stream) = (story.position(2), text(&story.messages[2], "/id"));
    let filled = |words: &str| {
        let next = (position + 1).to_string();
        words.replace("POSITION", &position.to_string()).replace("NEXT", &next).replace("STREAM", &stream)
    };
    assert_eq!(story.site.database().await.execute(&filled(tampering.statement)).await, 1);
    let finished = story.site.run(&["verify-log"]).await;
    let last = finished.stderr.lines().last().unwrap_or_default();
    let finding = format!("buildtrack: The log is NOT in order: {}", filled(tampering.finding));
    assert_eq!((finished.code, last), (Some(1), &*finding));
    assert!(!finished.stdout.contains("in order"), "{}", finished.stdout);
}

#[apply(both)]
async fn a_tampered_read_table_is_named_and_can_be_rebuilt(backend: Backend) {
    let story = Story::create(backend).await;
    let id = text(&story.messages[2], "/id");
    let statement = format!("UPDATE messages SET content = 'forth' WHERE id = '{id}'");
    assert_eq!(story.site.database().await.execute(&statement).await, 1);
    let finished = story.site.run(&["verify-log"]).await;
    let last = finished.stderr.lines().last().unwrap_or_default();
    let finding = "buildtrack: messages: the rows differ from a rebuild of the log. Run `buildtrack rebuild`.";
    assert_eq!((finished.code, last), (Some(1), finding));
    assert_rebuild(&story).await;
}

async fn assert_rebuild(story: &Story) {
    story.site.succeeds(&["rebuild"]).await;
    assert_in_order(&story.site).await;
    let contents: Vec<_> = story.track.read(&story.server).await.into_iter().map(|(_, content)| content).collect();
    assert_eq!(contents, ["first", "", "third", "fourth"]);
    story.agent.posts(&story.server, &story.track, "fifth").await;
}
