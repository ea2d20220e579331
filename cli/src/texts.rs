//! Texts and files that commands read, within bounds.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use crate::failure::Failure;

/// The bytes of a text or a file that are read: more than any operation takes.
const TEXT_MAX: u64 = 1024 * 1024;

/// An argument; for `-`, standard input.
pub(crate) fn text_or_input(argument: &str) -> Result<String, Failure> {
    if argument == "-" { read(Path::new("-")) } else { Ok(argument.to_owned()) }
}

/// The text of a file; for `-`, of standard input.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let is_input = path == Path::new("-");
    let named = if is_input { "standard input".to_owned() } else { path.display().to_string() };
    let mut text = String::new();
    let length = if is_input {
        io::stdin().take(TEXT_MAX + 1).read_to_string(&mut text)
    } else {
        File::open(path).and_then(|file| file.take(TEXT_MAX + 1).read_to_string(&mut text))
    };
    let length = length.map_err(|error| Failure::Failed(format!("{named}: {error}")))?;
    if u64::try_from(length).is_ok_and(|length| length <= TEXT_MAX) {
        Ok(text)
    } else {
        Err(Failure::Failed(format!("{named} has more than {TEXT_MAX} bytes.")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_within_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, "é").unwrap();
        assert_eq!(read(&path).unwrap(), "é");
        std::fs::write(&path, "x".repeat(1024 * 1024 + 1)).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("more than"));
        assert!(read(&folder.path().join("missing")).unwrap_err().to_string().contains("missing"));
        assert_eq!(text_or_input("as it is").unwrap(), "as it is");
    }
}
