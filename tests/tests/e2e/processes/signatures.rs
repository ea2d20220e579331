//! The seed's own receiver verifies every push, with any text: the signed bytes equal Node's
//! `JSON.stringify(JSON.parse(body))`.

use std::collections::HashMap;

use buildtrack_store::clock::random;
use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    cast::{Agent, MODEL, Owner, Track, agents},
    client::text,
    receiver::{Push, Receiver},
    site::{Server, Site},
};
use crate::either;

/// The maximum characters of a message.
const LONGEST: usize = 20_000;
/// The maximum body that the seed's receiver accepts (`express.json()`'s default limit is 100 KiB), and the limit in DESIGN.md.
const BODY_MAX: usize = 100_000;

/// An author, and a receiver in the same workspace.
struct Line {
    site: Site,
    server: Server,
    author: Agent,
    track: Track,
    receiver: Receiver,
}

impl Line {
    async fn open(backend: Backend) -> Self {
        let site = Site::new(backend).await;
        let server = site.serve().await;
        let [author, reader] = agents(&server, ["Ada", "Ben"]).await;
        let track = Track::open(&server, &author, &[&reader]).await;
        let receiver = Receiver::of(&server, &reader).await;
        Self { site, server, author, track, receiver }
    }

    /// Posts each text; returns it with its push, which the receiver must have verified.
    async fn verified(&mut self, contents: Vec<String>) -> Vec<(String, Push)> {
        let mut posted = HashMap::new();
        for content in contents {
            let message = self.author.posts(&self.server, &self.track, &content).await;
            assert_eq!(message["content"], *content);
            posted.insert(text(&message, "/id"), content);
        }
        let mut verified = Vec::new();
        for _ in 0..posted.len() {
            let push = self.receiver.next().await;
            assert!(length(&push) < BODY_MAX, "{} bytes", length(&push));
            assert_eq!(push.status, 200, "{} differs from the signed body", push.body);
            assert!(push.standard, "Standard Webhooks' verifier refuses {}", push.body);
            let content = posted.remove(&text(&push.body, "/data/messageId")).expect("each is pushed once");
            verified.push((content, push));
        }
        verified
    }
}

fn length(push: &Push) -> usize {
    push.header("content-length").parse().unwrap()
}

/// Random characters from all of Unicode, with a bias to each plane and to special characters of JSON.
fn random_text(characters: usize) -> String {
    // A text of spaces only would be refused.
    let mut text = String::from(".");
    while text.chars().count() < characters {
        let [dice, bytes @ ..] = random::<4>();
        let number = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
        let range = match dice % 4 {
            0 => 0x20,
            1 => 0x100,
            2 => 0x1_0000,
            _ => 0x11_0000,
        };
        text.extend(char::from_u32(number % range).filter(|character| *character != '\0'));
    }
    text
}

#[apply(either)]
async fn any_text_is_verified_and_arrives_unchanged(backend: Backend) {
    let mut line = Line::open(backend).await;
    let controls: String = ('\u{1}'..='\u{1f}').chain('\u{7f}'..='\u{9f}').chain(['x']).collect();
    let contents = [
        "🤖 👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 e\u{301} \u{1f1e9}\u{1f1ea}",
        &controls,
        "\u{2028}\u{2029}\u{feff}\u{200b}\u{202e}\u{fffd}\u{ffff}\u{fffe}\u{10ffff}\u{e000}",
        r#""quotes" 'quotes' `quotes` \ \\ \" \u0041 \n \/ </script><!-- &amp; %00 ${x} {"a":1}"#,
        "1750000000",
        "1e999",
        "null",
        "__proto__",
        " leading and trailing \r\n",
    ];
    for (content, push) in line.verified(contents.map(str::to_owned).into()).await {
        assert_eq!(push.content(), content);
        assert_eq!(push.body["data"].get("contentTruncated"), None);
    }
}

#[apply(either)]
async fn random_unicode_is_verified_and_arrives_unchanged(backend: Backend) {
    let mut line = Line::open(backend).await;
    let contents = (0..48).map(|number| random_text(2 + number * number)).collect();
    for (content, push) in line.verified(contents).await {
        assert_eq!(push.content(), content);
    }
}

#[apply(either)]
async fn the_longest_message_arrives_whole_if_it_fits(backend: Backend) {
    let mut line = Line::open(backend).await;
    let contents = ["a", "ä", "한", "🤖", "\"", "\\", "\n"].map(|unit| unit.repeat(LONGEST - 1) + ".");
    for (content, push) in line.verified(contents.into()).await {
        assert!(push.content() == content, "{} characters arrived", push.content().chars().count());
        assert_eq!(push.body["data"].get("contentTruncated"), None);
    }
}

#[apply(either)]
async fn a_message_that_does_not_fit_is_truncated_with_the_url_of_the_whole(backend: Backend) {
    let mut line = Line::open(backend).await;
    let mostly_escaped = format!("{}x", "\u{1}".repeat(9));
    let contents = [&*mostly_escaped, "\u{1f}🤖"].map(|unit| unit.repeat(LONGEST / unit.chars().count()));
    for (content, push) in line.verified(contents.into()).await {
        let data = &push.body["data"];
        assert_eq!(data["contentTruncated"], true);
        assert!(content.starts_with(push.content()) && length(&push) > BODY_MAX - 100, "{} bytes", length(&push));
        let path = text(data, "/url").strip_prefix("https://build.example").unwrap().to_owned();
        assert_eq!(line.server.anyone().get(&path).await.expect(200)["content"], content);
    }
}

#[apply(either)]
async fn names_are_verified_like_any_text(backend: Backend) {
    let mut line = Line::open(backend).await;
    let name = "O'Neil \"the \\ bot\" </b>\u{2028}\u{1}🤖";
    let author = Owner::sign_up(&line.server).await.agent(&line.server, name).await;
    author.joins(&line.server, &line.track).await;
    author.posts(&line.server, &line.track, "hello").await;
    let mut names: Vec<Value> = Vec::new();
    for push in line.receiver.next_ones(2).await {
        assert_eq!(push.status, 200, "{}", push.body);
        let data = &push.body["data"];
        names.push(data.get("memberName").or(data.get("authorName")).unwrap().clone());
    }
    assert_eq!(names, [name, name]);
}

#[apply(either)]
async fn workspaces_with_odd_names_are_verified_too(backend: Backend) {
    let mut line = Line::open(backend).await;
    let name = "\"Track\" \\ 9\u{2029}\u{7f}\u{1f}🚀";
    let reader = line.server.anyone().get(&format!("{}/members", line.track.path())).await.expect(200);
    assert_eq!(reader["items"].as_array().unwrap().len(), 2);
    let path = line.track.path();
    line.server.with(&line.author.token).patch(&path, json!({"name": name})).await.expect(200);
    let newcomer = Agent::new(&line.server, "Cai").await;
    newcomer.joins(&line.server, &line.track).await;
    let push = line.receiver.next().await;
    assert_eq!((push.status, &push.body["data"]["workspaceName"]), (200, &json!(name)));
    assert_eq!(push.body["data"]["memberModel"], MODEL);
    line.site.wait_until_idle().await;
}

#[apply(either)]
async fn a_receiver_with_another_secret_refuses_pushes(backend: Backend) {
    let mut line = Line::open(backend).await;
    let [mut stranger] = agents(&line.server, ["Eve"]).await;
    stranger.joins(&line.server, &line.track).await;
    line.receiver.next().await;
    "whsec_of_somebody_else".clone_into(&mut stranger.secret);
    let mut receiver = Receiver::of(&line.server, &stranger).await;
    line.author.posts(&line.server, &line.track, "hello").await;
    assert_eq!((receiver.next().await.status, line.receiver.next().await.status), (401, 200));
}
