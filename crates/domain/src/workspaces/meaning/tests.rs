//! Tests of the meaning of events in workspaces.

use super::super::{
    InvitationAccepted, InvitationDeclined, InvitationSent, InvitationWithdrawn, MessageRedacted, Role, Status,
    WorkspaceArchived, WorkspaceEdited, WorkspaceHandedOver, WorkspaceJoined, WorkspaceLeft, WorkspaceMemberRemoved,
    WorkspaceOpened, WorkspaceReopened, WorkspaceResolved, WorkspaceRoleChanged, WorkspaceShipped, WorkspaceUnresolved,
};
use super::*;
use crate::{
    event_tests::{agent, meanings},
    ids::MessageId,
    mentions::Recipients,
};
use proptest::prelude::*;
use uuid::Uuid;

const TRACK: WorkspaceId = WorkspaceId::new(Uuid::from_u128(1));
const MESSAGE: MessageId = MessageId::new(Uuid::from_u128(2));

fn posted(kind: MessageKind, content: &str, reply_to: Option<MessageId>) -> MessagePosted {
    let (workspace_id, author, content, concerns) = (TRACK, agent(1), content.to_owned(), Recipients::default());
    MessagePosted { message_id: MESSAGE, workspace_id, author, kind, content, reply_to, concerns }
}

fn redacted(kind: MessageKind) -> MessageRedacted {
    MessageRedacted { message_id: MESSAGE, workspace_id: TRACK, author: agent(1), kind, reply_to: None }
}

fn workspace_events() -> [WorkspaceEvent; 12] {
    let (workspace_id, name, goal, tags) = (TRACK, "Web\nhooks".to_owned(), None, vec!["build".to_owned()]);
    let (description, solution_id, member_id) = (String::new(), MESSAGE, agent(3).id);
    let (solution_author_id, by) = (agent(4).id, agent(1).id);
    let (note, links) = ("It\r\nruns".to_owned(), vec![]);
    [
        WorkspaceOpened {
            workspace_id,
            name: name.clone(),
            description: description.clone(),
            goal: goal.clone(),
            owner: agent(1),
            tags: tags.clone(),
        }
        .into(),
        WorkspaceEdited { workspace_id, name: name.clone(), description, goal, tags: tags.clone() }.into(),
        WorkspaceJoined { workspace_id, workspace_name: name.clone(), member: agent(2) }.into(),
        WorkspaceLeft { workspace_id, member_id: agent(2).id }.into(),
        WorkspaceArchived { workspace_id }.into(),
        WorkspaceReopened { workspace_id, status: Status::Resolved }.into(),
        WorkspaceResolved { workspace_id, solution_id, solution_author_id, accepted_by: by }.into(),
        WorkspaceUnresolved { workspace_id, solution_id, solution_author_id }.into(),
        WorkspaceShipped { workspace_id, workspace_name: name, tags, solution_id, note, links, shipped_by: agent(2) }
            .into(),
        WorkspaceMemberRemoved { workspace_id, member_id, removed_by: by }.into(),
        WorkspaceRoleChanged { workspace_id, member_id, role: Role::Maintainer }.into(),
        WorkspaceHandedOver { workspace_id, from_id: by, owner: agent(2) }.into(),
    ]
}

#[test]
fn events_of_a_workspace_have_it_as_location() {
    assert_eq!(
        meanings(workspace_events()),
        [
            "workspace.opened @ws_1 +ag_1: Agent 1 opened “Web hooks”",
            "workspace.edited @ws_1: “Web hooks” was edited",
            "workspace.joined @ws_1 +ag_2: Agent 2 joined; pushes workspace.join to the members of ws_1 except ag_2",
            "workspace.left @ws_1 -ag_2: ag_2 left",
            "workspace.archived @ws_1: archived",
            "workspace.reopened @ws_1: reopened, and resolved again",
            "workspace.resolved @ws_1: msg_2 was accepted as the solution; adds solution msg_2 for ag_4",
            "workspace.unresolved @ws_1: msg_2 is no longer the solution; removes solution msg_2",
            concat!(
                "workspace.shipped @ws_1: Agent 2 shipped it: It runs; pushes track.shipped to the members of ws_1 ",
                "except ag_2; adds shipped ws_1 for the members of ws_1 except ag_2",
            ),
            "workspace.member_removed @ws_1 -ag_3: ag_3 was removed",
            "workspace.role_changed @ws_1: ag_3 became a maintainer",
            "workspace.handed_over @ws_1: handed over to Agent 2",
        ]
    );
}

#[test]
fn a_redaction_is_also_located_at_its_author_who_may_have_left() {
    let concerns = Recipients { mentions: vec![agent(5).id], answers: vec![agent(5).id, agent(6).id] };
    let replied = posted(MessageKind::Evidence, "Sign\r\n\tevery\u{0} push", Some(MESSAGE));
    let events: [MessageEvent; 6] = [
        posted(MessageKind::Proposal, "Hello", None).into(),
        MessagePosted { concerns, ..posted(MessageKind::Update, "Hello", None) }.into(),
        replied.into(),
        redacted(MessageKind::Proposal).into(),
        redacted(MessageKind::Update).into(),
        redacted(MessageKind::Evidence).into(),
    ];
    assert_eq!(
        meanings(events),
        [
            concat!(
                "message.posted @ws_1: Agent 1 posted a proposal: Hello; ",
                "pushes workspace.message (proposal) to the members of ws_1 except ag_1",
            ),
            concat!(
                "message.posted @ws_1: Agent 1 posted an update: Hello; ",
                "pushes workspace.message (update) to the members of ws_1 except ag_1; ",
                "adds mention msg_2 for ag_5; adds reply msg_2 for ag_6",
            ),
            concat!(
                "message.posted @ws_1: Agent 1 replied with evidence: Sign every push; ",
                "pushes workspace.message (evidence) to the members of ws_1 except ag_1",
            ),
            "message.redacted @ws_1 ag_1: Agent 1 took a proposal back; removes every item msg_2",
            "message.redacted @ws_1 ag_1: Agent 1 took an update back; removes every item msg_2",
            "message.redacted @ws_1 ag_1: Agent 1 took evidence back; removes every item msg_2",
        ]
    );
}

#[test]
fn an_invitation_is_located_at_the_invited_actor_too() {
    let (workspace_id, invited_id) = (TRACK, agent(2).id);
    let sent = InvitationSent { workspace_id, workspace_name: "Hooks".into(), invited: agent(2), invited_by: agent(1) };
    let events: [InvitationEvent; 4] = [
        sent.into(),
        InvitationAccepted { workspace_id, invited_id }.into(),
        InvitationDeclined { workspace_id, invited_id }.into(),
        InvitationWithdrawn { workspace_id, invited_id, withdrawn_by: agent(1).id }.into(),
    ];
    assert_eq!(
        meanings(events),
        [
            "invitation.sent @ws_1 ag_2: Agent 1 invited Agent 2; adds invitation ws_1 for ag_2",
            "invitation.accepted @ws_1 ag_2: invitation accepted; removes invitation ws_1 for ag_2",
            "invitation.declined @ws_1 ag_2: invitation declined; removes invitation ws_1 for ag_2",
            "invitation.withdrawn @ws_1 ag_2: invitation withdrawn; removes invitation ws_1 for ag_2",
        ]
    );
}

#[test]
fn actors_get_no_inbox_items_for_their_own_actions() {
    let (workspace_id, solution_id, by) = (TRACK, MESSAGE, agent(1).id);
    let resolved = WorkspaceResolved { workspace_id, solution_id, solution_author_id: by, accepted_by: by };
    assert_eq!(WorkspaceEvent::from(resolved).inbox(), InboxChange::Unchanged);
    let (workspace_name, invited) = ("Hooks".to_owned(), agent(1));
    let sent = InvitationSent { workspace_id, workspace_name, invited, invited_by: agent(1) };
    assert_eq!(InvitationEvent::from(sent).inbox(), InboxChange::Unchanged);
    let concerns = Recipients { mentions: vec![by], answers: vec![by] };
    let message = MessagePosted { concerns, ..posted(MessageKind::Update, "Hello", None) };
    assert_eq!(MessageEvent::from(message).inbox(), InboxChange::Unchanged);
}

#[test]
fn the_members_have_an_inbox_item_of_any_shipped_workspace_and_a_push_of_a_track() {
    let shipped = |tags: &[&str]| {
        WorkspaceEvent::from(WorkspaceShipped {
            workspace_id: TRACK,
            workspace_name: "Hooks".into(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            solution_id: MESSAGE,
            note: "It runs".into(),
            links: vec![],
            shipped_by: agent(2),
        })
    };
    for (tags, is_pushed) in [(&["tools"][..], false), (&["tools", "build"], true)] {
        let event = shipped(tags);
        assert_eq!(event.push().is_some(), is_pushed);
        assert!(matches!(event.inbox(), InboxChange::AudienceItem { audience: Audience::Members(TRACK), .. }));
    }
}

proptest! {
    #[test]
    fn the_summary_of_any_message_is_one_line(content in any::<String>()) {
        let summary = MessageEvent::from(posted(MessageKind::Proposal, &content, None)).summary().unwrap();
        prop_assert!(!summary.chars().any(char::is_control));
        prop_assert!(summary.chars().count() <= 80 + 40);
    }
}
