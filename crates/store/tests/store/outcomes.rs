//! Workspaces: solutions, shipments, roles and invitations, also with concurrent decisions.

use buildtrack_domain::{
    ids::WorkspaceId,
    workspaces::{MessageError, Role, Status, WorkspaceError},
};
use buildtrack_store::Store;
use futures_util::future::join;
use rstest_reuse::apply;

use crate::{
    both,
    cast::{
        Refusal, accept, appoint, archive, decline, hand_over, invite, join as join_workspace, join_or_accept, leave,
        new_actor, open, redact, remove, reopen, ship, solve, undo, withdraw_invitation,
    },
    database::{Kind, TestDatabase},
};

async fn status(store: &Store, track: WorkspaceId) -> (Status, Option<String>) {
    let view = store.workspaces().workspace(track).await.unwrap().unwrap();
    (view.status, view.solution_id)
}

async fn roles(store: &Store, track: WorkspaceId) -> Vec<(String, Role)> {
    let members = store.workspaces().members(track, 0, 100).await.unwrap();
    members.into_iter().map(|member| (member.id.to_string(), member.role)).collect()
}

#[apply(both)]
async fn a_workspace_is_resolved_reconsidered_and_shipped(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let (first, second) = (solve(&store, track, &ada).await.unwrap(), solve(&store, track, &ada).await.unwrap());
    accept(&store, track, ada.id, first).await.unwrap();
    assert_eq!(status(&store, track).await, (Status::Resolved, Some(first.to_string())));
    assert_eq!(accept(&store, track, ada.id, second).await.unwrap().recorded.len(), 2);
    assert_eq!(status(&store, track).await, (Status::Resolved, Some(second.to_string())));
    undo(&store, track, ada.id).await.unwrap();
    assert_eq!(status(&store, track).await, (Status::Open, None));
    assert!(store.workspaces().shipment(track).await.unwrap().is_none());
    accept(&store, track, ada.id, first).await.unwrap();
    ship(&store, track, &ada, "It is out").await.unwrap();
    assert_eq!(status(&store, track).await, (Status::Shipped, Some(first.to_string())));
    let shipment = store.workspaces().shipment(track).await.unwrap().unwrap();
    assert_eq!((&*shipment.note, shipment.solution_id, shipment.shipper_id), ("It is out", first, ada.id));
    assert_eq!(
        (shipment.links.0, shipment.shipped_at),
        (vec!["https://build.example/".to_owned()], store.log().clock().now())
    );
}

#[apply(both)]
async fn redacting_the_solution_reopens_the_workspace(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    join_workspace(&store, track, &bob).await.unwrap();
    let (first, second) = (solve(&store, track, &bob).await.unwrap(), solve(&store, track, &bob).await.unwrap());
    accept(&store, track, ada.id, first).await.unwrap();
    assert_eq!(redact(&store, track, bob.id, second).await.unwrap().recorded.len(), 1);
    assert_eq!(status(&store, track).await, (Status::Resolved, Some(first.to_string())));
    // Archived in the meantime: reopening it restores the status that it would otherwise have.
    archive(&store, track, ada.id).await.unwrap();
    assert_eq!(redact(&store, track, bob.id, first).await.unwrap().recorded.len(), 2);
    assert_eq!(status(&store, track).await, (Status::Archived, None));
    reopen(&store, track, ada.id).await.unwrap();
    assert_eq!(status(&store, track).await, (Status::Open, None));
}

#[apply(both)]
async fn a_message_is_not_accepted_while_it_is_redacted(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    for round in 0..20 {
        let (first, second) = if round % 2 == 0 { (&store, &other) } else { (&other, &store) };
        let solution = solve(first, track, &ada).await.unwrap();
        let (accepted, redacted) =
            join(accept(first, track, ada.id, solution), redact(second, track, ada.id, solution)).await;
        redacted.unwrap();
        assert!(matches!(accepted, Ok(_) | Err(Refusal::Message(MessageError::Redacted))), "{accepted:?}");
        assert_eq!(status(&store, track).await, (Status::Open, None));
    }
}

#[apply(both)]
async fn of_two_concurrent_shipments_one_succeeds(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let ada = new_actor(&store);
    for _ in 0..10 {
        let track = open(&store, &ada).await;
        let solution = solve(&store, track, &ada).await.unwrap();
        accept(&store, track, ada.id, solution).await.unwrap();
        let (one, two) = join(ship(&store, track, &ada, "one"), ship(&other, track, &ada, "two")).await;
        let note = store.workspaces().shipment(track).await.unwrap().unwrap().note;
        match (one, two) {
            (Ok(_), Err(Refusal::Workspace(WorkspaceError::Shipped))) => assert_eq!(note, "one"),
            (Err(Refusal::Workspace(WorkspaceError::Shipped)), Ok(_)) => assert_eq!(note, "two"),
            both => panic!("{both:?}"),
        }
    }
}

#[apply(both)]
async fn roles_are_listed_as_assigned(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob, cyd) = (new_actor(&store), new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    join_workspace(&store, track, &bob).await.unwrap();
    join_workspace(&store, track, &cyd).await.unwrap();
    let [a, b, c] = [&ada, &bob, &cyd].map(|actor| actor.id.to_string());
    let with = |roles: [Role; 3]| [&a, &b, &c].into_iter().cloned().zip(roles).collect::<Vec<_>>();
    assert_eq!(roles(&store, track).await, with([Role::Owner, Role::Member, Role::Member]));
    appoint(&store, track, ada.id, bob.id, true).await.unwrap();
    assert_eq!(roles(&store, track).await, with([Role::Owner, Role::Maintainer, Role::Member]));
    hand_over(&store, track, ada.id, &cyd).await.unwrap();
    assert_eq!(roles(&store, track).await, with([Role::Maintainer, Role::Maintainer, Role::Owner]));
    assert_eq!(store.workspaces().workspace(track).await.unwrap().unwrap().owner_id, cyd.id);
    leave(&store, track, &bob).await.unwrap();
    join_workspace(&store, track, &bob).await.unwrap();
    assert_eq!(roles(&store, track).await.last(), Some(&(b, Role::Member)));
}

#[apply(both)]
async fn a_removed_member_returns_only_by_invitation(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    join_workspace(&store, track, &bob).await.unwrap();
    remove(&store, track, ada.id, bob.id).await.unwrap();
    assert_eq!(store.workspaces().workspace(track).await.unwrap().unwrap().member_count, 1);
    let refused = join_or_accept(&store, track, &bob).await;
    assert!(matches!(refused, Err(Refusal::Workspace(WorkspaceError::Removed))), "{refused:?}");
    invite(&store, track, &ada, &bob).await.unwrap();
    assert_eq!(join_or_accept(&store, track, &bob).await.unwrap().recorded.len(), 2);
    assert_eq!(store.workspaces().workspace(track).await.unwrap().unwrap().member_count, 2);
    assert!(store.workspaces().invitations_of(bob.id, None, 10).await.unwrap().is_empty());
}

#[apply(both)]
async fn invitations_are_listed_while_they_are_pending(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob, cyd) = (new_actor(&store), new_actor(&store), new_actor(&store));
    let (first, second) = (open(&store, &ada).await, open(&store, &ada).await);
    for track in [first, second] {
        invite(&store, track, &ada, &bob).await.unwrap();
        invite(&store, track, &ada, &cyd).await.unwrap();
    }
    assert_eq!(invite(&store, first, &ada, &bob).await.unwrap().recorded.len(), 0);
    let of_bob = store.workspaces().invitations_of(bob.id, None, 10).await.unwrap();
    let tracks: Vec<_> = of_bob.iter().map(|invitation| invitation.workspace_id).collect();
    assert_eq!(tracks, [second, first]);
    let older = store.workspaces().invitations_of(bob.id, Some(of_bob[0].position), 10).await.unwrap();
    assert_eq!(older.len(), 1);
    decline(&store, second, bob.id).await.unwrap();
    withdraw_invitation(&store, first, ada.id, bob.id).await.unwrap();
    assert!(store.workspaces().invitations_of(bob.id, None, 10).await.unwrap().is_empty());
    assert!(store.workspaces().invitation(first, bob.id).await.unwrap().is_none());
    let to_first = store.workspaces().invitations_to(first, None, 10).await.unwrap();
    assert_eq!(to_first.iter().map(|invitation| invitation.invited_id).collect::<Vec<_>>(), [cyd.id]);
    // An actor who declined can be invited again.
    assert_eq!(invite(&store, second, &ada, &bob).await.unwrap().recorded.len(), 1);
}
