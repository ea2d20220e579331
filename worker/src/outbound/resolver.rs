//! DNS resolver for the targets of calls: returns only vetted addresses, and the connection goes to one of these.
//!
//! **Invariant:** each lookup runs on its own thread, and the number of concurrent lookups is bounded in total and per
//! domain. So an unresponsive name server blocks no thread of the password hashing, and few lookups of other names.

use std::{
    collections::HashMap,
    io,
    net::{SocketAddr, ToSocketAddrs},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use buildtrack_domain::targets::is_public;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::{
    sync::{Semaphore, oneshot},
    time::{Duration, Instant},
};

/// Concurrent lookups. A hanging lookup occupies its thread until the system gives up, long after its caller did.
const LOOKUPS: usize = 32;
/// Concurrent lookups of names below one domain.
const SHARE: usize = 4;
/// How long addresses are cached.
const CACHE_TTL: Duration = Duration::from_secs(10);
/// Cached names, and domains with a share of the lookups.
const NAMES: usize = 4096;

/// Why a name has no address to call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The system's resolver failed.
    #[error("the host name cannot be resolved: {0}")]
    Unknown(String),
    /// The name resolves, but only to addresses outside the public internet.
    #[error("the host name resolves to no address on the public internet")]
    NotPublic,
}

impl From<io::Error> for ResolveError {
    fn from(error: io::Error) -> Self {
        Self::Unknown(error.to_string())
    }
}

/// A blocking lookup of a name.
type Lookup = Arc<dyn Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync>;

/// Resolves with the system's resolver and keeps only public addresses, or all of them if private targets are allowed.
#[derive(Clone)]
pub(crate) struct Resolver {
    allow_private: bool,
    lookups: Arc<Semaphore>,
    state: Arc<Mutex<State>>,
    lookup: Lookup,
}

#[derive(Default)]
struct State {
    cached: HashMap<String, (Instant, Vec<SocketAddr>)>,
    /// Permits for lookups, by domain.
    shares: HashMap<String, Arc<Semaphore>>,
}

impl std::fmt::Debug for Resolver {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Resolver").field("allow_private", &self.allow_private).finish_non_exhaustive()
    }
}

impl Resolver {
    pub(crate) fn new(allow_private: bool) -> Self {
        Self::with(allow_private, Arc::new(|name| Ok((name, 0).to_socket_addrs()?.collect())))
    }

    fn with(allow_private: bool, lookup: Lookup) -> Self {
        Self { allow_private, lookups: Arc::new(Semaphore::new(LOOKUPS)), state: Arc::default(), lookup }
    }

    /// Resolves a name to at least one address, with port 0.
    pub(crate) async fn addresses(&self, name: String) -> Result<Vec<SocketAddr>, ResolveError> {
        if let Some(cached) = self.cached(&name) {
            return Ok(cached);
        }
        // The domain's permit first, so that a waiting caller blocks no other domain.
        let share = self.share(&name).acquire_owned().await.map_err(io::Error::other)?;
        let permit = self.lookups.clone().acquire_owned().await.map_err(io::Error::other)?;
        let (found, finds) = oneshot::channel();
        let (lookup, asked) = (self.lookup.clone(), name.clone());
        // The permits are held until the lookup ends, even if its caller has stopped waiting.
        std::thread::Builder::new().name("resolver".into()).spawn(move || {
            let result = lookup(&asked);
            drop((permit, share));
            drop(found.send(result));
        })?;
        let mut addresses = finds.await.map_err(io::Error::other)??;
        addresses.retain(|address| self.allow_private || is_public(address.ip()));
        if addresses.is_empty() {
            return Err(ResolveError::NotPublic);
        }
        self.cache(name, addresses.clone());
        Ok(addresses)
    }

    /// The permits of a name's domain.
    fn share(&self, name: &str) -> Arc<Semaphore> {
        let shares = &mut lock(&self.state).shares;
        if shares.len() >= NAMES {
            shares.retain(|_, share| Arc::strong_count(share) > 1);
        }
        shares.entry(domain(name)).or_insert_with(|| Arc::new(Semaphore::new(SHARE))).clone()
    }

    fn cached(&self, name: &str) -> Option<Vec<SocketAddr>> {
        let state = lock(&self.state);
        state.cached.get(name).filter(|(until, _)| Instant::now() < *until).map(|(_, addresses)| addresses.clone())
    }

    fn cache(&self, name: String, addresses: Vec<SocketAddr>) {
        let (mut state, now) = (lock(&self.state), Instant::now());
        if state.cached.len() >= NAMES {
            state.cached.retain(|_, (until, _)| now < *until);
        }
        if state.cached.len() < NAMES {
            state.cached.insert(name, (now + CACHE_TTL, addresses));
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The last two labels. The owner of a domain can create any number of hosts below it.
fn domain(name: &str) -> String {
    let mut labels: Vec<_> = name.trim_end_matches('.').rsplit('.').take(2).collect();
    labels.reverse();
    labels.join(".")
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let addresses = resolver.addresses(name.as_str().to_owned()).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    };

    use super::*;

    #[tokio::test]
    async fn a_name_of_the_loopback_address_is_refused() {
        let resolver = Resolver::new(false);
        assert_eq!(resolver.addresses("localhost".into()).await, Err(ResolveError::NotPublic));
    }

    #[tokio::test]
    async fn a_name_of_the_loopback_address_resolves_if_private_targets_are_allowed() {
        let addresses = Resolver::new(true).addresses("localhost".into()).await.unwrap();
        assert!(addresses.iter().all(|address| address.ip().is_loopback()));
    }

    #[tokio::test]
    async fn addresses_are_cached_and_failures_are_not() {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let resolver = Resolver::with(
            false,
            Arc::new(move |name| {
                count.fetch_add(1, Ordering::SeqCst);
                let address = if name == "good.example" { "1.1.1.1:0" } else { "127.0.0.1:0" };
                Ok(vec![address.parse().unwrap()])
            }),
        );
        for _ in 0..3 {
            assert!(resolver.addresses("good.example".into()).await.is_ok());
            assert_eq!(resolver.addresses("bad.example".into()).await, Err(ResolveError::NotPublic));
        }
        assert_eq!(asked.load(Ordering::SeqCst), 4);
    }

    #[test]
    fn shares_that_no_lookup_holds_are_dropped() {
        let resolver = Resolver::new(true);
        let held = resolver.share("one.example");
        for number in 0..NAMES {
            resolver.share(&format!("{number}.test{number}"));
        }
        assert!(lock(&resolver.state).shares.len() <= 2);
        assert!(Arc::ptr_eq(&held, &resolver.share("another.one.example.")));
    }

    #[tokio::test]
    async fn a_domain_whose_names_do_not_answer_takes_its_share_only() {
        let (release, held) = mpsc::channel::<()>();
        let (held, reached) = (Mutex::new(held), Arc::new(AtomicUsize::new(0)));
        let count = reached.clone();
        let resolver = Resolver::with(
            false,
            Arc::new(move |name| {
                if name.ends_with("tarpit.example") {
                    count.fetch_add(1, Ordering::SeqCst);
                    // Dropping the sender ends the wait.
                    assert!(held.lock().unwrap_or_else(PoisonError::into_inner).recv().is_err());
                }
                Ok(vec!["1.1.1.1:0".parse().unwrap()])
            }),
        );
        let mut asking = tokio::task::JoinSet::new();
        for number in 0..100 {
            let resolver = resolver.clone();
            asking.spawn(async move { resolver.addresses(format!("{number}.tarpit.example")).await });
        }
        // Lookups of other domains succeed meanwhile, although these hundred could take all threads.
        for number in 0..LOOKUPS {
            assert!(resolver.addresses(format!("{number}.good{number}.test")).await.is_ok());
        }
        assert!(reached.load(Ordering::SeqCst) <= SHARE);
        drop(release);
        while let Some(answered) = asking.join_next().await {
            assert!(answered.unwrap().is_ok());
        }
        assert_eq!(reached.load(Ordering::SeqCst), 100);
    }
}
