//! Capacity for long answers: permits for live streams and for waiting requests. Each kind has a total number of permits, and
//! a share for each network, owner and agent.

use std::{net::IpAddr, sync::Arc, time::Duration};

use actix_web::http::StatusCode;
use buildtrack_domain::ids::{AgentId, OwnerId};
use buildtrack_settings::Settings;
use buildtrack_store::{Held, Store};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{networks::Network, problem::Problem};

/// The suggested wait before a retry if no permit is free.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The caller that takes a permit.
#[derive(Debug)]
pub struct Holder {
    pub(super) network: Network,
    /// The owner, and the agent if an agent calls.
    pub(super) known: Option<(String, Option<String>)>,
}

impl Holder {
    /// An agent at an address, which was identified by another token than that of a session.
    pub fn of_agent(address: IpAddr, owner_id: OwnerId, agent_id: AgentId) -> Self {
        Self { network: Network::of(address), known: Some((owner_id.to_string(), Some(agent_id.to_string()))) }
    }
}

/// A permit until it is dropped: one of the total, and one of each share that it counts against.
#[derive(Debug)]
pub struct Permit {
    _shares: Vec<Held>,
    _of_all: OwnedSemaphorePermit,
}

/// The permits of one kind.
#[derive(Debug)]
pub(crate) struct Permits {
    kind: Kind,
    free: Arc<Semaphore>,
    all: usize,
    shares: Shares,
}

/// The maximum number of permits of each share.
#[derive(Debug, Clone, Copy)]
struct Shares {
    network: u32,
    /// The share of a /48 network as a multiple of that of an address.
    site: u32,
    owner: u32,
    agent: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Streams,
    Waiting,
}

impl Permits {
    /// Permits for live streams, polls of the relay, and both sides of the two-party exchange.
    pub(crate) fn for_streams(settings: &Settings) -> Self {
        let shares = Shares {
            network: settings.live_streams_per_address,
            site: 8,
            owner: settings.live_streams_per_owner,
            agent: settings.live_streams_per_agent,
        };
        Self::new(Kind::Streams, settings.live_streams, shares)
    }

    /// Permits for requests with `wait`.
    pub(crate) fn for_waiting(settings: &Settings) -> Self {
        let shares = Shares {
            network: settings.waiting_per_network,
            site: 2,
            owner: settings.waiting_per_owner,
            agent: settings.waiting_per_agent,
        };
        Self::new(Kind::Waiting, settings.waiting, shares)
    }

    fn new(kind: Kind, all: usize, shares: Shares) -> Self {
        let all = all.min(Semaphore::MAX_PERMITS);
        Self { kind, free: Arc::new(Semaphore::new(all)), all, shares }
    }

    /// Takes a permit of each share and of the total.
    pub(crate) fn take(&self, store: &Store, holder: &Holder) -> Result<Permit, Problem> {
        let shares = self.take_shares(store, holder)?;
        let of_all = Arc::clone(&self.free).try_acquire_owned().map_err(|_| self.capacity_exceeded())?;
        Ok(Permit { _shares: shares, _of_all: of_all })
    }

    fn take_shares(&self, store: &Store, Holder { network, known }: &Holder) -> Result<Vec<Held>, Problem> {
        let Shares { network: of_network, site, owner: of_owner, agent: of_agent } = self.shares;
        let kind = self.kind.name();
        let (host, site) =
            network.hold(store, kind, of_network, site).ok_or_else(|| self.share_exceeded("address", of_network))?;
        let mut held: Vec<_> = [Some(host), site].into_iter().flatten().collect();
        let Some((owner, agent)) = known else { return Ok(held) };
        let mut hold = |whose: &'static str, id: &str, most: u32| {
            let permit = store.limits().hold_here(&format!("{kind} {whose} {id}"), most);
            held.push(permit.ok_or_else(|| self.share_exceeded(whose, most))?);
            Ok::<_, Problem>(())
        };
        if let Some(agent) = agent {
            hold("agent", agent, of_agent)?;
        }
        hold("owner", owner, of_owner)?;
        Ok(held)
    }

    /// 429: the caller has used up its share.
    fn share_exceeded(&self, whose: &'static str, most: u32) -> Problem {
        let (code, reason, detail, hint) = match self.kind {
            Kind::Streams => (
                "too_many_streams_held",
                "streams_share",
                format!("This {whose} already has the maximum number of live streams, {most}."),
                "End one of them, or use one stream for several event types: GET /api/v1/live?types=….",
            ),
            Kind::Waiting => (
                "too_many_waiting_held",
                "waiting_share",
                format!("This {whose} already has the maximum number of waiting requests, {most}."),
                "Wait for one of them to end, or send the request without \"wait\".",
            ),
        };
        refuse(StatusCode::TOO_MANY_REQUESTS, code, reason, detail, hint)
    }

    /// 503: all permits are in use.
    fn capacity_exceeded(&self) -> Problem {
        let (code, reason, detail, hint) = match self.kind {
            Kind::Streams => (
                "too_many_streams",
                "streams_total",
                format!("This server already has the maximum number of live streams, {}.", self.all),
                "Repeat the request after the time in Retry-After, or poll GET /api/v1/log?after=.",
            ),
            Kind::Waiting => (
                "too_many_waiting",
                "waiting_total",
                "This server already has the maximum number of waiting requests.".to_owned(),
                "Repeat the request after the time in Retry-After, or send it without \"wait\".",
            ),
        };
        refuse(StatusCode::SERVICE_UNAVAILABLE, code, reason, detail, hint)
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Streams => "live",
            Self::Waiting => "waiting",
        }
    }
}

fn refuse(status: StatusCode, code: &str, reason: &'static str, detail: String, hint: &str) -> Problem {
    metrics::counter!("buildtrack_refused_total", "reason" => reason).increment(1);
    Problem::new(status, code, detail, hint).retryable(Some(RETRY_AFTER))
}
