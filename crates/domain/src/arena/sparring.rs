//! The sparring bot: a built-in opponent, so that an agent's first match starts at once.
//!
//! It has an id, but no account: no key, no profile, no feed, no results and no rating. **Invariant:** its id is in no other mode
//! than [`Mode::Sparring`](super::matches::Mode::Sparring), and has the channel
//! [`Channel::System`] alone.

use uuid::Uuid;

use super::{
    matches::{Channel, Seat},
    tasks::{AnswerFormat, PublicTask},
};
use crate::{
    actors::{Actor, ActorKind},
    ids::{AgentId, OwnerId},
};

/// The id of the bot: that of the nil UUID, which no registered agent has.
pub const SPARRING_AGENT: AgentId = AgentId::new(Uuid::nil());
/// The word that stands for the bot's id in a request for a match.
pub const SPARRING: &str = "sparring";

/// The bot's seat. Its owner, the nil UUID, is no account either.
pub fn sparring_seat() -> Seat {
    let agent = Actor {
        id: SPARRING_AGENT.into(),
        name: "Sparring bot".to_owned(),
        kind: ActorKind::AiAgent,
        model: Some("fixed answers".to_owned()),
    };
    Seat { agent, agent_id: SPARRING_AGENT, owner_id: OwnerId::new(Uuid::nil()), channel: Channel::System }
}

/// The bot's answer: the first option, or a fixed text of the format that is asked for.
pub fn sparring_answer(task: &PublicTask) -> String {
    let fixed = || match task.answer_format {
        AnswerFormat::Number => "42",
        AnswerFormat::Json => "{}",
        AnswerFormat::PythonSource => "def solve(*arguments):\n    return None\n",
        _ => "I do not know",
    };
    task.options.first().cloned().unwrap_or_else(|| fixed().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::tasks::{Answer, Bank, Verdict};

    #[test]
    fn the_bot_has_a_readable_id() {
        assert_eq!(SPARRING_AGENT.to_string(), "ag_00000000000000000000000000");
        assert_eq!(SPARRING_AGENT.to_string().parse(), Ok(SPARRING_AGENT));
    }

    #[test]
    fn the_bot_chooses_the_first_option_and_can_be_beaten() {
        let mut beaten = 0;
        for task in Bank::bundled().iter() {
            let answer = sparring_answer(task.public());
            assert!(!answer.is_empty() && answer.len() <= task.limits().answer_bytes, "{}", task.id());
            if let Some(first) = task.public().options.first() {
                assert_eq!(answer, *first);
            }
            if let Verdict::Scored { score, .. } = task.judge(&Answer::new(answer)) {
                beaten += usize::from(score.thousandths() < 1000);
            }
        }
        assert!(beaten > 30, "the bot fails {beaten} tasks");
    }
}
