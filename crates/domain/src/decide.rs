//! The two traits of every bounded context: [`State`] folds events, [`Command`] decides new ones.

use crate::event::EventSet;

/// The state of one stream, folded from its events.
pub trait State: Default + Clone + Send + Sync + 'static {
    /// The events of the stream.
    type Event: EventSet;

    /// Whether the store may cache the state between requests. `false` for a state that holds texts, because a
    /// redaction removes texts.
    const CACHED: bool = true;

    /// Folds one event in. Total: it never refuses an event that is on the log.
    #[must_use]
    fn apply(self, event: &Self::Event) -> Self;
}

/// A request to change state.
pub trait Command {
    /// The input of the decision: one state, or a struct of borrowed states.
    type State<'a>;
    /// The events that the command can produce.
    type Event: EventSet;
    /// The reasons for a refusal.
    type Error;

    /// Decides, without side effects. An empty list means that the state is already as requested.
    fn decide(&self, state: Self::State<'_>) -> Result<Vec<Self::Event>, Self::Error>;
}

#[cfg(test)]
pub(crate) mod testing {
    use super::State;

    /// Folds a history: the *given* of a given / when / then test.
    pub(crate) fn given<S: State>(history: impl IntoIterator<Item = S::Event>) -> S {
        history.into_iter().fold(S::default(), |state, event| state.apply(&event))
    }
}
