//! Reputations and ROBO POINT, counted once more from the log by rules of the checker's own.
//!
//! Every agent of a run has an owner of its own and takes no text back, which keeps these rules short.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::NaiveDate;
use serde_json::Value;

use super::Violation;
use crate::snapshot::{Event, Snapshot, Standing};

/// The highest score, and how many texts and workspaces of one agent count in a day.
const SCORE_MAX: i64 = 1000;
const OWN_WORK_PER_DAY: u32 = 20;
/// What each contribution is worth.
const WORTH: [(&str, i64); 5] = [("helpful", 10), ("posts", 3), ("replies", 2), ("solutions", 15), ("workspaces", 5)];

/// What the log makes of the agents.
#[derive(Debug, Default)]
struct Recount {
    counts: BTreeMap<(String, &'static str), i64>,
    own_work: HashMap<(String, NaiveDate), u32>,
    accepted: HashMap<String, String>,
    votes: BTreeSet<String>,
    tips: BTreeMap<String, i64>,
    /// The most that contributions were ever worth, which is what they earned.
    earned: BTreeMap<String, i64>,
}

pub(super) fn check(snapshot: &Snapshot) -> Vec<Violation> {
    let mut recount = Recount::default();
    snapshot.events.iter().for_each(|event| recount.add(event));
    let wrong = snapshot.standings.iter().flat_map(|(agent, standing)| recount.compare(agent, standing));
    wrong.chain(supply(snapshot)).collect()
}

/// The accounts together hold what was issued, and none less than nothing.
fn supply(snapshot: &Snapshot) -> Vec<Violation> {
    let (issued, held) = snapshot.supply;
    let sum: i64 = snapshot.standings.values().map(|standing| standing.balance).sum();
    let earned = snapshot.events.iter().filter(|event| event.stream.starts_with("reputation:"));
    let earned: i64 = earned.filter_map(|event| event.data["earned"].as_i64()).sum();
    let mut found = Vec::new();
    if issued != held || issued != sum || issued != earned {
        let detail = format!("issued {issued}, held {held}, accounts {sum}, earned on the log {earned}");
        found.push(Violation::new("ledger", detail));
    }
    let overdrawn = snapshot.standings.iter().filter(|(_, standing)| standing.balance < 0);
    found.extend(overdrawn.map(|(agent, it)| Violation::new("ledger", format!("{agent} has {}", it.balance))));
    found
}

impl Recount {
    fn add(&mut self, event: &Event) {
        let text = |pointer: &str| event.data.pointer(pointer).and_then(Value::as_str).map(ToOwned::to_owned);
        let author = text("/author/id");
        match &*event.event_type {
            "workspace.opened" => self.own_work(event, text("/owner/id"), "workspaces"),
            "message.posted" | "reply.written" | "post.written" => {
                let replies = event.event_type == "reply.written"
                    || text("/replyTo").is_some_and(|_| event.event_type == "message.posted");
                self.own_work(event, author, if replies { "replies" } else { "posts" });
            }
            "vote.cast" if self.votes.insert(event.stream.clone()) => self.count(text("/targetAuthorId"), "helpful", 1),
            "vote.withdrawn" if self.votes.remove(&event.stream) => self.count(text("/targetAuthorId"), "helpful", -1),
            "post.solution_accepted" => self.accept(text("/postId"), text("/replyAuthorId"), text("/by").as_deref()),
            "workspace.resolved" => {
                self.accept(text("/workspaceId"), text("/solutionAuthorId"), text("/acceptedBy").as_deref());
            }
            "points.tipped" => self.tip(text("/from/id"), -event.data["amount"].as_i64().unwrap_or(0)),
            "points.received" => {
                let holder = event.stream.strip_prefix("points:").map(ToOwned::to_owned);
                self.tip(holder, event.data["amount"].as_i64().unwrap_or(0));
            }
            _ => (),
        }
    }

    fn own_work(&mut self, event: &Event, author: Option<String>, contribution: &'static str) {
        let Some(author) = author else { return };
        let today = self.own_work.entry((author.clone(), event.recorded_at.date_naive())).or_default();
        *today += 1;
        if *today <= OWN_WORK_PER_DAY {
            self.count(Some(author), contribution, 1);
        }
    }

    /// A solution takes the place of the one before. One's own is worth nothing.
    fn accept(&mut self, location: Option<String>, author: Option<String>, by: Option<&str>) {
        let (Some(location), Some(author)) = (location, author) else { return };
        if let Some(before) = self.accepted.remove(&location) {
            self.count(Some(before), "solutions", -1);
        }
        if by != Some(&*author) {
            self.accepted.insert(location, author.clone());
            self.count(Some(author), "solutions", 1);
        }
    }

    fn count(&mut self, agent: Option<String>, contribution: &'static str, change: i64) {
        let Some(agent) = agent else { return };
        *self.counts.entry((agent.clone(), contribution)).or_default() += change;
        let worth = self.worth(&agent);
        let earned = self.earned.entry(agent).or_default();
        *earned = (*earned).max(worth);
    }

    fn worth(&self, agent: &str) -> i64 {
        WORTH.iter().map(|(name, worth)| worth * self.counted(agent, name)).sum()
    }

    fn counted(&self, agent: &str, contribution: &'static str) -> i64 {
        self.counts.get(&(agent.to_owned(), contribution)).copied().unwrap_or(0)
    }

    fn tip(&mut self, agent: Option<String>, change: i64) {
        if let Some(agent) = agent {
            *self.tips.entry(agent).or_default() += change;
        }
    }

    fn compare(&self, agent: &str, standing: &Standing) -> Vec<Violation> {
        let counted: BTreeMap<String, i64> =
            WORTH.iter().map(|(name, _)| ((*name).to_owned(), self.counted(agent, name))).collect();
        let score = self.worth(agent).clamp(0, SCORE_MAX);
        let earned = self.earned.get(agent).copied().unwrap_or(0);
        let balance = earned + self.tips.get(agent).copied().unwrap_or(0);
        let mut found = Vec::new();
        if (&counted, score) != (&standing.counts, standing.score) {
            let shown = (&standing.counts, standing.score);
            let detail = format!("{agent}: the API says {shown:?}, the log {:?}", (counted, score));
            found.push(Violation::new("reputation", detail));
        }
        if balance != standing.balance {
            let detail = format!("{agent}: the API says {}, the log {balance}", standing.balance);
            found.push(Violation::new("balance", detail));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::checker::testing::{self, event};

    fn found(break_it: impl FnOnce(&mut Snapshot)) -> BTreeSet<&'static str> {
        let (_, mut snapshot) = testing::seen();
        break_it(&mut snapshot);
        check(&snapshot).into_iter().map(|violation| violation.invariant).collect()
    }

    fn standing<'a>(snapshot: &'a mut Snapshot, agent: &str) -> &'a mut Standing {
        snapshot.standings.get_mut(agent).unwrap()
    }

    #[test]
    fn what_is_in_order_is_counted_alike() {
        assert_eq!(found(|_| ()), [].into());
    }

    #[test]
    fn a_miscounted_reputation_is_found() {
        assert_eq!(found(|snapshot| standing(snapshot, "ag_a").score += 3), ["reputation"].into());
        let miscount = |snapshot: &mut Snapshot| {
            standing(snapshot, "ag_b").counts.insert("posts".to_owned(), 1);
        };
        assert_eq!(found(miscount), ["reputation"].into());
        let votes = json!({"targetAuthorId": "ag_a"});
        let uncounted = |snapshot: &mut Snapshot| snapshot.events.push(event(7, "vote:x:ag_b", "vote.cast", votes));
        assert_eq!(found(uncounted), ["balance", "reputation"].into());
    }

    #[test]
    fn a_vote_that_is_taken_back_counts_no_more_and_what_it_earned_stays() {
        let mut recount = Recount::default();
        for event_type in ["vote.cast", "vote.withdrawn"] {
            recount.add(&event(1, "vote:x:ag_b", event_type, json!({"targetAuthorId": "ag_a"})));
        }
        assert_eq!((recount.worth("ag_a"), recount.earned["ag_a"]), (0, 10));
    }

    #[test]
    fn points_from_nowhere_are_found() {
        assert_eq!(found(|snapshot| snapshot.supply.0 += 1), ["ledger"].into());
        assert_eq!(found(|snapshot| standing(snapshot, "ag_a").balance += 1), ["balance", "ledger"].into());
        let half_a_tip = |snapshot: &mut Snapshot| {
            let tip = json!({"from": {"id": "ag_a"}, "amount": 2});
            snapshot.events.push(event(7, "points:ag_a", "points.tipped", tip));
        };
        assert_eq!(found(half_a_tip), ["balance"].into());
        let overdrawn = |snapshot: &mut Snapshot| {
            standing(snapshot, "ag_a").balance = -1;
            standing(snapshot, "ag_b").balance = 15;
        };
        assert_eq!(found(overdrawn), ["balance", "ledger"].into());
    }

    #[test]
    fn own_work_counts_up_to_the_days_bound() {
        let mut recount = Recount::default();
        (0..25).for_each(|_| recount.add(&testing::message(1, "ag_a")));
        assert_eq!(recount.counted("ag_a", "posts"), 20);
    }
}
