//! Runs the crate over a folder of public test vectors. Prints a line per group, and every mismatch by name.
//!
//! ```sh
//! cargo run -p agora-envelope --example vectors -- ../shared/vectors
//! ```
//!
//! The folder contains `jcs/` (testdata of cyberphone/json-canonicalization), `didkey/` (those of did-method-key),
//! `ed25519/` (those of ed25519-speccheck) and `envelope.valid.json`. A group without vectors counts as a mismatch.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its result")]

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use agora_envelope::{DidKey, DidKeyError, Limits, jcs::canonicalize, json::parse_strict};
use serde_json::Value;

type Checked = Result<Group, Box<dyn Error>>;

/// The only case of speccheck that strict verification accepts, from 0.
const STRICTLY_VALID: usize = 3;

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: vectors FOLDER");
        return ExitCode::from(2);
    };
    match run(Path::new(&folder)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(mismatches) => {
            eprintln!("{mismatches} mismatches");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{folder}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Checks every group and returns the number of mismatches.
fn run(folder: &Path) -> Result<usize, Box<dyn Error>> {
    let groups = [
        canonical_files(&folder.join("jcs"))?,
        numbers(&folder.join("jcs/es6_10k.txt"))?,
        ed25519_identifiers(&folder.join("didkey"))?,
        other_identifiers(&folder.join("didkey"))?,
        signatures(&folder.join("ed25519/speccheck_cases.json"))?,
        envelopes(&folder.join("envelope.valid.json"))?,
    ];
    Ok(groups.iter().map(Group::report).sum())
}

/// The number of checked vectors, and the mismatches.
struct Group {
    name: &'static str,
    checked: usize,
    mismatches: Vec<String>,
}

impl Group {
    fn new(name: &'static str) -> Self {
        Self { name, checked: 0, mismatches: Vec::new() }
    }

    fn check(&mut self, holds: bool, mismatch: impl FnOnce() -> String) {
        self.checked += 1;
        if !holds {
            self.mismatches.push(mismatch());
        }
    }

    fn report(&self) -> usize {
        println!("{}: {} checked, {} mismatches", self.name, self.checked, self.mismatches.len());
        for mismatch in &self.mismatches {
            println!("  {mismatch}");
        }
        if self.checked == 0 {
            println!("  no vectors found");
        }
        self.mismatches.len() + usize::from(self.checked == 0)
    }
}

/// Each `input/x.json` has the canonical form `output/x.json`, whose bytes are also in `outhex/x.txt`.
fn canonical_files(folder: &Path) -> Checked {
    let mut group = Group::new("RFC 8785 documents");
    for entry in fs::read_dir(folder.join("input"))? {
        let input = entry?.path();
        let name = input.file_name().unwrap_or_default();
        let canonical = canonicalize(&read(&input)?);
        let output = fs::read_to_string(folder.join("output").join(name))?;
        group.check(canonical == output, || format!("{}: {canonical}", input.display()));
        let hex = fs::read_to_string(folder.join("outhex").join(name).with_extension("txt"))?;
        let bytes = hex::decode(hex.split_whitespace().collect::<String>())?;
        group.check(canonical.as_bytes() == bytes, || format!("{}: bytes of {canonical}", input.display()));
    }
    Ok(group)
}

/// Each line holds a double's bits in hex and its text. Parsing the text must give the same double.
fn numbers(file: &Path) -> Checked {
    let mut group = Group::new("RFC 8785 numbers");
    for line in fs::read_to_string(file)?.lines() {
        let (bits, text) = line.split_once(',').ok_or("a line without a comma")?;
        let written = canonicalize(&f64::from_bits(u64::from_str_radix(bits, 16)?).into());
        let read = canonicalize(&parse_strict(text.as_bytes(), &Limits::default())?);
        group.check(written == text && read == text, || format!("{bits} is {text}: wrote {written}, read {read}"));
    }
    Ok(group)
}

/// The keys of the file are identifiers; each value contains the corresponding key in base58.
fn ed25519_identifiers(folder: &Path) -> Checked {
    let mut group = Group::new("did:key of Ed25519, accepted");
    let file = read(&folder.join("ed25519-x25519.json"))?;
    for (text, document) in file.as_object().into_iter().flatten() {
        let parsed = text.parse::<DidKey>();
        group.check(parsed.is_ok(), || format!("{text}: {parsed:?}"));
        let (Ok(did), Some(base58)) = (parsed, document["verificationKeyPair"]["publicKeyBase58"].as_str()) else {
            continue;
        };
        let key = bs58::decode(base58).into_vec()?;
        group.check(did.public_key()[..] == key, || format!("{text}: its key is another"));
        let again = DidKey::from_public_key(key[..].try_into()?);
        group.check(again == did, || format!("{text}: its key has another identifier"));
    }
    Ok(group)
}

/// All other identifiers in the files have other codecs: those of the other files, and the X25519 keys of this file,
/// which it names by fragments.
fn other_identifiers(folder: &Path) -> Checked {
    let mut group = Group::new("did:key of other codecs, refused");
    let mut texts = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        identifiers(&read(&entry?.path())?, &mut texts);
    }
    for text in texts.iter().filter(|text| !text.starts_with("did:key:z6Mk")) {
        let parsed = text.parse::<DidKey>();
        group.check(matches!(parsed, Err(DidKeyError::Codec { .. })), || format!("{text}: {parsed:?}"));
    }
    Ok(group)
}

fn identifiers(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let (did, key) = text.split_once('#').unwrap_or((text, ""));
            found.extend(did.starts_with("did:key:").then(|| did.to_owned()));
            found.extend(key.starts_with('z').then(|| format!("did:key:{key}")));
        }
        Value::Array(items) => items.iter().for_each(|item| identifiers(item, found)),
        Value::Object(members) => {
            members.keys().for_each(|name| identifiers(&name.as_str().into(), found));
            members.values().for_each(|value| identifiers(value, found));
        }
        _ => {}
    }
}

/// Signatures on which implementations disagree.
fn signatures(file: &Path) -> Checked {
    let mut group = Group::new("Ed25519 edge cases");
    for (index, case) in read(file)?.as_array().into_iter().flatten().enumerate() {
        let bytes = |name: &str| hex::decode(case[name].as_str().unwrap_or_default());
        let (key, message, signature) = (bytes("pub_key")?, bytes("message")?, bytes("signature")?);
        let did = DidKey::from_public_key(key[..].try_into()?);
        let valid = signature[..].try_into().is_ok_and(|signature| did.verify(&message, signature).is_ok());
        group.check(valid == (index == STRICTLY_VALID), || format!("case {index}: {valid}"));
    }
    Ok(group)
}

/// Envelopes with their canonical forms. Their identifiers are abbreviated, so only the canonical form is checked.
fn envelopes(file: &Path) -> Checked {
    let mut group = Group::new("canonical envelopes");
    for case in read(file)?.as_array().into_iter().flatten() {
        let canonical = canonicalize(&case["envelope"]);
        group.check(case["canonical"] == canonical, || format!("{}: {canonical}", case["description"]));
    }
    Ok(group)
}

fn read(file: &Path) -> Result<Value, Box<dyn Error>> {
    let limits = Limits { bytes: 16 << 20, ..Limits::default() };
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(parse_strict(&bytes, &limits).map_err(|error| format!("{}: {error}", file.display()))?)
}
