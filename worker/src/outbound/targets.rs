//! Rate and concurrency limits of targets: each host and each address has its own, across all calls to that target.
//!
//! **Invariant:** a permit counts for the host (name and port) and for the addresses that it resolves to, so that many names of
//! one victim are one target. **Invariant:** a host that has not answered with 2xx has the small budget. The budget of one that has
//! grows as far as the host takes it ([`HostRate`]). Each client counts separately.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use buildtrack_settings::TargetRate;
use reqwest::StatusCode;
use tokio::time::{Duration, Instant};

use super::{call::Response, host_rate::HostRate};

/// Longest time for which an unused budget accumulates.
const SAVED: Duration = Duration::from_secs(10);
/// Longest wait of a refused call.
const LONGEST: Duration = Duration::from_mins(1);
/// Wait of a call that exceeds the concurrency limit.
const BUSY: Duration = Duration::from_secs(1);
/// Many hosts share an address, so a verified address gets this multiple of a host's budget.
const HOSTS_OF_AN_ADDRESS: u32 = 10;
/// Tracked targets. Beyond this number, those without a current limit are dropped.
const TRACKED: usize = 10_000;
/// How long a host counts as verified after it has answered with 2xx.
const PROVEN: Duration = Duration::from_hours(1);
/// Addresses of one host that are counted.
pub(super) const ADDRESSES: usize = 4;

/// The target has reached its rate or concurrency limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the target has reached its limit of calls; try again in {} s", wait.as_secs().max(1))]
pub struct Refused {
    /// Wait before the next call.
    pub wait: Duration,
}

/// A target of calls.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A name or address, and a port.
    Host(String, u16),
    /// An IPv4 address, or an IPv6 network of 64 bits.
    Address(IpAddr),
}

impl Key {
    pub(super) fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX));
                Self::Address(network.into())
            }
            address @ IpAddr::V4(_) => Self::Address(address),
        }
    }
}

/// The budgets of all targets. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Targets {
    bounds: TargetRate,
    tracked: Arc<Mutex<HashMap<Key, Target>>>,
}

#[derive(Debug, Default)]
struct Target {
    /// What is used of the budgets: verified, and unverified.
    used: [Used; 2],
    under_way: [u32; 2],
    /// The time given to the last refused call.
    reserved_until: Option<Instant>,
    /// Until when the host counts as verified, and the rate of calls that it takes.
    proven: Option<(Instant, HostRate)>,
}

/// The calls that were made and that the budget has not regained.
#[derive(Debug, Clone, Copy, Default)]
struct Used {
    /// When the budget is full again.
    whole_at: Option<Instant>,
    /// The time in which it regains one call.
    interval: Duration,
}

impl Used {
    /// In what time it regains all calls, at one in each of these intervals.
    fn rest(&self, interval: Duration, now: Instant) -> Duration {
        let rest = self.whole_at.map(|at| at.saturating_duration_since(now)).unwrap_or_default();
        // The rate may have changed, but the number of calls has not.
        if interval == self.interval || rest.is_zero() {
            rest
        } else {
            rest.mul_f64(interval.div_duration_f64(self.interval))
        }
    }

    fn take(&mut self, interval: Duration, now: Instant) {
        *self = Self { whole_at: Some(now + self.rest(interval, now) + interval), interval };
    }
}

/// Which of a target's budgets applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Verified,
    Unverified,
}

/// Permission for one call, which counts as running until this is dropped.
#[derive(Debug)]
pub struct Permit {
    targets: Targets,
    keys: Vec<Key>,
    level: Level,
}

impl Targets {
    pub(super) fn new(bounds: TargetRate) -> Self {
        Self { bounds, tracked: Arc::default() }
    }

    /// Takes a permit of each of these: the host first, then its addresses.
    pub(super) fn admit(&self, keys: Vec<Key>, verified: bool, now: Instant) -> Result<Permit, Refused> {
        let mut tracked = self.lock();
        if tracked.len() >= TRACKED {
            tracked.retain(|_, target| target.is_limited(now));
        }
        let proven = keys.first().and_then(|host| tracked.get(host)?.proven(now)).is_some();
        let level = if verified || proven { Level::Verified } else { Level::Unverified };
        let refused = keys.iter().find_map(|key| {
            let target = tracked.entry(key.clone()).or_default();
            target.wait(self.bound(key, level), level, now)
        });
        if let Some(wait) = refused {
            metrics::counter!("buildtrack_refused_total", "reason" => "target_rate").increment(1);
            return Err(Refused { wait });
        }
        for key in &keys {
            tracked.entry(key.clone()).or_default().take(self.bound(key, level), level, now);
        }
        drop(tracked);
        Ok(Permit { targets: self.clone(), keys, level })
    }

    /// The configured limits.
    fn bound(&self, key: &Key, level: Level) -> Bound {
        let TargetRate { rate, unverified, concurrency, unverified_concurrency, .. } = self.bounds;
        let (rate, concurrency) = match level {
            Level::Verified => (rate, concurrency),
            Level::Unverified => (unverified, unverified_concurrency),
        };
        let (rate, concurrency) = (rate.get(), concurrency.get());
        match (key, level) {
            (Key::Address(_), Level::Verified) => Bound {
                rate: rate.saturating_mul(HOSTS_OF_AN_ADDRESS),
                concurrency: concurrency.saturating_mul(HOSTS_OF_AN_ADDRESS),
            },
            _ => Bound { rate, concurrency },
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Target>> {
        self.tracked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Learns from the response to the call; `None` if there is none. After 2xx the host counts as verified for a while.
    pub fn learn(&self, response: Option<&Response>) {
        let (now, is_overloaded) = (Instant::now(), |status: StatusCode| status == 429 || status.is_server_error());
        match response {
            Some(response) if response.status.is_success() => self.answered(response.elapsed, now),
            Some(response) if !is_overloaded(response.status) => {}
            _ => self.failed(now),
        }
    }

    fn answered(&self, took: Duration, now: Instant) {
        let TargetRate { rate, growth, .. } = self.targets.bounds;
        let (least, most) = (rate.get(), rate.saturating_mul(growth).get());
        let mut tracked = self.targets.lock();
        let Some(host) = self.keys.first().map(|key| tracked.entry(key.clone()).or_default()) else { return };
        let mut host_rate = host.proven(now).copied().unwrap_or_else(|| HostRate::new(least, most));
        if self.level == Level::Verified {
            host_rate.answered(took, now);
        }
        host.proven = Some((now + PROVEN, host_rate));
    }

    /// The host is overloaded, or has not answered.
    fn failed(&self, now: Instant) {
        if let Some(host) = self.keys.first()
            && let Some((_, host_rate)) = self.targets.lock().get_mut(host).and_then(|host| host.proven.as_mut())
        {
            host_rate.failed(now);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut tracked = self.targets.lock();
        for key in &self.keys {
            if let Some(target) = tracked.get_mut(key) {
                let under_way = &mut target.under_way[self.level as usize];
                *under_way = under_way.saturating_sub(1);
            }
        }
    }
}

/// The limits of a target.
#[derive(Debug, Clone, Copy)]
struct Bound {
    rate: u32,
    concurrency: u32,
}

impl Bound {
    fn interval(self) -> Duration {
        Duration::from_secs(1) / self.rate
    }
}

impl Target {
    /// The rate of calls that the host takes, while it counts as verified.
    fn proven(&self, now: Instant) -> Option<&HostRate> {
        self.proven.as_ref().filter(|(until, _)| now < *until).map(|(_, rate)| rate)
    }

    /// The limits of a target for which `bound` is configured.
    fn current(&self, bound: Bound, level: Level, now: Instant) -> Bound {
        match self.proven(now) {
            Some(host_rate) if level == Level::Verified => Bound { rate: host_rate.rate(), ..bound },
            _ => bound,
        }
    }

    /// How long the caller must wait, or `None` if it may send now. Refused callers get consecutive times.
    fn wait(&mut self, bound: Bound, level: Level, now: Instant) -> Option<Duration> {
        let current = self.current(bound, level, now);
        // A grown rate saves up no more calls.
        let saved = SAVED * bound.rate / current.rate;
        let over = self.used[level as usize].rest(current.interval(), now).saturating_sub(saved);
        let free_at = if self.under_way[level as usize] >= bound.concurrency {
            now + BUSY
        } else if !over.is_zero() {
            if let Some((_, host_rate)) = &mut self.proven {
                host_rate.limit();
            }
            now + over
        } else {
            return None;
        };
        let wait_end =
            self.reserved_until.filter(|wait_end| *wait_end > free_at).unwrap_or(free_at) + current.interval();
        let wait_end = wait_end.min(now + LONGEST);
        self.reserved_until = Some(wait_end);
        Some(wait_end - now)
    }

    fn take(&mut self, bound: Bound, level: Level, now: Instant) {
        let interval = self.current(bound, level, now).interval();
        // One caller less waits for the time that was given to it.
        self.reserved_until = self.reserved_until.and_then(|until| until.checked_sub(interval));
        self.used[level as usize].take(interval, now);
        self.under_way[level as usize] += 1;
    }

    fn is_limited(&self, now: Instant) -> bool {
        self.under_way != [0, 0] || self.used.iter().any(|used| !used.rest(used.interval, now).is_zero())
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::*;
    use crate::outbound::Body;

    fn targets(text: &str) -> Targets {
        Targets::new(text.parse().unwrap())
    }

    fn host(name: &str) -> Key {
        Key::Host(name.to_owned(), 443)
    }

    fn address(text: &str) -> Key {
        Key::of(text.parse().unwrap())
    }

    /// How many of `count` calls are admitted at once, each to a separate host at this address. All permits are dropped.
    fn admitted(targets: &Targets, verified: bool, count: usize, address: &Key, now: Instant) -> usize {
        let one = |number: &usize| {
            let keys = vec![host(&format!("{number}.example")), address.clone()];
            targets.admit(keys, verified, now).is_ok()
        };
        (0..count).filter(one).count()
    }

    #[test]
    fn ten_thousand_names_of_one_victim_are_one_target() {
        let (targets, now) = (targets("unverified=2"), Instant::now());
        let victim = address("203.0.113.7");
        assert_eq!(admitted(&targets, false, 10_000, &victim, now), 21);
        assert_eq!(admitted(&targets, false, 10_000, &victim, now + Duration::from_secs(1)), 2);
        assert_eq!(
            admitted(&targets, false, 10_000, &address("203.0.113.8"), now),
            21,
            "another address is unaffected"
        );
    }

    #[test]
    fn an_ipv6_network_is_one_target_and_a_mapped_address_is_its_ipv4_address() {
        assert_eq!(address("2001:db8::1"), address("2001:db8::ffff:1"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
        assert_eq!(address("::ffff:203.0.113.7"), address("203.0.113.7"));
    }

    #[test]
    fn a_host_that_has_answered_gets_the_larger_budget() {
        let (targets, now) = (targets("rate=50,unverified=1"), Instant::now());
        let all =
            |verified| (0..1000).filter(|_| targets.admit(vec![host("a.example")], verified, now).is_ok()).count();
        assert_eq!((all(false), all(true)), (11, 501));
        targets.admit(vec![host("b.example")], false, now).unwrap().answered(Duration::ZERO, now);
        let proven = (0..1000).filter(|_| targets.admit(vec![host("b.example")], false, now).is_ok()).count();
        assert_eq!(proven, 501);
    }

    /// The number of calls to a prompt host in each of these seconds, if there is always one more.
    fn calls(targets: &Targets, start: Instant, seconds: u64) -> Vec<usize> {
        let keys = || vec![host("a.example"), address("203.0.113.7")];
        let tick = |tick| {
            let now = start + Duration::from_millis(tick);
            let permits = std::iter::from_fn(|| targets.admit(keys(), true, now).ok());
            permits.inspect(|permit| permit.answered(Duration::from_millis(5), now)).count()
        };
        (0..seconds).map(|second| (0..100).map(|part| tick(second * 1000 + part * 10)).sum()).collect()
    }

    #[test]
    fn the_rate_of_a_host_grows_up_to_its_multiple() {
        let start = Instant::now();
        // What is saved up in ten seconds comes first, and grows no further.
        let fixed = calls(&targets("rate=20,growth=1"), start, 30);
        assert_eq!((fixed[0], &fixed[1..]), (220, &[20; 29][..]));
        let grown = calls(&targets("rate=20,growth=10"), start, 30);
        assert!(grown[0] < 300 && grown[1..].is_sorted() && grown[29] == 200, "{grown:?}");
        // An address gets ten times the rate of a host.
        let bounded = calls(&targets("rate=20,growth=100"), start, 200);
        assert!(bounded.iter().skip(100).all(|calls| *calls <= 200), "{bounded:?}");
    }

    #[test]
    fn a_host_that_fails_has_its_rate_of_before() {
        let (targets, start) = (targets("rate=20"), Instant::now());
        assert_eq!(calls(&targets, start, 30)[29], 200);
        let rate = || targets.lock().get(&host("a.example")).unwrap().proven.unwrap().1.rate();
        let permit = targets.admit(vec![host("a.example")], true, start + Duration::from_mins(1)).unwrap();
        let grown = rate();
        let response = |status| {
            let (headers, body) = (HeaderMap::new(), Body { bytes: vec![], is_complete: true });
            Response { status, headers, body, elapsed: Duration::ZERO }
        };
        permit.learn(Some(&response(StatusCode::NOT_FOUND)));
        assert_eq!(rate(), grown);
        permit.learn(Some(&response(StatusCode::TOO_MANY_REQUESTS)));
        permit.learn(None);
        assert_eq!((grown, rate()), (200, 100));
        // An hour without an answer.
        let later = start + PROVEN * 2;
        assert!(targets.lock().get(&host("a.example")).unwrap().proven(later).is_none());
    }

    #[test]
    fn concurrency_is_limited_for_each_level() {
        let (targets, now) = (targets("unverified_concurrency=3,concurrency=5"), Instant::now());
        let all = |verified| -> Vec<_> {
            (0..10).filter_map(|_| targets.admit(vec![host("a.example")], verified, now).ok()).collect()
        };
        let (unverified, verified) = (all(false), all(true));
        assert_eq!((unverified.len(), verified.len()), (3, 5));
        drop(unverified);
        assert_eq!((all(false).len(), all(true).len()), (3, 0));
    }

    #[test]
    fn refused_callers_get_consecutive_waits() {
        let (targets, now) = (targets("unverified=1"), Instant::now());
        while targets.admit(vec![host("a.example")], false, now).is_ok() {}
        let waits: Vec<_> = (0..100)
            .filter_map(|_| targets.admit(vec![host("a.example")], false, now).err())
            .map(|refused| refused.wait.as_secs())
            .collect();
        assert_eq!((&waits[..3], waits.last()), (&[3, 4, 5][..], Some(&60)));
    }

    #[test]
    fn the_number_of_tracked_targets_is_bounded() {
        let (targets, now) = (targets(""), Instant::now());
        for number in 0..3 * TRACKED {
            let now = now + SAVED * u32::try_from(number).unwrap();
            assert!(targets.admit(vec![host(&number.to_string())], false, now).is_ok());
        }
        assert!(targets.lock().len() <= TRACKED);
    }
}
