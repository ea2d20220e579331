use std::collections::HashSet;

use buildtrack_domain::webhooks::PushType;
use buildtrack_store::{NewDelivery, Verdict, clock::Clock};
use tokio::time::Duration;

use super::{attempts::AGENT, lane::LANE, *};
use crate::webhooks::breaker::Shared;

const NEEDED: Duration = Duration::from_secs(20);
const WAIT: Duration = Duration::from_secs(30);

fn webhook() -> WebhookId {
    WebhookId::new(Clock::System.uuid())
}

fn delivery(webhook_id: WebhookId, position: i64) -> Delivery {
    // A separate agent for each endpoint.
    let agent_id = webhook_id.to_string().replace("wh_", "ag_").parse().unwrap();
    let id = DeliveryId::new(Clock::System.uuid());
    let new = NewDelivery {
        id,
        webhook_id,
        agent_id,
        position,
        push_type: PushType::WorkspaceJoin,
        next_at: Clock::System.now(),
    };
    new.into()
}

fn leased(delivery: Delivery, now: Instant) -> Leased {
    Leased { delivery, until: now + NEEDED * 2, shared: None }
}

fn admit(lanes: &mut Lanes, webhook: WebhookId, positions: std::ops::RangeInclusive<i64>, now: Instant) {
    for position in positions {
        assert_eq!(lanes.admit(leased(delivery(webhook, position), now), now), Admission::Queued);
    }
}

fn learn(lanes: &mut Lanes, policy: DeliveryPolicy, now: Instant) {
    while let Some(delivery) = lanes.next_unknown() {
        lanes.learn(delivery.webhook_id, Some(policy), now);
    }
}

fn lanes(waiting: &[(WebhookId, i64)], policy: DeliveryPolicy, now: Instant) -> Lanes {
    let mut lanes = Lanes::default();
    for (webhook, count) in waiting {
        admit(&mut lanes, *webhook, 1..=*count, now);
    }
    learn(&mut lanes, policy, now);
    lanes
}

fn all(lanes: &mut Lanes, now: Instant) -> Vec<Vec<Delivery>> {
    std::iter::from_fn(|| lanes.next(now, NEEDED)).collect()
}

/// Ends an attempt.
fn end(lanes: &mut Lanes, load: &[Delivery], verdict: Verdict, now: Instant) -> Option<Duration> {
    let running = RunningAttempt::of(load).unwrap();
    lanes.finish(&running, (vec![], &[]), None, now);
    if verdict != Verdict::Silent {
        lanes.measure(&running, 0, now);
    }
    lanes.judge(running.webhook_id, (verdict, None), now, WAIT).map(|(wait, _)| wait)
}

#[test]
fn endpoints_are_served_round_robin_and_an_unattempted_one_has_two_permits() {
    let (now, busy, calm) = (Instant::now(), webhook(), webhook());
    let mut lanes = lanes(&[(busy, 100), (calm, 1)], DeliveryPolicy::PLAIN, now);
    let turns: Vec<_> = all(&mut lanes, now).iter().map(|load| load[0].webhook_id).collect();
    assert_eq!(turns, [busy, calm, busy]);
}

#[test]
fn nothing_is_sent_before_the_delivery_policy_is_read() {
    let (now, webhook) = (Instant::now(), webhook());
    let mut lanes = Lanes::default();
    admit(&mut lanes, webhook, 1..=2, now);
    assert!(all(&mut lanes, now).is_empty());
    assert!(lanes.next_unknown().is_some());
    assert!(lanes.next_unknown().is_none());
    // The policy cannot be read: waiting deliveries are dropped, with the end of their leases.
    let dropped = lanes.learn(webhook, None, now);
    assert_eq!(dropped.iter().map(|(_, until)| *until).collect::<Vec<_>>(), [now + NEEDED * 2; 2]);
    assert!(all(&mut lanes, now).is_empty());
    assert_eq!(lanes.capacity(), CAPACITY);
    admit(&mut lanes, webhook, 3..=3, now);
    learn(&mut lanes, DeliveryPolicy::PLAIN, now);
    assert_eq!(all(&mut lanes, now).len(), 1);
}

#[test]
fn a_working_endpoint_has_eight_permits_and_a_failing_one_has_one() {
    let (now, webhook) = (Instant::now(), webhook());
    let mut lanes = lanes(&[(webhook, 100)], DeliveryPolicy::PLAIN, now);
    let load = all(&mut lanes, now).remove(0);
    end(&mut lanes, &load, Verdict::Works, now);
    let mut under_way = all(&mut lanes, now);
    assert_eq!(under_way.len(), 7);
    let failed = under_way.remove(0);
    end(&mut lanes, &failed, Verdict::Fails, now);
    assert!(all(&mut lanes, now).is_empty());
    for load in &under_way {
        end(&mut lanes, load, Verdict::Silent, now);
    }
    // One of the first two attempts is still running.
    assert!(all(&mut lanes, now).is_empty());
}

#[test]
fn every_delivery_is_attempted_once_and_no_state_remains() {
    let (now, busy) = (Instant::now(), webhook());
    let mut lanes = lanes(&[(busy, 1000)], DeliveryPolicy::PLAIN, now);
    let mut under_way: VecDeque<_> = all(&mut lanes, now).into();
    let mut made = HashSet::new();
    while let Some(load) = under_way.pop_front() {
        made.extend(load.iter().map(|delivery| delivery.id));
        end(&mut lanes, &load, Verdict::Works, now);
        under_way.extend(all(&mut lanes, now));
    }
    assert_eq!((made.len(), lanes.capacity(), lanes.under_way()), (1000, CAPACITY, 0));
    assert!(lanes.agents.is_empty() && lanes.ready.is_empty());
}

#[test]
fn a_delivery_in_its_lane_is_not_added_twice() {
    let (now, webhook) = (Instant::now(), webhook());
    let mut lanes = Lanes::default();
    let delivery = delivery(webhook, 1);
    lanes.admit(Leased { delivery: delivery.clone(), until: now, shared: None }, now);
    // Its lease expired, and this process claimed it again.
    lanes.admit(leased(delivery.clone(), now), now);
    learn(&mut lanes, DeliveryPolicy::PLAIN, now);
    assert_eq!(all(&mut lanes, now).len(), 1);
    lanes.admit(leased(delivery, now), now);
    assert!(all(&mut lanes, now).is_empty());
}

#[test]
fn deliveries_whose_lease_ends_too_soon_are_dropped() {
    let (now, slow, other) = (Instant::now(), webhook(), webhook());
    let mut lanes = lanes(&[(slow, 3)], DeliveryPolicy::PLAIN, now);
    let later = now + NEEDED;
    admit(&mut lanes, other, 1..=1, later);
    learn(&mut lanes, DeliveryPolicy::PLAIN, later);
    let turns: Vec<_> = all(&mut lanes, later).iter().map(|load| load[0].webhook_id).collect();
    assert_eq!((turns, lanes.capacity()), (vec![other], CAPACITY - 1));
    assert_eq!((lanes.take_dropped().len(), lanes.take_dropped().len()), (3, 0));
    // They are due in the database, and newer ones wait behind them.
    assert_eq!(lanes.behind().collect::<Vec<_>>(), [slow]);
}

#[test]
fn a_lane_has_a_limited_capacity() {
    let (now, busy, calm) = (Instant::now(), webhook(), webhook());
    let mut lanes = lanes(&[(busy, i64::try_from(LANE).unwrap())], DeliveryPolicy::PLAIN, now);
    assert_eq!(lanes.admit(leased(delivery(busy, 0), now), now), Admission::Full);
    assert_eq!(
        (lanes.limits(512, now).endpoints, lanes.behind().collect::<Vec<_>>()),
        ([(busy, 0)].into(), vec![busy])
    );
    assert_eq!(lanes.admit(leased(delivery(calm, 0), now), now), Admission::Queued);
    // A failing endpoint has a smaller lane.
    let load = lanes.next(now, NEEDED).unwrap();
    end(&mut lanes, &load, Verdict::Fails, now);
    assert_eq!(lanes.limits(512, now).endpoints[&busy], 0);
}

#[test]
fn as_many_deliveries_are_claimed_as_the_endpoint_takes_in_two_seconds() {
    let (mut now, fast, slow) = (Instant::now(), webhook(), webhook());
    let wanted = |lanes: &Lanes, webhook| lanes.limits(512, Instant::now()).of(webhook);
    let mut lanes = lanes(&[(fast, 100), (slow, 100)], DeliveryPolicy::PLAIN, now);
    let mut ends: Vec<(Instant, Vec<Delivery>)> = Vec::new();
    let start = now;
    for _ in 0..200 {
        let latency = |webhook| Duration::from_millis(if webhook == fast { 20 } else { 400 });
        ends.extend(all(&mut lanes, now).into_iter().map(|load| (now + latency(load[0].webhook_id), load)));
        now += Duration::from_millis(10);
        for (_, load) in ends.extract_if(.., |(at, _)| *at <= now).collect::<Vec<_>>() {
            end(&mut lanes, &load, Verdict::Works, now);
        }
    }
    // The fast one is done. The slow one takes 20 a second: eight at a time, after the first two.
    assert_eq!((now - start, wanted(&lanes, fast)), (Duration::from_secs(2), 512));
    let waiting = lanes.endpoints[&slow].waiting.len();
    assert!((40..80).contains(&waiting) && wanted(&lanes, slow) == 0, "{waiting}");
    lanes.endpoints.get_mut(&slow).unwrap().waiting.clear();
    assert!((20..60).contains(&wanted(&lanes, slow)), "{}", wanted(&lanes, slow));
}

#[test]
fn an_attempt_that_calls_nobody_is_not_measured() {
    let (now, webhook) = (Instant::now(), webhook());
    let mut lanes = lanes(&[(webhook, 1)], DeliveryPolicy::PLAIN, now);
    let load = all(&mut lanes, now).remove(0);
    let running = RunningAttempt::of(&load).unwrap();
    lanes.finish(&running, (load, &[]), None, now + NEEDED);
    lanes.measure(&running, 1, now + NEEDED);
    lanes.drop_all_waiting();
    assert_eq!(lanes.limits(512, now).of(webhook), 64);
}

#[test]
fn a_lane_waits_for_the_budget_of_its_target_and_then_asks_for_less() {
    let (now, webhook) = (Instant::now(), webhook());
    let policy = DeliveryPolicy { verified: true, ..DeliveryPolicy::PLAIN };
    let mut lanes = lanes(&[(webhook, 20)], policy, now);
    for load in all(&mut lanes, now) {
        end(&mut lanes, &load, Verdict::Works, now);
    }
    let loads = all(&mut lanes, now);
    assert_eq!(loads.len(), 8);
    let later = now + Duration::from_secs(1);
    for load in loads {
        assert_eq!(lanes.narrow(webhook, None), []);
        lanes.finish(&RunningAttempt::of(&load).unwrap(), (load, &[]), Some(later), now);
    }
    assert_eq!((all(&mut lanes, now).len(), lanes.wakes_at()), (0, Some(later)));
    // They keep their leases and their order. One attempt runs at a time, and two after four more.
    let (mut sent, mut running) = (Vec::new(), Vec::new());
    for load in std::iter::from_fn(|| lanes.next(later, NEEDED)).collect::<Vec<_>>() {
        let mut loads = VecDeque::from([load]);
        while let Some(load) = loads.pop_front() {
            running.push(loads.len() + 1);
            sent.push(load[0].position);
            end(&mut lanes, &load, Verdict::Works, later);
            loads.extend(all(&mut lanes, later));
        }
    }
    assert!(sent.is_sorted() && sent.len() == 18, "{sent:?}");
    assert_eq!(running[..6], [1, 1, 1, 1, 2, 2]);
}

#[test]
fn a_lane_whose_target_has_reached_its_limits_keeps_few_deliveries_or_none() {
    let (now, webhook) = (Instant::now(), webhook());
    let policy = DeliveryPolicy { verified: true, ..DeliveryPolicy::PLAIN };
    let mut lanes = lanes(&[(webhook, 1000)], policy, now);
    let load = lanes.next(now, NEEDED).unwrap();
    let dropped = lanes.narrow(webhook, None);
    assert_eq!((dropped.len(), lanes.behind().collect::<Vec<_>>()), (995, vec![webhook]));
    lanes.finish(&RunningAttempt::of(&load).unwrap(), (load, &[]), Some(now + NEEDED), now);
    assert_eq!(lanes.capacity(), CAPACITY - 5);
    // After a long wait it takes deliveries again.
    let until = now + Duration::from_secs(10);
    assert_eq!((lanes.narrow(webhook, Some(until)).len(), lanes.capacity()), (5, CAPACITY));
    lanes.learn_nothing_due(now);
    assert_eq!((lanes.limits(512, now).of(webhook), lanes.behind().count()), (0, 1));
    assert_eq!(lanes.admit(leased(delivery(webhook, 1), now), now), Admission::Full);
    lanes.learn_nothing_due(until);
    assert_eq!((lanes.limits(512, until).of(webhook), lanes.behind().count()), (2, 0));
    assert_eq!(lanes.admit(leased(delivery(webhook, 1), now), until), Admission::Queued);
}

#[test]
fn many_lanes_of_one_exhausted_target_leave_capacity_for_others() {
    let (start, webhooks) = (Instant::now(), (0..2000).map(|_| webhook()).collect::<Vec<_>>());
    let policy = DeliveryPolicy { verified: true, ..DeliveryPolicy::PLAIN };
    let (mut lanes, pause) = (Lanes::default(), Duration::from_secs(2));
    for round in 0..6 {
        let now = start + pause * round;
        for webhook in &webhooks {
            for position in 0..i64::try_from(lanes.limits(512, now).of(*webhook)).unwrap() {
                lanes.admit(leased(delivery(*webhook, position), now), now);
            }
        }
        learn(&mut lanes, policy, now);
        while let Some(load) = lanes.next(now, NEEDED) {
            lanes.narrow(load[0].webhook_id, None);
            lanes.finish(&RunningAttempt::of(&load).unwrap(), (load, &[]), Some(now + pause), now);
        }
    }
    // At most two deliveries wait in each.
    assert!(lanes.handover_capacity() >= PLENTY - 4000);
}

#[test]
fn the_time_without_deliveries_is_not_measured() {
    let (now, webhook) = (Instant::now(), webhook());
    let mut lanes = lanes(&[(webhook, 1)], DeliveryPolicy::PLAIN, now);
    let load = lanes.next(now, NEEDED).unwrap();
    // An attempt without a call is not measured.
    end(&mut lanes, &load, Verdict::Silent, now);
    let later = now + Duration::from_hours(1);
    admit(&mut lanes, webhook, 2..=2, later);
    let load = lanes.next(later, NEEDED).unwrap();
    end(&mut lanes, &load, Verdict::Works, later + Duration::from_millis(1));
    assert_eq!(lanes.limits(512, later).of(webhook), 512);
}

#[test]
fn a_delivery_that_an_attempt_has_claimed_keeps_its_lease_in_the_lane() {
    let (now, webhook) = (Instant::now(), webhook());
    let mut lanes = lanes(&[(webhook, 1)], DeliveryPolicy { ordered: true, ..DeliveryPolicy::PLAIN }, now);
    let load = all(&mut lanes, now).remove(0);
    let (earlier, running) = (delivery(webhook, 0), RunningAttempt::of(&load).unwrap());
    let lease = [(earlier.id, now + NEEDED * 2)];
    lanes.finish(&running, ([vec![earlier.clone()], load].concat(), &lease), None, now);
    let load = all(&mut lanes, now).remove(0);
    assert_eq!((load[0].id, lanes.capacity()), (earlier.id, CAPACITY - 2));
}

#[test]
fn claims_take_whole_batches() {
    let (now, webhook) = (Instant::now(), webhook());
    let policy = DeliveryPolicy { verified: true, batch: 50, ..DeliveryPolicy::PLAIN };
    let mut lanes = lanes(&[(webhook, 80)], policy, now);
    let load = lanes.next(now, NEEDED).unwrap();
    end(&mut lanes, &load, Verdict::Works, now + Duration::from_millis(100));
    assert_eq!(lanes.limits(1000, now).of(webhook), 950);
}

#[test]
fn an_endpoint_is_behind_until_a_claim_finds_no_more() {
    let (now, webhook) = (Instant::now(), webhook());
    let mut lanes = Lanes::default();
    let claim = |lanes: &mut Lanes, count, limit, is_partial| {
        let limits = ClaimLimits { all: 100, endpoints: [(webhook, limit)].into() };
        let deliveries = (0..count).map(|position| delivery(webhook, position)).collect();
        lanes.learn_claim(&limits, &ClaimedDeliveries { deliveries, is_partial });
        lanes.behind().count()
    };
    assert_eq!(claim(&mut lanes, 4, 5, false), 0);
    assert_eq!(claim(&mut lanes, 5, 5, false), 1);
    // These claims did not look at all its deliveries, or at none.
    assert_eq!(claim(&mut lanes, 4, 5, true), 1);
    assert_eq!(claim(&mut lanes, 0, 0, false), 1);
    assert_eq!(claim(&mut lanes, 4, 5, false), 0);
    admit(&mut lanes, webhook, 1..=1024, now);
    assert_eq!(lanes.admit(leased(delivery(webhook, 0), now), now), Admission::Full);
    assert_eq!(lanes.behind().count(), 1);
}

#[test]
fn an_endpoint_of_a_crowd_has_one_attempt_at_any_time() {
    let (now, endpoints) = (Instant::now(), (0..300).map(|_| webhook()).collect::<Vec<_>>());
    let waiting: Vec<_> = endpoints.iter().map(|webhook| (*webhook, 3)).collect();
    let mut lanes = lanes(&waiting, DeliveryPolicy::PLAIN, now);
    let mut loads = all(&mut lanes, now);
    assert_eq!((loads.len(), lanes.crowded.len()), (300, 300));
    let load = loads.remove(0);
    end(&mut lanes, &load, Verdict::Works, now);
    let again = all(&mut lanes, now);
    assert_eq!(again.iter().map(|load| load[0].webhook_id).collect::<Vec<_>>(), [load[0].webhook_id]);
}

#[test]
fn the_endpoints_of_an_agent_share_a_limited_number_of_permits() {
    let (now, agent_id) = (Instant::now(), AgentId::new(Clock::System.uuid()));
    let mut lanes = Lanes::default();
    for _ in 0..AGENT {
        let webhook_id = webhook();
        for position in 1..=2 {
            lanes.admit(leased(Delivery { agent_id, ..delivery(webhook_id, position) }, now), now);
        }
    }
    admit(&mut lanes, webhook(), 1..=1, now);
    learn(&mut lanes, DeliveryPolicy::PLAIN, now);
    let under_way = all(&mut lanes, now);
    assert_eq!(under_way.len(), AGENT + 1);
    assert_eq!(under_way.iter().filter(|load| load[0].agent_id == agent_id).count(), AGENT);
    let load = under_way.iter().find(|load| load[0].agent_id == agent_id).unwrap();
    end(&mut lanes, load, Verdict::Works, now);
    assert_eq!(all(&mut lanes, now).len(), 1);
}

#[test]
fn an_open_breaker_empties_the_lane_and_one_probe_decides() {
    let (now, webhook) = (Instant::now(), webhook());
    let mut lanes = lanes(&[(webhook, 20)], DeliveryPolicy::PLAIN, now);
    let mut waits = Vec::new();
    while let Some(load) = lanes.next(now, NEEDED) {
        waits.extend(end(&mut lanes, &load, Verdict::Fails, now));
    }
    assert_eq!((waits, lanes.capacity(), lanes.broken(now)), (vec![WAIT], CAPACITY, (1, 0)));
    assert_eq!(lanes.admit(leased(delivery(webhook, 21), now), now), Admission::Broken(now + WAIT));
    let later = now + WAIT;
    assert_eq!(lanes.broken(later), (0, 1));
    admit(&mut lanes, webhook, 21..=24, later);
    let probes = all(&mut lanes, later);
    assert_eq!(probes.len(), 1);
    assert_eq!(end(&mut lanes, &probes[0], Verdict::Fails, later), Some(WAIT * 2));
    assert_eq!(lanes.capacity(), CAPACITY);
    let later = later + WAIT * 2;
    admit(&mut lanes, webhook, 25..=28, later);
    let probe = all(&mut lanes, later).remove(0);
    end(&mut lanes, &probe, Verdict::Works, later);
    assert_eq!((lanes.broken(later), all(&mut lanes, later).len()), ((0, 0), 3));
}

#[test]
fn an_unverified_endpoint_has_one_permit_until_it_answers() {
    let (now, webhook) = (Instant::now(), webhook());
    let mut lanes = lanes(&[(webhook, 20)], DeliveryPolicy { verified: false, ..DeliveryPolicy::PLAIN }, now);
    let loads = all(&mut lanes, now);
    assert_eq!(loads.len(), 1);
    end(&mut lanes, &loads[0], Verdict::Works, now);
    assert_eq!(all(&mut lanes, now).len(), 8);
}

#[test]
fn a_breaker_closed_in_the_database_admits_deliveries() {
    let (now, webhook) = (Instant::now(), webhook());
    let mut lanes = lanes(&[(webhook, 20)], DeliveryPolicy::PLAIN, now);
    while let Some(load) = lanes.next(now, NEEDED) {
        end(&mut lanes, &load, Verdict::Fails, now);
    }
    let claimed = |resets, position| {
        let shared = Some(Shared { resets, open_until: None });
        Leased { shared, ..leased(delivery(webhook, position), now) }
    };
    assert_eq!(lanes.admit(claimed(0, 21), now), Admission::Broken(now + WAIT));
    assert_eq!((lanes.open(now), lanes.resets(webhook)), (vec![webhook], Some(0)));
    assert_eq!(lanes.admit(claimed(1, 21), now), Admission::Queued);
    assert_eq!((all(&mut lanes, now).len(), lanes.broken(now)), (1, (0, 0)));
}

#[test]
fn an_ordered_endpoint_has_one_permit_and_keeps_the_logs_order() {
    let (now, webhook) = (Instant::now(), webhook());
    let mut lanes = Lanes::default();
    for position in [3, 1, 2] {
        admit(&mut lanes, webhook, position..=position, now);
    }
    learn(&mut lanes, DeliveryPolicy { ordered: true, ..DeliveryPolicy::PLAIN }, now);
    let loads = all(&mut lanes, now);
    assert_eq!((loads.len(), loads[0][0].position), (1, 1));
    // An earlier delivery was pending: the lane resumes at the same delivery.
    lanes.finish(&RunningAttempt::of(&loads[0]).unwrap(), (loads[0].clone(), &[]), Some(now + NEEDED / 10), now);
    assert!(all(&mut lanes, now).is_empty());
    assert_eq!(lanes.wakes_at(), Some(now + NEEDED / 10));
    let later = now + NEEDED / 10;
    for position in 1..=3 {
        let loads = all(&mut lanes, later);
        assert_eq!((loads.len(), loads[0][0].position), (1, position));
        end(&mut lanes, &loads[0], Verdict::Works, later);
    }
}

#[test]
fn waiting_deliveries_share_a_push_if_the_endpoint_has_batching() {
    let (now, webhook) = (Instant::now(), webhook());
    let mut lanes = lanes(&[(webhook, 7)], DeliveryPolicy { batch: 5, ..DeliveryPolicy::PLAIN }, now);
    let loads = all(&mut lanes, now);
    assert_eq!(loads.iter().map(Vec::len).collect::<Vec<_>>(), [5, 2]);
    let left = loads[0][3..].to_vec();
    lanes.finish(&RunningAttempt::of(&loads[0]).unwrap(), (left, &[]), None, now);
    let positions: Vec<_> = all(&mut lanes, now)[0].iter().map(|delivery| delivery.position).collect();
    assert_eq!((positions, lanes.capacity()), (vec![4, 5], CAPACITY - 4));
}

/// Simulated time: 1000 endpoints, all with earlier successes. 100 of them hang until the call times out; the others answer
/// within 10 ms. Every 100 ms each endpoint gets a delivery.
#[test]
fn hanging_endpoints_do_not_delay_the_others() {
    const TICK: Duration = Duration::from_millis(10);
    const TIMEOUT: Duration = Duration::from_secs(5);
    let start = Instant::now();
    let webhooks: Vec<_> = (0..1000).map(|_| webhook()).collect();
    let hanging: HashSet<_> = webhooks[..100].iter().copied().collect();
    let mut lanes =
        lanes(&webhooks.iter().map(|webhook| (*webhook, 1)).collect::<Vec<_>>(), DeliveryPolicy::PLAIN, start);
    loop {
        let loads = all(&mut lanes, start);
        for load in &loads {
            end(&mut lanes, load, Verdict::Works, start);
        }
        if loads.is_empty() {
            break;
        }
    }
    let mut under_way: Vec<(Instant, Vec<Delivery>)> = Vec::new();
    let mut held_at = HashMap::new();
    let (mut slowest, mut served, mut opened) = (Duration::ZERO, 0, 0);
    for tick in 0..4000_u32 {
        let now = start + TICK * tick;
        for (_, load) in under_way.extract_if(.., |(ends_at, _)| *ends_at <= now).collect::<Vec<_>>() {
            let verdict = if hanging.contains(&load[0].webhook_id) { Verdict::Fails } else { Verdict::Works };
            opened += usize::from(end(&mut lanes, &load, verdict, now).is_some());
        }
        if tick % 10 == 0 {
            for webhook in &webhooks {
                let delivery = delivery(*webhook, i64::from(tick));
                if lanes.admit(leased(delivery.clone(), now), now) == Admission::Queued {
                    held_at.insert(delivery.id, now);
                } else {
                    assert!(hanging.contains(webhook), "every endpoint that answers has capacity");
                }
            }
        }
        for load in all(&mut lanes, now) {
            let hangs = hanging.contains(&load[0].webhook_id);
            let waited = now - held_at.remove(&load[0].id).unwrap();
            if !hangs {
                served += 1;
                slowest = slowest.max(waited);
            }
            under_way.push((now + if hangs { TIMEOUT } else { TICK }, load));
        }
    }
    assert_eq!((served, opened >= 100), (900 * 400, true));
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
}
