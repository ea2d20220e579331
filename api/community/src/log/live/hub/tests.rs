use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Wake, Waker},
};

use buildtrack_domain::{
    ids::{AgentId, WorkspaceId},
    locations::{Location, MembershipChange},
};

use super::*;

const TRACK: WorkspaceId = WorkspaceId::new(uuid(1));
const OTHER: WorkspaceId = WorkspaceId::new(uuid(2));
const SCOUT: AgentId = AgentId::new(uuid(3));

const fn uuid(number: u128) -> uuid::Uuid {
    uuid::Uuid::from_u128(number)
}

#[derive(Default)]
struct Counter(AtomicUsize);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// The log as the process knows it: its tail, and the position of each log stream's last redaction.
#[derive(Default)]
struct KnownLog {
    head: i64,
    redacted: Option<i64>,
}

impl Now for KnownLog {
    fn head(&self) -> i64 {
        self.head
    }

    fn is_current_text(&self, _stream: &str, read_at: i64) -> bool {
        self.redacted.is_none_or(|redacted| redacted <= read_at)
    }
}

fn entry(position: i64, locations: &[Location]) -> Entry {
    let belonging = Belonging { locations: locations.to_vec(), membership: None };
    let (stream, event_type) = ("msg_x".into(), "message.posted".into());
    let frame = format!("{position}").into();
    Entry { position, stream, event_type, belonging, frame, is_sealed: false, read_at: position }
}

fn said(position: i64, workspace_id: WorkspaceId) -> Entry {
    entry(position, &[Location::Workspace(workspace_id)])
}

fn moved(position: i64, workspace_id: WorkspaceId, joins: bool) -> Entry {
    let mut entry = said(position, workspace_id);
    entry.belonging.membership = Some(MembershipChange { member: SCOUT.into(), workspace_id, joins });
    entry
}

/// A hub whose reader has read up to the last entry.
fn hub(entries: Vec<Entry>) -> Hub {
    let hub = Hub::default();
    hub.begin(entries.first().map_or(0, |first| first.position - 1));
    hub.deliver(entries);
    hub.open();
    hub
}

fn arrive(hub: &Hub, interest: Interest, cursor: i64, stays: Vec<Stay>) -> Result<Key, i64> {
    let key = hub.enter();
    hub.subscribe(key, Subscription { interest, types: Types::default(), cursor, stays }, &KnownLog::default())
        .map(|()| key)
}

/// Takes the available positions; also returns the position that nothing follows up to.
fn taken(hub: &Hub, key: Key) -> (Vec<i64>, i64) {
    let mut positions = Vec::new();
    loop {
        match hub.next(key, &mut Context::from_waker(Waker::noop()), &KnownLog::default()) {
            Next::Frame(position, _) => positions.push(position),
            Next::Nothing(position) => return (positions, position),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn cached_events_after_the_cursor_are_queued_and_new_ones_delivered() {
    let hub = hub(vec![said(5, TRACK), said(6, OTHER), said(7, TRACK)]);
    let track = arrive(&hub, Interest::Workspace(TRACK), 5, vec![]).unwrap();
    let all = arrive(&hub, Interest::Everything, 4, vec![]).unwrap();
    assert_eq!(taken(&hub, track), (vec![7], 7));
    hub.deliver(vec![said(8, OTHER), said(9, TRACK)]);
    assert_eq!(taken(&hub, track), (vec![9], 9));
    assert_eq!(taken(&hub, all), (vec![5, 6, 7, 8, 9], 9));
    // Further back the stream must read the log.
    assert_eq!(arrive(&hub, Interest::Everything, 3, vec![]), Err(9));
}

#[test]
fn only_recipients_are_woken() {
    let hub = hub(vec![said(1, TRACK)]);
    let counters: [Arc<Counter>; 2] = Default::default();
    for (counter, interest) in counters.iter().zip([Interest::Workspace(TRACK), Interest::Workspace(OTHER)]) {
        let key = arrive(&hub, interest, 1, vec![]).unwrap();
        let waker = Waker::from(Arc::clone(counter));
        assert!(matches!(hub.next(key, &mut Context::from_waker(&waker), &KnownLog::default()), Next::Nothing(1)));
    }
    hub.deliver(vec![said(2, TRACK), said(3, TRACK)]);
    assert_eq!(counters.map(|counter| counter.0.load(Ordering::SeqCst)), [1, 0]);
}

#[test]
fn an_agent_sees_workspace_events_while_it_is_a_member() {
    let stays = vec![Stay { workspace_id: TRACK, from: 1, to: Some(6) }];
    let story = || {
        vec![
            said(5, TRACK),
            moved(6, TRACK, false),
            said(7, TRACK),
            said(8, OTHER),
            moved(9, OTHER, true),
            said(10, OTHER),
            entry(11, &[Location::Actor(SCOUT.into())]),
        ]
    };
    let shown = vec![5, 6, 9, 10, 11];
    let early = hub(vec![said(4, OTHER)]);
    let key = arrive(&early, Interest::Agent(SCOUT), 4, stays.clone()).unwrap();
    early.deliver(story());
    assert_eq!(taken(&early, key), (shown.clone(), 11));
    let late = hub(story());
    let key = arrive(&late, Interest::Agent(SCOUT), 4, stays).unwrap();
    assert_eq!(taken(&late, key), (shown, 11));
    late.deliver(vec![said(12, TRACK), said(13, OTHER)]);
    assert_eq!(taken(&late, key), (vec![13], 13));
}

#[test]
fn events_at_or_below_the_cursor_are_not_repeated() {
    let hub = hub(vec![said(1, TRACK)]);
    let key = arrive(&hub, Interest::Everything, 3, vec![]).unwrap();
    hub.deliver(vec![said(2, TRACK), said(3, TRACK), said(4, TRACK)]);
    assert_eq!(taken(&hub, key), (vec![4], 4));
}

#[test]
fn a_slow_stream_loses_its_subscription_and_queue() {
    let hub = hub(vec![said(1, TRACK)]);
    let key = arrive(&hub, Interest::Everything, 1, vec![]).unwrap();
    hub.deliver((2..=2000).map(|position| said(position, TRACK)).collect());
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(hub.next(key, &mut context, &KnownLog::default()), Next::Lost(1)));
    // A stream that lags a little receives everything.
    let key = arrive(&hub, Interest::Everything, 1500, vec![]).unwrap();
    assert_eq!(taken(&hub, key).0.len(), 500);
}

#[test]
fn a_redacted_event_is_delivered_in_its_redacted_form() {
    let hub = hub(vec![said(1, TRACK), said(2, TRACK)]);
    assert_eq!(hub.positions_of("msg_x"), [1, 2]);
    let key = arrive(&hub, Interest::Everything, 0, vec![]).unwrap();
    hub.replace(1, ("gone".into(), false), 2);
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(hub.next(key, &mut context, &KnownLog::default()), Next::Frame(1, frame) if frame == "gone"));
}

#[test]
fn an_event_known_to_be_redacted_is_not_delivered_from_the_cache() {
    let hub = hub(vec![said(1, TRACK), said(2, TRACK)]);
    let key = arrive(&hub, Interest::Everything, 0, vec![]).unwrap();
    let known_log = KnownLog { head: 3, redacted: Some(3) };
    hub.caught_up(Instant::now());
    assert!(matches!(hub.next(key, &mut Context::from_waker(Waker::noop()), &known_log), Next::Stale(0)));
    // A new stream must read the log until the cache is current.
    let again = || Subscription { interest: Interest::Everything, types: Types::default(), cursor: 0, stays: vec![] };
    assert_eq!(hub.subscribe(key, again(), &known_log), Err(2));
    hub.replace(1, ("gone".into(), false), 3);
    hub.replace(2, ("gone".into(), false), 3);
    assert_eq!(hub.subscribe(key, again(), &known_log), Ok(()));
    assert!(matches!(hub.next(key, &mut Context::from_waker(Waker::noop()), &known_log), Next::Frame(1, _)));
}

#[test]
fn cached_events_are_outdated_while_the_reader_lags() {
    let hub = hub(vec![said(1, TRACK)]);
    let key = arrive(&hub, Interest::Everything, 0, vec![]).unwrap();
    let beyond = KnownLog { head: 2, redacted: None };
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(hub.next(key, &mut context, &beyond), Next::Stale(0)));
    // Events that were just read are current, although newer ones exist.
    hub.caught_up(Instant::now());
    let key = arrive(&hub, Interest::Everything, 0, vec![]).unwrap();
    assert!(matches!(hub.next(key, &mut context, &beyond), Next::Frame(1, _)));
}

#[test]
fn a_closed_stream_leaves_no_state() {
    let hub = hub(vec![said(1, TRACK)]);
    let keys = [Interest::Everything, Interest::Workspace(TRACK), Interest::Agent(SCOUT)]
        .map(|interest| arrive(&hub, interest, 1, vec![]).unwrap());
    hub.deliver(vec![moved(2, OTHER, true)]);
    for key in keys {
        hub.exit(key);
    }
    assert!(!hub.is_wanted());
    assert!(hub.state().is_deserted());
    hub.unload();
    assert_eq!(hub.position(), None);
}

#[test]
fn all_streams_end_with_the_server() {
    let hub = hub(vec![said(1, TRACK)]);
    let key = arrive(&hub, Interest::Everything, 0, vec![]).unwrap();
    hub.end();
    assert!(matches!(hub.next(key, &mut Context::from_waker(Waker::noop()), &KnownLog::default()), Next::Ended));
}
