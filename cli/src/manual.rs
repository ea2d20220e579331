//! Shell completion and man pages, from the command line's own definition.

use std::{fs, path::PathBuf};

use buildtrack_terminal::write_generated;
use clap::Args;
use clap_complete::Shell;

use crate::failure::Failure;

/// The name of the program.
const PROGRAM: &str = "buildtrack";

/// Prints the completion of a shell, for the file that the shell reads.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Writes the man pages of all commands into a folder, or prints the first of them.
#[derive(Debug, Args)]
pub struct Man {
    /// The folder, which is created
    folder: Option<PathBuf>,
}

impl Completions {
    pub(crate) fn run(&self, mut program: clap::Command) -> Result<(), Failure> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut program, PROGRAM, &mut text);
        Ok(write_generated(&text)?)
    }
}

impl Man {
    pub(crate) fn run(&self, program: clap::Command) -> Result<(), Failure> {
        let program = program.name(PROGRAM);
        let Some(folder) = &self.folder else {
            let mut text = Vec::new();
            let rendered = clap_mangen::Man::new(program).render(&mut text);
            rendered.map_err(|error| Failure::Failed(error.to_string()))?;
            return Ok(write_generated(&text)?);
        };
        let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(program, folder));
        written.map_err(|error| Failure::Failed(format!("{}: {error}", folder.display())))
    }
}
