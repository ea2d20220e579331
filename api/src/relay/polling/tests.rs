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

/// One store for all cases: each has an agent of its own.
struct World {
    runtime: Runtime,
    store: Store,
    _folder: tempfile::TempDir,
}

/// One case at a time: they move the clock.
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
    let id = store.clock().uuid().to_string();
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
        .transact::<(), StoreError>(None, async |unit| {
            unit.begin(envelope_id.stream(), [EnvelopeEvent::from(accepted.clone())]);
            Ok(())
        })
        .await
        .unwrap();
    id
}

fn to(recipient: &str, from: From, limit: i64, wait: Duration) -> Wish {
    let filter = EnvelopeFilter { recipient: Some(recipient.into()), ..EnvelopeFilter::default() };
    Wish { filter, from, limit, wait }
}

/// What happens next: an envelope whose sender's clock is off by so many seconds, or the client's next poll.
#[derive(Debug, Clone)]
enum Next {
    Envelope(i64),
    Poll,
    Later(u64),
}

fn next() -> impl Strategy<Value = Next> {
    prop_oneof![
        // Few different times, so that many tie.
        4 => (-2..=2_i64).prop_map(|step| Next::Envelope(step * 140)),
        2 => Just(Next::Poll),
        1 => (0..200_u64).prop_map(Next::Later),
    ]
}

/// A client that follows the seed's loop.
struct Client {
    since: DateTime<Utc>,
    seen: HashSet<String>,
    /// Whether `since` is the time of something that it got.
    follows: bool,
}

impl Client {
    /// Begins at a moment of its own: what was made at the very moment is not after it.
    fn now(store: &Store) -> Self {
        Self { since: store.clock().now() + TimeDelta::microseconds(1), seen: HashSet::new(), follows: false }
    }

    async fn poll(&mut self, world: &World, agent: &str, limit: i64) -> Result<bool, TestCaseError> {
        let wish = to(agent, From::Since(self.since), limit, Duration::ZERO);
        let begun = start(&world.store, &wish).await.unwrap();
        let news = world.store.polled(&wish.filter, begun.news, limit + 1).await.unwrap();
        if self.follows {
            // What would be answered at once is new: nothing spins on what was seen.
            let seen = news.iter().find(|event| self.seen.contains(event.accepted.envelope_id.as_str()));
            prop_assert!(seen.is_none(), "given again at once: {seen:?}");
        }
        let page = poll(&world.store, &Waiters::default(), &wish, &CancellationToken::new()).await.unwrap();
        self.seen.extend(page.events.iter().map(|event| event.accepted.envelope_id.to_string()));
        let Some(last) = page.events.last() else { return Ok(false) };
        (self.since, self.follows) = (last.ts, true);
        Ok(page.has_more)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whoever follows the seed's loop misses nothing, however far the senders' clocks are off and whatever times tie, and is
    /// not given at once what it has.
    #[test]
    fn the_seeds_loop_misses_nothing(steps in prop::collection::vec(next(), 1..40), limit in 1..4_i64) {
        let world = &*world();
        world.runtime.block_on(async {
            let agent = world.store.clock().uuid().to_string();
            // Nothing of the case before is in reach.
            world.store.clock().advance(Duration::from_hours(1));
            let mut client = Client::now(&world.store);
            let mut sent = HashSet::new();
            for step in steps {
                match step {
                    Next::Envelope(off) => {
                        let ts = world.store.clock().now() + TimeDelta::seconds(off);
                        sent.insert(record(&world.store, &agent, ts).await);
                    }
                    Next::Poll => drop(client.poll(world, &agent, limit).await?),
                    Next::Later(seconds) => {
                        // Envelopes live for five minutes: a client that comes later than that has missed them.
                        while client.poll(world, &agent, limit).await? {}
                        world.store.clock().advance(Duration::from_secs(seconds));
                    }
                }
            }
            while client.poll(world, &agent, limit).await? {}
            prop_assert_eq!(client.seen, sent);
            Ok(())
        })?;
    }

    /// The same where many come in between two polls.
    #[test]
    fn a_burst_is_given_page_by_page(offs in prop::collection::vec(-2..=2_i64, 1..30), limit in 1..4_i64) {
        let world = &*world();
        world.runtime.block_on(async {
            let agent = world.store.clock().uuid().to_string();
            world.store.clock().advance(Duration::from_hours(1));
            let mut client = Client::now(&world.store);
            let mut sent = HashSet::new();
            for off in offs {
                let ts = world.store.clock().now() + TimeDelta::seconds(off * 140);
                sent.insert(record(&world.store, &agent, ts).await);
            }
            while client.poll(world, &agent, limit).await? {}
            prop_assert_eq!(client.seen, sent);
            Ok(())
        })?;
    }
}

#[test]
fn a_cursor_gives_each_envelope_once() {
    let world = &*world();
    world.runtime.block_on(async {
        let (agent, now) = (world.store.clock().uuid().to_string(), world.store.clock().now());
        let mut sent = vec![];
        for _ in 0..5 {
            sent.push(record(&world.store, &agent, now).await);
        }
        let (mut cursor, mut seen) = (0, vec![]);
        loop {
            let wish = to(&agent, From::Cursor(cursor), 2, Duration::ZERO);
            let page = poll(&world.store, &Waiters::default(), &wish, &CancellationToken::new()).await.unwrap();
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
fn what_is_past_its_time_to_live_is_given_no_more_and_says_still_where_to_go_on() {
    let world = &*world();
    world.runtime.block_on(async {
        let (agent, now) = (world.store.clock().uuid().to_string(), world.store.clock().now());
        record(&world.store, &agent, now).await;
        world.store.clock().advance(Duration::from_mins(6));
        let wish = to(&agent, From::Since(now), 10, Duration::ZERO);
        let page = poll(&world.store, &Waiters::default(), &wish, &CancellationToken::new()).await.unwrap();
        assert!(page.events.is_empty());
        let late = record(&world.store, &agent, now).await;
        let page = poll(&world.store, &Waiters::default(), &wish, &CancellationToken::new()).await.unwrap();
        assert_eq!(page.events.iter().map(|event| event.accepted.envelope_id.as_str()).collect::<Vec<_>>(), [late]);
    });
}
