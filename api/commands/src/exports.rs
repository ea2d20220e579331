//! The `verify-log --export` command: verifies the hash chain and the signatures of a workspace export from the file alone.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

use buildtrack_community::{
    log::events::{Checkpoint, Jwk, Jwks, LoggedEvent},
    workspaces::exports::{FORMAT, Line},
};
use buildtrack_domain::{
    event::Event,
    ids::WorkspaceId,
    locations::Location,
    log::{GENESIS, Hash, Header, chain, data_hash, gather},
};
use buildtrack_store::log::{PublicKey, SignedHead, SignedTrack, signed_head, signed_track, signed_with};

use super::CommandError;

/// The limits of the proof if the events of an export were not signed as a whole.
pub const LEFT_OUT: &str = "NOT proven: that no events are missing at the end of a stream, and that no whole stream is missing; \
                        compare with the server, or with an export from another source.";

/// The reason why an export fails the check, printed for the operator.
type Fault = String;

/// Verifies an export and returns the result as text. `keys` is the path of a trusted JWKS.
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

/// The state of the check after the lines read so far.
#[derive(Default)]
struct Track {
    workspace_id: Option<WorkspaceId>,
    last: Option<(i64, Hash)>,
    events: i64,
    /// The digest over the hashes of all events read so far.
    digest: Hash,
    adjoining: i64,
    /// The last version of each stream.
    versions: BTreeMap<String, i64>,
    /// Streams whose data are hidden, each with the position of one hidden event.
    hidden: BTreeMap<String, i64>,
    /// Events without data: position, stream, and the position of the redacting event.
    redacted: Vec<(i64, String, i64)>,
    /// Positions and streams of redacting events.
    redacting: BTreeSet<(i64, String)>,
}

/// Checks all lines in order and describes the result.
fn check(lines: impl Iterator<Item = Result<String, Fault>>, trusted: Option<&[Jwk]>) -> Result<String, Fault> {
    let mut track = Track::default();
    let mut end = None;
    for (number, text) in (1..).zip(lines) {
        if end.is_some() {
            return Err(format!("line {number} comes after the checkpoint, which must be the last line"));
        }
        let line = serde_json::from_str(&text?)
            .map_err(|error| format!("line {number} is not a line of an export: {error}"))?;
        match line {
            Line::Header { format, workspace_id, .. } if number == 1 => track.begin(&format, &workspace_id)?,
            Line::Event { previous_hash, event } if number > 1 => track.link(&previous_hash, &event)?,
            Line::Checkpoint { events, checkpoint, track, keys } if number > 1 => {
                end = Some((events, checkpoint, track, keys));
            }
            _ => return Err(format!("line {number} is of an unexpected kind")),
        }
    }
    let (events, checkpoint, whole, keys) = end.ok_or("its last line, the checkpoint, is missing")?;
    if events != track.events {
        return Err(format!("it has {} events, but its last line says {events}", track.events));
    }
    track.check_missing_data()?;
    let keys = trusted.unwrap_or(&keys);
    let head = track.signed(&checkpoint, keys)?;
    let whole = whole.map(|jws| track.check_completeness(&jws, &head, keys)).transpose()?.is_some();
    Ok(track.summary(&head, trusted.is_some(), whole))
}

impl Track {
    fn begin(&mut self, format: &str, workspace_id: &str) -> Result<(), Fault> {
        if format != FORMAT {
            return Err(format!("its format is {format:?}; this program reads {FORMAT:?} only"));
        }
        self.workspace_id = Some(workspace_id.parse().map_err(|error| format!("{workspace_id:?}: {error}"))?);
        Ok(())
    }

    fn link(&mut self, previous_hash: &str, event: &LoggedEvent) -> Result<(), Fault> {
        let position = event.position;
        let previous = bytes(previous_hash, position)?;
        match self.last {
            Some((last, _)) if last >= position => {
                return Err(format!("position {position} comes after position {last}"));
            }
            Some((last, hash)) if last + 1 == position => {
                if hash != previous {
                    return Err(format!(
                        "the previous hash at position {position} is not the hash of the event before it"
                    ));
                }
                self.adjoining += 1;
            }
            _ if position == 1 && previous != GENESIS => {
                return Err("the previous hash at position 1 is not the start of a log".to_owned());
            }
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
            // Masked and erased events are decided on in another stream. That decision is on the public log, not in the export.
            (None, None, _) if matches!(&*event.visibility, "masked" | "erased") => return Ok(()),
            (None, None, Some(by)) => {
                self.redacted.push((position, event.stream.clone(), by));
                return Ok(());
            }
            (None, None, None) if event.visibility == "hidden" => {
                self.hidden.insert(event.stream.clone(), position);
                return Ok(());
            }
            _ => {
                return Err(format!(
                    "the data at position {position} are missing, and the event is neither redacted nor hidden"
                ));
            }
        };
        let salt = hex::decode(salt).ok().and_then(|salt| salt.try_into().ok());
        let salt = salt.ok_or_else(|| format!("the salt at position {position} is not 16 bytes in hex"))?;
        if data_hash(&salt, data) != *recorded {
            return Err(format!("the data at position {position} do not match their recorded hash"));
        }
        let known = Event::decode(&event.event_type, data).map_err(|error| format!("position {position}: {error}"))?;
        if !self.workspace_id.is_some_and(|id| known.locations().contains(&Location::Workspace(id))) {
            return Err(format!("the event at position {position} does not belong to the track"));
        }
        Ok(())
    }

    /// Checks that each event without data has its redacting event or its moderation decision in the export.
    fn check_missing_data(&self) -> Result<(), Fault> {
        for (position, stream, by) in &self.redacted {
            if by <= position || !self.redacting.contains(&(*by, stream.clone())) {
                return Err(format!(
                    "the data at position {position} are missing, and no later event of {stream} redacts them"
                ));
            }
        }
        // Hidden data stay on the log. The export contains the operator's decision.
        for (stream, position) in &self.hidden {
            if !self.versions.contains_key(&format!("moderation:{stream}")) {
                return Err(format!("the data at position {position} are missing, and no decision hides {stream}"));
            }
        }
        Ok(())
    }

    fn signed(&self, checkpoint: &Checkpoint, keys: &[Jwk]) -> Result<SignedHead, Fault> {
        let key = key_of(&checkpoint.jws, keys)?;
        let head = signed_head(&checkpoint.jws, &key).ok_or("the checkpoint's signature is not that of its key")?;
        if (head.position, &head.hash) != (checkpoint.position, &checkpoint.hash) {
            return Err("the checkpoint differs from its signed content".to_owned());
        }
        match self.last {
            Some((last, _)) if last > head.position => Err("its last event is after the checkpoint".to_owned()),
            Some((last, hash)) if last == head.position && hex::encode(hash) != head.hash => {
                Err("the hash of its last event is not the signed hash".to_owned())
            }
            _ => Ok(head),
        }
    }

    /// Checks that the events are exactly those that the server signed as the workspace's events at that head.
    fn check_completeness(&self, jws: &str, head: &SignedHead, keys: &[Jwk]) -> Result<(), Fault> {
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

    /// Describes what the file proves and what it does not prove.
    fn summary(&self, head: &SignedHead, trusted: bool, whole: bool) -> String {
        let workspace = self.workspace_id.map(|id| id.to_string()).unwrap_or_default();
        let last = self.last.map_or(0, |(position, _)| position);
        let key = if trusted {
            "with a key that you named"
        } else {
            "with a key from the file itself: compare it with the server's /.well-known/jwks.json, or pass that file with --keys"
        };
        let bound = if whole {
            "Also signed: that these are all events of the track up to that position, in this order.\n\
             NOT proven: that the server signed its true log; compare with the log, or with an export from another source."
                .to_owned()
        } else if last == head.position {
            format!(
                "Proven by this: the last event, and the events directly before it, are on the signed log.\n{LEFT_OUT}"
            )
        } else {
            format!(
                "NOT proven: that these events are on the signed log. The events between positions {last} and {} belong to \
                 other streams; GET /api/v1/log returns their headers and hashes, which complete the chain.\n{LEFT_OUT}",
                head.position
            )
        };
        format!(
            "The export of {workspace} is in order: {} events of {} streams, {} of them redacted, {} streams hidden by operators.\n\
             Proven: each event's hash matches its data, its header and the previous hash stated with \
             it ({} pairs adjoin and follow each other); no stream has a gap; everything belongs to the track.\n\
             Signed: that the log's head was position {} with hash {} ({key}).\n\
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

/// Finds the key that a signature names.
fn key_of(jws: &str, keys: &[Jwk]) -> Result<PublicKey, Fault> {
    let kid = signed_with(jws).ok_or("a signature is no compact JWS")?;
    let key = keys.iter().find(|key| key.kid == kid).ok_or_else(|| format!("there is no key {kid}"))?;
    Ok(PublicKey { id: key.kid.clone(), x: key.x.clone() })
}

fn bytes(text: &str, position: i64) -> Result<Hash, Fault> {
    let hash = hex::decode(text).ok().and_then(|bytes| bytes.try_into().ok());
    hash.ok_or_else(|| format!("a hash at position {position} is not 32 bytes in hex"))
}
