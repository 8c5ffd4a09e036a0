//! The two files `init` adds to, without touching what is in them.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use reqwest::Url;

use crate::cli::exit::Failure;

/// What `init` needs to know of a configuration, whose secrets may not be set yet.
#[derive(Debug, Default)]
pub(super) struct Existing(toml::Table);

impl Existing {
    pub(super) fn has_source(&self, name: &str) -> bool {
        self.0.get("source").and_then(|sources| sources.get(name)).is_some()
    }

    pub(super) fn public_url(&self) -> Option<Url> {
        self.server("public_url")?.parse().ok()
    }

    pub(super) fn ingest(&self) -> SocketAddr {
        let written = self.server("ingest").and_then(|address| address.parse().ok());
        written.unwrap_or(SocketAddr::from(([0, 0, 0, 0], 8080)))
    }

    fn server(&self, key: &str) -> Option<&str> {
        self.0.get("server")?.get(key)?.as_str()
    }
}

/// Reads the configuration; a missing file is an empty one.
pub(super) fn read_config(file: &Path) -> Result<Existing, Failure> {
    let text = read(file)?;
    toml::from_str(&text).map(Existing).map_err(|error| {
        Failure::no(format!("{} is no TOML, so nothing is added to it: {}", file.display(), error.message()))
            .advise("`hookgate check` says where")
    })
}

fn read(file: &Path) -> Result<String, Failure> {
    match std::fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        text => text.map_err(|error| cannot("read", file, &error)),
    }
}

fn cannot(what: &str, file: &Path, error: &io::Error) -> Failure {
    Failure::no(format!("cannot {what} {}: {error}", file.display()))
}

/// Adds a block, set off by an empty line.
pub(super) fn append(file: &Path, block: &str) -> Result<(), Failure> {
    add(file, block, 0o644, true)
}

/// Adds the variable's line unless the file sets it already; says whether it did. Readable by its owner only.
pub(super) fn append_variable(file: &Path, variable: &str, line: impl FnOnce() -> String) -> Result<bool, Failure> {
    let sets = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line);
        line.strip_prefix(variable).is_some_and(|rest| rest.starts_with('='))
    };
    if read(file)?.lines().any(sets) {
        return Ok(false);
    }
    add(file, &line(), 0o600, false).map(|()| true)
}

fn add(file: &Path, text: &str, mode: u32, apart: bool) -> Result<(), Failure> {
    let write = || {
        let mut open = OpenOptions::new().read(true).append(true).create(true).mode(mode).open(file)?;
        let mut before = Vec::new();
        open.read_to_end(&mut before)?;
        let gap = match before.last() {
            None => "",
            Some(b'\n') if apart => "\n",
            Some(b'\n') => "",
            Some(_) if apart => "\n\n",
            Some(_) => "\n",
        };
        open.write_all(format!("{gap}{text}").as_bytes())?;
        open.sync_all()
    };
    write().map_err(|error| cannot("write", file, &error))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_variable_that_is_set_is_kept_and_a_new_one_is_private() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(".env");
        assert_eq!(append_variable(&file, "A_SECRET", || "A_SECRET=1\n".into()), Ok(true));
        assert_eq!(append_variable(&file, "A_SECRET", || "A_SECRET=2\n".into()), Ok(false));
        assert_eq!(append_variable(&file, "A", || "A=3\n".into()), Ok(true), "a longer name is another one");
        assert_eq!(std::fs::read_to_string(&file).expect("readable"), "A_SECRET=1\nA=3\n");
        let mode = std::fs::metadata(&file).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn what_was_in_the_file_stays_whether_it_ended_in_a_newline_or_not() {
        let folder = tempfile::tempdir().expect("a folder");
        for before in ["", "a = 1", "a = 1\n"] {
            let file = folder.path().join("hookgate.toml");
            std::fs::write(&file, before).expect("writable");
            append(&file, "[b]\n").expect("added");
            let after = std::fs::read_to_string(&file).expect("readable");
            assert!(after.starts_with(before) && after.ends_with("[b]\n"), "{after:?}");
            toml::from_str::<toml::Table>(&after).expect("still TOML");
        }
    }
}
