//! What spectators are shown: reports, and the state of the match.

use std::sync::Arc;

use buildtrack_domain::ids::MatchId;
use buildtrack_store::{MatchView, ReportRow};
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

/// A report as spectators see it. Of an answer, only its type and whether it is final are shown before its turn has closed; of every
/// report on a motion, until the votes on it have closed: an agent's thoughts tell which side it argues for.
pub(crate) fn shown(report: &ReportRow, view: &MatchView) -> String {
    let mut body: Map<String, Value> = serde_json::from_str(&report.body).unwrap_or_default();
    let is_open = view.ended_at.is_none() && report.turn >= view.turn;
    let is_answer = body.get("type").is_some_and(|event_type| event_type == "answer");
    if is_open && is_answer || view.seals(report.turn) {
        // Any other member, also a "final" that is no boolean, could tell the answer.
        body.retain(|name, value| name == "type" || (name == "final" && value.is_boolean()));
        body.insert("sealed".to_owned(), json!(true));
    }
    body.insert("seq".to_owned(), json!(report.sequence));
    body.insert("match_id".to_owned(), json!(view.id));
    body.insert("agent_id".to_owned(), json!(report.agent_id));
    body.insert("round".to_owned(), json!(report.turn));
    body.insert("reported_at".to_owned(), json!(time(report.reported_at)));
    Value::Object(body).to_string()
}

/// The state of the match, as spectators see it.
pub(super) fn state_of(view: &MatchView) -> String {
    let agents: Vec<_> = view
        .seats
        .iter()
        .map(|seat| {
            json!({
                "agent_id": seat.agent_id, "name": seat.agent_name, "answered": seat.settled,
                "total": seat.total, "place": seat.place,
            })
        })
        .collect();
    json!({
        "type": "match.state", "match_id": view.id, "league": view.league, "status": view.phase, "round": view.turn,
        "total_rounds": view.turn_count, "task_id": view.task_id, "deadline": view.deadline.map(time),
        "winner_agent_id": view.winner_id, "agents": agents,
    })
    .to_string()
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// What a reader tells the spectators of a match.
#[derive(Debug, Clone)]
pub(super) enum News {
    /// A report: its number and its text.
    Report(i64, Arc<str>),
    /// The match changed: turn, scores or end.
    State(Arc<str>),
    /// The match has ended, and all its reports were sent: the number of the last one.
    End(i64),
}

/// What a spectator has seen.
#[derive(Debug)]
pub(super) struct Seen {
    match_id: MatchId,
    /// The number of the last report.
    pub(super) sequence: i64,
    state: Option<Arc<str>>,
}

impl Seen {
    /// A spectator that has seen the reports up to this number.
    pub(super) fn up_to(match_id: MatchId, sequence: i64) -> Self {
        Self { match_id, sequence, state: None }
    }

    /// The messages that tell the spectator the news. A spectator that was too slow has missed earlier news; the reports of a match are
    /// numbered without gaps, so that the next number tells how many it has missed.
    pub(super) fn messages(&mut self, news: News) -> Vec<Arc<str>> {
        match news {
            News::Report(sequence, text) if sequence > self.sequence => {
                let gap = self.gap(sequence - 1);
                self.sequence = sequence;
                gap.into_iter().chain([text]).collect()
            }
            News::State(text) if self.state.as_ref() != Some(&text) => {
                self.state = Some(Arc::clone(&text));
                vec![text]
            }
            News::Report(..) | News::State(_) => vec![],
            News::End(last) => {
                let end = json!({ "type": "stream.end", "match_id": self.match_id, "seq": self.sequence });
                self.gap(last).into_iter().chain([end.to_string().into()]).collect()
            }
        }
    }

    /// The notice that the reports up to this number were left out.
    fn gap(&self, last: i64) -> Option<Arc<str>> {
        let missed = last - self.sequence;
        let notice = json!({ "type": "stream.gap", "missed": missed, "seq": self.sequence });
        (missed > 0).then(|| notice.to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use buildtrack_domain::{
        arena::{matches::Mode, tasks::League},
        ids::AgentId,
    };

    use super::*;

    fn view(turn: i64) -> MatchView {
        MatchView {
            id: MatchId::new(uuid::Uuid::nil()),
            position: 1,
            league: League::Trivia,
            mode: Mode::Ranked,
            phase: "playing".to_owned(),
            turn,
            turn_count: 10,
            task_id: None,
            waiting: 2,
            deadline: None,
            winner_id: None,
            ending: None,
            evidence: None,
            created_at: DateTime::UNIX_EPOCH,
            ended_position: None,
            ended_at: None,
            seats: vec![],
        }
    }

    /// The members that a report of turn 1 shows beside those that the server adds.
    fn members(body: &Value, view: &MatchView) -> Value {
        let agent_id = AgentId::new(uuid::Uuid::nil());
        let (body, reported_at) = (body.to_string(), DateTime::UNIX_EPOCH);
        let report = ReportRow { sequence: 1, agent_id, turn: 1, body, reported_at };
        let mut shown: Map<String, Value> = serde_json::from_str(&shown(&report, view)).unwrap();
        for added in ["seq", "match_id", "agent_id", "round", "reported_at"] {
            assert!(shown.remove(added).is_some(), "{added}");
        }
        Value::Object(shown)
    }

    #[test]
    fn an_answer_shows_nothing_but_its_type_and_whether_it_is_final_before_its_turn_has_closed() {
        let answer = json!({ "type": "answer", "final": true, "value": "Canberra", "message": "It is Canberra." });
        assert_eq!(members(&answer, &view(1)), json!({ "type": "answer", "final": true, "sealed": true }));
        assert_eq!(members(&answer, &view(2)), answer);
        let ended = MatchView { ended_at: Some(DateTime::UNIX_EPOCH), ..view(1) };
        assert_eq!(members(&answer, &ended), answer);
        let hidden = json!({ "type": "answer", "final": "Canberra", "sealed": "Canberra" });
        assert_eq!(members(&hidden, &view(1)), json!({ "type": "answer", "sealed": true }));
        let thought = json!({ "type": "thinking", "message": "Australia" });
        assert_eq!(members(&thought, &view(1)), thought);
        let debate = |turn| MatchView { league: League::Debate, ..view(turn) };
        for open in [1, 2] {
            assert_eq!(members(&thought, &debate(open)), json!({ "type": "thinking", "sealed": true }), "{open}");
        }
        assert_eq!(members(&thought, &debate(3)), thought, "the votes on the motion have closed");
    }

    #[test]
    fn a_jump_in_the_numbers_of_reports_is_shown_as_a_gap() {
        let mut seen = Seen::up_to(view(1).id, 3);
        let mut messages = |news| seen.messages(news).iter().map(ToString::to_string).collect::<Vec<_>>();
        let report = |sequence: i64| News::Report(sequence, sequence.to_string().into());
        let gap =
            |missed: i64, sequence: i64| json!({ "type": "stream.gap", "missed": missed, "seq": sequence }).to_string();
        let end = |sequence: i64| json!({ "type": "stream.end", "match_id": view(1).id, "seq": sequence }).to_string();
        // What the past held already is no news.
        assert_eq!(messages(report(2)), [""; 0]);
        assert_eq!(messages(report(4)), ["4"]);
        assert_eq!(messages(report(8)), [gap(3, 4), "8".to_owned()]);
        assert_eq!(messages(News::End(8)), [end(8)]);
        assert_eq!(messages(News::End(10)), [gap(2, 8), end(8)]);
    }

    #[test]
    fn a_state_is_shown_once() {
        let mut seen = Seen::up_to(view(1).id, 0);
        let mut messages = |state: &str| seen.messages(News::State(state.into())).len();
        assert_eq!([messages("one"), messages("one"), messages("two"), messages("one")], [1, 0, 1, 1]);
    }
}
