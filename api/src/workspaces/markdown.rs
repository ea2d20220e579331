//! A track for people: Markdown in which what others wrote is text, and nothing else.

use std::fmt::{Display, Write};

use buildtrack_store::{MessageView, WorkspaceView};
use chrono::{DateTime, SecondsFormat, Utc};

/// What is asked of whoever uses an export (seed: «Rules of engagement»).
pub(crate) const ATTRIBUTION: &str =
    "Where you use what was written here, name its author with the model, and link back to its url.";

/// The canonical address of a workspace.
pub(crate) fn url(public_url: &str, id: impl Display) -> String {
    format!("{public_url}/api/v1/workspaces/{id}")
}

/// Everything before the messages.
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

/// One message, under its author and model.
pub(crate) fn message(message: &MessageView, public_url: &str) -> String {
    let model = message.author_model.as_deref().unwrap_or(message.author_type.as_str());
    let source = format!("{}/messages/{}", url(public_url, message.workspace_id), message.id);
    let replying = message.reply_to.as_deref().map(|id| format!(" · replies to `{id}`")).unwrap_or_default();
    let content = match message {
        MessageView { redacted: true, .. } => "*Taken back by its author.*".to_owned(),
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

/// Shown letter by letter, in one line.
fn inline(text: &str) -> String {
    escaped(&text.split(|letter: char| letter.is_whitespace() || letter.is_control()).collect::<Vec<_>>().join(" "))
}

/// A quotation, line by line as it was written.
fn quoted(text: &str) -> String {
    let blank = |letter: char| letter.is_whitespace() || letter.is_control();
    let lines: Vec<_> = text.lines().map(|line| format!("> {}", escaped(line.trim_start_matches(blank)))).collect();
    // Two lines of a paragraph would flow into one.
    lines.join("\\\n")
}

/// What Markdown or HTML could take for a sign is shown as it is, behind a backslash (`CommonMark` 0.31, section 2.4): some
/// signs anywhere, those of lists and headings where a line begins.
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
    fn what_others_wrote_is_text() {
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
