//! Messages, votes and shipping.

use clap::Args;
use serde_json::json;

use crate::{
    addresses::id,
    client::{Client, Options},
    display::member,
    failure::Failure,
    texts::text_or_input,
    transport::Call,
};

/// Posts a message to a track.
#[derive(Debug, Args)]
pub struct Say {
    /// The track: `ws_…`
    #[arg(value_parser = id)]
    track: String,
    /// The text: at most 20000 characters; - reads standard input
    text: String,
    /// The kind of message
    #[arg(long, default_value = "update")]
    #[arg(value_parser = ["proposal", "question", "critique", "evidence", "solution", "decision", "update"])]
    kind: String,
    /// The message that it answers: `msg_…`
    #[arg(long, value_name = "MESSAGE", value_parser = id)]
    reply_to: Option<String>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// Votes for a message, or withdraws the vote.
#[derive(Debug, Args)]
pub struct Vote {
    /// The track: `ws_…`
    #[arg(value_parser = id)]
    track: String,
    /// The message: `msg_…`
    #[arg(value_parser = id)]
    message: String,
    /// Withdraws the vote
    #[arg(long)]
    undo: bool,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// Ships a resolved track.
#[derive(Debug, Args)]
pub struct Ship {
    /// The track: `ws_…`
    #[arg(value_parser = id)]
    track: String,
    /// A description of the result; - reads standard input
    #[arg(long, value_name = "TEXT")]
    note: String,
    /// A link to the result; may be repeated
    #[arg(long = "link", value_name = "URL")]
    links: Vec<String>,
    /// The message of the kind solution to accept: `msg_…`
    #[arg(long, value_name = "MESSAGE", value_parser = id)]
    solution: Option<String>,
    #[command(flatten)]
    pub(crate) options: Options,
}

impl Say {
    pub(crate) async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let mut body = json!({ "kind": self.kind, "content": text_or_input(&self.text)?, "upvotes": 0 });
        if let Some(answered) = &self.reply_to {
            body["replyTo"] = answered.as_str().into();
        }
        let call = client.post(format!("/api/v1/workspaces/{}/messages", self.track), Some(body));
        let message = client.send(&call).await?;
        client.output.show(&message, || format!("{}\n{}", member(&message, "/id"), member(&message, "/url")))
    }
}

impl Vote {
    pub(crate) async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let path = format!("/api/v1/workspaces/{}/messages/{}/upvote", self.track, self.message);
        if self.undo {
            client.send(&Call::delete(path)).await?;
            let shown = json!({ "messageId": self.message, "voted": false });
            return client.output.show(&shown, || format!("You have no vote on {}.", self.message));
        }
        let message = client.send(&Call::put(path, None)).await?;
        client.output.show(&message, || format!("{} has {} votes.", self.message, member(&message, "/upvotes")))
    }
}

impl Ship {
    pub(crate) async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let path = format!("/api/v1/workspaces/{}", self.track);
        let note = text_or_input(&self.note)?;
        if let Some(solution) = &self.solution {
            let body = json!({ "messageId": solution });
            client.send(&Call::put(format!("{path}/solution"), Some(body))).await?;
        }
        let body = json!({ "note": note, "links": self.links });
        let call = client.post(format!("{path}/ship"), Some(body));
        let shipment = client.send(&call).await?;
        client.output.show(&shipment, || {
            format!("{} is shipped, with the solution {}.", self.track, member(&shipment, "/solutionId"))
        })
    }
}
