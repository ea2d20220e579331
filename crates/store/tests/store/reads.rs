//! Every list and look-up, with every filter, on both databases.

use std::time::Duration;

use buildtrack_domain::{
    actors::{Actor, ActorId},
    ids::WorkspaceId,
    limits::Tier,
    webhooks::{DisabledReason, PushType},
    workspaces::{MessageKind, Status},
};
use buildtrack_store::{
    AgentFilter, IdentityChange, MessageFilter, Purpose, Sort, Store, WebhookChange, WorkspaceFilter, sha256_hex,
};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{
        NewMessage, agent, agent_id, all_messages, archive, deactivate, edit, join, leave, new_actor, open, owner,
        owner_id, post, post_message, rename, sign_up, webhook,
    },
    database::{Kind, TestDatabase, noon},
};

async fn found(store: &Store, filter: WorkspaceFilter) -> Vec<WorkspaceId> {
    let filter = WorkspaceFilter { limit: if filter.limit == 0 { 50 } else { filter.limit }, ..filter };
    store.workspaces().list(&filter).await.unwrap().rows.into_iter().map(|workspace| workspace.id).collect()
}

/// Three workspaces of Ada's: the first archived, the second edited and joined by Bob, the third left alone.
async fn tracks(store: &Store) -> ([WorkspaceId; 3], Actor, Actor) {
    let (ada, bob) = (new_actor(store), new_actor(store));
    let tracks = [open(store, &ada).await, open(store, &ada).await, open(store, &ada).await];
    edit(store, tracks[1], ada.id, "100 % \\ Näher_dran", &["λ"]).await.unwrap();
    join(store, tracks[1], &bob).await.unwrap();
    join(store, tracks[2], &bob).await.unwrap();
    leave(store, tracks[2], &bob).await.unwrap();
    archive(store, tracks[0], ada.id).await.unwrap();
    (tracks, ada, bob)
}

#[apply(both)]
async fn workspaces_are_filtered_by_tag_status_owner_and_member(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ([first, second, third], ada, bob) = tracks(&store).await;
    let all = WorkspaceFilter::default;
    assert_eq!(found(&store, all()).await, [third, second, first]);
    assert_eq!(found(&store, WorkspaceFilter { tag: Some("build".into()), ..all() }).await, [third, first]);
    assert_eq!(found(&store, WorkspaceFilter { tag: Some("λ".into()), ..all() }).await, [second]);
    assert_eq!(found(&store, WorkspaceFilter { status: Some(Status::Archived), ..all() }).await, [first]);
    assert_eq!(found(&store, WorkspaceFilter { owner: Some(ada.id), ..all() }).await, [third, second, first]);
    assert_eq!(found(&store, WorkspaceFilter { owner: Some(bob.id), ..all() }).await, []);
    assert_eq!(found(&store, WorkspaceFilter { member: Some(bob.id), ..all() }).await, [second]);
}

#[apply(both)]
async fn text_filters_ignore_case_and_match_wildcards_literally(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ([_, second, _], ..) = tracks(&store).await;
    for text in ["100 %", "% \\ n", "NÄHER_", "to 100", "Λ"] {
        let filter = WorkspaceFilter { text: Some(text.into()), ..WorkspaceFilter::default() };
        assert_eq!(found(&store, filter).await, [second], "{text}");
    }
    for text in ["100_%", "näher-dran"] {
        let filter = WorkspaceFilter { text: Some(text.into()), ..WorkspaceFilter::default() };
        assert_eq!(found(&store, filter).await, [], "{text}");
    }
}

#[apply(both)]
async fn workspaces_are_paginated_in_every_order(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ([first, second, third], ..) = tracks(&store).await;
    for (sort, order) in [
        (Sort::Newest, [third, second, first]),
        (Sort::Oldest, [first, second, third]),
        (Sort::Active, [first, third, second]),
    ] {
        let page = |from| WorkspaceFilter { sort, from, limit: 2, ..WorkspaceFilter::default() };
        assert_eq!(found(&store, page(None)).await, order[..2], "{sort:?}");
        let last = store.workspaces().workspace(order[1]).await.unwrap().unwrap();
        let from = if sort == Sort::Active { last.active_position } else { last.position };
        assert_eq!(found(&store, page(Some(from))).await, order[2..], "{sort:?}");
    }
}

#[apply(both)]
async fn a_workspace_shows_its_current_state(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ([_, second, _], ada, bob) = tracks(&store).await;
    database.clock.advance(Duration::from_secs(1));
    post(&store, second, &bob, "…").await.unwrap();
    let workspace = store.workspaces().workspace(second).await.unwrap().unwrap();
    assert_eq!((workspace.name.as_str(), workspace.tags.0), ("100 % \\ Näher_dran", vec!["λ".to_owned()]));
    assert_eq!((workspace.owner_id, workspace.owner_name, workspace.status), (ada.id, ada.name, Status::Open));
    assert_eq!((workspace.member_count, workspace.message_count, workspace.version), (2, 1, 3));
    assert_eq!((workspace.position, workspace.active_position), (2, 9));
    assert_eq!((workspace.created_at, workspace.updated_at), (noon(), store.log().clock().now()));
    assert!(store.workspaces().workspace(WorkspaceId::new(store.log().clock().uuid())).await.unwrap().is_none());
}

#[apply(both)]
async fn members_are_listed_in_the_order_they_joined(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ([_, second, third], ada, bob) = tracks(&store).await;
    let members = store.workspaces().members(second, 0, 10).await.unwrap();
    assert_eq!(members.iter().map(|member| member.id).collect::<Vec<_>>(), [ada.id, bob.id]);
    assert_eq!((&members[1].name, &members[1].model, members[1].joined_at), (&bob.name, &bob.model, noon()));
    let rest = store.workspaces().members(second, members[0].joined_position, 10).await.unwrap();
    assert_eq!(rest.iter().map(|member| member.id).collect::<Vec<_>>(), [bob.id]);
    assert_eq!(store.workspaces().members(third, 0, 10).await.unwrap().len(), 1);
}

#[apply(both)]
async fn messages_are_filtered_by_kind_author_and_position(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ([_, second, third], ada, bob) = tracks(&store).await;
    let first = post(&store, second, &ada, "one").await.unwrap();
    let new_message = NewMessage { author: &bob, content: "two", reply_to: Some(first), ticket: None };
    let reply = post_message(&store, second, new_message).await.unwrap().value;
    let last = post(&store, second, &ada, "three").await.unwrap();
    post(&store, third, &ada, "elsewhere").await.unwrap();
    let all = || all_messages(second);
    let found = async |filter: MessageFilter| -> Vec<_> {
        store.workspaces().messages(&filter).await.unwrap().rows.into_iter().map(|message| message.id).collect()
    };
    assert_eq!(found(all()).await, [first, reply, last]);
    assert_eq!(found(MessageFilter { descending: true, limit: 2, ..all() }).await, [last, reply]);
    assert_eq!(found(MessageFilter { kind: Some(MessageKind::Proposal), ..all() }).await, [first, reply, last]);
    assert_eq!(found(MessageFilter { kind: Some(MessageKind::Question), ..all() }).await, []);
    assert_eq!(found(MessageFilter { author: Some(bob.id), ..all() }).await, [reply]);
    let message = store.workspaces().message(second, reply).await.unwrap().unwrap();
    assert_eq!((message.author_id, message.author_model.as_ref()), (bob.id, bob.model.as_ref()));
    assert_eq!((message.reply_to, message.upvotes, message.redacted), (Some(first.to_string()), 0, false));
    assert_eq!(found(MessageFilter { after: Some(message.position), ..all() }).await, [last]);
    assert_eq!(found(MessageFilter { before: Some(message.position), ..all() }).await, [first]);
    assert!(store.workspaces().message(third, reply).await.unwrap().is_none());
}

#[apply(both)]
async fn agents_are_filtered_by_owner_and_text(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (owner(&store).await, owner(&store).await);
    let (scout, ranger, gone) = (agent(&store, &ada).await, agent(&store, &bob).await, agent(&store, &bob).await);
    rename(&store, &ranger, "Ränger_1").await.unwrap();
    deactivate(&store, &gone, &bob).await.unwrap();
    let found = async |filter: AgentFilter| -> Vec<ActorId> {
        let filter = AgentFilter { limit: 10, ..filter };
        store.identity().agents(&filter).await.unwrap().rows.into_iter().map(|agent| agent.id.into()).collect()
    };
    let all = AgentFilter::default;
    assert_eq!(found(all()).await, [ranger.id, scout.id]);
    assert_eq!(found(AgentFilter { inactive: true, ..all() }).await, [gone.id, ranger.id, scout.id]);
    assert_eq!(found(AgentFilter { owner: Some(owner_id(&ada)), ..all() }).await, [scout.id]);
    assert_eq!(found(AgentFilter { text: Some("RÄNGER_".into()), ..all() }).await, [ranger.id]);
    assert_eq!(found(AgentFilter { text: Some("R_nger".into()), ..all() }).await, []);
    let view = store.identity().agent(agent_id(&ranger)).await.unwrap().unwrap();
    assert_eq!((view.name.as_str(), view.description.as_deref()), ("Ränger_1", Some("I am Ränger_1.")));
    assert_eq!((view.tier, view.active, view.version), (Tier::Free, true, 2));
    assert_eq!(view.capabilities.0, ["search"]);
    assert_eq!(found(AgentFilter { before: Some(view.position), ..all() }).await, [scout.id]);
}

#[apply(both)]
async fn accounts_and_keys_are_found_by_their_hashes(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = sign_up(&store, "ada@example.org").await.unwrap();
    let scout = agent(&store, &ada).await;
    let email_hash = store.log().secret().keyed_hash("ada@example.org");
    assert_eq!(store.identity().account(&email_hash).await.unwrap().unwrap().0, owner_id(&ada));
    store
        .log()
        .write_side(vec![IdentityChange::Password { owner_id: owner_id(&ada), password_hash: "$argon2id$new".into() }])
        .await
        .unwrap();
    assert_eq!(store.identity().account(&email_hash).await.unwrap().unwrap().1, "$argon2id$new");
    assert!(store.identity().account("unknown").await.unwrap().is_none());
    assert_eq!(store.identity().owner(owner_id(&ada)).await.unwrap().unwrap().display_name, "Ada");
    let key_hash = sha256_hex(scout.id.to_string());
    assert_eq!(store.identity().credential(&key_hash).await.unwrap().unwrap().agent_id, agent_id(&scout));
    deactivate(&store, &scout, &ada).await.unwrap();
    assert_eq!(store.identity().credential(&key_hash).await.unwrap(), None);
    assert_eq!(database.tables_with("ada@example.org").await, <[&str; 0]>::default());
}

#[apply(both)]
async fn an_endpoint_is_written_and_changed(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let scout = new_actor(&store);
    let (id, registered) = webhook(&store, &scout, &PushType::ALL);
    store.log().write_side(vec![registered]).await.unwrap();
    let mut changed = store.webhooks().webhook(id).await.unwrap().unwrap();
    assert_eq!(store.log().secret().open(Purpose::WebhookSecret, &changed.secret_sealed).unwrap(), "whsec_1");
    let now = store.log().clock().now();
    (changed.url, changed.events) = (None, vec![]);
    (changed.description, changed.ordered, changed.batch) = (Some("at home".into()), true, 20);
    changed.filter = serde_json::from_str(r#"{"fields":{"kind":["proposal"]}}"#).unwrap();
    (changed.disabled_reason, changed.disabled_at) = (Some(DisabledReason::Gone), Some(now));
    (changed.next_secret_sealed, changed.overlap_ends_at) = (Some("sealed".into()), Some(now));
    store.log().write_side(vec![WebhookChange::Webhook(Box::new(changed.clone()))]).await.unwrap();
    assert_eq!(store.webhooks().webhook_of(agent_id(&scout)).await.unwrap().as_ref(), Some(&changed));
    assert_eq!(store.webhooks().webhooks_of(agent_id(&scout)).await.unwrap(), [changed]);
}
