//! The two traits of every bounded context: a state folds events, a command decides new ones.

use crate::event::EventSet;

/// What a stream's events add up to.
pub trait State: Default + Clone + Send + Sync + 'static {
    /// The events of the stream.
    type Event: EventSet;

    /// Whether it may be remembered between requests. What holds words that can be taken back may not.
    const REMEMBERED: bool = true;

    /// Folds one event in. Total: an event that is on the log is never refused.
    #[must_use]
    fn apply(self, event: &Self::Event) -> Self;
}

/// What somebody wants to happen.
pub trait Command {
    /// What the decision looks at: one state, or a struct of borrowed ones.
    type State<'a>;
    /// What it may lead to.
    type Event: EventSet;
    /// Why it may be refused.
    type Error;

    /// Decides, without side effects. No events means that it is so already.
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
