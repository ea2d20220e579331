//! A disk without space: no accepted write is lost, refused writes are refused as documented, and the server recovers by itself.

use std::process::Command;

#[test]
fn a_full_disk_loses_nothing_and_is_left_without_a_restart() {
    let output = Command::new(env!("CARGO_BIN_EXE_buildtrack-faults")).arg("--full-disk").output().unwrap();
    let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{printed}");
}
