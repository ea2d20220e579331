//! Digests: what an owner is told, as a mail and as a message to a chat.

use serde_json::json;

use super::ChatForm;
use crate::{
    actors::ActorId,
    inbox_items::ItemKind,
    one_line::{cut, line},
};

/// The maximum number of characters of a message. Discord accepts 2000, Slack more.
pub const TEXT_MAX: usize = 1900;
/// The characters that the parts of a digest may have together, so that the links at its end always fit.
const PARTS_MAX: usize = 1400;
/// The characters of a name that are shown.
const NAME_MAX: usize = 60;

/// The unread items of one inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestPart {
    /// The owner, or an agent of the owner.
    pub recipient: ActorId,
    /// Its name.
    pub name: String,
    /// The number of items of each kind.
    pub counts: Vec<(ItemKind, i64)>,
}

/// The unread items that an owner was not told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Items up to this position of the log were considered.
    pub up_to: i64,
    /// The inboxes with such items.
    pub parts: Vec<DigestPart>,
}

impl Digest {
    /// The number of items.
    pub fn total(&self) -> i64 {
        self.parts.iter().flat_map(|part| &part.counts).map(|(_, count)| count).sum()
    }

    /// The subject of a mail, in one line.
    pub fn subject(&self) -> String {
        match self.total() {
            1 => "1 unread item".to_owned(),
            total => format!("{total} unread items"),
        }
    }

    /// The text, with links to the pages of the server at this address.
    pub fn text(&self, public_url: &str) -> String {
        let (mut parts, mut length, mut left_out) = (String::new(), 0, 0_usize);
        for part in &self.parts {
            let shown = part.text(public_url);
            length += shown.chars().count();
            if length > PARTS_MAX {
                left_out += 1;
            } else {
                parts.push_str(&shown);
            }
        }
        let more = match left_out {
            0 => String::new(),
            1 => "One more inbox has unread items.\n".to_owned(),
            several => format!("{several} more inboxes have unread items.\n"),
        };
        format!(
            "{} in your inboxes:\n\n{parts}{more}\nAll of them: {public_url}/portal/inbox\n\
             How you are notified: {public_url}/portal/notifications\n",
            self.subject()
        )
    }
}

impl DigestPart {
    fn text(&self, public_url: &str) -> String {
        let counts: Vec<_> = self.counts.iter().map(|(kind, count)| counted(*kind, *count)).collect();
        let (name, path) = match self.recipient {
            ActorId::Owner(_) => ("You".to_owned(), "inbox/own".to_owned()),
            ActorId::Agent(id) => (cut(&line(&self.name), NAME_MAX).to_owned(), format!("agents/{id}/inbox")),
        };
        format!("{name}: {}\n{public_url}/portal/{path}\n", counts.join(", "))
    }
}

fn counted(kind: ItemKind, count: i64) -> String {
    let (one, several) = match kind {
        ItemKind::Mention => ("mention", "mentions"),
        ItemKind::Reply => ("reply", "replies"),
        ItemKind::Invitation => ("invitation", "invitations"),
        ItemKind::Solution => ("accepted solution", "accepted solutions"),
        ItemKind::Shipped => ("shipped track", "shipped tracks"),
        ItemKind::Badge => ("new badge", "new badges"),
    };
    format!("{count} {}", if count == 1 { one } else { several })
}

/// The text of a test message.
pub fn test_text(public_url: &str) -> String {
    format!("This is a test: nothing has happened. Notifications of {public_url} arrive here.\n")
}

/// The body of a message to a chat. Nothing in the text addresses members of the chat.
pub fn chat_body(form: ChatForm, text: &str) -> String {
    let text = cut(text, TEXT_MAX);
    match form {
        // Slack reads <!channel> and <@member> as mentions, and asks to escape these three characters.
        ChatForm::Slack => json!({ "text": text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;") }),
        ChatForm::Discord => json!({ "content": text, "allowed_mentions": { "parse": [] } }),
    }
    .to_string()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::ids::{AgentId, OwnerId};

    const URL: &str = "https://build.example";

    fn part(name: &str, counts: &[(ItemKind, i64)]) -> DigestPart {
        let recipient = AgentId::new(Uuid::from_u128(1)).into();
        DigestPart { recipient, name: name.into(), counts: counts.to_vec() }
    }

    #[test]
    fn a_digest_counts_items_by_inbox_and_kind() {
        let own =
            DigestPart { recipient: OwnerId::new(Uuid::from_u128(2)).into(), ..part("Ada", &[(ItemKind::Badge, 1)]) };
        let scout = part("Scout\nX", &[(ItemKind::Mention, 2), (ItemKind::Reply, 1)]);
        let digest = Digest { up_to: 7, parts: vec![scout, own] };
        let expected = "4 unread items in your inboxes:\n\n\
             Scout X: 2 mentions, 1 reply\n\
             https://build.example/portal/agents/ag_00000000000000000000000001/inbox\n\
             You: 1 new badge\n\
             https://build.example/portal/inbox/own\n\
             \n\
             All of them: https://build.example/portal/inbox\n\
             How you are notified: https://build.example/portal/notifications\n";
        assert_eq!(digest.text(URL), expected);
        assert_eq!(Digest { up_to: 7, parts: vec![part("Scout", &[(ItemKind::Reply, 1)])] }.subject(), "1 unread item");
    }

    #[test]
    fn a_long_digest_stays_within_the_limit_of_every_chat() {
        let parts = vec![part(&"ü".repeat(500), &ItemKind::ALL.map(|kind| (kind, i64::MAX / 10_000))); 200];
        let text = Digest { up_to: 7, parts }.text(URL);
        assert!(
            text.contains("more inboxes have unread items.") && text.ends_with("/portal/notifications\n"),
            "{text}"
        );
        assert!(text.chars().count() <= TEXT_MAX, "{}", text.chars().count());
        let body: serde_json::Value = serde_json::from_str(&chat_body(ChatForm::Discord, &"x".repeat(9000))).unwrap();
        assert_eq!(body["content"].as_str().map(str::len), Some(TEXT_MAX));
    }

    #[test]
    fn a_test_message_says_what_it_is_and_whose_notifications_arrive() {
        let text = test_text(URL);
        assert!(text.starts_with("This is a test") && text.contains(URL) && text.ends_with('\n'), "{text}");
    }

    #[test]
    fn a_name_addresses_no_member_of_a_chat() {
        assert_eq!(chat_body(ChatForm::Slack, "<!channel> & \"all\""), r#"{"text":"&lt;!channel&gt; &amp; \"all\""}"#);
        let body: serde_json::Value = serde_json::from_str(&chat_body(ChatForm::Discord, "@everyone")).unwrap();
        assert_eq!(body, json!({ "content": "@everyone", "allowed_mentions": { "parse": [] } }));
    }
}
