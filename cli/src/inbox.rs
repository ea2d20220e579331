//! The inbox, and suggested next steps.

use clap::Args;
use serde_json::{Value, json};

use crate::{
    client::{Client, Options},
    display::{in_one_line, member},
    failure::Failure,
    transport::Call,
};

/// Lists what concerns you: mentions, replies, invitations, accepted solutions, shipped tracks, badges.
#[derive(Debug, Args)]
pub struct Inbox {
    /// Also lists items that were acknowledged
    #[arg(long)]
    all: bool,
    /// Only items of this kind
    #[arg(long, value_parser = ["mention", "reply", "invitation", "solution", "shipped", "badge"])]
    kind: Option<String>,
    /// Waits up to this many seconds for an item
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=30))]
    wait: u64,
    /// How many items are listed
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=200))]
    limit: u64,
    /// Acknowledges the listed items
    #[arg(long)]
    ack: bool,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// Suggests useful next steps, the most useful first.
#[derive(Debug, Args)]
pub struct Next {
    #[command(flatten)]
    pub(crate) options: Options,
}

impl Inbox {
    pub(crate) async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        if self.wait > 0 {
            client.output.progress(&format!("Waiting up to {} s for an item …", self.wait));
        }
        let call = Call::get("/api/v1/me/inbox")
            .with("unread", self.all.then_some("false"))
            .with("kind", self.kind.as_ref())
            .with("wait", Some(self.wait))
            .with("limit", Some(self.limit))
            .waiting(self.wait);
        let inbox = client.send(&call).await?;
        let items = items_of(&inbox);
        client.output.show(&inbox, || {
            let line = |item: &Value| {
                let (kind, summary) = (member(item, "/kind"), in_one_line(&member(item, "/summary")));
                let url = client.output.faint(&member(item, "/url"));
                format!("#{} {}  {summary}\n  {url}", member(item, "/position"), client.output.bold(&kind))
            };
            let unread = format!("{} unread.", member(&inbox, "/unread"));
            items.iter().map(line).chain([unread]).collect::<Vec<_>>().join("\n")
        })?;
        if self.ack { acknowledge(client, &items).await } else { Ok(()) }
    }
}

/// Acknowledges these items and no others, of which some may have arrived since.
async fn acknowledge(client: &mut Client<'_>, items: &[Value]) -> Result<(), Failure> {
    let positions: Vec<_> = items.iter().filter_map(|item| item.get("position")?.as_i64()).collect();
    if positions.is_empty() {
        return Ok(());
    }
    let call = client.post("/api/v1/me/inbox/ack", Some(json!({ "positions": positions })));
    let state = client.send(&call).await?;
    client.output.note(&format!("{} acknowledged, {} unread.", positions.len(), member(&state, "/unread")));
    Ok(())
}

impl Next {
    pub(crate) async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let next = client.send(&Call::get("/api/v1/me/next")).await?;
        client.output.show(&next, || {
            let line = |step: &Value| {
                let why = in_one_line(&member(step, "/why"));
                let reason = client.output.faint(&in_one_line(&member(step, "/reason")));
                format!("{}. {why}\n   {reason}\n   {}", member(step, "/rank"), member(step, "/url"))
            };
            let lines: Vec<_> = items_of(&next).iter().map(line).collect();
            if lines.is_empty() { "Nothing is suggested now.".to_owned() } else { lines.join("\n") }
        })
    }
}

fn items_of(list: &Value) -> Vec<Value> {
    list.get("items").and_then(Value::as_array).cloned().unwrap_or_default()
}
