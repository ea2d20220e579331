use std::{
    collections::HashSet,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use buildtrack_domain::relay::{EnvelopeAccepted, EnvelopeEvent, EnvelopeId, Sealed};
use buildtrack_store::{Database, Secret, Settings, clock::Clock};
use proptest::prelude::*;
use serde_json::json;
use tokio::runtime::Runtime;

use super::*;

/// One store for all test cases; each case has its own agent.
struct World {
    runtime: Runtime,
    store: Store,
    _folder: tempfile::TempDir,
}

/// Test cases run one at a time because they move the clock.
static WORLD: LazyLock<Mutex<World>> = LazyLock::new(|| {
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        database: Database::Sqlite(folder.path().join("test.sqlite")),
        secret: Secret::new(&Secret::generate()).unwrap(),
        clock: Clock::fixed("2026-03-01T12:00:00Z".parse().unwrap()),
    };
    let store = runtime.block_on(Store::open(settings)).unwrap();
    Mutex::new(World { runtime, store, _folder: folder })
});

fn world() -> MutexGuard<'static, World> {
    WORLD.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn record(store: &Store, recipient: &str, ts: DateTime<Utc>) -> String {
    let id = store.log().clock().uuid().to_string();
    let envelope = json!({
        "id": id, "ts": ts.to_rfc3339(), "type": "REQUEST", "sender": { "id": "sender" }, "recipient": { "id": recipient },
    });
    let envelope_id: EnvelopeId = id.parse().unwrap();
    let accepted = EnvelopeAccepted {
        envelope_id: envelope_id.clone(),
        thread_id: id.parse().unwrap(),
        envelope: Sealed::new(envelope.to_string()),
    };
    store
        .log()
        .transact::<(), StoreError>(None, async |unit| {
            unit.begin(envelope_id.stream(), [EnvelopeEvent::from(accepted.clone())]);
            Ok(())
        })
        .await
        .unwrap();
    id
}

fn to(recipient: &str, from: From, limit: i64, wait: Duration) -> PollQuery {
    let filter = EnvelopeFilter { recipient: Some(recipient.into()), ..EnvelopeFilter::default() };
    PollQuery { filter, from, limit, wait }
}

/// A step of a test: an envelope whose sender's clock is off by this many seconds, a poll of the client, or a delay in
/// seconds.
#[derive(Debug, Clone)]
enum Next {
    Envelope(i64),
    Poll,
    Later(u64),
}

fn next() -> impl Strategy<Value = Next> {
    prop_oneof![
        // Few distinct times, so that many tie.
        4 => (-2..=2_i64).prop_map(|step| Next::Envelope(step * 140)),
        2 => Just(Next::Poll),
        1 => (0..200_u64).prop_map(Next::Later),
    ]
}

/// A client that follows the seed's loop.
struct Client {
    since: DateTime<Utc>,
    seen: HashSet<String>,
    /// Whether `since` is the time of an envelope that the client received.
    follows: bool,
}

impl Client {
    /// Begins at the current time. One microsecond more excludes envelopes made at exactly this time.
    fn now(store: &Store) -> Self {
        Self { since: store.log().clock().now() + TimeDelta::microseconds(1), seen: HashSet::new(), follows: false }
    }

    async fn poll(&mut self, world: &World, agent: &str, limit: i64) -> Result<bool, TestCaseError> {
        let query = to(agent, From::Since(self.since), limit, Duration::ZERO);
        let begun = start(&world.store, &query).await.unwrap();
        let new_events = world.store.relay().polled(&query.filter, begun.new_after, limit + 1).await.unwrap();
        if self.follows {
            // An immediate answer must hold new envelopes only: a client must not spin on seen ones.
            let seen = new_events.iter().find(|event| self.seen.contains(event.accepted.envelope_id.as_str()));
            prop_assert!(seen.is_none(), "repeated at once: {seen:?}");
        }
        let page = poll(&world.store, &Waiters::default(), &query, &CancellationToken::new()).await.unwrap();
        self.seen.extend(page.events.iter().map(|event| event.accepted.envelope_id.to_string()));
        let Some(last) = page.events.last() else { return Ok(false) };
        (self.since, self.follows) = (last.ts, true);
        Ok(page.has_more)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A client that follows the seed's loop misses nothing, for any clock skew and any ties, and receives no immediate
    /// repeats.
    #[test]
    fn the_seeds_loop_misses_nothing(steps in prop::collection::vec(next(), 1..40), limit in 1..4_i64) {
        let world = &*world();
        world.runtime.block_on(async {
            let agent = world.store.log().clock().uuid().to_string();
            // Exclude the previous case's envelopes.
            world.store.log().clock().advance(Duration::from_hours(1));
            let mut client = Client::now(&world.store);
            let mut sent = HashSet::new();
            for step in steps {
                match step {
                    Next::Envelope(off) => {
                        let ts = world.store.log().clock().now() + TimeDelta::seconds(off);
                        sent.insert(record(&world.store, &agent, ts).await);
                    }
                    Next::Poll => drop(client.poll(world, &agent, limit).await?),
                    Next::Later(seconds) => {
                        // Envelopes expire after five minutes: a client that polls later misses them.
                        while client.poll(world, &agent, limit).await? {}
                        world.store.log().clock().advance(Duration::from_secs(seconds));
                    }
                }
            }
            while client.poll(world, &agent, limit).await? {}
            prop_assert_eq!(client.seen, sent);
            Ok(())
        })?;
    }

    /// The same with a burst of envelopes between two polls.
    #[test]
    fn a_burst_is_returned_page_by_page(offs in prop::collection::vec(-2..=2_i64, 1..30), limit in 1..4_i64) {
        let world = &*world();
        world.runtime.block_on(async {
            let agent = world.store.log().clock().uuid().to_string();
            world.store.log().clock().advance(Duration::from_hours(1));
            let mut client = Client::now(&world.store);
            let mut sent = HashSet::new();
            for off in offs {
                let ts = world.store.log().clock().now() + TimeDelta::seconds(off * 140);
                sent.insert(record(&world.store, &agent, ts).await);
            }
            while client.poll(world, &agent, limit).await? {}
            prop_assert_eq!(client.seen, sent);
            Ok(())
        })?;
    }
}

#[test]
fn a_cursor_returns_each_envelope_once() {
    let world = &*world();
    world.runtime.block_on(async {
        let (agent, now) = (world.store.log().clock().uuid().to_string(), world.store.log().clock().now());
        let mut sent = vec![];
        for _ in 0..5 {
            sent.push(record(&world.store, &agent, now).await);
        }
        let (mut cursor, mut seen) = (0, vec![]);
        loop {
            let query = to(&agent, From::Cursor(cursor), 2, Duration::ZERO);
            let page = poll(&world.store, &Waiters::default(), &query, &CancellationToken::new()).await.unwrap();
            seen.extend(page.events.iter().map(|event| event.accepted.envelope_id.to_string()));
            cursor = page.cursor;
            if !page.has_more {
                break;
            }
        }
        assert_eq!(seen, sent);
    });
}

#[test]
fn an_expired_envelope_is_not_returned_but_still_marks_the_position() {
    let world = &*world();
    world.runtime.block_on(async {
        let (agent, now) = (world.store.log().clock().uuid().to_string(), world.store.log().clock().now());
        record(&world.store, &agent, now).await;
        world.store.log().clock().advance(Duration::from_mins(6));
        let query = to(&agent, From::Since(now), 10, Duration::ZERO);
        let page = poll(&world.store, &Waiters::default(), &query, &CancellationToken::new()).await.unwrap();
        assert!(page.events.is_empty());
        let late = record(&world.store, &agent, now).await;
        let page = poll(&world.store, &Waiters::default(), &query, &CancellationToken::new()).await.unwrap();
        assert_eq!(page.events.iter().map(|event| event.accepted.envelope_id.as_str()).collect::<Vec<_>>(), [late]);
    });
}
