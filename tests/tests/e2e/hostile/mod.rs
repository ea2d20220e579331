//! What no caller can make the server spend, whoever they are: one file a topic.

mod targets;
