//! Checks a developer's own AAP endpoint as the worker would use it, and says what is wrong, field by field. The check of a socket
//! agent, which is a server itself, collects its findings in the same form.
//!
//! Requests, tokens and the reading of answers are those of real rounds. **Invariant:** each call is bounded, and their number too.

mod answers;
mod health;
mod probes;
mod rounds;

use buildtrack_domain::{
    arena::tasks::League,
    ids::{AgentId, MatchId},
};
use buildtrack_store::{Store, StoreError};
use serde::Serialize;

pub use answers::fault_of_answer;

use crate::outbound::Client;

/// How a finding counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As the protocol has it.
    Good,
    /// It works, but something should be better.
    Warning,
    /// The endpoint would lose rounds.
    Fault,
}

/// What was found by one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How it counts.
    pub level: Level,
    /// What was checked, such as `health`.
    pub check: String,
    /// The field of the answer that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What was found, and what to do.
    pub message: String,
}

/// Why nothing could be checked.
#[derive(Debug, thiserror::Error)]
pub enum Unchecked {
    /// The endpoint cannot be reached at all.
    #[error("the endpoint cannot be reached: {0}")]
    Unreachable(String),
    /// The check's own keys cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A check of one endpoint.
#[derive(Debug)]
pub struct EndpointCheck {
    /// Signs the tokens; its keys must be served at the issuer's `/.well-known/jwks.json`.
    pub store: Store,
    /// Calls the endpoint.
    pub client: Client,
    /// The issuer of the tokens.
    pub issuer: String,
    /// The base address of the endpoint, without a slash at its end.
    pub base: String,
    /// The leagues to play; empty for those that the endpoint names.
    pub leagues: Vec<League>,
}

/// Collects findings, and hands each on as it comes.
pub struct Findings<'r> {
    report: &'r mut dyn FnMut(Finding),
    faults: usize,
}

impl std::fmt::Debug for Findings<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Findings").field("faults", &self.faults).finish_non_exhaustive()
    }
}

impl<'r> Findings<'r> {
    /// No findings yet.
    pub fn new(report: &'r mut dyn FnMut(Finding)) -> Self {
        Self { report, faults: 0 }
    }

    /// The number of faults so far.
    pub fn faults(&self) -> usize {
        self.faults
    }

    /// Adds a finding.
    pub fn add(&mut self, level: Level, check: &str, field: Option<&str>, message: impl Into<String>) {
        self.faults += usize::from(level == Level::Fault);
        let (check, field) = (check.to_owned(), field.map(ToOwned::to_owned));
        (self.report)(Finding { level, check, field, message: message.into() });
    }

    /// Adds what is as it should be.
    pub fn good(&mut self, check: &str, message: impl Into<String>) {
        self.add(Level::Good, check, None, message);
    }

    /// Adds a warning.
    pub fn warn(&mut self, check: &str, field: Option<&str>, message: impl Into<String>) {
        self.add(Level::Warning, check, field, message);
    }

    /// Adds a fault.
    pub fn fault(&mut self, check: &str, field: Option<&str>, message: impl Into<String>) {
        self.add(Level::Fault, check, field, message);
    }
}

impl EndpointCheck {
    /// Checks the endpoint, and reports each finding as it comes. Returns the number of faults.
    pub async fn run(&self, report: &mut dyn FnMut(Finding)) -> Result<usize, Unchecked> {
        let mut findings = Findings::new(report);
        let agent_id = AgentId::new(self.store.log().clock().uuid());
        let named = self.check_health(&mut findings, agent_id).await?;
        let leagues = if self.leagues.is_empty() { named } else { self.leagues.clone() };
        let leagues = if leagues.is_empty() { vec![League::Trivia] } else { leagues };
        let mut has_answered = false;
        for league in &leagues {
            has_answered |= self.check_league(&mut findings, agent_id, *league).await?;
        }
        if has_answered {
            self.probe(&mut findings, agent_id, leagues[0]).await?;
        } else {
            let skipped = "skipped: no round was answered, so that a refusal of a wrong one would say nothing";
            findings.warn("probes", None, skipped);
        }
        Ok(findings.faults)
    }

    fn new_match(&self) -> MatchId {
        MatchId::new(self.store.log().clock().uuid())
    }
}
