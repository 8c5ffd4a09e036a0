//! Writes the list of providers as a document: `cargo run -p hookgate-providers --example catalogue > docs/PROVIDERS.md`

mod page;

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(page::page(hookgate_providers::ALL).as_bytes())
}
