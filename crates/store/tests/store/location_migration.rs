//! Which events belong to a workspace or an agent: queries of the past agree with live selection.

use buildtrack_domain::{ids::WorkspaceId, locations::Location};
use buildtrack_store::{Interest, Store, verification};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, agent_id, archive, edit, join, leave, open, owner, post, redact, rename},
    database::{Kind, TestDatabase},
};

/// The migrations that create and fill the table.
const FILLING: [&str; 2] = [
    include_str!("../../../../migrations/sqlite/0007_places.sql"),
    include_str!("../../../../migrations/postgres/0007_places.sql"),
];

/// A workspace that one agent opened and another joined and left, next to another workspace.
async fn life(store: &Store) -> (WorkspaceId, [buildtrack_domain::actors::Actor; 2]) {
    let ada = owner(store).await;
    let (scout, ranger) = (agent(store, &ada).await, agent(store, &ada).await);
    let (track, other) = (open(store, &scout).await, open(store, &ranger).await);
    post(store, track, &scout, "before").await.unwrap();
    join(store, track, &ranger).await.unwrap();
    let gone = post(store, track, &ranger, "gone").await.unwrap();
    edit(store, track, scout.id, "Pushes", &["build"]).await.unwrap();
    leave(store, track, &ranger).await.unwrap();
    post(store, track, &scout, "after").await.unwrap();
    redact(store, track, ranger.id, gone).await.unwrap();
    rename(store, &ranger, "Ranger II").await.unwrap();
    archive(store, track, scout.id).await.unwrap();
    archive(store, other, ranger.id).await.unwrap();
    (track, [scout, ranger])
}

async fn types(store: &Store, interest: Interest, (after, until): (i64, i64), limit: i64) -> Vec<String> {
    let (mut found, mut reached) = (Vec::new(), after);
    while reached < until {
        let part = store.locations().public_part(interest, reached, until, limit).await.unwrap();
        found.extend(part.events.into_iter().map(|event| event.event.event_type));
        assert!(part.reached > reached, "each page advances");
        reached = part.reached;
    }
    found
}

#[apply(both)]
async fn events_of_a_workspace_and_an_agent_are_found_in_pages_of_any_size(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (track, [_, ranger]) = life(&store).await;
    let head = store.log().head().await.unwrap();
    let workspace = [
        "workspace.opened",
        "message.posted",
        "workspace.joined",
        "message.posted",
        "workspace.edited",
        "workspace.left",
        "message.posted",
        "message.redacted",
        "workspace.archived",
    ];
    let agent = [
        "agent.registered",
        "workspace.opened",
        "workspace.joined",
        "message.posted",
        "workspace.edited",
        "workspace.left",
        "message.redacted",
        "agent.edited",
        "workspace.archived",
    ];
    for limit in [1, 2, 3, 100] {
        assert_eq!(types(&store, Interest::Workspace(track), (0, head), limit).await, workspace, "{limit}");
        assert_eq!(types(&store, Interest::Agent(agent_id(&ranger)), (0, head), limit).await, agent, "{limit}");
        assert_eq!(types(&store, Interest::Everything, (0, head), limit).await.len(), usize::try_from(head).unwrap());
    }
    let backwards = store.locations().latest_of_workspace(track, (0, head), 2).await.unwrap();
    let backwards: Vec<_> = backwards.into_iter().map(|event| event.event.event_type).collect();
    assert_eq!(backwards, ["workspace.archived", "message.redacted"]);
}

#[apply(both)]
async fn a_redacted_event_keeps_its_locations(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (track, _) = life(&store).await;
    let part = store.locations().public_part(Interest::Workspace(track), 0, i64::MAX, 100).await.unwrap();
    for event in part.events {
        let belonging = store.locations().belonging(&event).await.unwrap();
        assert!(belonging.locations.contains(&Location::Workspace(track)), "{event:?}");
    }
}

#[apply(both)]
async fn a_migration_fills_the_table_as_live_projection_would(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    life(&store).await;
    let rows = "SELECT place || ' ' || CAST(position AS TEXT) FROM places ORDER BY place, position";
    let live = database.texts(rows).await;
    assert!(live.len() > 10, "{live:?}");
    let migration = FILLING[usize::from(kind == Kind::Postgres)];
    let filling = &migration[migration.find("INSERT").unwrap()..];
    database.execute(&format!("DELETE FROM places; {filling}")).await;
    assert_eq!(database.texts(rows).await, live);
    verification::rebuild(store.log(), |_| ()).await.unwrap();
    assert_eq!(database.texts(rows).await, live);
}
