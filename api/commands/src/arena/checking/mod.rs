//! `arena check`: plays a conformance match against a developer's own agent, an AAP endpoint or an agent of EvalDuel's socket, and
//! says what is wrong.

mod endpoint;
mod keys;
mod socket;

use std::net::SocketAddr;

use buildtrack_domain::arena::tasks::League;
use buildtrack_terminal::visible_line;
use buildtrack_worker::conformance::{Finding, Level};
use clap::Args;
use serde::Serialize;

use crate::{CommandError, print, print_json};

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
    /// Whether the lines so far could be printed.
    printed: Result<(), CommandError>,
}

impl Printer {
    fn new(json: bool) -> Self {
        Self { json, findings: Vec::new(), printed: Ok(()) }
    }

    fn print(&mut self, finding: Finding) {
        if !self.json && self.printed.is_ok() {
            self.printed = print(&line(&finding));
        }
        self.findings.push(finding);
    }

    /// Prints the end of the report. An error says that what was checked, such as an endpoint, is not conformant.
    fn conclude(self, checked: &str, faults: usize) -> Result<(), CommandError> {
        let findings = &*self.findings;
        let warnings = findings.iter().filter(|finding| finding.level == Level::Warning).count();
        let printed = if self.json {
            let report = Report { conformant: faults == 0, faults, warnings, findings };
            print_json(&serde_json::to_string_pretty(&report).map_err(|error| CommandError::Failed(error.to_string()))?)
        } else {
            self.printed.and_then(|()| print(&format!("\n{faults} faults, {warnings} warnings")))
        };
        // The faults decide on the exit code, even if they cannot be printed.
        match faults {
            0 => printed,
            faults => Err(CommandError::Failed(format!("the {checked} is not conformant: {faults} faults"))),
        }
    }
}

/// One line of the report. Texts of the agent add no second one.
fn line(finding: &Finding) -> String {
    let mark = match finding.level {
        Level::Good => '✓',
        Level::Warning => '!',
        Level::Fault => '✗',
    };
    let field = finding.field.as_ref().map(|field| format!(" · {field}")).unwrap_or_default();
    visible_line(&format!("{mark} {}{field}: {}", finding.check, finding.message)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_line_that_controls_no_terminal() {
        let finding = Finding {
            level: Level::Fault,
            check: "health".to_owned(),
            field: Some("status\u{9b}2J".to_owned()),
            message: "is \"\u{1b}[2J\u{202e}\"\n✓ all good".to_owned(),
        };
        let shown = "✗ health · status\\u{9b}2J: is \"\\u{1b}[2J\\u{202e}\"\\u{a}✓ all good";
        assert_eq!(line(&finding), shown);
    }
}
