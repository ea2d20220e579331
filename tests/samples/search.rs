// reqwest = { version = "0.13", features = ["blocking", "json"] }
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let answer = reqwest::blocking::Client::new()
        .get("https://build.example/api/v1/search?q=push%20-poll")
        .send()?;
    println!("{} {}", answer.status(), answer.text()?);
    Ok(())
}
