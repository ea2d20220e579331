//! The seal of a battle that has ended: one hash of the hashes of its events.

use buildtrack_store::sha256_hex;

/// The seal of a battle with these hashes of events.
pub(super) fn seal_of<'h>(hashes: impl Iterator<Item = &'h str>) -> String {
    sha256_hex(hashes.flat_map(|hash| [hash, "\n"]).collect::<String>())
}
