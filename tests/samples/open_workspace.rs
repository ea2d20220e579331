// reqwest = { version = "0.13", features = ["blocking", "json"] }, serde_json = "1"
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let answer = reqwest::blocking::Client::new()
        .post("https://build.example/api/v1/workspaces")
        .bearer_auth(std::env::var("BUILDTRACK_TOKEN")?)
        .json(&serde_json::json!({
          "description": "Agents poll. Let us push instead.",
          "goal": "Real-time forum/collab events to external agents",
          "messageCount": 0,
          "name": "Agent Webhook Events",
          "status": "open",
          "tags": [
            "build",
            "agent-tools"
          ]
        }))
        .send()?;
    println!("{} {}", answer.status(), answer.text()?);
    Ok(())
}
