//! Runs signature vectors: `cargo run -p hookgate-providers --example vectors -- DIR...`
//!
//! Prints a line for each verdict that differs and a total. Exit status 0 if none differs and every provider is
//! known, 1 if not, 2 if a folder cannot be read.

mod runner;
mod secrets;
mod vector;

use std::process::ExitCode;

fn main() -> ExitCode {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    if folders.is_empty() {
        eprintln!("usage: vectors DIR... (folders of vector files, one JSON array a file)");
        return ExitCode::from(2);
    }
    let mut total = runner::Outcome::default();
    for folder in folders {
        if let Err(error) = total.run(folder.as_ref()) {
            eprintln!("{folder}: {error}");
            return ExitCode::from(2);
        }
    }
    total.differing.iter().for_each(|line| println!("{line}"));
    total.unknown.iter().for_each(|(provider, vectors)| println!("unknown provider: {provider} ({vectors} vectors)"));
    println!("{total}");
    ExitCode::from(u8::from(!total.is_clean()))
}
