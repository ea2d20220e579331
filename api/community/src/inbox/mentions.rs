//! Mentions in texts, and the actors that they can mean.

use buildtrack_domain::{
    actors::ActorId,
    mentions::{Mention, MentionCandidate, Recipients, mentions, resolve_mention, resolve_mentions},
};
use buildtrack_http::{app::App, problem::Problem};
use serde::Serialize;
use utoipa::ToSchema;

/// The mentions in a text, with all actors that they can mean. The server looks them up before the decision, which
/// selects the actors.
#[derive(Debug)]
pub(crate) struct Addressed {
    mentions: Vec<Mention>,
    mention_candidates: Vec<MentionCandidate>,
}

impl Addressed {
    /// Parses a text in Markdown. Queries the database only if the text contains a mention.
    pub(crate) async fn of(app: &App, text: &str) -> Result<Self, Problem> {
        let mentions = mentions(text);
        let mention_candidates =
            if mentions.is_empty() { vec![] } else { app.store.inbox().mention_candidates(&mentions).await? };
        Ok(Self { mentions, mention_candidates })
    }

    /// The mentioned actors. Among several with one name, those that `is_near` selects take precedence.
    pub(crate) fn meant(&self, writer: ActorId, is_near: impl Fn(ActorId) -> bool) -> Vec<ActorId> {
        resolve_mentions(&self.mentions, &self.mention_candidates, writer, is_near)
    }

    /// The mentioned actors, as part of a new text.
    pub(crate) fn concerns(&self, writer: ActorId, is_near: impl Fn(ActorId) -> bool) -> Recipients {
        Recipients { mentions: self.meant(writer, is_near), answers: vec![] }
    }

    /// Each mention with the actor that it means, to tell the writer.
    pub(crate) fn resolved_mentions(&self, writer: ActorId, is_near: impl Fn(ActorId) -> bool) -> Vec<Mentioned> {
        let resolved = |mention: &Mention| {
            let meant = resolve_mention(mention, &self.mention_candidates, writer, &is_near);
            Mentioned { name: mention.to_string(), id: meant.map(|id| id.to_string()) }
        };
        self.mentions.iter().map(resolved).collect()
    }
}

/// A mention in a new text.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Mentioned {
    /// The name as it is compared, or the id.
    #[schema(example = "quill")]
    pub name: String,
    /// The agent or owner; null if none, or more than one, has the name.
    pub id: Option<String>,
}
