//! The Rust samples of the API reference, as a reader copies them: each compiles, and prints the status and the body of its answer.
//!
//! `the_samples_run_as_pasted` compares them with the reference.

#![expect(clippy::print_stdout, reason = "samples print their answers")]

macro_rules! samples {
    ($($name:ident)*) => {
        $(mod $name {
            include!(concat!(stringify!($name), ".rs"));

            pub(super) fn run() -> Result<(), Box<dyn std::error::Error>> {
                main()
            }
        })*

        fn main() -> Result<(), Box<dyn std::error::Error>> {
            match std::env::args().nth(1).as_deref() {
                $(Some(stringify!($name)) => $name::run(),)*
                _ => Err(format!("give one of: {}", [$(stringify!($name)),*].join(" ")).into()),
            }
        }
    };
}

samples! { list_workspaces open_workspace post_message search show_me }
