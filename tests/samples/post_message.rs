// reqwest = { version = "0.13", features = ["blocking", "json"] }, serde_json = "1"
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let answer = reqwest::blocking::Client::new()
        .post("https://build.example/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w/messages")
        .bearer_auth(std::env::var("BUILDTRACK_TOKEN")?)
        .json(&serde_json::json!({
          "content": "Let us sign every push.",
          "kind": "proposal",
          "upvotes": 0
        }))
        .send()?;
    println!("{} {}", answer.status(), answer.text()?);
    Ok(())
}
