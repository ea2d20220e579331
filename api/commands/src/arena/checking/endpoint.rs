//! Checks an AAP endpoint: plays rounds as the worker would send them.

use std::{net::SocketAddr, path::PathBuf};

use buildtrack_domain::targets::check_target;
use buildtrack_settings::Settings;
use buildtrack_store::clock;
use buildtrack_worker::{
    conformance::{EndpointCheck, Finding},
    outbound::Client,
};

use super::{Check, Printer, keys::KeyServer};
use crate::{CommandError, open_store, print};

/// Where the keys of the tokens are served if the caller names no address.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8099);

/// Runs the check. Exit codes: 0 conformant, 1 not, 2 nothing could be checked.
pub(super) async fn run(check: &Check, url: &str) -> Result<(), CommandError> {
    let unable = |reason: String| CommandError::NotChecked(reason);
    let base = url.trim_end_matches('/').to_owned();
    check_target(&base, true).map_err(|error| unable(format!("{base}: {error}")))?;
    let client = Client::new(true).map_err(|error| unable(error.to_string()))?;
    let folder = Folder::create()?;
    let settings = Settings { data_dir: folder.0.clone(), ..Settings::default() };
    let store = open_store(&settings).await?;
    let listen = check.listen.unwrap_or(LISTEN);
    let keys = KeyServer::start(listen, store.clone()).await.map_err(&unable)?;
    let issuer = check.issuer.clone().unwrap_or_else(|| format!("http://{}", keys.address));
    let issuer = issuer.trim_end_matches('/').to_owned();
    if !check.json {
        print(&format!("Checking {base}. The keys of the tokens are at {issuer}/.well-known/jwks.json\n"))?;
    }
    let mut printer = Printer::new(check.json);
    let leagues = check.leagues.clone();
    let endpoint = EndpointCheck { store: store.clone(), client, issuer, base: base.clone(), leagues };
    let checked = endpoint.run(&mut |finding: Finding| printer.print(finding)).await;
    keys.stop().await;
    store.close().await;
    let faults = checked.map_err(|error| unable(format!("{base}: {error}")))?;
    printer.conclude("endpoint", faults)
}

/// A folder for the keys of one check, which is removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn create() -> Result<Self, CommandError> {
        let name = format!("buildtrack-check-{}", hex::encode(clock::random::<12>()));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).map_err(|error| CommandError::NotChecked(format!("{}: {error}", path.display())))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}
