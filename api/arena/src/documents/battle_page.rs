//! The page of one battle: its state, what its agents report, and its turns.

use actix_web::HttpRequest;
use askama::Template;
use buildtrack_domain::ids::MatchId;
use buildtrack_http::{guard::app_of, problem::Problem, query::Parameters};
use buildtrack_pages::{Frame, Language, filters, language, thousandths, words};
use buildtrack_store::{MatchView, ReportRow, SeatView};
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{
    battle_answers::within,
    battle_turns::{TurnShown, Turns},
    seals::seal_of,
};

use crate::stream::shown as report_of;

/// The maximum number of reports on the page; a script loads the following ones.
const REPORTS: i64 = 200;
/// The maximum number of bytes of a report's text on the page.
const REPORT_MAX: usize = 1000;

/// A battle that is played, or was.
#[derive(Template)]
#[template(path = "arena/battle.html")]
pub(super) struct BattlePage {
    frame: Frame,
    id: String,
    /// The address of the JSON form.
    address: String,
    league: String,
    mode: String,
    status: String,
    is_playing: bool,
    turn: i64,
    turn_count: i64,
    deadline: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
    /// The result in words.
    summary: String,
    winner: Option<String>,
    evidence: Option<String>,
    seats: Vec<SeatShown>,
    turns: Vec<TurnShown>,
    reports: Vec<ReportShown>,
    /// The number of the last report on the page.
    last_report: i64,
    seal: Option<String>,
}

/// An agent, with its scores.
struct SeatShown {
    id: String,
    name: String,
    model: Option<String>,
    place: Option<i64>,
    /// The sum of its scores.
    total: String,
    cells: Vec<Cell>,
}

/// An agent's score in a turn.
struct Cell {
    turn: u16,
    text: String,
    level: &'static str,
    title: String,
}

/// What an agent reported.
struct ReportShown {
    sequence: i64,
    name: String,
    kind: String,
    turn: i64,
    at: DateTime<Utc>,
    text: String,
}

impl BattlePage {
    /// Reads the battle.
    pub(super) async fn of(request: &HttpRequest, id: MatchId) -> Result<Self, Problem> {
        let app = app_of(request);
        let store = &app.store;
        let view = store.arena().match_view(id).await?.ok_or_else(|| Problem::not_found("match"))?;
        let events = store.arena().match_course(id).await?;
        let is_playing = view.ended_at.is_none();
        let seal = if is_playing { None } else { Some(store.arena().match_hashes(id).await?) };
        let reports = if is_playing {
            store.arena().match_reports(id, 0, store.log().clock().now(), REPORTS).await?
        } else {
            vec![]
        };
        let language = language(request);
        let asked = Parameters::among(request, &["turn"]).raw("turn").and_then(|turn| turn.parse().ok());
        let mut shown = Turns::of(store.arena().bank(), &view, &events, language);
        let (window, positions) = shown.window(asked, &store.arena().answer_sizes(id).await?);
        store.arena().visit_answers(id, positions, |position, answer| shown.reveal(position, &answer)).await?;
        let turns = shown.within(window);
        let summary = summary(&view, language);
        let description = language.say_with(
            "arena-battle-description",
            &[("league", language.word(view.league.as_str()).into()), ("summary", summary.as_str().into())],
        );
        Ok(Self {
            frame: Frame::new(request, &title(&view, language), description)
                .with_card(request, &format!("/cards/replays/{id}.png"))
                .within("arena", if is_playing { "live" } else { "replays" }),
            id: id.to_string(),
            address: format!("{}/replays/{id}", app.public_url),
            league: view.league.to_string(),
            mode: view.mode.to_string(),
            summary,
            winner: view.winner_id.and_then(|winner| name_of(&view, &winner.to_string())),
            evidence: view.evidence.clone(),
            seats: (view.seats.iter().zip(0..))
                .map(|(seat, number)| SeatShown::new(seat, number, &turns, language))
                .collect(),
            last_report: reports.last().map_or(0, |report| report.sequence),
            reports: reports.iter().map(|report| ReportShown::new(report, &view, language)).collect(),
            seal: seal.map(|hashes| seal_of(hashes.iter().map(String::as_str))),
            turns,
            is_playing,
            turn: view.turn,
            turn_count: view.turn_count,
            deadline: view.deadline,
            created_at: view.created_at,
            ended_at: view.ended_at,
            status: view.phase,
        })
    }
}

fn title(view: &MatchView, language: Language) -> String {
    let league = ("league", language.word(view.league.as_str()).into());
    match &view.seats[..] {
        [one, other] => {
            let (name, other) = (one.agent_name.as_str().into(), other.agent_name.as_str().into());
            language.say_with("arena-battle-title", &[("name", name), ("other", other), league])
        }
        seats => language.say_with("arena-battle-title-many", &[("count", seats.len().into()), league]),
    }
}

/// The result in words, without the winner.
fn summary(view: &MatchView, language: Language) -> String {
    let ending = view.ending.as_deref().unwrap_or_default();
    match (&*view.phase, ending) {
        ("playing", _) => {
            let values = [("closed", (view.turn - 1).max(0).into()), ("count", view.turn_count.into())];
            language.say_with("arena-battle-closed", &values)
        }
        ("void", reason) => language.say_with("arena-battle-void", &[("reason", language.word(reason).into())]),
        (_, ending) => {
            let end = match ending {
                "completed" => language.say("arena-battle-completed"),
                "forfeited" => language.say("arena-battle-forfeited"),
                other => language.say_with("arena-battle-other-end", &[("ending", language.word(other).into())]),
            };
            if view.winner_id.is_none() { format!("{end} {}", language.say("arena-battle-draw")) } else { end }
        }
    }
}

fn name_of(view: &MatchView, agent_id: &str) -> Option<String> {
    view.seats.iter().find(|seat| seat.agent_id.to_string() == agent_id).map(|seat| seat.agent_name.clone())
}

impl SeatShown {
    fn new(seat: &SeatView, number: usize, turns: &[TurnShown], language: Language) -> Self {
        let cell = |turn: &TurnShown| {
            let answer = turn.answers.get(number)?;
            let values = [("turn", turn.number.into()), ("state", answer.state.as_str().into())];
            let title = language.say_with("arena-battle-cell", &values);
            Some(Cell { turn: turn.number, text: answer.mark(), level: answer.level, title })
        };
        Self {
            id: seat.agent_id.to_string(),
            name: seat.agent_name.clone(),
            model: seat.agent_model.clone(),
            place: seat.place,
            total: thousandths(seat.total),
            cells: turns.iter().filter_map(cell).collect(),
        }
    }
}

impl ReportShown {
    /// A report as spectators of the stream see it: a stated answer is sealed until its turn has closed.
    fn new(report: &ReportRow, view: &MatchView, language: Language) -> Self {
        let shown: serde_json::Map<String, Value> = serde_json::from_str(&report_of(report, view)).unwrap_or_default();
        let agent_id = report.agent_id.to_string();
        Self {
            sequence: report.sequence,
            name: name_of(view, &agent_id).unwrap_or(agent_id),
            kind: words(shown.get("type").and_then(Value::as_str).unwrap_or("report")),
            turn: report.turn,
            at: report.reported_at,
            text: within(&text_of(&shown, language), REPORT_MAX).0,
        }
    }
}

/// The members that the page shows in other places.
const FRAMING: [&str; 6] = ["type", "seq", "match_id", "agent_id", "round", "reported_at"];

/// What a report says: one line for each member. The script of the page words it alike.
fn text_of(report: &serde_json::Map<String, Value>, language: Language) -> String {
    if report.contains_key("sealed") {
        return language.say("arena-battle-sealed");
    }
    let members = report.iter().filter(|(name, _)| !FRAMING.contains(&name.as_str()));
    let line = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{}: {text}", words(name)),
        other => format!("{}: {other}", words(name)),
    };
    members.map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::text_of;
    use buildtrack_pages::Language::English;

    #[test]
    fn a_report_is_worded_line_by_line_and_a_sealed_answer_not_at_all() {
        let report = json!({ "type": "tool_call", "seq": 3, "tool": "python_exec", "args": { "n": 1 } });
        let text = text_of(report.as_object().unwrap(), English);
        assert!(text.contains("tool: python_exec") && text.contains("args: {\"n\":1}"), "{text}");
        assert!(!text.contains("seq"), "{text}");
        let sealed = json!({ "type": "answer", "sealed": true, "final": true });
        assert_eq!(text_of(sealed.as_object().unwrap(), English), "Sealed until the turn closes");
    }
}
