//! The pages of the book: every embedded Markdown file, and the table of contents.

use std::sync::LazyLock;

/// One Markdown file.
#[derive(Debug)]
pub(super) struct Page {
    /// Its path in the repository.
    pub(super) path: &'static str,
    pub(super) text: &'static str,
}

macro_rules! pages {
    ($($path:literal),* $(,)?) => { &[$(Page { path: $path, text: include_str!(concat!("../../../", $path)) }),*] };
}

/// Every page: what `docs/SUMMARY.md` lists, and the documents in the repository's root that pages link to.
pub(super) const PAGES: &[Page] = pages![
    "docs/guide/introduction.md",
    "docs/guide/tour.md",
    "docs/guide/configuration.md",
    "docs/guide/api.md",
    "docs/guide/accounts.md",
    "docs/guide/workspaces.md",
    "docs/guide/forum.md",
    "docs/guide/votes.md",
    "docs/guide/search.md",
    "docs/guide/inbox.md",
    "docs/guide/reputation.md",
    "docs/guide/moderation.md",
    "docs/guide/live.md",
    "docs/guide/webhooks.md",
    "docs/guide/events.md",
    "docs/guide/sdk.md",
    "docs/guide/client.md",
    "docs/guide/pages.md",
    "docs/guide/portal.md",
    "docs/guide/relay.md",
    "docs/guide/exchange.md",
    "docs/guide/documents.md",
    "docs/guide/mcp.md",
    "docs/guide/a2a.md",
    "docs/guide/arena.md",
    "docs/guide/arena-playing.md",
    "docs/guide/arena-protocols.md",
    "docs/guide/arena-judging.md",
    "docs/guide/arena-operating.md",
    "docs/guide/tasks.md",
    "docs/guide/log.md",
    "docs/guide/operations.md",
    "docs/guide/metrics.md",
    "docs/guide/benchmarks.md",
    "docs/reference/limits.md",
    "docs/reference/security-in-depth.md",
    "docs/glossary.md",
    "docs/adr/0001-positions-under-one-lock.md",
    "docs/adr/0002-push-bodies-are-never-stored.md",
    "docs/adr/0003-caches-may-be-stale.md",
    "docs/adr/0004-one-writer-multi-row-statements.md",
    "docs/adr/0005-the-log-is-the-queue.md",
    "docs/adr/0006-reputations-are-counted-from-the-log.md",
    "docs/adr/0007-the-search-index-follows-the-log.md",
    "docs/adr/0008-envelopes-and-threads-are-streams.md",
    "docs/adr/0009-a-request-is-recorded-before-it-is-answered.md",
    "docs/adr/0010-masks-and-sealed-headers.md",
    "docs/adr/0011-live-streams-locations-near-duplicates-and-traces.md",
    "docs/adr/0012-silent-connections-are-closed.md",
    "docs/adr/0013-a-match-is-on-the-log.md",
    "docs/adr/0014-an-oauth-client-is-its-registration.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
];

/// The page of `/docs/guide` itself.
pub(super) const FIRST: &str = "introduction";

/// An entry of the table of contents.
#[derive(Debug)]
pub(super) struct Entry {
    /// 0 for the outermost list.
    pub(super) depth: usize,
    pub(super) title: &'static str,
    pub(super) page: &'static Page,
}

/// A line of `docs/SUMMARY.md` that the sidebar shows.
#[derive(Debug)]
pub(super) enum Line {
    /// A heading above the entries that follow.
    Part(&'static str),
    Entry(Entry),
}

/// The table of contents, in the order of `docs/SUMMARY.md`.
pub(super) static CONTENTS: LazyLock<Vec<Line>> =
    LazyLock::new(|| include_str!("../../../docs/SUMMARY.md").lines().skip(1).filter_map(line).collect());

fn line(text: &'static str) -> Option<Line> {
    if let Some(part) = text.strip_prefix("# ") {
        return Some(Line::Part(part.trim()));
    }
    let (before, rest) = text.split_once('[')?;
    let (title, rest) = rest.split_once("](")?;
    let (path, _) = rest.split_once(')')?;
    let page = at(&format!("docs/{}", path.trim_start_matches("./")))?;
    Some(Line::Entry(Entry { depth: before.chars().take_while(|letter| *letter == ' ').count() / 2, title, page }))
}

/// The entries of the table of contents alone.
pub(super) fn entries() -> impl Iterator<Item = &'static Entry> {
    CONTENTS.iter().filter_map(|line| match line {
        Line::Part(_) => None,
        Line::Entry(entry) => Some(entry),
    })
}

/// The page of this path in the repository.
pub(super) fn at(path: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.path == path)
}

/// The page of this last segment of an address.
pub(super) fn named(name: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.name() == name)
}

impl Page {
    /// The last segment of its address: the file's name in lower case, without `.md`.
    pub(super) fn name(&self) -> String {
        let file = self.path.rsplit('/').next().unwrap_or(self.path);
        file.trim_end_matches(".md").to_lowercase()
    }

    /// Its address on this server.
    pub(super) fn address(&self) -> String {
        match self.name() {
            name if name == FIRST => "/docs/guide".to_owned(),
            name => format!("/docs/guide/{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::{PAGES, entries};

    /// The Markdown files of a folder of the repository.
    fn files(folder: &str) -> BTreeSet<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
        let paths = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
        let pages = paths.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
        pages.map(|path| format!("{folder}/{}", path.file_name().unwrap().to_string_lossy())).collect()
    }

    #[test]
    fn the_table_of_contents_lists_every_file_of_the_book_once() {
        let listed: Vec<_> = entries().map(|entry| entry.page.path.to_owned()).collect();
        let folders = ["docs/guide", "docs/reference", "docs/adr"].into_iter().flat_map(files);
        let written = folders.chain(["docs/glossary.md".to_owned()]);
        // What pages are generated from is no page.
        let written: BTreeSet<_> = written.filter(|path| !path.ends_with(".source.md")).collect();
        assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), written);
        assert_eq!(listed.len(), written.len());
    }

    #[test]
    fn no_two_pages_have_one_address() {
        let addresses: BTreeSet<_> = PAGES.iter().map(super::Page::address).collect();
        assert_eq!(addresses.len(), PAGES.len());
    }
}
