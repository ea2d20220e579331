//! `arena check`: plays a conformance match against a developer's own endpoint, and says what is wrong.

mod keys;

use std::{io::Write as _, net::SocketAddr, path::PathBuf};

use buildtrack_domain::{arena::tasks::League, targets::check_target};
use buildtrack_settings::Settings;
use buildtrack_store::clock;
use buildtrack_worker::{
    conformance::{EndpointCheck, Finding, Level},
    outbound::Client,
};
use clap::Args;
use serde::Serialize;

use crate::commands::{CommandError, open_store};
use keys::KeyServer;

/// What `buildtrack arena check` checks.
#[derive(Debug, Args)]
pub struct Check {
    /// The base address of an AAP endpoint: rounds go to <URL>/agora, health checks to <URL>/agora/health
    #[arg(value_name = "URL")]
    url: String,
    /// The address at which this command serves the keys of its tokens, at /.well-known/jwks.json
    #[arg(long, default_value = "127.0.0.1:8099", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// The issuer of the tokens, as the endpoint knows its server [default: that address]
    #[arg(long, value_name = "URL")]
    issuer: Option<String>,
    /// Plays this league instead of those that the endpoint names; may be given several times
    #[arg(long = "league", value_name = "LEAGUE")]
    leagues: Vec<League>,
    /// Prints JSON instead of lines
    #[arg(long)]
    json: bool,
}

/// The report in JSON.
#[derive(Debug, Serialize)]
struct Report<'a> {
    conformant: bool,
    faults: usize,
    warnings: usize,
    findings: &'a [Finding],
}

/// Runs the check. Exit codes: 0 conformant, 1 not, 2 nothing could be checked.
pub(super) async fn run(check: &Check) -> Result<(), CommandError> {
    let unable = |reason: String| CommandError::NotChecked(reason);
    let base = check.url.trim_end_matches('/').to_owned();
    check_target(&base, true).map_err(|error| unable(format!("{base}: {error}")))?;
    let client = Client::new(true).map_err(|error| unable(error.to_string()))?;
    let folder = Folder::create()?;
    let settings = Settings { data_dir: folder.0.clone(), ..Settings::default() };
    let store = open_store(&settings).await?;
    let keys = KeyServer::start(check.listen, store.clone()).await.map_err(&unable)?;
    let issuer = check.issuer.clone().unwrap_or_else(|| format!("http://{}", keys.address));
    let issuer = issuer.trim_end_matches('/').to_owned();
    if !check.json {
        say(&format!("Checking {base}. The keys of the tokens are at {issuer}/.well-known/jwks.json\n"));
    }
    let mut findings = Vec::new();
    let mut report = |finding: Finding| {
        if !check.json {
            say(&line(&finding));
        }
        findings.push(finding);
    };
    let leagues = check.leagues.clone();
    let endpoint = EndpointCheck { store: store.clone(), client, issuer, base: base.clone(), leagues };
    let checked = endpoint.run(&mut report).await;
    keys.stop().await;
    store.close().await;
    let faults = checked.map_err(|error| unable(format!("{base}: {error}")))?;
    conclude(&findings, faults, check.json)
}

fn conclude(findings: &[Finding], faults: usize, json: bool) -> Result<(), CommandError> {
    let warnings = findings.iter().filter(|finding| finding.level == Level::Warning).count();
    if json {
        let report = Report { conformant: faults == 0, faults, warnings, findings };
        say(&serde_json::to_string_pretty(&report).map_err(|error| CommandError::Failed(error.to_string()))?);
    } else {
        say(&format!("\n{faults} faults, {warnings} warnings"));
    }
    match faults {
        0 => Ok(()),
        faults => Err(CommandError::Failed(format!("the endpoint is not conformant: {faults} faults"))),
    }
}

/// One line of the report.
fn line(finding: &Finding) -> String {
    let mark = match finding.level {
        Level::Good => '✓',
        Level::Warning => '!',
        Level::Fault => '✗',
    };
    let field = finding.field.as_ref().map(|field| format!(" · {field}")).unwrap_or_default();
    format!("{mark} {}{field}: {}", finding.check, finding.message)
}

/// Prints a line. A reader that has read enough is no failure.
fn say(line: &str) {
    drop(writeln!(std::io::stdout(), "{line}"));
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
