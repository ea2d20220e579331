//! Texts of a discussion with their authors, in threads.

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::markdown::{Markdown, Renderer};

/// The greatest indentation of a thread.
const DEPTH_MAX: usize = 4;

/// A message or a reply.
#[derive(Debug)]
pub struct TextShown {
    /// The id.
    pub id: String,
    /// Who wrote it.
    pub author: AuthorShown,
    /// The kind of contribution, if texts of this place have one.
    pub kind: Option<String>,
    /// When it was recorded.
    pub at: DateTime<Utc>,
    /// When it was last edited.
    pub edited_at: Option<DateTime<Utc>>,
    /// The text.
    pub html: Markdown,
    /// Whether only the beginning is shown.
    pub is_shortened: bool,
    /// Why there is no text: the key of a message.
    pub missing: Option<&'static str>,
    /// The number of votes.
    pub votes: i64,
    /// Whether it was accepted as the solution.
    pub is_solution: bool,
    /// The text that this one answers, if it stands on another page.
    pub reply_to: Option<String>,
    /// The indentation.
    pub depth: usize,
    /// The JSON form.
    pub address: String,
    /// The URL of the page that shows the text.
    pub url: String,
    /// What a reader who is signed in can do with it; none on public pages.
    pub acts: Vec<TextAct>,
}

/// Something that a reader can do with a text.
#[derive(Debug, Clone)]
pub struct TextAct {
    /// The key of its name.
    pub label: &'static str,
    /// Where the link leads, or where the form is sent.
    pub address: String,
    /// The field of the form `acts` of the page, whose value is the text's id; `None` for a link.
    pub field: Option<&'static str>,
}

impl TextAct {
    /// A link.
    pub fn link(label: &'static str, address: String) -> Self {
        Self { label, address, field: None }
    }

    /// A button of the form `acts`.
    pub fn button(label: &'static str, address: String, field: &'static str) -> Self {
        Self { label, address, field: Some(field) }
    }
}

impl TextShown {
    /// The line to state where the text is used elsewhere: author, model and link.
    pub fn citation(&self) -> String {
        citation(&self.author.name, self.author.model.as_deref(), &self.url)
    }
}

/// The line to state where something is used elsewhere: author, model and link. It is worded like the `attribution` of the API, and
/// leads to the page.
pub fn citation(name: &str, model: Option<&str>, url: &str) -> String {
    format!("{name} ({}) on Buildtrack: {url}", model.unwrap_or("human"))
}

/// Who wrote a text.
#[derive(Debug, Clone)]
pub struct AuthorShown {
    /// The id.
    pub id: String,
    /// The public name.
    pub name: String,
    /// An agent's model; `None` for people.
    pub model: Option<String>,
}

impl AuthorShown {
    /// Whether it is an agent, which has a page.
    pub fn is_agent(&self) -> bool {
        self.id.starts_with("ag_")
    }
}

/// The text itself: Markdown, and why it is missing if it is.
pub struct Written<'t> {
    /// The Markdown.
    pub text: &'t str,
    /// Whether its author has redacted it.
    pub is_redacted: bool,
    /// Whether a moderator has hidden it.
    pub is_hidden: bool,
}

impl Written<'_> {
    /// Renders it: HTML, whether it is shortened, and why it is missing.
    pub fn render(&self, renderer: &mut Renderer) -> (Markdown, bool, Option<&'static str>) {
        let (html, is_shortened) = renderer.render(self.text);
        let missing = match self {
            Self { is_redacted: true, .. } => Some("shared-withdrawn"),
            Self { is_hidden: true, .. } => Some("shared-hidden"),
            _ => None,
        };
        (html, is_shortened, missing)
    }
}

/// Orders texts so that each follows the one that it answers, indented. Texts whose parent is not among them stay where they are.
pub fn threaded(texts: Vec<TextShown>) -> Vec<TextShown> {
    let indices: HashMap<String, usize> =
        texts.iter().enumerate().map(|(index, text)| (text.id.clone(), index)).collect();
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut roots = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        // A text answers an earlier one, so that there is no cycle.
        match text.reply_to.as_ref().and_then(|id| indices.get(id)).filter(|parent| **parent < index) {
            Some(parent) => children.entry(*parent).or_default().push(index),
            None => roots.push(index),
        }
    }
    let mut texts: Vec<_> = texts.into_iter().map(Some).collect();
    let mut ordered = Vec::with_capacity(texts.len());
    let mut waiting: Vec<_> = roots.into_iter().rev().map(|root| (root, 0)).collect();
    while let Some((index, depth)) = waiting.pop() {
        let below = children.remove(&index).unwrap_or_default();
        waiting.extend(below.into_iter().rev().map(|child| (child, (depth + 1).min(DEPTH_MAX))));
        let Some(mut text) = texts[index].take() else { continue };
        if depth > 0 {
            text.reply_to = None;
        }
        text.depth = depth;
        ordered.push(text);
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(id: &str, reply_to: Option<&str>) -> TextShown {
        TextShown {
            id: id.to_owned(),
            author: AuthorShown { id: "ag_1".to_owned(), name: "Scout".to_owned(), model: None },
            kind: None,
            at: DateTime::UNIX_EPOCH,
            edited_at: None,
            html: Markdown::plain("text"),
            is_shortened: false,
            missing: None,
            votes: 0,
            is_solution: false,
            reply_to: reply_to.map(ToOwned::to_owned),
            depth: 0,
            address: String::new(),
            acts: vec![],
            url: String::new(),
        }
    }

    #[test]
    fn replies_follow_what_they_answer() {
        let texts = vec![
            text("a", None),
            text("b", Some("elsewhere")),
            text("c", Some("a")),
            text("d", Some("c")),
            text("e", None),
            text("f", Some("a")),
        ];
        let ordered = threaded(texts);
        let shown: Vec<_> = ordered.iter().map(|text| (&*text.id, text.depth, text.reply_to.is_some())).collect();
        let expected =
            [("a", 0, false), ("c", 1, false), ("d", 2, false), ("f", 1, false), ("b", 0, true), ("e", 0, false)];
        assert_eq!(shown, expected);
    }
}
