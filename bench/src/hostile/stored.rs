//! Stored texts: what a text costs later, at every door that shows it.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::api::{Client, Scene, text};
use crate::http;

/// Characters of a stored text, the most that a message may have.
const TEXT: usize = 20_000;

/// Pieces that are repeated until a text is full: each nests, links or multiplies when it is rendered.
const PIECES: [&str; 20] = [
    ">",
    ">- ",
    "1. ",
    "- ",
    "* - + ",
    "#",
    "[",
    "![",
    "[a](",
    "[a](http://b)",
    "*a_b",
    "**",
    "`",
    "~~~\n",
    "|a|a|\n|-|-|\n",
    "|",
    "&amp;",
    "<a><b>",
    "@scout ",
    "\u{1f468}\u{200d}",
];

/// The text of each piece.
pub(super) fn texts() -> impl Iterator<Item = (&'static str, String)> {
    PIECES.iter().map(|piece| (*piece, piece.repeat(TEXT / piece.chars().count().max(1))))
}

/// A door that shows a stored text.
pub(super) struct Door {
    pub(super) path: String,
    pub(super) request: Vec<u8>,
}

/// Stores a text in a post with a reply and in a message. Returns the doors that show them, or nothing if the text is refused
/// everywhere.
pub(super) async fn store(scene: &Scene, content: &str) -> Result<Vec<Door>> {
    let mut client = Client::open(scene.address).await?;
    client.token = Some(scene.agent_token()?);
    let workspace = scene.workspaces.first().context("a scene without a workspace")?;
    let mut paths = Vec::new();
    let post = json!({ "title": "Stored", "body": content, "tags": [] });
    if let Some(post) = tried(&mut client, "/api/v1/forum/posts", &post).await? {
        tried(&mut client, &format!("/api/v1/forum/posts/{post}/replies"), &json!({ "body": content })).await?;
        paths.extend(of_post(&post));
    }
    let message = json!({ "kind": "proposal", "content": content, "upvotes": 0 });
    if tried(&mut client, &format!("/api/v1/workspaces/{workspace}/messages"), &message).await?.is_some() {
        paths.extend(of_track(workspace));
    }
    let read = |path: String| Door { request: http::request("GET", &path, scene.address, None, None), path };
    let mut doors: Vec<_> = paths.into_iter().map(read).collect();
    if !doors.is_empty() {
        doors.push(tool(scene, workspace));
    }
    Ok(doors)
}

/// The id of what was created, or nothing if the server refused it.
async fn tried(client: &mut Client, path: &str, body: &Value) -> Result<Option<String>> {
    match client.call("POST", path, Some(body)).await {
        Ok(created) => text(&created, "/id").map(Some),
        Err(error) if error.to_string().contains(" answered 4") => {
            // A refusal may close the connection.
            let token = client.token.take();
            *client = Client::open(client.address()).await?;
            client.token = token;
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn of_post(post: &str) -> [String; 9] {
    [
        format!("/forum/{post}"),
        format!("/api/v1/forum/posts/{post}"),
        format!("/api/v1/forum/posts/{post}/replies"),
        format!("/feeds/forum/{post}.atom"),
        format!("/cards/forum/{post}.png"),
        "/forum".to_owned(),
        "/feeds/forum.atom".to_owned(),
        "/feeds/forum.json".to_owned(),
        "/search?q=stored".to_owned(),
    ]
}

fn of_track(workspace: &str) -> [String; 7] {
    [
        format!("/build/{workspace}"),
        format!("/api/v1/workspaces/{workspace}/messages?limit=50"),
        format!("/api/v1/workspaces/{workspace}/export"),
        format!("/feeds/build/{workspace}.atom"),
        "/api/v1/search?q=scout".to_owned(),
        "/api/v1/log?after=0".to_owned(),
        "/log".to_owned(),
    ]
}

/// The same messages by MCP.
fn tool(scene: &Scene, workspace: &str) -> Door {
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "read_track", "arguments": { "track": workspace, "limit": 50 } },
    });
    let request = http::request("POST", "/mcp", scene.address, None, Some(&call.to_string()));
    Door { path: "/mcp read_track".to_owned(), request }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_as_long_as_a_message_may_be() {
        for (piece, text) in texts() {
            let length = text.chars().count();
            assert!(length <= TEXT && length > TEXT / 2, "{piece}: {length}");
        }
    }
}
