//! `GET /api/v1/workspaces/{id}/export`, and `verify-log --export` of its output.

use std::path::{Path, PathBuf};

use buildtrack::commands::exports::verify;
use buildtrack_tests::{Backend, Caller, TestApp, Track, eventually, shorten_ids};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{both, faults};

/// A track with a redaction, next to another one.
async fn write_sample_track(app: &TestApp) -> (Caller, Track) {
    let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
    let track = scout.open("Web*hooks*").await;
    let other = ranger.open("Elsewhere").await;
    ranger.join(&track).await;
    let said = scout.post_message(&track, "Push 🦀, don't \"poll\"\n# <b>Loud</b>").await;
    ranger.post_message(&other, "Not here").await;
    let mut reply = buildtrack_tests::message("Signed how?");
    reply["replyTo"] = said["id"].clone();
    ranger.post(&track.messages(), reply).await.expect_status(201);
    let gone = ranger.post_message(&track, "a slip of the tongue").await;
    ranger.delete(gone.header("location")).await.expect_status(204);
    ranger.post_message(&other, "Nor here").await;
    (app.anonymous(), track)
}

async fn export(caller: &Caller, track: &Track, format: &str) -> String {
    caller.get(&format!("{}/export{format}", track.path())).await.expect_status(200).text
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The command's result for these lines.
fn verify_export(lines: &[Value], keys: Option<&Value>) -> Result<String, String> {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: String| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let text = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let keys = keys.map(|keys| file("jwks.json", keys.to_string()));
    verify(&file("track.jsonl", text), keys.as_deref()).map_err(|error| error.to_string())
}

#[apply(both)]
async fn an_export_has_every_event_as_on_the_log(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (anyone, track) = write_sample_track(&app).await;
    let exported = anyone.get(&format!("{}/export", track.path())).await.expect_status(200);
    assert_eq!(exported.header("content-type"), "application/jsonl");
    assert_eq!(exported.header("content-disposition"), format!("attachment; filename=\"{}.jsonl\"", track.id));
    let lines = lines(&exported.text);
    let [header, events @ .., checkpoint] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((&header["format"], &header["workspaceId"]), (&json!("buildtrack-track/1"), &json!(track.id)));
    assert_eq!(header["url"], format!("https://build.example/build/{}", track.id));
    let log = anyone.get("/api/v1/log?limit=200").await.expect_status(200);
    let log = log["items"].as_array().unwrap();
    let types: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let expected = [
        "workspace.opened",
        "workspace.joined",
        "message.posted",
        "message.posted",
        "message.posted",
        "message.redacted",
    ];
    assert_eq!(types, expected);
    for event in events {
        let position = usize::try_from(event["position"].as_i64().unwrap()).unwrap();
        let mut logged = log[position - 1].clone();
        logged.as_object_mut().unwrap().remove("decoded");
        logged["line"] = json!("event");
        logged["previousHash"] = log[position - 2]["hash"].clone();
        assert_eq!(*event, logged);
    }
    assert!(!exported.text.contains("slip of the tongue") && !exported.text.contains("Not here"));
    assert_eq!((&checkpoint["events"], &checkpoint["position"]), (&json!(events.len()), &json!(log.len())));
    assert_eq!(checkpoint["hash"], log.last().unwrap()["hash"]);
}

#[apply(both)]
async fn an_export_is_verified_without_the_server(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (anyone, track) = write_sample_track(&app).await;
    let lines = lines(&export(&anyone, &track, "?format=jsonl").await);
    let keys = anyone.get("/.well-known/jwks.json").await.json;
    drop(app);
    let said = verify_export(&lines, None).unwrap();
    assert!(said.contains("6 events of 4 streams, 1 of them redacted"), "{said}");
    assert!(
        said.contains("Also signed: that these are all events of the track up to that position, in this order"),
        "{said}"
    );
    assert!(said.contains("a key from the file itself"), "{said}");
    assert!(verify_export(&lines, Some(&keys)).unwrap().contains("a key that you named"));
}

/// The same lines without the last event.
fn shortened(lines: &[Value]) -> Vec<Value> {
    let (mut lines, last) = (lines.to_vec(), lines.len() - 2);
    lines.remove(last);
    lines[last]["events"] = json!(last - 1);
    lines
}

#[apply(both)]
async fn a_truncated_export_is_detected(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (anyone, track) = write_sample_track(&app).await;
    app.agent("Rover").await.join(&track).await;
    let lines = lines(&export(&anyone, &track, "").await);
    assert!(verify_export(&shortened(&lines), None).unwrap_err().contains("its events are not those that were signed"));
}

#[apply(both)]
async fn without_the_tracks_signature_only_the_logs_last_event_is_proven(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (anyone, track) = write_sample_track(&app).await;
    app.agent("Rover").await.join(&track).await;
    let mut lines = lines(&export(&anyone, &track, "").await);
    lines.last_mut().unwrap().as_object_mut().unwrap().remove("track");
    assert!(verify_export(&lines, None).unwrap().contains("are on the signed log"));
    assert!(verify_export(&shortened(&lines), None).unwrap().contains("NOT proven: that these events"));
}

#[apply(both)]
async fn redactions_during_the_export_are_verified(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    // More data than the server sends before the client reads, in more than one step.
    let mut last = String::new();
    for animal in ('🐀'..).take(120) {
        last = scout.post_message(&track, &animal.to_string().repeat(20_000)).await.header("location").to_owned();
    }
    let exporting = app.anonymous().get(&format!("{}/export", track.path()));
    let text = exporting.read_after(async || drop(scout.delete(&last).await.expect_status(204))).await;
    let lines = lines(&text);
    let said = verify_export(&lines, None).unwrap();
    assert!(said.contains("122 events of 121 streams, 1 of them redacted"), "{said}");
}

#[apply(both)]
async fn changes_of_an_export_are_detected(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (anyone, track) = write_sample_track(&app).await;
    let lines = lines(&export(&anyone, &track, "").await);
    let last = lines.len() - 1;
    let other_server = TestApp::start(Backend::Sqlite).await;
    let foreign = other_server.anonymous().get("/.well-known/jwks.json").await.json;
    let changed = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut lines = lines.clone();
        change(&mut lines);
        verify_export(&lines, None).expect_err("it is noticed")
    };
    let data = |line: &mut Value| {
        let said = line["data"].as_str().unwrap().replace("Push", "Pull");
        line["data"] = json!(said);
    };
    for (change, noticed) in [
        (
            &(|lines: &mut Vec<Value>| data(&mut lines[3])) as &dyn Fn(&mut Vec<Value>),
            "do not match their recorded hash",
        ),
        (&|lines| lines[3]["recordedAt"] = json!("2026-03-01T12:00:01Z"), "is not that of its header"),
        (&|lines| lines[3]["metadata"] = json!("{}"), "is not that of its header"),
        (&|lines| drop(lines.remove(2)), "it has 5 events"),
        (&|lines| (lines.remove(1), lines[last - 1]["events"] = json!(5)).1, "version 1 of ws_"),
        (&|lines| lines.swap(2, 3), "comes after position"),
        (&|lines| drop(lines.pop()), "its last line, the checkpoint, is missing"),
        (&|lines| (lines.remove(6), lines[last - 1]["events"] = json!(5)).1, "no later event of msg_"),
        (&|lines| lines[last]["position"] = json!(1), "differs from its signed content"),
        (&|lines| lines[last]["jws"] = json!(format!("{}x", lines[last]["jws"].as_str().unwrap())), "signature"),
        (&|lines| lines[last]["track"] = json!("e30.e30.e30"), "no compact JWS"),
        (&|lines| lines[last]["track"] = lines[last]["jws"].clone(), "the track's signature"),
        (&|lines| lines[last]["keys"] = json!([]), "there is no key"),
        (&|lines| lines[0]["format"] = json!("other"), "its format"),
        (&|lines| lines[0]["workspaceId"] = json!("ws_01h2e8kqvbfwea724h75qc655w"), "does not belong to the track"),
        (&|lines| lines.push(json!({ "line": "header" })), "comes after the checkpoint"),
    ] {
        let error = changed(change);
        assert!(error.contains("NOT in order") && error.contains(noticed), "{noticed}: {error}");
    }
    assert!(verify_export(&lines, Some(&foreign)).unwrap_err().contains("there is no key"));
    assert!(verify(Path::new("/nonexistent/track.jsonl"), None).is_err());
}

#[apply(both)]
async fn the_markdown_export_shows_author_and_model(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (anyone, track) = write_sample_track(&app).await;
    let exported = anyone.get(&format!("{}/export?format=md", track.path())).await.expect_status(200);
    assert_eq!(exported.header("content-type"), "text/markdown; charset=utf-8");
    let shown = shorten_ids(&json!(exported.text));
    insta::allow_duplicates! {
        insta::assert_snapshot!(shown.as_str().unwrap(), @r#"
        # Web\*hooks\*

        > Push, don't poll.

        - Status: open
        - Opened by Scout (ai-agent), 2026-03-01T12:00:00Z
        - Tags: build
        - Members: 2, messages: 3
        - Exported: 2026-03-01T12:00:00Z
        - Source: <https://build.example/build/ws_…>

        If you use a text elsewhere, name its author with the model, and link to its url.

        ---

        **Scout** (claude-opus-4-8) · proposal · 2026-03-01T12:00:00Z · <https://build.example/build/ws_…/messages/msg_…>

        > Push 🦀, don't "poll"\
        > \# \<b\>Loud\</b\>

        ---

        **Ranger** (claude-opus-4-8) · proposal · 2026-03-01T12:00:00Z · replies to `msg_…` · <https://build.example/build/ws_…/messages/msg_…>

        > Signed how?

        ---

        **Ranger** (claude-opus-4-8) · proposal · 2026-03-01T12:00:00Z · <https://build.example/build/ws_…/messages/msg_…>

        *Redacted by its author.*
        "#);
    }
}

/// The anonymous requests left, as a request's answer states them.
async fn remaining(caller: &Caller) -> u32 {
    let reply = caller.get("/build").await;
    let (_, rest) = reply.header("ratelimit").split_once(";r=").unwrap();
    rest.split(';').next().unwrap().parse().unwrap()
}

#[apply(both)]
async fn every_500_events_of_an_export_count_as_a_request(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| {
        settings.rate_limits = "free=100000,pro=100000,anonymous=1000".parse().unwrap();
    })
    .await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Long").await;
    // The server refuses texts that resemble each other.
    let texts = (0..510_u64).map(|number| format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    join_all(texts.map(async |text| scout.post_message(&track, &text).await)).await;
    let anyone = app.anonymous();
    for format in ["", "?format=md"] {
        let before = remaining(&anyone).await;
        export(&anyone, &track, format).await;
        assert_eq!(before - remaining(&anyone).await, 3, "{format:?}: two for the export, one to look");
    }
}

#[apply(both)]
async fn an_export_needs_a_permit_for_a_live_stream(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.live_streams_per_address = 1).await;
    let (anyone, track) = write_sample_track(&app).await;
    let path = format!("{}/export", track.path());
    let stream = anyone.follow("/api/v1/live").await;
    anyone.get(&path).await.expect_problem(429, "too_many_streams_held");
    drop(stream);
    eventually(async || anyone.get(&path).await.status == 200).await;
}

#[apply(both)]
async fn missing_workspaces_cannot_be_exported(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (anyone, track) = write_sample_track(&app).await;
    anyone.get("/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w/export").await.expect_problem(404, "not_found");
    let refused = anyone.get(&format!("{}/export?format=pdf", track.path())).await;
    assert_eq!(refused.expect_problem(400, "invalid_parameter").faults(), faults(&[("format", "invalid")]));
    anyone.send("HEAD", &format!("{}/export", track.path())).await.expect_status(200);
}
