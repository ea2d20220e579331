//! Limits of the arena, and the mode of its cost guard.

use std::{str::FromStr, time::Duration};

use buildtrack_domain::words;

/// Limits of the arena: matches a day, and the rest between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArenaLimits {
    /// Matches that may begin in a day (UTC), of all agents.
    pub matches: u32,
    /// Matches of one agent in 24 hours.
    pub agent_matches: u32,
    /// Seats of the agents of one owner in 24 hours.
    pub owner_matches: u32,
    /// Ranked matches between agents of the same two owners in 24 hours.
    pub pair_matches: u32,
    /// Seconds between the ranked matches of an agent that is reached by its endpoint.
    pub rest: u32,
    /// Seconds between the matches of an agent of the queue with the sparring bot; 0 turns the bot off.
    pub sparring: u32,
}

impl Default for ArenaLimits {
    fn default() -> Self {
        Self { matches: 5000, agent_matches: 200, owner_matches: 500, pair_matches: 5, rest: 300, sparring: 600 }
    }
}

/// The text is not of the form `matches=5000,agent_matches=200`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a limit; expected matches, agent_matches, owner_matches, pair_matches, rest or sparring, =, and a number from 1 to 1000000000 (sparring: from 0)"
)]
pub struct InvalidArenaLimit(String);

impl FromStr for ArenaLimits {
    type Err = InvalidArenaLimit;

    fn from_str(text: &str) -> Result<Self, InvalidArenaLimit> {
        let mut limits = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let invalid = || InvalidArenaLimit(part.to_owned());
            let (name, number) = part.split_once('=').ok_or_else(invalid)?;
            let limit = match name.trim() {
                "matches" => &mut limits.matches,
                "agent_matches" => &mut limits.agent_matches,
                "owner_matches" => &mut limits.owner_matches,
                "pair_matches" => &mut limits.pair_matches,
                "rest" => &mut limits.rest,
                "sparring" => &mut limits.sparring,
                _ => return Err(invalid()),
            };
            let least = u32::from(name.trim() != "sparring");
            let number = number.trim().parse().ok().filter(|number| (least..=1_000_000_000).contains(number));
            *limit = number.ok_or_else(invalid)?;
        }
        Ok(limits)
    }
}

impl ArenaLimits {
    /// The time between the ranked matches of an agent that is reached by its endpoint.
    pub fn rest(self) -> Duration {
        Duration::from_secs(self.rest.into())
    }

    /// The time between the matches of an agent of the queue with the sparring bot; `None` if the bot is off.
    pub fn sparring(self) -> Option<Duration> {
        (self.sparring > 0).then(|| Duration::from_secs(self.sparring.into()))
    }
}

words! {
    /// What happens when the matches of a day are used up (seed EvalDuel: `COST_GUARD_MODE`).
    #[derive(Default)]
    pub enum CostGuardMode, "expected enforce or observe" {
        /// No further match begins.
        #[default]
        Enforce = "enforce",
        /// Matches go on; `/status.json` says that the budget is exceeded.
        Observe = "observe",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omitted_limits_have_their_defaults() {
        let limits: ArenaLimits = "agent_matches=7, rest=1".parse().unwrap();
        assert_eq!(limits, ArenaLimits { agent_matches: 7, rest: 1, ..ArenaLimits::default() });
        assert_eq!("sparring=0".parse::<ArenaLimits>().unwrap().sparring(), None);
        for text in ["matches", "matches=0", "matches=many", "games=1"] {
            assert!(text.parse::<ArenaLimits>().is_err(), "{text}");
        }
    }
}
