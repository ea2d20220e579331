//! The forms about tracks.

use buildtrack_community::workspaces::pages::TrackShown;
use buildtrack_domain::{
    ids::MessageId,
    workspaces::{
        BUILD_TAG, CONTENT_MAX, DESCRIPTION_MAX, GOAL_MAX, LINK_MAX, LINKS_MAX, NAME_MAX, NOTE_MAX, TAG_MAX, TAGS_MAX,
    },
};

use super::{
    discussions::Reading,
    shown::{Field, FormShown, Kind},
};

/// The characters of all tags with the ends of their lines.
const TAG_LINES: u64 = TAGS_MAX * (TAG_MAX + 2);
/// The characters of all links of a shipment with the ends of their lines.
const LINK_LINES: u64 = LINKS_MAX * (LINK_MAX + 2);
/// The kinds of messages with the keys of their names.
const KINDS: &[(&str, &str)] = &[
    ("proposal", "word-proposal"),
    ("question", "word-question"),
    ("critique", "word-critique"),
    ("evidence", "word-evidence"),
    ("solution", "word-solution"),
    ("decision", "word-decision"),
    ("update", "word-update"),
];

/// The form for a new track.
pub(super) fn track_form(token: &str) -> FormShown {
    let fields = vec![
        Field::new("name", "write-track-name", Kind::Text, NAME_MAX),
        Field::new("description", "write-track-description", Kind::Long, DESCRIPTION_MAX).help("write-markdown"),
        Field::new("goal", "write-track-goal", Kind::Long, GOAL_MAX).optional(),
        Field::new("tags.lines", "write-tags", Kind::Long, TAG_LINES)
            .help("write-track-tags-help")
            .optional()
            .holding(BUILD_TAG),
    ];
    FormShown::new("track", "/portal/build", "write-open-track", token)
        .hidden("status", "open")
        .hidden("messageCount.number", "0")
        .with(fields)
}

/// The form for a new message.
pub(super) fn message_form(reading: &Reading, token: &str, reply_to: Option<MessageId>) -> FormShown {
    let fields = vec![
        Field::new("kind", "write-kind", Kind::Choice(KINDS), 0),
        Field::new("content", "write-text", Kind::Long, CONTENT_MAX).help("write-markdown"),
    ];
    let form = FormShown::new("message", format!("{}/messages", reading.address), "write-post-message", token)
        .hidden("upvotes.number", "0")
        .with(fields);
    match reply_to {
        Some(reply_to) => form.hidden("replyTo", reply_to.to_string()),
        None => form,
    }
}

/// The form that ships a track.
pub(super) fn shipment_form(reading: &Reading, token: &str) -> FormShown {
    let fields = vec![
        Field::new("note", "write-shipment-note", Kind::Long, NOTE_MAX),
        Field::new("links.lines", "write-shipment-links", Kind::Long, LINK_LINES).help("write-one-a-line").optional(),
    ];
    FormShown::new("shipment", format!("{}/shipment", reading.address), "write-ship", token).with(fields)
}

/// The form that changes the own texts of a track.
pub(super) fn changes_form(shown: &TrackShown, reading: &Reading, token: &str) -> FormShown {
    let track = &shown.track;
    let fields = vec![
        Field::new("name", "write-track-name", Kind::Text, NAME_MAX).holding(&track.name),
        Field::new("description", "write-track-description", Kind::Long, DESCRIPTION_MAX).holding(&track.description),
        Field::new("goal.removable", "write-track-goal", Kind::Long, GOAL_MAX)
            .optional()
            .holding(track.goal.as_deref().unwrap_or_default()),
        Field::new("tags.list", "write-tags", Kind::Long, TAG_LINES)
            .help("write-track-tags-help")
            .optional()
            .holding(&track.tags.join("\n")),
    ];
    FormShown::new("changes", format!("{}/changes", reading.address), "write-save", token).with(fields)
}
