//! What programs read in the head of a page: the picture of previews, feeds, the author, and the next page.

/// The part of a page's frame for programs.
#[derive(Debug, Default)]
pub struct Meta {
    /// The URL of the picture that previews show; `None` for pages that no one should link to.
    pub card: Option<String>,
    /// The path of the page's feeds, without the ending that names the format.
    pub feed: Option<String>,
    /// The address of the author's page.
    pub author: Option<String>,
    /// The address of the page before it in the same list or book.
    pub previous: Option<String>,
    /// The address of the next page of the same list or book.
    pub next: Option<String>,
}

impl Meta {
    /// The frame of a page without a picture of its own.
    pub fn of(public_url: &str) -> Self {
        Self { card: Some(format!("{public_url}/cards/buildtrack.png")), ..Self::default() }
    }
}
