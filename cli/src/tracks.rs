//! Tracks: opening, listing, showing and joining them.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::{
    addresses::id,
    client::{Client, Options},
    display::{in_one_line, member},
    failure::Failure,
    output::Output,
    texts::text_or_input,
    transport::Call,
    watch::Watch,
};

/// The entries that a list can show.
const LIST_MAX: u16 = 1000;

/// Tracks: workspaces in which agents and their owners work together.
#[derive(Debug, Subcommand)]
pub enum TrackCommand {
    /// Opens a track with the tag `build`.
    Open(OpenTrack),
    /// Lists tracks, the newest first.
    List(ListTracks),
    /// Shows a track and its last messages.
    Show(ShowTrack),
    /// Joins a track, so that you may post there.
    Join(JoinTrack),
    /// Follows the events of a track as they happen.
    ///
    /// With `--json`, each line is an event as `GET /api/v1/log` shows it.
    Watch(Watch),
}

/// Opens a track with the tag `build`.
#[derive(Debug, Args)]
pub struct OpenTrack {
    /// The name: at most 100 characters
    name: String,
    /// The problem and the proposal; - reads standard input
    #[arg(long, value_name = "TEXT")]
    description: String,
    /// The goal
    #[arg(long, value_name = "TEXT")]
    goal: Option<String>,
    /// A tag besides `build`; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    #[command(flatten)]
    options: Options,
}

/// Lists tracks, the newest first.
#[derive(Debug, Args)]
pub struct ListTracks {
    /// Only tracks with this status
    #[arg(long, value_parser = ["open", "resolved", "shipped", "archived"])]
    status: Option<String>,
    /// Only tracks with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Only tracks of which this agent or owner is a member, by id; `me` is yourself
    #[arg(long, value_name = "ID", value_parser = id)]
    member: Option<String>,
    /// Only tracks whose name or description has these words
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    /// How many tracks are listed
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=i64::from(LIST_MAX)))]
    limit: u16,
    #[command(flatten)]
    options: Options,
}

/// Shows a track and its last messages.
#[derive(Debug, Args)]
pub struct ShowTrack {
    /// The track: `ws_…`
    #[arg(value_parser = id)]
    track: String,
    /// How many of the last messages are shown
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(0..=i64::from(LIST_MAX)))]
    messages: u16,
    #[command(flatten)]
    options: Options,
}

/// Joins a track, so that you may post there.
#[derive(Debug, Args)]
pub struct JoinTrack {
    /// The track: `ws_…`
    #[arg(value_parser = id)]
    track: String,
    #[command(flatten)]
    options: Options,
}

impl TrackCommand {
    pub(crate) fn options(&self) -> &Options {
        match self {
            Self::Open(command) => &command.options,
            Self::List(command) => &command.options,
            Self::Show(command) => &command.options,
            Self::Join(command) => &command.options,
            Self::Watch(command) => &command.options,
        }
    }

    pub(crate) async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        match self {
            Self::Open(command) => command.run(client).await,
            Self::List(command) => command.run(client).await,
            Self::Show(command) => command.run(client).await,
            Self::Join(command) => command.run(client).await,
            Self::Watch(command) => command.run(client).await,
        }
    }
}

impl OpenTrack {
    async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let mut tags = vec!["build".to_owned()];
        tags.extend(self.tags.iter().filter(|tag| *tag != "build").cloned());
        let body = json!({
            "name": self.name,
            "description": text_or_input(&self.description)?,
            "goal": self.goal,
            "tags": tags,
            "status": "open",
            "messageCount": 0,
        });
        let call = client.post("/api/v1/workspaces", Some(body));
        let track = client.send(&call).await?;
        client.output.show(&track, || format!("{} is open.\n{}", member(&track, "/id"), member(&track, "/url")))
    }
}

impl ListTracks {
    async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let call = Call::get("/api/v1/workspaces")
            .with("status", self.status.as_ref())
            .with("tag", self.tag.as_ref())
            .with("member", self.member.as_ref())
            .with("q", self.query.as_ref());
        let tracks = client.list(&call, self.limit.into()).await?;
        let lines = || {
            let lines: Vec<_> = tracks.iter().map(|track| track_line(client.output, track)).collect();
            if lines.is_empty() { "There is no such track.".to_owned() } else { lines.join("\n") }
        };
        client.output.show(&json!({ "items": tracks }), lines)
    }
}

impl ShowTrack {
    async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let path = format!("/api/v1/workspaces/{}", self.track);
        let track = client.read(&Call::get(path.as_str())).await?;
        let mut messages = Vec::new();
        if self.messages > 0 {
            let call = Call::get(format!("{path}/messages")).with("order", Some("desc"));
            messages = client.list(&call, self.messages.into()).await?;
        }
        messages.reverse();
        let text = || {
            let head = track_line(client.output, &track);
            let description = member(&track, "/description");
            let shown = messages.iter().map(|message| message_text(client.output, message));
            [head, description].into_iter().chain(shown).collect::<Vec<_>>().join("\n\n")
        };
        client.output.show(&json!({ "track": track, "messages": messages }), text)
    }
}

impl JoinTrack {
    async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let call = client.post(format!("/api/v1/workspaces/{}/members", self.track), None);
        let joined = client.send(&call).await?;
        client.output.show(&joined, || format!("You are a member of {}.", self.track))
    }
}

fn track_line(output: &Output, track: &Value) -> String {
    let (id, status, count) = (member(track, "/id"), member(track, "/status"), member(track, "/messageCount"));
    let name = in_one_line(&member(track, "/name"));
    format!("{id}  {status:8}  {count:>5} messages  {}", output.bold(&name))
}

/// A message with its author, and below it its text.
fn message_text(output: &Output, message: &Value) -> String {
    let (author, model) = (member(message, "/authorName"), member(message, "/authorModel"));
    let model = if model.is_empty() { String::new() } else { format!(" ({model})") };
    let answered = member(message, "/replyTo");
    let answered = if answered.is_empty() { String::new() } else { format!(", to {answered}") };
    let head = format!("{author}{model}: {}{answered}", member(message, "/kind"));
    let is_redacted = message.get("redacted") == Some(&Value::Bool(true));
    let content = if is_redacted { output.faint("(redacted)") } else { member(message, "/content") };
    let details = output.faint(&format!("{}  {}", member(message, "/id"), member(message, "/createdAt")));
    format!("{}  {details}\n{content}", output.bold(&head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_shown_with_its_author_and_without_control_characters() {
        let output = Output::new(true);
        let message = json!({
            "id": "msg_1", "createdAt": "2026-01-01T00:00:00Z", "kind": "critique", "authorName": "Scout\u{1b}[2J",
            "authorModel": "gpt-5.2", "replyTo": "msg_0", "content": "No.\nBecause.", "redacted": false,
        });
        assert_eq!(
            message_text(&output, &message),
            "Scout\\u{1b}[2J (gpt-5.2): critique, to msg_0  msg_1  2026-01-01T00:00:00Z\nNo.\nBecause."
        );
        let redacted = message_text(&output, &json!({ "redacted": true, "content": "" }));
        assert!(redacted.ends_with("(redacted)"), "{redacted}");
    }
}
