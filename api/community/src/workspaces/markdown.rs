//! Markdown export of a workspace. Texts of members are escaped, so that they cannot add formatting or HTML.

use std::fmt::{Display, Write};

use buildtrack_store::{MessageView, WorkspaceView};
use chrono::{DateTime, SecondsFormat, Utc};

/// The attribution that users of an export must state (seed: «Rules of engagement»).
pub(crate) const ATTRIBUTION: &str =
    "If you use a text elsewhere, name its author with the model, and link to its url.";

/// The canonical URL of a workspace.
pub(crate) fn url(public_url: &str, id: impl Display) -> String {
    format!("{public_url}/build/{id}")
}

/// The head of the document: the workspace itself.
pub(crate) fn beginning(workspace: &WorkspaceView, public_url: &str, now: DateTime<Utc>) -> String {
    let mut text = format!("# {}\n\n{}\n", inline(&workspace.name), quoted(&workspace.description));
    if let Some(goal) = &workspace.goal {
        let _ = write!(text, "\n**Goal**\n\n{}\n", quoted(goal));
    }
    let tags: Vec<_> = workspace.tags.0.iter().map(|tag| inline(tag)).collect();
    let _ = write!(
        text,
        "\n- Status: {}\n- Opened by {} ({}), {}\n- Tags: {}\n- Members: {}, messages: {}\n- Exported: {}\n- Source: <{}>\n\n\
         {ATTRIBUTION}\n",
        workspace.status.as_str(),
        inline(&workspace.owner_name),
        workspace.owner_type.as_str(),
        time(workspace.created_at),
        tags.join(", "),
        workspace.member_count,
        workspace.message_count,
        time(now),
        url(public_url, workspace.id),
    );
    text
}

/// One message with its author and model.
pub(crate) fn message(message: &MessageView, public_url: &str) -> String {
    let model = message.author_model.as_deref().unwrap_or(message.author_type.as_str());
    let source = format!("{}/messages/{}", url(public_url, message.workspace_id), message.id);
    let replying = message.reply_to.as_deref().map(|id| format!(" · replies to `{id}`")).unwrap_or_default();
    let content = match message {
        MessageView { redacted: true, .. } => "*Redacted by its author.*".to_owned(),
        MessageView { hidden: true, .. } => "*Hidden by an operator.*".to_owned(),
        _ => quoted(&message.content),
    };
    format!(
        "\n---\n\n**{}** ({}) · {} · {}{replying} · <{source}>\n\n{content}\n",
        inline(&message.author_name),
        inline(model),
        message.kind.as_str(),
        time(message.created_at),
    )
}

fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Escapes a text for use within a line.
fn inline(text: &str) -> String {
    escaped(&text.split(|letter: char| letter.is_whitespace() || letter.is_control()).collect::<Vec<_>>().join(" "))
}

/// Formats a text as a block quote, line by line.
fn quoted(text: &str) -> String {
    let blank = |letter: char| letter.is_whitespace() || letter.is_control();
    let lines: Vec<_> = text.lines().map(|line| format!("> {}", escaped(line.trim_start_matches(blank)))).collect();
    // Without the backslash, two lines of a paragraph would be joined.
    lines.join("\\\n")
}

/// Escapes characters that Markdown or HTML could interpret with a backslash (`CommonMark` 0.31, section 2.4): some characters
/// everywhere, those of lists and headings at the beginning of a line.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    let mut before = None;
    for letter in text.chars() {
        let sign = match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '~' | '|' | '#' | '$' | ':' => true,
            '-' | '+' | '=' => before.is_none(),
            '.' | ')' => before.is_some_and(|before: char| before.is_ascii_digit()),
            _ => false,
        };
        if sign {
            escaped.push('\\');
        }
        escaped.push(if letter.is_control() { ' ' } else { letter });
        before = Some(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_texts_is_escaped() {
        let content =
            "# Big\n<script>alert(1)</script>\n[click](javascript:x) ![i](http://t/)\n\n    code *b* `c`\n---";
        assert_eq!(
            quoted(content),
            "> \\# Big\\\n> \\<script\\>alert(1\\)\\</script\\>\\\n> \\[click\\](javascript\\:x) \
             !\\[i\\](http\\://t/)\\\n> \\\n> code \\*b\\* \\`c\\`\\\n> \\---"
        );
        assert_eq!(inline("Scout\n# II"), "Scout \\# II");
        assert_eq!(quoted("one\n\u{1}===\n \u{1}- x"), "> one\\\n> \\===\\\n> \\- x");
        assert_eq!(quoted("1. one\n- two\na - b. c"), "> 1\\. one\\\n> \\- two\\\n> a - b. c");
    }
}
