//! Where a command's answer goes: lines and tables for people, or one JSON value for machines.

use std::io::{self, IsTerminal, Write};

use serde_json::Value;

use super::table::Table;

/// Standard output. A reader that went away (`… | head`) is no failure of the command, so write errors are not told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen {
    pub(super) json: bool,
    width: Option<usize>,
}

impl Screen {
    /// `columns` is what the shell says about the terminal's width; without a terminal nothing is cut.
    pub(super) fn new(json: bool, columns: Option<&str>) -> Self {
        let told = columns.and_then(|columns| columns.parse().ok());
        let width = io::stdout().is_terminal().then_some(told).flatten();
        Self { json, width }
    }

    /// A line for people; nothing with `--json`.
    pub(super) fn line(&self, line: impl AsRef<str>) {
        if !self.json {
            let _ = writeln!(io::stdout(), "{}", line.as_ref());
        }
    }

    /// A table for people; nothing with `--json`.
    pub(super) fn table(&self, table: &Table) {
        table.lines(self.width).iter().for_each(|line| self.line(line));
    }

    /// The answer for machines; nothing without `--json`. At most once a command.
    pub(super) fn value(&self, value: &Value) {
        if self.json {
            let _ = writeln!(io::stdout(), "{value:#}");
        }
    }

    /// Bytes as they are, whatever the format.
    pub(super) fn bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }
}
