//! Names into addresses that may be called: the connection goes to the very address that was vetted.

use std::{io, net::SocketAddr, sync::Arc};

use buildtrack_domain::webhooks::is_public;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;

/// Lookups at a time. One that hangs keeps a thread until the system gives up, long after its caller did.
const LOOKUPS: usize = 32;

/// Why a name gives no address to call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The system's resolver says so.
    #[error("the host name cannot be resolved: {0}")]
    Unknown(String),
    /// It resolves, but into networks that are not everyone's.
    #[error("the host name leads to no address on the public internet")]
    NotPublic,
}

impl From<io::Error> for ResolveError {
    fn from(error: io::Error) -> Self {
        Self::Unknown(error.to_string())
    }
}

/// Resolves with the system's resolver and keeps the public addresses; all of them where private ones are allowed.
#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    allow_private: bool,
    lookups: Arc<Semaphore>,
}

impl Resolver {
    pub(crate) fn new(allow_private: bool) -> Self {
        Self { allow_private, lookups: Arc::new(Semaphore::new(LOOKUPS)) }
    }

    /// At least one address; the port is 0.
    pub(crate) async fn addresses(&self, name: String) -> Result<Vec<SocketAddr>, ResolveError> {
        let permit = self.lookups.clone().acquire_owned().await.map_err(io::Error::other)?;
        // A task of its own: the place is taken for as long as the lookup runs, not for as long as somebody waits.
        let lookup = tokio::spawn(async move {
            let found = tokio::net::lookup_host((name, 0)).await.map(Iterator::collect::<Vec<_>>);
            drop(permit);
            found
        });
        let mut addresses = lookup.await.map_err(io::Error::other)??;
        addresses.retain(|address| self.allow_private || is_public(address.ip()));
        if addresses.is_empty() { Err(ResolveError::NotPublic) } else { Ok(addresses) }
    }
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
    use super::*;

    #[tokio::test]
    async fn a_name_that_leads_home_gives_no_address() {
        let resolver = Resolver::new(false);
        assert_eq!(resolver.addresses("localhost".into()).await, Err(ResolveError::NotPublic));
    }

    #[tokio::test]
    async fn where_private_targets_are_allowed_it_does() {
        let addresses = Resolver::new(true).addresses("localhost".into()).await.unwrap();
        assert!(addresses.iter().all(|address| address.ip().is_loopback()));
    }
}
