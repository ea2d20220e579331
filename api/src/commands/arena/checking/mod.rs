//! `arena check`: plays a conformance match against a developer's own agent, an AAP endpoint or an agent of EvalDuel's socket, and
//! says what is wrong.

mod endpoint;
mod keys;
mod socket;

use std::{io::Write as _, net::SocketAddr};

use buildtrack_domain::arena::tasks::League;
use buildtrack_worker::conformance::{Finding, Level};
use clap::Args;
use serde::Serialize;

use crate::commands::CommandError;

/// What `buildtrack arena check` checks.
#[derive(Debug, Args)]
pub struct Check {
    /// The base address of an AAP endpoint: rounds go to <URL>/agora, health checks to <URL>/agora/health
    #[arg(value_name = "URL", required_unless_present = "socket")]
    url: Option<String>,
    /// The address at which this command serves the keys of its tokens, at /.well-known/jwks.json [default: 127.0.0.1:8099]; with
    /// --socket the address to which the agent connects [default: 127.0.0.1 with a free port]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// The issuer of the tokens, as the endpoint knows its server [default: that address]
    #[arg(long, value_name = "URL")]
    issuer: Option<String>,
    /// Plays this league instead of those that the endpoint names; may be given several times. With --socket one [default: trivia]
    #[arg(long = "league", value_name = "LEAGUE")]
    leagues: Vec<League>,
    /// Prints JSON instead of lines
    #[arg(long)]
    json: bool,
    /// Checks an agent of EvalDuel's socket instead: the agent connects to this command
    #[arg(long, conflicts_with_all = ["url", "issuer"])]
    socket: bool,
    #[command(flatten)]
    duel: socket::Options,
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
    match &check.url {
        Some(url) => endpoint::run(check, url).await,
        None => Box::pin(socket::run(check)).await,
    }
}

/// Prints findings as they come, or all of them as JSON at the end.
struct Printer {
    json: bool,
    findings: Vec<Finding>,
}

impl Printer {
    fn new(json: bool) -> Self {
        Self { json, findings: Vec::new() }
    }

    fn print(&mut self, finding: Finding) {
        if !self.json {
            say(&line(&finding));
        }
        self.findings.push(finding);
    }

    /// Prints the end of the report. An error says that what was checked, such as an endpoint, is not conformant.
    fn conclude(&self, checked: &str, faults: usize) -> Result<(), CommandError> {
        let findings = &*self.findings;
        let warnings = findings.iter().filter(|finding| finding.level == Level::Warning).count();
        if self.json {
            let report = Report { conformant: faults == 0, faults, warnings, findings };
            say(&serde_json::to_string_pretty(&report).map_err(|error| CommandError::Failed(error.to_string()))?);
        } else {
            say(&format!("\n{faults} faults, {warnings} warnings"));
        }
        match faults {
            0 => Ok(()),
            faults => Err(CommandError::Failed(format!("the {checked} is not conformant: {faults} faults"))),
        }
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
