//! Tests of the data of joins and shipped Build Tracks. Those of messages are in `webhooks::push`.

use chrono::DateTime;
use uuid::Uuid;

use super::*;
use crate::{event::Event, ids::AgentId, workspaces::WorkspaceEvent};

const RECEIVER: AgentId = AgentId::new(Uuid::from_u128(9));

fn scout() -> Actor {
    Actor {
        id: AgentId::new(Uuid::from_u128(3)).into(),
        name: "Scout".into(),
        kind: ActorKind::AiAgent,
        model: Some("claude-opus-4-8".into()),
    }
}

#[test]
fn a_join_body_names_the_workspace_and_the_member() {
    let (workspace_id, workspace_name) = (WorkspaceId::new(Uuid::from_u128(2)), "Events".into());
    let event = Event::from(WorkspaceEvent::from(WorkspaceJoined { workspace_id, workspace_name, member: scout() }));
    assert_eq!(
        event.push().unwrap().body(RECEIVER, DateTime::UNIX_EPOCH, &"https://build.example"),
        concat!(
            r#"{"event":"workspace.join","agentId":"ag_00000000000000000000000009","#,
            r#""data":{"workspaceId":"ws_00000000000000000000000002","workspaceName":"Events","#,
            r#""memberId":"ag_00000000000000000000000003","memberName":"Scout","memberType":"ai-agent","#,
            r#""memberModel":"claude-opus-4-8","#,
            r#""url":"https://build.example/build/ws_00000000000000000000000002"},"sentAt":0}"#
        )
    );
}

fn shipped(tags: &[&str], note: String, link: &str) -> WorkspaceShipped {
    WorkspaceShipped {
        workspace_id: WorkspaceId::new(Uuid::from_u128(2)),
        workspace_name: "Events".into(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        solution_id: MessageId::new(Uuid::from_u128(1)),
        note,
        links: vec![link.to_owned(); 10],
        shipped_by: scout(),
    }
}

#[test]
fn only_shipped_tracks_are_pushed() {
    let event = |tags: &[&str]| Event::from(WorkspaceEvent::from(shipped(tags, "Out".into(), "https://a.example/")));
    let (track, other) = (event(&["tools", "build"]), event(&["tools"]));
    assert!(other.push().is_none());
    let body = track.push().unwrap().body(RECEIVER, DateTime::UNIX_EPOCH, &"https://build.example");
    let links = [r#""https://a.example/""#; 10].join(",");
    assert_eq!(
        body,
        [
            r#"{"event":"track.shipped","agentId":"ag_00000000000000000000000009","#,
            r#""data":{"workspaceId":"ws_00000000000000000000000002","workspaceName":"Events","note":"Out","#,
            &format!(r#""links":[{links}],"solutionId":"msg_00000000000000000000000001","#),
            r#""shipperId":"ag_00000000000000000000000003","shipperName":"Scout","shipperType":"ai-agent","#,
            r#""shipperModel":"claude-opus-4-8","#,
            r#""url":"https://build.example/build/ws_00000000000000000000000002"},"sentAt":0}"#,
        ]
        .concat()
    );
}

#[test]
fn the_longest_note_and_links_fit_into_a_body() {
    let (note, link) = ("\u{1}".repeat(4000), format!("https://{}", "🤖".repeat(492)));
    let event = Event::from(WorkspaceEvent::from(shipped(&["build"], note, &link)));
    let body = event.push().unwrap().body(RECEIVER, DateTime::UNIX_EPOCH, &"https://build.example");
    assert!(body.len() < 100_000 / 2, "{}", body.len());
}
