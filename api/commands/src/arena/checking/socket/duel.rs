//! The match of a check, in memory: the events, rules and messages of a real one, with an opponent that answers at once.

use buildtrack_arena::socket::{
    SocketError, Story,
    reading::{refused, unknown_match},
};
pub(super) use buildtrack_domain::{
    actors::{Actor, ActorKind},
    arena::{
        matches::{
            AnswerTurn, Channel, CloseTurn, CreateMatch, MatchCreated, MatchEvent, MissReason, Mode, OpenTurn, Phase,
            Revealed, SealedAnswer, Seat, SeatScore, TurnOpened,
        },
        sparring::sparring_answer,
        tasks::{Answer, Bank, League, Reason, Score, Task, Verdict},
    },
    decide::Command,
    ids::{AgentId, MatchId, OwnerId},
};
use buildtrack_store::{
    LoggedMatchEvent,
    clock::{Clock, random},
    draw_task, next_turn, open_turn,
};
use chrono::{DateTime, TimeDelta, Utc};

use crate::arena::programs::Programs;

/// The name of the judge in the events.
const JUDGE: &str = "buildtrack/check";

/// The wishes of the caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wishes {
    pub(super) league: League,
    pub(super) turns: u16,
    /// The time for each answer in seconds, if it is not the task's own.
    pub(super) seconds: Option<u32>,
}

/// A match between the agent and an opponent.
pub(super) struct Duel {
    pub(super) agent_id: AgentId,
    clock: Clock,
    seconds: Option<u32>,
    opponent_id: AgentId,
    events: Vec<LoggedMatchEvent>,
    /// The agent's answer to the open turn.
    answer: Option<SealedAnswer>,
    opponents_answer: Option<SealedAnswer>,
}

/// The open turn, as the check needs it.
pub(super) struct Turn {
    pub(super) number: u16,
    pub(super) task: &'static Task,
    pub(super) due_at: DateTime<Utc>,
}

impl Duel {
    /// Begins a match: a ranked one if the agent has joined the queue, and a challenge otherwise.
    pub(super) fn begin(agent_id: AgentId, clock: Clock, wishes: Wishes, is_ranked: bool) -> Result<Self, String> {
        let Wishes { league, turns, seconds } = wishes;
        let opponent_id = AgentId::new(clock.uuid());
        let seats = vec![seat(agent_id, "Your agent", &clock), seat(opponent_id, "Opponent", &clock)];
        let match_id = MatchId::new(clock.uuid());
        let task = draw_task(Bank::bundled(), league, &[]).ok_or_else(|| format!("the league {league} has no task"))?;
        let (mode, challenger_id) =
            if is_ranked { (Mode::Ranked, None) } else { (Mode::Challenge, Some(seats[1].owner_id)) };
        let created = MatchCreated { match_id, league, mode, turn_count: turns, challenger_id, seats };
        let first = open_turn(match_id, 1, task, clock.now());
        let first = shortened(first, seconds);
        let events = CreateMatch { created, first }.decide(()).map_err(|error| error.to_string())?;
        let mut duel =
            Self { agent_id, clock, seconds, opponent_id, events: vec![], answer: None, opponents_answer: None };
        duel.append(events);
        duel.let_opponent_answer()?;
        Ok(duel)
    }

    /// The match's id.
    pub(super) fn match_id(&self) -> Option<MatchId> {
        self.story().state.created.as_ref().map(|created| created.match_id)
    }

    /// The open turn; `None` if the match has ended.
    pub(super) fn turn(&self) -> Option<Turn> {
        let story = self.story();
        let open = story.state.open.as_ref()?;
        let task = Bank::bundled().get(&open.task.id)?;
        Some(Turn { number: open.number, task, due_at: open.due_at })
    }

    /// The request of the open turn, unless the agent has answered it or the deadline has passed.
    pub(super) fn request(&self) -> Option<String> {
        let story = self.story();
        let created = story.state.created.clone()?;
        story.request(Bank::bundled(), (&created, 0), self.clock.now()).map(|(_, text)| text)
    }

    /// The result, of a match that has ended.
    pub(super) fn result(&self) -> Option<String> {
        let story = self.story();
        let created = story.state.created.clone()?;
        matches!(story.state.phase, Phase::Finished | Phase::Void).then(|| story.result(&created))
    }

    /// Records the agent's answer. Returns the milliseconds since the turn was opened.
    pub(super) fn take(&mut self, match_id: MatchId, turn: u16, answer: SealedAnswer) -> Result<u64, SocketError> {
        if self.match_id() != Some(match_id) {
            return Err(unknown_match());
        }
        let (agent_id, commitment, now) = (self.agent_id, answer.commitment(), self.clock.now());
        let decided = AnswerTurn { agent_id, turn, commitment, now }.decide(&self.story().state);
        let events = decided.map_err(refused)?;
        let latency = events.iter().find_map(|event| match event {
            MatchEvent::Answered(data) => Some(data.latency_ms),
            _ => None,
        });
        self.append(events);
        self.answer = Some(answer);
        Ok(latency.unwrap_or_default())
    }

    /// Closes the open turn: judges both answers, and opens the next turn or ends the match. An error says why it cannot be judged.
    pub(super) async fn close(&mut self, is_connected: bool, programs: &Programs) -> Result<(), String> {
        let state = self.story().state.clone();
        let (created, open) = state.playing().map_err(|error| error.to_string())?;
        let task = Bank::bundled().get(&open.task.id).ok_or("the task is gone")?;
        let mut answers = Vec::new();
        for (seat, answer) in [(0, self.answer.take()), (1, self.opponents_answer.take())] {
            let Some(answer) = answer else { continue };
            let (score, reason) = judge(task, &answer.output, programs).await?;
            answers.push((Revealed { seat, answer }, SeatScore { seat, score, reason }));
        }
        let absent = if is_connected { vec![] } else { vec![(0, MissReason::Disconnected)] };
        let now = self.clock.now();
        let next = self.next(created, open, &state.tasks, now)?;
        let command = CloseTurn { turn: open.number, answers, absent, judge: JUDGE.to_owned(), next, now };
        let events = command.decide(&state).map_err(|error| error.to_string())?;
        self.append(events);
        self.let_opponent_answer()
    }

    fn next(
        &self,
        created: &MatchCreated,
        open: &OpenTurn,
        used: &[String],
        now: DateTime<Utc>,
    ) -> Result<Option<TurnOpened>, String> {
        if open.number == created.turn_count {
            return Ok(None);
        }
        let next = next_turn(Bank::bundled(), (created, open), used, now).ok_or("the league has no task")?;
        Ok(Some(shortened(next, self.seconds)))
    }

    fn story(&self) -> Story<'_> {
        Story::of(&self.events)
    }

    fn append(&mut self, events: impl IntoIterator<Item = MatchEvent>) {
        for event in events {
            let position = i64::try_from(self.events.len()).unwrap_or(i64::MAX);
            self.events.push(LoggedMatchEvent {
                position,
                recorded_at: self.clock.now(),
                hash: String::new(),
                event,
                is_sealed: false,
            });
        }
    }

    /// The opponent answers as the sparring bot does.
    fn let_opponent_answer(&mut self) -> Result<(), String> {
        let Some(Turn { number: turn, task, .. }) = self.turn() else { return Ok(()) };
        let output = sparring_answer(task.public());
        let answer = SealedAnswer { output, salt: random(), rationale: None, confidence: None };
        let (agent_id, commitment, now) = (self.opponent_id, answer.commitment(), self.clock.now());
        let decided = AnswerTurn { agent_id, turn, commitment, now }.decide(&self.story().state);
        let events = decided.map_err(|error| error.to_string())?;
        self.append(events);
        self.opponents_answer = Some(answer);
        Ok(())
    }
}

/// A seat of an agent of an owner of its own.
fn seat(agent_id: AgentId, name: &str, clock: &Clock) -> Seat {
    let agent = Actor { id: agent_id.into(), name: name.to_owned(), kind: ActorKind::AiAgent, model: None };
    Seat { agent, agent_id, owner_id: OwnerId::new(clock.uuid()), channel: Channel::Socket }
}

/// The turn with an earlier deadline.
fn shortened(turn: TurnOpened, seconds: Option<u32>) -> TurnOpened {
    let Some(seconds) = seconds else { return turn };
    let due_at = turn.due_at.min(turn.opened_at + TimeDelta::seconds(seconds.into()));
    TurnOpened { due_at, ..turn }
}

async fn judge(task: &Task, output: &str, programs: &Programs) -> Result<(Score, Reason), String> {
    let verdict = match (task.judge(&Answer::new(output)), task.python_tests()) {
        (Verdict::NeedsSandbox, Some(tests)) => programs.verdict(tests, output).await?,
        (verdict, _) => verdict,
    };
    match verdict {
        Verdict::Scored { score, reason } => Ok((score, reason)),
        Verdict::NeedsSandbox | Verdict::NeedsPanel => {
            Err(format!("the league {} cannot be judged here", task.league()))
        }
    }
}
