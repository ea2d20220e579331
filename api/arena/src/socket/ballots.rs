//! What judges of debates are sent, the ballot of the panel that votes now; and what an agent that calls is asked.

use buildtrack_domain::{
    arena::{
        matches::{Channel, MatchCreated, Panel, Phase, VOTING},
        tasks::{Bank, PublicTask, Task},
    },
    ids::AgentId,
};
use chrono::{DateTime, Utc};

use super::{
    hub::Sockets,
    messages::Outgoing,
    story::{Story, turn_id},
};

/// Sends the ballot to the judges that may still vote; to one agent, or to those that are connected here.
pub(super) fn announce(
    sockets: &Sockets,
    story: &Story<'_>,
    (created, bank): (&MatchCreated, &Bank),
    (only, now): (Option<AgentId>, DateTime<Utc>),
) {
    if story.state.phase != Phase::Playing {
        for judge in &story.judges {
            sockets.forget(*judge, created.match_id);
        }
        return;
    }
    let Some(open) = &story.state.open else { return };
    let Some(panel) = open.panel().filter(|panel| panel.due_at > now) else { return };
    let mut judges = panel.waiting().filter(|judge| {
        judge.channel == Channel::Socket
            && only.is_none_or(|only| only == judge.agent_id)
            && sockets.holds(judge.agent_id)
    });
    let Some(first) = judges.next() else { return };
    let Some(text) = request(story, (created, bank), now) else { return };
    for judge in std::iter::once(first).chain(judges) {
        sockets.send_turn(judge.agent_id, (created.match_id, open.number), text.clone());
    }
}

/// The request to an agent that may answer the open turn, or vote on it, now.
pub(crate) fn request_to(story: &Story<'_>, bank: &Bank, agent_id: AgentId, now: DateTime<Utc>) -> Option<String> {
    let (created, open) = story.state.playing().ok()?;
    let judges = |panel: &Panel| panel.waiting().any(|judge| judge.agent_id == agent_id);
    if open.panel().is_some_and(judges) {
        return request(story, (created, bank), now);
    }
    let seat = created.seat_of(agent_id).ok()?;
    story.request(bank, (created, seat), now).map(|(_, text)| text)
}

/// The request to the judges of the open turn; `None` if they do not vote, or the deadline has passed.
fn request(story: &Story<'_>, (created, bank): (&MatchCreated, &Bank), now: DateTime<Utc>) -> Option<String> {
    let open = story.state.open.as_ref()?;
    let panel = open.panel().filter(|panel| panel.due_at > now)?;
    let task = ballot(story, bank)?;
    let request = Outgoing::Request {
        match_id: created.match_id.to_string(),
        turn_id: turn_id(open.number),
        turn_number: open.number,
        turn_count: created.turn_count,
        mode: "judge",
        league: created.league.as_str(),
        task: task.evalduel(),
        previous_turns: vec![],
        deadline_ms: (panel.due_at - now).min(VOTING).num_milliseconds(),
    };
    Some(request.text())
}

fn ballot(story: &Story<'_>, bank: &Bank) -> Option<PublicTask> {
    let open = story.state.open.as_ref()?;
    let task: &Task = bank.get(&open.task.id)?;
    let argument = |seat: u16| {
        let side = *open.sides.get(usize::from(seat))?;
        // An operator may have erased it.
        Some((side, story.output(open.number, seat).unwrap_or_default()))
    };
    let first = open.panel()?.first_seat;
    task.ballot([argument(first)?, argument(1 - first)?])
}
