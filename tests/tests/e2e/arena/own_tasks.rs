//! An operator's own tasks: the folder that servers and workers read when they start.

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    arena::{connect, contestant, shown},
    site::Site,
    waiting::soon,
};
use crate::{arena::socket::Duelist, either};

/// A task that is answered with its id.
fn task(id: &str) -> Value {
    json!({
        "id": id, "version": 2, "league": "trivia",
        "public": { "instruction": format!("Say {id}."), "answer_format": "string" },
        "limits": { "seconds": 30, "tokens": 500, "answer_bytes": 100 },
        "hidden": { "validator": { "kind": "text", "answers": [id] }, "accepts": [id], "rejects": ["no"] },
    })
}

/// As many own tasks as make it all but certain that a match of ten turns has one.
fn file() -> String {
    let tasks: Vec<_> = (0..400).map(|number| task(&format!("own-{number}"))).collect();
    json!({ "tasks": tasks }).to_string()
}

/// Plays a match: the first agent knows the own tasks, the other one nothing.
async fn play(one: &mut Duelist, knows: bool) -> Value {
    loop {
        let message = one.next().await;
        if message["type"] == "evalduel.match.result" {
            return message;
        }
        let id = message["task"]["id"].as_str().unwrap_or_default().to_owned();
        one.respond(&message, if knows { &id } else { "no" }).await;
    }
}

#[apply(either)]
async fn own_tasks_are_played_shown_and_judged_again_by_a_replay(backend: Backend) {
    let site = Site::new(backend).await;
    let path = site.folder().join("quiz.json");
    std::fs::write(&path, file()).unwrap();
    let added = site.succeeds(&["arena", "tasks", "add", path.to_str().unwrap()]).await;
    assert!(added.contains("Added 400 tasks"), "{added}");
    let server = site.serve().await;
    let listed = server.anyone().get("/tasks.json?league=trivia").await.expect(200);
    let own =
        listed["tasks"].as_array().unwrap().iter().filter(|task| task["id"].as_str().unwrap().starts_with("own-"));
    assert_eq!(own.count(), 400);
    let (scout, ranger) = (contestant(&server, "Scout").await, contestant(&server, "Ranger").await);
    let (mut one, mut other) = (connect(&server, &scout).await, connect(&server, &ranger).await);
    one.join().await;
    other.join().await;
    let (result, _) = soon("the match", async { tokio::join!(play(&mut one, true), play(&mut other, false)) }).await;
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&one.id.clone().into(), &"completed".into()));
    let replay = shown(&server, result["match_id"].as_str().unwrap()).await;
    server.stop().await;

    let saved = site.folder().join("replay.json");
    std::fs::write(&saved, replay.to_string()).unwrap();
    let saved = saved.to_str().unwrap();
    let verified = site.succeeds(&["arena", "replay", saved]).await;
    assert!(verified.ends_with("10 turns judged again, 0 differences\n"), "{verified}");
    // Somewhere else the tasks are missing, unless the folder is named.
    let elsewhere = Site::new(Backend::Sqlite).await;
    let unknown = elsewhere.run(&["arena", "replay", saved]).await;
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(unknown.stdout.contains("NOT JUDGED: there is no task own-"), "{unknown:?}");
    assert!(unknown.stderr.contains("--tasks names another folder"), "{unknown:?}");
    let folder = site.folder().join("data/tasks");
    elsewhere.succeeds(&["arena", "replay", saved, "--tasks", folder.to_str().unwrap()]).await;
}

#[apply(either)]
async fn a_bad_file_keeps_server_and_worker_from_starting(backend: Backend) {
    let site = Site::new(backend).await;
    let folder = site.folder().join("own");
    let site = site.with("BUILDTRACK_ARENA_TASKS_DIR", folder.to_str().unwrap());
    let missing = site.launch().end().await;
    assert_eq!(missing.code, Some(78), "{missing:?}");
    assert!(missing.stderr.contains("own: No such file or directory"), "{missing:?}");
    std::fs::create_dir(&folder).unwrap();
    let mut wrong = task("own-a");
    wrong["hidden"]["accepts"] = json!(["something else"]);
    std::fs::write(folder.join("a.json"), json!({ "tasks": [wrong] }).to_string()).unwrap();
    let expected = "a.json: task own-a, at /tasks/0/hidden/accepts/0: this answer must score 1";
    let mut processes = vec![site.launch(), site.start(&["config", "check"])];
    if backend == Backend::Postgres {
        processes.push(site.work());
    }
    for process in processes {
        let refused = process.end().await;
        assert_eq!(refused.code, Some(78), "{refused:?}");
        assert!(refused.stderr.contains(expected), "{refused:?}");
    }
    std::fs::write(folder.join("a.json"), json!({ "tasks": [task("own-a")] }).to_string()).unwrap();
    let listed = site.succeeds(&["arena", "tasks", "list", "--own"]).await;
    assert_eq!(listed.lines().count(), 2, "{listed}");
    site.succeeds(&["arena", "tasks", "remove", "own-a"]).await;
    site.serve().await.stop().await;
}
