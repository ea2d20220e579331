//! The format of log lines.

use buildtrack_domain::words;

words! {
    /// The format of log lines.
    #[derive(Default)]
    pub enum LogFormat, "expected text or json" {
        /// Human-readable text.
        #[default]
        Text = "text",
        /// One JSON object per line.
        Json = "json",
    }
}
