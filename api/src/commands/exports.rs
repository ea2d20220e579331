//! `verify-log --export`: whether a track's export is what the server once signed, as far as the file alone can tell.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

use buildtrack_domain::{
    event::Event,
    ids::WorkspaceId,
    log::{GENESIS, Hash, Header, chain, data_hash, gather},
    places::{Place, places},
};
use buildtrack_store::log::{PublicKey, SignedHead, SignedTrack, signed_head, signed_track, signed_with};

use super::CommandError;
use crate::{
    log::events::{Checkpoint, Jwk, Jwks, LoggedEvent},
    workspaces::exports::{FORMAT, Line},
};

/// What nobody can tell of an export whose events were not signed together.
const LEFT_OUT: &str = "NOT proven: that nothing is left out at the end of a stream, or a whole message with its stream; \
                        compare with the server, or with an export from elsewhere.";

/// What is wrong with an export, for the person at the terminal.
type Fault = String;

/// Checks a file and says what it proves. `keys` is a JWKS that is trusted.
pub fn verify(export: &Path, keys: Option<&Path>) -> Result<String, CommandError> {
    let unreadable =
        |path: &Path, error: &dyn std::fmt::Display| CommandError::Failed(format!("{}: {error}", path.display()));
    let file = File::open(export).map_err(|error| unreadable(export, &error))?;
    let trusted = match keys {
        None => None,
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
            Some(serde_json::from_str::<Jwks>(&text).map_err(|error| unreadable(path, &error))?.keys)
        }
    };
    let lines = BufReader::new(file).lines().map(|line| line.map_err(|error| error.to_string()));
    let checked = check(lines, trusted.as_deref());
    checked.map_err(|fault| CommandError::Failed(format!("The export is NOT in order: {fault}.")))
}

/// An export on the way through.
#[derive(Default)]
struct Track {
    workspace_id: Option<WorkspaceId>,
    last: Option<(i64, Hash)>,
    events: i64,
    /// The hashes of the events, gathered.
    digest: Hash,
    adjoining: i64,
    /// The last version of each stream.
    versions: BTreeMap<String, i64>,
    /// Streams whose data are hidden, with a position of each.
    hidden: BTreeMap<String, i64>,
    /// Where data are gone, in which stream, and which event says so.
    redacted: Vec<(i64, String, i64)>,
    /// Positions and streams of events that redact.
    redacting: BTreeSet<(i64, String)>,
}

/// What was found, in words.
fn check(lines: impl Iterator<Item = Result<String, Fault>>, trusted: Option<&[Jwk]>) -> Result<String, Fault> {
    let mut track = Track::default();
    let mut end = None;
    for (number, text) in (1..).zip(lines) {
        if end.is_some() {
            return Err(format!("line {number} stands behind the last one"));
        }
        let line =
            serde_json::from_str(&text?).map_err(|error| format!("line {number} is none of an export: {error}"))?;
        match line {
            Line::Header { format, workspace_id, .. } if number == 1 => track.begin(&format, &workspace_id)?,
            Line::Event { previous_hash, event } if number > 1 => track.link(&previous_hash, &event)?,
            Line::Checkpoint { events, checkpoint, track, keys } if number > 1 => {
                end = Some((events, checkpoint, track, keys));
            }
            _ => return Err(format!("line {number} does not belong there")),
        }
    }
    let (events, checkpoint, whole, keys) = end.ok_or("its last line, the checkpoint, is missing")?;
    if events != track.events {
        return Err(format!("it has {} events, and its last line says {events}", track.events));
    }
    track.account()?;
    let keys = trusted.unwrap_or(&keys);
    let head = track.signed(&checkpoint, keys)?;
    let whole = whole.map(|jws| track.whole(&jws, &head, keys)).transpose()?.is_some();
    Ok(track.told(&head, trusted.is_some(), whole))
}

impl Track {
    fn begin(&mut self, format: &str, workspace_id: &str) -> Result<(), Fault> {
        if format != FORMAT {
            return Err(format!("its format is {format:?}, and only {FORMAT:?} is known"));
        }
        self.workspace_id = Some(workspace_id.parse().map_err(|error| format!("{workspace_id:?}: {error}"))?);
        Ok(())
    }

    fn link(&mut self, previous_hash: &str, event: &LoggedEvent) -> Result<(), Fault> {
        let position = event.position;
        let previous = bytes(previous_hash, position)?;
        match self.last {
            Some((last, _)) if last >= position => return Err(format!("position {position} stands behind {last}")),
            Some((last, hash)) if last + 1 == position => {
                if hash != previous {
                    return Err(format!("position {position} does not follow from the one before it"));
                }
                self.adjoining += 1;
            }
            _ if position == 1 && previous != GENESIS => return Err("the first position follows something".to_owned()),
            _ => {}
        }
        let recorded = bytes(&event.data_hash, position)?;
        self.check_data(event, &recorded)?;
        let LoggedEvent { stream, version, event_type, metadata, recorded_at, .. } = event;
        let header = Header { position, stream, version: *version, event_type, metadata, recorded_at: *recorded_at };
        let hash = chain(&previous, &header, &recorded);
        if hash != bytes(&event.hash, position)? {
            return Err(format!("the hash at position {position} is not that of its header and data"));
        }
        let before = self.versions.insert(stream.clone(), *version).unwrap_or(0);
        if *version != before + 1 {
            return Err(format!("version {} of {stream} is missing", before + 1));
        }
        if event_type.ends_with(".redacted") {
            self.redacting.insert((position, stream.clone()));
        }
        self.last = Some((position, hash));
        self.digest = gather(&self.digest, &hash);
        self.events += 1;
        Ok(())
    }

    fn check_data(&mut self, event: &LoggedEvent, recorded: &Hash) -> Result<(), Fault> {
        let position = event.position;
        let (data, salt) = match (&event.data, &event.salt, event.redacted_by) {
            (Some(data), Some(salt), None) => (data, salt),
            // What operators mask or erase is decided about something else: that decision is on the public log.
            (None, None, _) if matches!(&*event.visibility, "masked" | "erased") => return Ok(()),
            (None, None, Some(by)) => {
                self.redacted.push((position, event.stream.clone(), by));
                return Ok(());
            }
            (None, None, None) if event.visibility == "hidden" => {
                self.hidden.insert(event.stream.clone(), position);
                return Ok(());
            }
            _ => return Err(format!("the data at position {position} are gone, and nothing says why")),
        };
        let salt = hex::decode(salt).ok().and_then(|salt| salt.try_into().ok());
        let salt = salt.ok_or_else(|| format!("the salt at position {position} has not 16 bytes in hex"))?;
        if data_hash(&salt, data) != *recorded {
            return Err(format!("the data at position {position} are not those that were recorded"));
        }
        let known = Event::decode(&event.event_type, data).map_err(|error| format!("position {position}: {error}"))?;
        let place = self.workspace_id.map(Place::Workspace);
        if !places(&known).into_iter().any(|known| Some(known) == place) {
            return Err(format!("the event at position {position} does not belong to the track"));
        }
        Ok(())
    }

    /// Whatever is gone was taken away by a later event of the same stream, which is there.
    fn account(&self) -> Result<(), Fault> {
        for (position, stream, by) in &self.redacted {
            if by <= position || !self.redacting.contains(&(*by, stream.clone())) {
                return Err(format!(
                    "the data at position {position} are gone, and no later event of {stream} redacts them"
                ));
            }
        }
        // What is hidden stays, and comes with the operator's decision.
        for (stream, position) in &self.hidden {
            if !self.versions.contains_key(&format!("moderation:{stream}")) {
                return Err(format!("the data at position {position} are gone, and no decision hides {stream}"));
            }
        }
        Ok(())
    }

    fn signed(&self, checkpoint: &Checkpoint, keys: &[Jwk]) -> Result<SignedHead, Fault> {
        let key = key_of(&checkpoint.jws, keys)?;
        let head = signed_head(&checkpoint.jws, &key).ok_or("the checkpoint's signature is not that of its key")?;
        if (head.position, &head.hash) != (checkpoint.position, &checkpoint.hash) {
            return Err("the checkpoint says something else than what was signed".to_owned());
        }
        match self.last {
            Some((last, _)) if last > head.position => Err("it goes beyond its checkpoint".to_owned()),
            Some((last, hash)) if last == head.position && hex::encode(hash) != head.hash => {
                Err("its last event is not the one that was signed".to_owned())
            }
            _ => Ok(head),
        }
    }

    /// These are the events, all of them, that the server has signed to be the track at that head.
    fn whole(&self, jws: &str, head: &SignedHead, keys: &[Jwk]) -> Result<(), Fault> {
        let signed = signed_track(jws, &key_of(jws, keys)?).ok_or("the track's signature is not that of its key")?;
        let workspace_id = self.workspace_id.map(|id| id.to_string()).unwrap_or_default();
        let (position, hash) = (head.position, head.hash.clone());
        let found = SignedTrack {
            workspace_id,
            events: self.events,
            digest: hex::encode(self.digest),
            position,
            hash,
            ..signed.clone()
        };
        if found == signed { Ok(()) } else { Err("its events are not those that were signed".to_owned()) }
    }

    /// What the file proves, and what it does not.
    fn told(&self, head: &SignedHead, trusted: bool, whole: bool) -> String {
        let workspace = self.workspace_id.map(|id| id.to_string()).unwrap_or_default();
        let last = self.last.map_or(0, |(position, _)| position);
        let key = if trusted {
            "with a key that you named"
        } else {
            "with a key from the file itself: compare it with the server's /.well-known/jwks.json, or name that with --keys"
        };
        let bound = if whole {
            "Signed too: that these are, in this order, all the events that the track had there.\n\
             NOT proven: that the server signed the truth; compare with its log, or with an export from elsewhere."
                .to_owned()
        } else if last == head.position {
            format!(
                "Proven by that: the last event, and those that adjoin it, are on the log that was signed.\n{LEFT_OUT}"
            )
        } else {
            format!(
                "NOT proven: that these events are on the log that was signed. Between positions {last} and {} are events of \
                 others; GET /api/v1/log has their headers and hashes, which close the chain.\n{LEFT_OUT}",
                head.position
            )
        };
        format!(
            "The export of {workspace} is in order: {} events of {} streams, {} of them redacted, {} streams hidden by operators.\n\
             Proven: each event has the data and the header that its hash is made of, and follows the hash that stands before \
             it ({} pairs adjoin and follow each other); no stream has a gap; everything belongs to the track.\n\
             Signed: that the log ended at position {} with hash {} ({key}).\n\
             {bound}",
            self.events,
            self.versions.len(),
            self.redacted.len(),
            self.hidden.len(),
            self.adjoining,
            head.position,
            head.hash,
        )
    }
}

/// The key that a signature says it was made with.
fn key_of(jws: &str, keys: &[Jwk]) -> Result<PublicKey, Fault> {
    let kid = signed_with(jws).ok_or("a signature is no compact JWS")?;
    let key = keys.iter().find(|key| key.kid == kid).ok_or_else(|| format!("there is no key {kid}"))?;
    Ok(PublicKey { id: key.kid.clone(), x: key.x.clone() })
}

fn bytes(text: &str, position: i64) -> Result<Hash, Fault> {
    let hash = hex::decode(text).ok().and_then(|bytes| bytes.try_into().ok());
    hash.ok_or_else(|| format!("a hash at position {position} has not 32 bytes in hex"))
}
