use std::collections::BTreeSet;

use buildtrack_domain::ids::{AgentId, DeliveryId, WebhookId};
use chrono::DateTime;
use uuid::Uuid;

use super::CONTEXTS;
use crate::{
    Expiry, SideChange,
    database::sqlite::open_in_memory,
    identity, log,
    log::context::{Phase, ReadTable},
    relay, webhooks,
};

/// Names and models that are not copies: those of a read table's own entity, which events of its stream change.
const OWN_NAMES: [(&str, &str); 5] = [
    ("owners", "display_name"),
    ("agents", "name"),
    ("agents", "model"),
    ("workspaces", "name"),
    ("documents", "name"),
];

#[tokio::test]
async fn every_column_with_the_copy_of_a_name_is_declared() {
    let (pool, _) = open_in_memory().await.unwrap();
    for ReadTable { name: table, copies, .. } in CONTEXTS.read_tables() {
        let columns: Vec<String> =
            sqlx::query_scalar("SELECT name FROM pragma_table_info($1)").bind(table).fetch_all(&pool).await.unwrap();
        assert!(copies.iter().all(|copy| columns.iter().any(|column| column == copy.id)), "{table}");
        let is_name = |column: &str| ["name", "model"].contains(&column.rsplit('_').next().unwrap_or_default());
        let named = columns.iter().map(|column| &**column).filter(|column| is_name(column));
        let copied = named.filter(|column| !OWN_NAMES.contains(&(*table, *column)));
        let declared = copies.iter().flat_map(|copy| [copy.name].into_iter().chain(copy.models.iter().copied()));
        assert_eq!(copied.collect::<BTreeSet<_>>(), declared.collect::<BTreeSet<_>>(), "{table}");
    }
}

#[test]
fn changes_that_a_caller_or_receiver_knows_of_are_not_repeated() {
    let (id, webhook_id) = (DeliveryId::new(Uuid::from_u128(1)), WebhookId::new(Uuid::from_u128(2)));
    let repeated = [
        SideChange::from(webhooks::Change::Outcomes(vec![])),
        SideChange::from(webhooks::Change::Postponed { webhook_id, until: DateTime::UNIX_EPOCH, resets: None }),
        SideChange::from(webhooks::Change::Released {
            deliveries: vec![id],
            at: DateTime::UNIX_EPOCH,
            waits_for: None,
        }),
        SideChange::from(log::Change::Consumed { consumer: "search", from: 0, to: 1 }),
    ];
    assert!(repeated.iter().all(|change| change.rule().is_repeatable));
    let known = [
        SideChange::from(webhooks::Change::Deliveries(vec![])),
        SideChange::from(log::Change::Handled { consumer: "webhooks", positions: vec![1] }),
        SideChange::from(webhooks::Change::Resent { id }),
        SideChange::from(webhooks::Change::DeliveryCancelled { id }),
        SideChange::from(webhooks::Change::DeliveriesCancelled { webhook_id }),
        SideChange::from(webhooks::Change::FailuresForgiven { webhook_id }),
        SideChange::from(log::Change::Redaction { stream: "message:1".into() }),
    ];
    assert!(!known.iter().any(|change| change.rule().is_repeatable));
}

#[test]
fn the_phases_are_listed_in_their_order() {
    let numbers: Vec<_> = Phase::ALL.iter().map(|phase| *phase as u8).collect();
    assert_eq!(numbers, (0..10).collect::<Vec<u8>>());
}

#[test]
fn each_change_is_written_in_the_phase_that_its_effects_require() {
    let webhook_id = WebhookId::new(Uuid::from_u128(2));
    let text = || "message:1".to_owned();
    let in_order = [
        SideChange::from(log::Change::SigningKey { id: text(), public: text(), secret_sealed: text() }),
        SideChange::from(webhooks::Change::Outcomes(vec![])),
        SideChange::from(webhooks::Change::Postponed { webhook_id, until: DateTime::UNIX_EPOCH, resets: None }),
        SideChange::from(webhooks::Change::DeliveriesCancelled { webhook_id }),
        SideChange::from(webhooks::Change::WebhookDeleted { id: webhook_id }),
        SideChange::from(log::Change::Redaction { stream: text() }),
        SideChange::from(log::Change::Hiding { stream: text() }),
        SideChange::from(log::Change::Erasure { remainders: vec![] }),
    ];
    let phases: Vec<_> = in_order.iter().map(|change| change.rule().phase).collect();
    assert_eq!(phases, Phase::ALL[..8]);
    assert_eq!(SideChange::from(webhooks::Change::Deliveries(vec![])).rule().phase, Phase::Deliveries);
}

#[test]
fn only_removals_of_texts_clear_the_files_below_the_database() {
    let text = || "message:1".to_owned();
    let removes = |change: SideChange| change.rule().removes_texts;
    assert!(removes(log::Change::Redaction { stream: text() }.into()));
    assert!(removes(log::Change::Erasure { remainders: vec![] }.into()));
    assert!(removes(relay::Change::EnvelopesExpired { positions: vec![] }.into()));
    // The text of a hidden stream stays on the log, so that it can be restored.
    assert!(!removes(log::Change::Hiding { stream: text() }.into()));
}

#[test]
fn changes_that_free_storage_or_protect_people_are_written_while_storage_is_low() {
    let is_essential = |change: SideChange| change.rule().is_essential;
    let holder = || "ow_1".to_owned();
    assert!(is_essential(identity::Change::SessionsEnded { holder: holder() }.into()));
    // A login records the use of its key, and must not fail for that.
    let agent_id = AgentId::new(Uuid::from_u128(1));
    assert!(is_essential(identity::Change::KeyUsed { agent_id, key_id: None }.into()));
    assert!(is_essential(webhooks::Change::Outcomes(vec![]).into()));
    assert!(is_essential(SideChange::from(Expiry { limit: 1, settled_until: DateTime::UNIX_EPOCH })));
    assert!(!is_essential(webhooks::Change::Deliveries(vec![]).into()));
    assert!(!is_essential(log::Change::Handled { consumer: "webhooks", positions: vec![] }.into()));
}
