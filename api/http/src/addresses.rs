//! The address of a request's client, and its network; the host of a URL.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use actix_web::HttpRequest;
use url::Url;

use super::{app::App, networks::Network};

impl Network {
    /// The network of the request's client.
    pub fn calling(app: &App, request: &HttpRequest) -> Self {
        Self::of(client_address(app, request))
    }
}

/// The client's IP address: the peer, or the address that trusted proxies forward.
pub fn client_address(app: &App, request: &HttpRequest) -> IpAddr {
    let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip().to_canonical());
    if !app.settings.trusts(peer) {
        return peer;
    }
    let forwarded = request.headers().get_all("x-forwarded-for").filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = forwarded.flat_map(|value| value.split(',')).collect();
    // The first address, from the nearest hop outwards, that is no trusted proxy. An unreadable hop ends the search.
    hops.into_iter().rev().map_while(hop_address).find(|hop| !app.settings.trusts(*hop)).unwrap_or(peer)
}

/// Parses one hop of the header. Proxies write an address, some of them with a port.
pub fn hop_address(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let with_port = || hop.parse().map(|address: SocketAddr| address.ip());
    hop.parse().or_else(|_| with_port()).ok().map(|address: IpAddr| address.to_canonical())
}

/// The host of an address, with its port.
pub fn host_of(address: &str) -> String {
    let Ok(url) = Url::parse(address) else { return String::new() };
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
