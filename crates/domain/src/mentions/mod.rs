//! Mentions in a text: `@name`, `@[any name]`, and `@ag_…` or `@ow_…`.
//!
//! Names are not unique. A name first means the nearby actors with that name (members of the workspace, authors of the
//! answered text), and otherwise the only actor on the server with that name. If several actors have it, the name
//! mentions none of them; an id is unambiguous. **Invariant:** the recipients are resolved once, when the text is
//! written, and stored in its event. Later changes of names do not alter them.

mod handle;
mod prose;

pub use handle::Handle;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::actors::ActorId;

/// The maximum number of different mentions in a text. Later ones are ignored.
pub const MENTIONS_MAX: usize = 20;

/// The recipients of a text, resolved when it was written. Empty in events that are older than inboxes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recipients {
    /// The mentioned actors; for an edit, only those that were not mentioned before.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub mentions: Vec<ActorId>,
    /// The authors of the texts that it answers.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub answers: Vec<ActorId>,
}

impl Recipients {
    /// The recipients of an edit: mentioned actors that were not mentioned before.
    pub fn first(mentions: &[ActorId], before: &[ActorId]) -> Self {
        let mentions = mentions.iter().filter(|actor| !before.contains(actor)).copied().collect();
        Self { mentions, answers: vec![] }
    }

    /// Whether there are no recipients.
    pub fn is_empty(&self) -> bool {
        self.mentions.is_empty() && self.answers.is_empty()
    }

    /// The same with the authors of the answered texts, without duplicates and without the writer.
    pub fn answering(&self, writer: ActorId, answered: impl IntoIterator<Item = ActorId>) -> Self {
        let mut answers = Vec::new();
        for actor in answered {
            if actor != writer && !answers.contains(&actor) {
                answers.push(actor);
            }
        }
        Self { mentions: self.mentions.clone(), answers }
    }
}

/// One mention before it is resolved to actors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Mention {
    /// By id.
    Actor(ActorId),
    /// By name.
    Name(Handle),
}

impl fmt::Display for Mention {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Actor(id) => write!(formatter, "{id}"),
            Self::Name(handle) => write!(formatter, "{handle}"),
        }
    }
}

/// An actor that a mention may refer to, with its current name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MentionCandidate {
    /// The actor.
    pub id: ActorId,
    /// The name in the form that mentions use; `None` if it has no letter and no digit.
    pub handle: Option<Handle>,
}

/// The mentions in a Markdown text: without duplicates, in order, at most [`MENTIONS_MAX`]. Code, addresses (`a@b.org`,
/// `https://b.org/@a`) and a backslash before the `@` prevent a mention.
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    if !text.contains('@') {
        return found;
    }
    for piece in prose::pieces(text) {
        for mention in prose::mentions(piece) {
            if found.len() == MENTIONS_MAX {
                return found;
            }
            if !found.contains(&mention) {
                found.push(mention);
            }
        }
    }
    found
}

/// Resolves mentions to the actors they refer to: without duplicates, in order, never the writer.
pub fn resolve_mentions(
    mentions: &[Mention],
    candidates: &[MentionCandidate],
    writer: ActorId,
    is_near: impl Fn(ActorId) -> bool,
) -> Vec<ActorId> {
    let mut resolved = Vec::new();
    for mention in mentions {
        if let Some(actor) = resolve_mention(mention, candidates, writer, &is_near)
            && !resolved.contains(&actor)
        {
            resolved.push(actor);
        }
    }
    resolved
}

/// Resolves one mention; `None` if no actor other than the writer has the name or id, or if several have the name.
pub fn resolve_mention(
    mention: &Mention,
    candidates: &[MentionCandidate],
    writer: ActorId,
    is_near: impl Fn(ActorId) -> bool,
) -> Option<ActorId> {
    let matching = candidates.iter().filter(|candidate| candidate.id != writer).filter(|candidate| match mention {
        Mention::Actor(id) => candidate.id == *id,
        Mention::Name(handle) => candidate.handle.as_ref() == Some(handle),
    });
    let (near, far): (Vec<_>, Vec<_>) = matching.map(|candidate| candidate.id).partition(|id| is_near(*id));
    let nearest = if near.is_empty() { far } else { near };
    if let [only] = nearest[..] { Some(only) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::AgentId;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn agent(number: u128) -> ActorId {
        AgentId::new(Uuid::from_u128(number)).into()
    }

    fn candidate(number: u128, name: &str) -> MentionCandidate {
        MentionCandidate { id: agent(number), handle: Handle::of(name) }
    }

    fn names(text: &str) -> Vec<String> {
        mentions(text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_and_ids_are_mentioned() {
        let id = agent(7).to_string();
        for (text, found) in [
            ("@Scout, look", vec!["scout"]),
            ("look (@scout-two): @LEDGER!", vec!["scout-two", "ledger"]),
            ("@[Deep Thought] and @deep_thought", vec!["deep-thought"]),
            ("**@scout**. \"@quill\" @ledger.", vec!["scout", "quill", "ledger"]),
            ("@スカウト、見て", vec!["スカウト"]),
            ("请@scout看一下", vec!["scout"]),
            ("@forge는 어때요? @[스카우트]는?", vec!["forge", "스카우트"]),
            ("@[gpt-5.2 (east)]", vec!["gpt-5-2-east"]),
            ("@[Quill @n] @[ledger @]@forge", vec!["quill-n", "ledger", "forge"]),
            (&format!("@{id}, @{id}."), vec![&*id]),
            ("an @ alone, @[], @[🦀], @-", vec![]),
        ] {
            assert_eq!(names(text), found, "{text}");
        }
    }

    #[test]
    fn code_and_addresses_hold_no_mentions() {
        for text in [
            "`@scout`",
            "``a ` @scout``",
            "```\n@scout\n```",
            "~~~rust\n#[x]\n@scout\n~~~",
            "```\n@scout, and no end",
            "> nothing\n   ````\n```\n@scout\n````",
            "scout@example.org",
            "first.last+@example",
            "café@example.org",
            "https://example.org/@scout",
            "https://example.org/?to=@scout,@scout",
            "import x from '@types/node'",
            r"\@scout",
            "@@scout",
        ] {
            assert_eq!(names(text), <[String; 0]>::default(), "{text}");
        }
    }

    #[test]
    fn text_that_resembles_code_or_an_address_still_mentions() {
        for text in [
            "`open, and @scout",
            "a ` b\n\nc @scout `d",
            "`code`@scout",
            "```code``` @scout",
            "see <https://example.org/a> @scout",
            "[here](https://example.org/a),@scout",
            "见 https://example.org/a，@scout",
        ] {
            assert_eq!(names(text), ["scout"], "{text}");
        }
    }

    #[test]
    fn a_name_means_nearby_actors_first_and_otherwise_the_only_one() {
        let candidates = [candidate(1, "Scout"), candidate(2, "scout"), candidate(3, "Quill"), candidate(4, "QUILL")];
        let found =
            |text: &str, near: u128| resolve_mentions(&mentions(text), &candidates, agent(9), |id| id == agent(near));
        assert_eq!(found("@scout @quill", 1), [agent(1)]);
        assert_eq!(found("@scout @quill", 4), [agent(4)]);
        assert_eq!(found("@scout", 9), []);
        assert_eq!(found(&format!("@{} @scout", agent(2)), 1), [agent(2), agent(1)]);
        assert_eq!(found(&format!("@{}", agent(8)), 1), []);
        assert_eq!(resolve_mentions(&mentions("@ledger"), &[candidate(5, "Ledger")], agent(9), |_| false), [agent(5)]);
    }

    #[test]
    fn a_writer_cannot_mention_itself() {
        let candidates = [candidate(1, "Scout"), candidate(2, "Scout")];
        assert_eq!(resolve_mentions(&mentions("@scout"), &candidates, agent(1), |_| true), [agent(2)]);
        assert_eq!(Recipients::default().answering(agent(1), [agent(1), agent(2), agent(2)]).answers, [agent(2)]);
    }

    #[test]
    fn mentions_beyond_the_maximum_are_ignored() {
        let names: Vec<_> = (0..MENTIONS_MAX + 5).map(|number| format!("@agent{number}")).collect();
        let text = names.join(" ");
        assert_eq!(mentions(&text).len(), MENTIONS_MAX);
    }

    #[test]
    fn an_event_without_recipients_omits_the_field() {
        assert_eq!(serde_json::from_str::<Recipients>("{}").unwrap(), Recipients::default());
        assert_eq!(serde_json::to_string(&Recipients::default()).unwrap(), "{}");
    }

    proptest! {
        #[test]
        fn any_text_has_a_bounded_number_of_distinct_mentions(text in "[@a-c`~ \n\\[\\]_./:é中-]{0,80}") {
            let found = mentions(&text);
            prop_assert!(found.len() <= MENTIONS_MAX);
            prop_assert!(found.iter().enumerate().all(|(index, mention)| !found[..index].contains(mention)));
        }

        #[test]
        fn any_actor_can_be_mentioned_by_name_and_by_id(name in any::<String>(), before in "[a-z 中]{0,9}", number: u128) {
            let name: String = name.chars().filter(|letter| !"]\n\r`".contains(*letter)).take(100).collect();
            let id = agent(number);
            let by_id = format!("{before} @{id} so");
            prop_assert!(mentions(&by_id).contains(&Mention::Actor(id)));
            if let Some(handle) = Handle::of(&name) {
                prop_assert_eq!(mentions(&format!("{before} @[{name}]")), [Mention::Name(handle.clone())]);
                // Parsing a handle's own text gives the same handle.
                prop_assert_eq!(Handle::of(&handle.to_string()), Some(handle));
            }
        }

        #[test]
        fn code_holds_no_mentions(text in "[@a-c \\[\\]._-]{0,40}") {
            prop_assert_eq!(mentions(&format!("`{text}`")), []);
            prop_assert_eq!(mentions(&format!("```\n{text}\n```\n")), []);
        }
    }
}
