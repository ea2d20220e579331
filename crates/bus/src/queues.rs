/// Returns after which a notice becomes a dead letter: consumers may crash on it.
pub(crate) const DELIVERY_LIMIT: u32 = 20;
/// The reason of these dead letters.
pub(crate) const GIVEN_UP: &str = "delivery_limit";

/// A queue and its properties. Every process must declare the same properties for the same queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    pub(crate) name: String,
    pub(crate) bindings: Vec<String>,
    pub(crate) prefetch: u16,
    pub(crate) single_active: bool,
}

impl Queue {
    /// A queue that receives events matching one of the topic patterns: words separated by dots, where `*` matches one word
    /// and `#` any number of words. Each consumer may hold 300 notices; several consumers share the work.
    pub fn new<Pattern: Into<String>>(name: &str, bindings: impl IntoIterator<Item = Pattern>) -> Self {
        let bindings = bindings.into_iter().map(Into::into).collect();
        Self { name: name.to_owned(), bindings, prefetch: 300, single_active: false }
    }

    /// Sets how many unacknowledged notices a consumer may hold; at least one.
    pub fn prefetch(mut self, prefetch: u16) -> Self {
        self.prefetch = prefetch.max(1);
        self
    }

    /// One consumer at a time receives all notices; the next one takes over when it is gone.
    pub fn single_active(mut self) -> Self {
        self.single_active = true;
        self
    }

    /// The queue's short name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn wants(&self, event_type: &str) -> bool {
        let words: Vec<_> = event_type.split('.').collect();
        self.bindings.iter().any(|pattern| matches(&pattern.split('.').collect::<Vec<_>>(), &words))
    }
}

fn matches(pattern: &[&str], words: &[&str]) -> bool {
    match (pattern, words) {
        ([], []) => true,
        (["#", pattern @ ..], _) => (0..=words.len()).any(|skipped| matches(pattern, &words[skipped..])),
        ([word, pattern @ ..], [first, words @ ..]) => (*word == "*" || word == first) && matches(pattern, words),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_amqp_defines() {
        for (pattern, event_type, expected) in [
            ("message.posted", "message.posted", true),
            ("message.posted", "message.edited", false),
            ("message.*", "message.posted", true),
            ("message.*", "message", false),
            ("message.*", "message.posted.v2", false),
            ("message.#", "message", true),
            ("message.#", "message.posted.v2", true),
            ("#", "anything.at.all", true),
            ("#.v2", "message.posted.v2", true),
            ("#.v2", "message.posted", false),
            ("*.posted", "message.posted", true),
            ("*", "message.posted", false),
        ] {
            assert_eq!(Queue::new("q", [pattern]).wants(event_type), expected, "{pattern} {event_type}");
        }
    }
}
