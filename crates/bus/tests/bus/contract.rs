//! The contract of both bus implementations.

use std::{collections::BTreeSet, time::Duration};

use buildtrack_bus::Notice;
use rstest::rstest;

use crate::broker::{Kind, Namespace, eventually, next, nothing_arrives, now, positions, take};

#[rstest]
#[tokio::test]
async fn notices_arrive_in_order(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#");
    let bus = namespace.bus(std::slice::from_ref(&queue));
    let mut consumer = bus.consume(&queue);

    for first in [1, 101, 201] {
        bus.publish(&namespace.notices(first..first + 100)).await.unwrap();
    }

    let received = take(&mut consumer, 300).await;
    assert_eq!(positions(&received), (1..=300).collect::<Vec<_>>());
    assert_eq!(received[0].notice, namespace.notice(1, "message.posted"));
    assert_eq!(received[0].attempt, Some(1));
}

#[rstest]
#[tokio::test]
async fn notices_wait_for_their_first_consumer(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#");
    let bus = namespace.bus(std::slice::from_ref(&queue));

    bus.publish(&namespace.notices(1..=3)).await.unwrap();
    eventually(async || bus.depth(&queue).await.unwrap() == 3).await;

    assert_eq!(positions(&take(&mut bus.consume(&queue), 3).await), [1, 2, 3]);
}

#[rstest]
#[tokio::test]
async fn publishing_a_notice_without_a_bound_queue_succeeds(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "message.*");
    let bus = namespace.bus(std::slice::from_ref(&queue));

    bus.publish(&[namespace.notice(1, "agent.registered"), namespace.notice(2, "message.posted")]).await.unwrap();

    assert_eq!(positions(&next(&mut bus.consume(&queue), 10).await), [2]);
}

#[rstest]
#[tokio::test]
async fn bindings_select_the_notices_of_a_queue(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let (all, messages, posted) =
        (namespace.queue("a", "#"), namespace.queue("b", "message.*"), namespace.queue("c", "*.posted"));
    let bus = namespace.bus(&[all.clone(), messages.clone(), posted.clone()]);
    let types = ["message.posted", "message.edited", "vote.posted", "agent.registered", "message.posted.v2"];
    let notices: Vec<Notice> = (1..).zip(types).map(|(position, name)| namespace.notice(position, name)).collect();

    bus.publish(&notices).await.unwrap();

    assert_eq!(positions(&take(&mut bus.consume(&all), 5).await), [1, 2, 3, 4, 5]);
    assert_eq!(positions(&take(&mut bus.consume(&messages), 2).await), [1, 2]);
    assert_eq!(positions(&take(&mut bus.consume(&posted), 2).await), [1, 3]);
}

#[rstest]
#[tokio::test]
async fn competing_consumers_share_without_loss(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#").prefetch(20);
    let bus = namespace.bus(std::slice::from_ref(&queue));
    let (reports, mut all) = tokio::sync::mpsc::unbounded_channel();
    for name in 0..3 {
        let (mut consumer, reports) = (bus.consume(&queue), reports.clone());
        tokio::spawn(async move {
            loop {
                let received = consumer.next(5).await;
                tokio::task::yield_now().await;
                consumer.ack(&received).await;
                reports.send((name, positions(&received))).unwrap();
            }
        });
    }

    bus.publish(&namespace.notices(1..=1000)).await.unwrap();

    let (mut seen, mut busy) = (vec![], BTreeSet::new());
    while seen.len() < 1000 {
        let (name, positions) = tokio::time::timeout(Duration::from_secs(30), all.recv()).await.unwrap().unwrap();
        busy.insert(name);
        seen.extend(positions);
    }
    seen.sort_unstable();
    assert_eq!(seen, (1..=1000).collect::<Vec<_>>());
    assert!(busy.len() > 1, "one consumer received everything");
    eventually(async || bus.depth(&queue).await.unwrap() == 0).await;
}

#[rstest]
#[tokio::test]
async fn unacknowledged_notices_are_redelivered(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#");
    let bus = namespace.bus(std::slice::from_ref(&queue));
    bus.publish(&namespace.notices(1..=10)).await.unwrap();
    let mut first = bus.consume(&queue);
    let held = take(&mut first, 6).await;
    // Not contiguous: two unacknowledged notices precede the last acknowledged one.
    first.ack([&held[0], &held[1], &held[4]]).await;

    drop(first);

    let again = take(&mut bus.consume(&queue), 7).await;
    assert_eq!(positions(&again), [3, 4, 6, 7, 8, 9, 10]);
    assert_eq!(again[0].attempt, Some(2));
}

#[rstest]
#[tokio::test]
async fn acknowledged_notices_are_not_redelivered(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#");
    let bus = namespace.bus(std::slice::from_ref(&queue));
    bus.publish(&namespace.notices(1..=10)).await.unwrap();
    let mut first = bus.consume(&queue);
    let held = take(&mut first, 10).await;
    first.ack(&held[5..]).await;
    first.ack(&held[..5]).await;
    // A repeated acknowledgement has no effect.
    first.ack(&held).await;

    drop(first);

    assert!(nothing_arrives(&mut bus.consume(&queue)).await);
    assert_eq!(bus.depth(&queue).await.unwrap(), 0);
}

#[rstest]
#[tokio::test]
async fn an_acknowledgement_by_another_consumer_has_no_effect(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#").prefetch(1);
    let bus = namespace.bus(std::slice::from_ref(&queue));
    bus.publish(&namespace.notices(1..=2)).await.unwrap();
    let (mut first, mut second) = (bus.consume(&queue), bus.consume(&queue));
    let (held_by_first, held_by_second) = (next(&mut first, 1).await, next(&mut second, 1).await);

    second.ack(&held_by_first).await;
    second.ack(&held_by_second).await;
    drop(first);

    assert_eq!(positions(&next(&mut second, 1).await), positions(&held_by_first));
}

#[rstest]
#[tokio::test]
async fn the_prefetch_limits_unacknowledged_notices(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#").prefetch(5);
    let bus = namespace.bus(std::slice::from_ref(&queue));
    bus.publish(&namespace.notices(1..=20)).await.unwrap();
    let mut consumer = bus.consume(&queue);

    let held = take(&mut consumer, 5).await;
    assert!(nothing_arrives(&mut consumer).await);
    assert_eq!(bus.depth(&queue).await.unwrap(), 15);

    consumer.ack(&held[..2]).await;
    assert_eq!(positions(&take(&mut consumer, 2).await), [6, 7]);
    assert!(nothing_arrives(&mut consumer).await);
}

#[rstest]
#[tokio::test]
async fn a_single_active_queue_has_one_consumer_at_a_time(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#").prefetch(5).single_active();
    let bus = namespace.bus(std::slice::from_ref(&queue));
    let mut first = bus.consume(&queue);
    bus.publish(&namespace.notices(1..=10)).await.unwrap();
    let held = take(&mut first, 5).await;
    first.ack(&held[..3]).await;

    let mut second = bus.consume(&queue);
    assert!(nothing_arrives(&mut second).await);
    drop(first);

    // The second consumer continues in order, including notices that the first had prefetched.
    assert_eq!(positions(&take(&mut second, 5).await), [4, 5, 6, 7, 8]);
}

#[rstest]
#[tokio::test]
async fn rejected_notices_can_be_listed_and_replayed(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#");
    let bus = namespace.bus(std::slice::from_ref(&queue));
    bus.publish(&namespace.notices(1..=5)).await.unwrap();
    let mut consumer = bus.consume(&queue);
    let held = take(&mut consumer, 5).await;
    for poison in &held[1..4] {
        consumer.reject(poison, "no such member", now()).await;
    }
    consumer.ack([&held[0], &held[4]]).await;

    eventually(async || bus.dead_letter_count(&queue).await.unwrap() == 3).await;
    for _ in 0..3 {
        let dead_letters = bus.dead_letters(&queue, 10).await.unwrap();
        assert_eq!(dead_letters.iter().map(|dead_letter| dead_letter.position).collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(dead_letters[0].event_type, namespace.event_type("message.posted"));
        assert_eq!(dead_letters[0].reason, "no such member");
        assert_eq!(dead_letters[0].died_at, Some(now()));
    }
    assert_eq!(bus.dead_letters(&queue, 2).await.unwrap().len(), 2);
    assert!(nothing_arrives(&mut consumer).await);

    assert_eq!(bus.replay_dead_letters(&queue, 2).await.unwrap(), 2);
    let again = take(&mut consumer, 2).await;
    assert_eq!(positions(&again), [2, 3]);
    assert_eq!(again[0].notice, held[1].notice);
    assert_eq!(bus.dead_letter_count(&queue).await.unwrap(), 1);
    consumer.ack(&again).await;

    assert_eq!(bus.replay_dead_letters(&queue, 100).await.unwrap(), 1);
    assert_eq!(positions(&take(&mut consumer, 1).await), [4]);
    assert_eq!(bus.replay_dead_letters(&queue, 100).await.unwrap(), 0);
}

#[rstest]
#[tokio::test]
async fn a_replay_ends_even_if_every_notice_is_rejected_again(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#");
    let bus = namespace.bus(std::slice::from_ref(&queue));
    bus.publish(&namespace.notices(1..=20)).await.unwrap();
    let mut consumer = bus.consume(&queue);
    tokio::spawn(async move {
        loop {
            for poison in consumer.next(10).await {
                consumer.reject(&poison, "poison", now()).await;
            }
        }
    });
    eventually(async || bus.dead_letter_count(&queue).await.unwrap() == 20).await;

    assert_eq!(bus.replay_dead_letters(&queue, 1000).await.unwrap(), 20);

    eventually(async || bus.dead_letter_count(&queue).await.unwrap() == 20).await;
}

#[rstest]
#[tokio::test]
async fn a_notice_that_crashes_its_consumers_becomes_a_dead_letter(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#").prefetch(1);
    let bus = namespace.bus(std::slice::from_ref(&queue));
    bus.publish(&namespace.notices(1..=2)).await.unwrap();

    for attempt in 1..=21 {
        let received = next(&mut bus.consume(&queue), 1).await;
        assert_eq!((received[0].notice.position, received[0].attempt), (1, Some(attempt)));
    }

    assert_eq!(positions(&next(&mut bus.consume(&queue), 1).await), [2]);
    eventually(async || bus.dead_letter_count(&queue).await.unwrap() == 1).await;
    let dead_letters = bus.dead_letters(&queue, 10).await.unwrap();
    assert_eq!((dead_letters[0].position, dead_letters[0].reason.as_str()), (1, "delivery_limit"));
    assert_eq!(bus.replay_dead_letters(&queue, 10).await.unwrap(), 1);
    eventually(async || bus.dead_letter_count(&queue).await.unwrap() == 0).await;
}

#[rstest]
#[tokio::test]
async fn ten_thousand_notices_arrive_in_order(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#").prefetch(500);
    let bus = namespace.bus(std::slice::from_ref(&queue));
    let notices = namespace.notices(1..=10_000);
    let mut consumer = bus.consume(&queue);
    let consuming = tokio::spawn(async move {
        let mut seen = vec![];
        while seen.len() < 10_000 {
            let received = next(&mut consumer, 500).await;
            consumer.ack(&received).await;
            seen.extend(positions(&received));
        }
        seen
    });

    bus.publish(&notices).await.unwrap();

    assert_eq!(consuming.await.unwrap(), (1..=10_000).collect::<Vec<_>>());
}

#[tokio::test]
async fn publishing_in_process_waits_for_capacity() {
    let mut namespace = Namespace::new(Kind::Local);
    let queue = namespace.queue("q", "#");
    let bus = namespace.bus(std::slice::from_ref(&queue));
    let notices = namespace.notices(1..=25_000);
    let publishing = tokio::spawn({
        let bus = bus.clone();
        async move { bus.publish(&notices).await }
    });

    eventually(async || bus.depth(&queue).await.unwrap() == 10_000).await;
    assert!(!publishing.is_finished());

    let (mut consumer, mut seen) = (bus.consume(&queue), vec![]);
    while seen.len() < 25_000 {
        let received = next(&mut consumer, 300).await;
        consumer.ack(&received).await;
        seen.extend(positions(&received));
    }
    assert_eq!(seen, (1..=25_000).collect::<Vec<_>>());
    publishing.await.unwrap().unwrap();
}

#[rstest]
#[tokio::test]
async fn cancelled_waits_lose_no_notice(#[values(Kind::Local, Kind::RabbitMq)] kind: Kind) {
    let mut namespace = Namespace::new(kind);
    let queue = namespace.queue("q", "#");
    let bus = namespace.bus(std::slice::from_ref(&queue));
    let mut consumer = bus.consume(&queue);
    let notices = namespace.notices(1..=200);
    let publishing = tokio::spawn(async move {
        for notice in notices {
            bus.publish(&[notice]).await.unwrap();
        }
    });

    let mut seen = vec![];
    while seen.len() < 200 {
        let received = tokio::time::timeout(Duration::from_micros(200), consumer.next(3)).await.unwrap_or_default();
        consumer.ack(&received).await;
        seen.extend(positions(&received));
    }
    assert_eq!(seen, (1..=200).collect::<Vec<_>>());
    publishing.await.unwrap();
}
