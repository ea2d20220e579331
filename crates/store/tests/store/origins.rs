//! Origins: recorded with what is made, marked by the transaction that ends a consent, deleted with their things.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    identity::{Access, AccessKind},
    ids::{ConsentId, ExchangeId, SessionId, WebhookId},
    webhooks::DisabledReason,
};
use buildtrack_store::{
    ArenaChange, ConsentChange, ConsentExchange, ExchangeChange, IdentityChange, Making, NewConsent, NewOrigin,
    NewTaskPush, OriginView, PRIMARY_KEY, Scope, SideChange, Store, StoreError, WebhookChange, access, sha256_hex,
};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, agent_id, create_key, deactivate, log_in, log_in_with, owner, owner_id, rotate_key, webhook},
    database::{Kind, TestDatabase},
};

async fn session_of(store: &Store, token: &str) -> SessionId {
    store.identity().session(token, false).await.unwrap().unwrap().id
}

async fn write(store: &Store, change: impl Into<SideChange>) {
    store.log().write_side([change.into()]).await.unwrap();
}

/// A consent for an agent, with its session.
async fn consent(store: &Store, agent: &Actor, owner: &Actor) -> (ConsentId, SessionId) {
    let id = ConsentId::new(store.log().clock().uuid());
    let session_id = session_of(store, &log_in(store, agent, &Scope::ALL).await).await;
    let given = NewConsent {
        id,
        owner_id: owner_id(owner),
        agent_id: agent_id(agent),
        client_hash: sha256_hex("client"),
        client_name: "Editor".to_owned(),
        redirect_uri: "https://client.example/callback".to_owned(),
        scopes: "read write".to_owned(),
        code_hash: sha256_hex(id.to_string()),
        challenge: sha256_hex("verifier"),
        expires_at: store.log().clock().after(Duration::from_mins(1)),
    };
    write(store, IdentityChange::Consent(ConsentChange::Given(Box::new(given)))).await;
    let exchange = ConsentExchange {
        id,
        session_id,
        family_hash: sha256_hex(format!("family {id}")),
        refresh_hash: sha256_hex(format!("refresh {id}")),
        expires_at: store.log().clock().after(Duration::from_hours(30 * 24)),
    };
    write(store, IdentityChange::Consent(ConsentChange::Exchanged(Box::new(exchange)))).await;
    (id, session_id)
}

async fn record(store: &Store, access: &Access, session_id: SessionId, owner: Option<&Actor>) -> OriginView {
    let origin = NewOrigin { access: access.clone(), session_id, owner_id: owner.map(owner_id) };
    write(store, IdentityChange::Origin(Box::new(origin))).await;
    store.identity().origin(access.kind, &access.subject).await.unwrap().unwrap()
}

async fn ended(store: &Store) -> Vec<Access> {
    store.identity().ended_access(None, 10).await.unwrap().into_iter().map(|due| due.item.unwrap()).collect()
}

fn token_of(agent: &Actor) -> Access {
    Access::only(AccessKind::ArenaToken, agent_id(agent))
}

fn did_of(agent: &Actor) -> Access {
    Access::only(AccessKind::Did, agent_id(agent))
}

#[apply(both)]
async fn the_maker_is_the_consent_the_key_or_the_owner_of_the_session(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    let access = token_of(&scout);
    let maker = |origin: OriginView| (origin.making, origin.maker, origin.name, origin.ended_at);

    let of_primary = session_of(&store, &log_in(&store, &scout, &Scope::ALL).await).await;
    let origin = record(&store, &access, of_primary, None).await;
    assert_eq!((origin.made_at, &origin.access, origin.kept_at), (database.clock.now(), &access, None));
    assert_eq!(maker(origin), (Making::Key, PRIMARY_KEY.to_owned(), String::new(), None));

    let laptop = create_key(&store, &scout, &ada, "Laptop").await;
    let of_laptop = session_of(&store, &log_in_with(&store, &scout, &Scope::ALL, Some(laptop)).await).await;
    let origin = record(&store, &access, of_laptop, None).await;
    assert_eq!(maker(origin), (Making::Key, laptop.to_string(), "Laptop".to_owned(), None));

    let of_owner = session_of(&store, &log_in(&store, &ada, &Scope::ALL).await).await;
    let origin = record(&store, &access, of_owner, Some(&ada)).await;
    assert_eq!(maker(origin), (Making::Session, owner_id(&ada).to_string(), String::new(), None));

    let (consent_id, of_client) = consent(&store, &scout, &ada).await;
    let origin = record(&store, &access, of_client, None).await;
    assert_eq!(maker(origin), (Making::Grant, consent_id.to_string(), "Editor".to_owned(), None));
    assert_eq!(store.identity().origins_of(agent_id(&scout)).await.unwrap().len(), 1);
}

#[apply(both)]
async fn what_a_session_makes_after_its_end_has_fallen(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    let (consent_id, of_client) = consent(&store, &scout, &ada).await;
    write(&store, IdentityChange::SessionEnded { id: of_client }).await;
    write(&store, IdentityChange::Consent(ConsentChange::Ended { id: consent_id })).await;
    let origin = record(&store, &did_of(&scout), of_client, None).await;
    assert!(origin.ended_at.is_some());
    assert_eq!(ended(&store).await, [did_of(&scout)]);
}

#[apply(both)]
async fn a_consent_that_has_ended_is_not_exchanged(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    let (id, session_id) = consent(&store, &scout, &ada).await;
    write(&store, IdentityChange::Consent(ConsentChange::Ended { id })).await;
    let exchange = ConsentExchange {
        id,
        session_id,
        family_hash: sha256_hex("family"),
        refresh_hash: sha256_hex("refresh"),
        expires_at: store.log().clock().after(Duration::from_hours(1)),
    };
    let exchanged = IdentityChange::Consent(ConsentChange::Exchanged(Box::new(exchange)));
    let refused = store.log().write_side([exchanged]).await.unwrap_err();
    assert!(matches!(refused, StoreError::Conflict { .. }), "{refused}");
    assert!(store.identity().consent_of_session(session_id).await.unwrap().is_none());
}

#[apply(both)]
async fn a_webhook_that_fell_keeps_its_origin_and_is_due_while_it_is_on(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    let (id, change) = webhook(&store, &scout, &[]);
    write(&store, change).await;
    let access = Access { kind: AccessKind::Webhook, subject: id.to_string(), agent_id: agent_id(&scout) };
    let (consent_id, of_client) = consent(&store, &scout, &ada).await;
    let origin = record(&store, &access, of_client, None).await;
    assert_eq!((ended(&store).await, store.identity().has_fallen(&origin).await.unwrap()), (vec![], false));
    write(&store, IdentityChange::Consent(ConsentChange::Ended { id: consent_id })).await;
    let origin = store.identity().origin(access.kind, &access.subject).await.unwrap().unwrap();
    let on = store.webhooks().webhook(id).await.unwrap().unwrap();
    assert_eq!(
        (ended(&store).await, store.identity().has_fallen(&origin).await.unwrap()),
        (vec![access.clone()], true)
    );
    let off = on.clone().disabled(DisabledReason::Gone, store.log().clock().now());
    write(&store, WebhookChange::Webhook(Box::new(off))).await;
    assert_eq!(ended(&store).await, []);
    write(&store, WebhookChange::Webhook(Box::new(on))).await;
    assert_eq!(ended(&store).await, [access]);
}

#[apply(both)]
async fn every_end_of_a_consent_marks_what_was_made_under_it(#[case] kind: Kind) {
    for end in 0..7 {
        let (database, store) = TestDatabase::with_store(kind).await;
        let ada = owner(&store).await;
        let (scout, ranger) = (agent(&store, &ada).await, agent(&store, &ada).await);
        let (consent_id, of_client) = consent(&store, &scout, &ada).await;
        database.clock.advance(Duration::from_secs(1));
        let other = session_of(&store, &log_in(&store, &scout, &Scope::ALL).await).await;
        record(&store, &did_of(&scout), of_client, None).await;
        // What another agent's key made does not fall.
        let of_ranger = session_of(&store, &log_in(&store, &ranger, &Scope::ALL).await).await;
        record(&store, &did_of(&ranger), of_ranger, None).await;
        assert_eq!(ended(&store).await, []);
        let holder = scout.id.to_string();
        match end {
            0 => write(&store, IdentityChange::Consent(ConsentChange::Ended { id: consent_id })).await,
            1 => write(&store, IdentityChange::SessionEnded { id: of_client }).await,
            2 => write(&store, IdentityChange::OtherSessionsEnded { holder, but: other }).await,
            3 => write(&store, IdentityChange::OwnerSessionsEnded { owner_id: owner_id(&ada) }).await,
            4 => drop(rotate_key(&store, &scout, &ada).await.unwrap()),
            5 => drop(deactivate(&store, &scout, &ada).await.unwrap()),
            _ => {
                database.clock.advance(Duration::from_hours(30 * 24));
                store.log().prune(10, Duration::MAX).await.unwrap();
            }
        }
        assert_eq!(ended(&store).await, [did_of(&scout)], "{end}");
    }
}

#[apply(both)]
async fn twenty_consents_of_an_agent_end_the_oldest_with_what_it_made(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    let (_, of_client) = consent(&store, &scout, &ada).await;
    record(&store, &did_of(&scout), of_client, None).await;
    for _ in 0..20 {
        assert_eq!(ended(&store).await, []);
        database.clock.advance(Duration::from_secs(1));
        consent(&store, &scout, &ada).await;
    }
    assert_eq!(ended(&store).await, [did_of(&scout)]);
}

#[apply(both)]
async fn an_arena_token_ends_with_the_consent_unless_it_is_kept(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    for kept in [false, true] {
        let scout = agent(&store, &ada).await;
        let (access, hash) = (token_of(&scout), sha256_hex(scout.id.to_string()));
        write(&store, ArenaChange::Token { agent_id: agent_id(&scout), hash: hash.clone() }).await;
        let (consent_id, of_client) = consent(&store, &scout, &ada).await;
        let made_at = record(&store, &access, of_client, None).await.made_at;
        if kept {
            // What was made at another time is something else.
            let earlier = made_at - Duration::from_secs(1);
            write(&store, IdentityChange::OriginKept { access: access.clone(), made_at: earlier }).await;
            assert_eq!(store.identity().origin(access.kind, &access.subject).await.unwrap().unwrap().kept_at, None);
            write(&store, IdentityChange::OriginKept { access: access.clone(), made_at }).await;
        }
        write(&store, IdentityChange::Consent(ConsentChange::Ended { id: consent_id })).await;
        let is_there = async || store.arena().token(&hash).await.unwrap().is_some();
        let origin = async || store.identity().origin(access.kind, &access.subject).await.unwrap();
        assert_eq!((is_there().await, origin().await.is_some()), (kept, kept));
        // It falls at once when it is kept no longer; what has fallen is not kept.
        write(&store, IdentityChange::OriginReleased { access: access.clone() }).await;
        assert_eq!((is_there().await, origin().await), (false, None));
        write(&store, IdentityChange::OriginKept { access: access.clone(), made_at }).await;
        assert_eq!(origin().await, None);
    }
}

#[apply(both)]
async fn what_was_made_anew_since_does_not_end(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    let (id, change) = webhook(&store, &scout, &[]);
    write(&store, change).await;
    let access = Access { kind: AccessKind::Webhook, subject: id.to_string(), agent_id: agent_id(&scout) };
    let (consent_id, of_client) = consent(&store, &scout, &ada).await;
    record(&store, &access, of_client, None).await;
    write(&store, IdentityChange::Consent(ConsentChange::Ended { id: consent_id })).await;
    let of_owner = session_of(&store, &log_in(&store, &ada, &Scope::ALL).await).await;
    let anew = record(&store, &access, of_owner, Some(&ada)).await;
    access::end_fallen_access(&store, &access).await.unwrap();
    assert_eq!(store.identity().origin(access.kind, &access.subject).await.unwrap(), Some(anew));
}

#[apply(both)]
async fn origins_are_deleted_with_their_things(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    let session_id = session_of(&store, &log_in(&store, &scout, &Scope::ALL).await).await;
    let webhook_id = WebhookId::new(store.log().clock().uuid());
    let access = Access { kind: AccessKind::Webhook, subject: webhook_id.to_string(), agent_id: agent_id(&scout) };
    record(&store, &access, session_id, None).await;
    write(&store, WebhookChange::WebhookDeleted { id: webhook_id }).await;

    let exchange_id = ExchangeId::new(store.log().clock().uuid());
    let config = Access::push_config(exchange_id, "one", agent_id(&scout));
    record(&store, &config, session_id, None).await;
    let push = NewTaskPush {
        id: "one".to_owned(),
        requester_id: scout.id,
        session_id,
        config_sealed: "sealed".to_owned(),
        pushed_to: Some(0),
        next_at: Some(database.clock.now()),
        expires_at: store.log().clock().after(Duration::from_mins(1)),
    };
    write(&store, ExchangeChange::TaskPushSet { exchange_id, push: Box::new(push) }).await;
    assert_eq!(store.exchange().task_pushes_of(scout.id).await.unwrap().len(), 1);
    assert_eq!(store.identity().origins_of(agent_id(&scout)).await.unwrap().len(), 1);
    write(&store, ExchangeChange::TaskPushRemoved { exchange_id, id: "one".to_owned() }).await;
    assert_eq!(store.identity().origins_of(agent_id(&scout)).await.unwrap(), []);
    assert_eq!(store.exchange().task_pushes_of(scout.id).await.unwrap(), []);
}
