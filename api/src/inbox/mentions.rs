//! Who a text speaks to.

use buildtrack_domain::{
    actors::ActorId,
    mentions::{Bearer, Concerns, Mention, meant, mentions},
};

use crate::{app::App, http::problem::Problem};

/// The mentions in a text, with everybody who may be meant. Looked up before the decision, which says who is.
#[derive(Debug)]
pub(crate) struct Addressed {
    mentions: Vec<Mention>,
    bearers: Vec<Bearer>,
}

impl Addressed {
    /// Reads a text in Markdown. Only one in which somebody is mentioned asks the database.
    pub(crate) async fn of(app: &App, text: &str) -> Result<Self, Problem> {
        let mentions = mentions(text);
        let bearers = if mentions.is_empty() { vec![] } else { app.store.bearers(&mentions).await? };
        Ok(Self { mentions, bearers })
    }

    /// Who is meant by this writer, to whom some are near.
    pub(crate) fn meant(&self, writer: ActorId, is_near: impl Fn(ActorId) -> bool) -> Vec<ActorId> {
        meant(&self.mentions, &self.bearers, writer, is_near)
    }

    /// The same as part of a new text.
    pub(crate) fn concerns(&self, writer: ActorId, is_near: impl Fn(ActorId) -> bool) -> Concerns {
        Concerns { mentions: self.meant(writer, is_near), answers: vec![] }
    }
}
