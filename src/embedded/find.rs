//! Finding a server: the named folder, the PATH, `pg_config`, earlier downloads, then where
//! distributions put it.

use std::fs;
use std::path::{Path, PathBuf};

use super::account::{Account, run};
use super::folder::Folder;
use super::{EmbeddedError, Options};

/// Majors hookgate is tested with.
const SUPPORTED: std::ops::RangeInclusive<u32> = 14..=18;

/// (folder, how its entries begin, what follows below them). An empty beginning means any entry.
const DISTRIBUTIONS: &[(&str, &str, &str)] = &[
    ("/usr/lib/postgresql", "", "bin"),          // Debian, Ubuntu
    ("/usr", "pgsql-", "bin"),                   // PGDG packages for RHEL and SUSE
    ("/usr/libexec", "postgresql", ""),          // Alpine
    ("/usr/lib", "postgresql", "bin"),           // SUSE
    ("/usr/lib64", "postgresql-", "bin"),        // Gentoo
    ("/opt/homebrew/opt", "postgresql@", "bin"), // Homebrew, Apple silicon
    ("/usr/local/opt", "postgresql@", "bin"),    // Homebrew, Intel
    ("/home/linuxbrew/.linuxbrew/opt", "postgresql@", "bin"),
    ("/opt/local/lib", "postgresql", "bin"), // MacPorts
    ("/Applications/Postgres.app/Contents/Versions", "", "bin"),
    ("/usr/local", "pgsql", "bin"), // built from source
];

/// A folder with a server that the server's user can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Binaries {
    folder: PathBuf,
    major: u32,
}

impl Binaries {
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
    pub(super) fn major(&self) -> u32 {
        self.major
    }
}

/// Finds the newest server that fits, or downloads one. `needed` is the existing cluster's major.
pub(super) async fn obtain(
    options: &Options,
    folder: &Folder,
    account: Account,
    needed: Option<u32>,
) -> Result<Binaries, EmbeddedError> {
    let places = match &options.pg_bin {
        Some(named) => {
            vec![std::path::absolute(named).map_err(EmbeddedError::io("make sense of", named))?]
        }
        None => places(folder).await,
    };
    let mut found = Vec::new();
    for place in &places {
        found.extend(probe(place, account).await);
    }
    if let Some(chosen) = choose(&found, needed) {
        return Ok(chosen);
    }
    // A named folder is an order, so nothing else is put in its place.
    let fetch = match options.fetch && options.pg_bin.is_none() {
        true => match download(folder, account, needed).await {
            Ok(fetched) => return Ok(fetched),
            Err(reason) => format!("; the download failed ({reason})"),
        },
        false => String::new(),
    };
    Err(refusal(folder, options.pg_bin.as_deref(), &found, needed, fetch))
}

/// The newest supported one; with a cluster at hand only its own major will do.
fn choose(found: &[Binaries], needed: Option<u32>) -> Option<Binaries> {
    let fits = |candidate: &&Binaries| match needed {
        Some(major) => candidate.major == major,
        None => SUPPORTED.contains(&candidate.major),
    };
    // `max_by_key` keeps the last of equals; the first place looked at should win.
    found.iter().rev().filter(fits).max_by_key(|candidate| candidate.major).cloned()
}

fn refusal(
    folder: &Folder,
    named: Option<&Path>,
    found: &[Binaries],
    needed: Option<u32>,
    fetch: String,
) -> EmbeddedError {
    let list: Vec<_> = found.iter().map(|one| format!("{} in {}", one.major, one.folder.display())).collect();
    if let Some(needs) = needed {
        let found = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
        return EmbeddedError::WrongVersion { folder: folder.path().to_owned(), needs, found: found + &fetch };
    }
    let looked = match named {
        Some(named) => format!(" in {}", named.display()),
        None => " on the PATH, through pg_config or where distributions put it".to_owned(),
    };
    let others = if list.is_empty() { String::new() } else { format!(" (only {})", list.join(", ")) };
    EmbeddedError::NoServer {
        wanted: format!("version {} to {}", SUPPORTED.start(), SUPPORTED.end()),
        looked: looked + &others,
        fetch,
    }
}

#[cfg(feature = "fetch-postgres")]
async fn download(folder: &Folder, account: Account, needed: Option<u32>) -> Result<Binaries, String> {
    let major = needed.unwrap_or(*SUPPORTED.end());
    let installed = super::fetch::fetch(&folder.servers(), major).await?;
    probe(&installed, account).await.ok_or_else(|| format!("what came into {} does not run", installed.display()))
}

#[cfg(not(feature = "fetch-postgres"))]
async fn download(_: &Folder, _: Account, _: Option<u32>) -> Result<Binaries, String> {
    Err("this hookgate was built without the feature `fetch-postgres`".to_owned())
}

/// Runs the server as the user it would run as: that also finds out closed folders, wrong
/// architectures and missing libraries.
async fn probe(place: &Path, account: Account) -> Option<Binaries> {
    let server = place.join("postgres");
    if !["postgres", "initdb", "pg_ctl"].iter().all(|name| place.join(name).is_file()) {
        return None;
    }
    let mut command = account.command(&server);
    command.arg("--version");
    let output = run(command).await.ok()?;
    let major = major_in(&String::from_utf8_lossy(&output.stdout))?;
    Some(Binaries { folder: place.to_owned(), major })
}

/// From `postgres (PostgreSQL) 15.4 (Debian …)` or `… 18beta1`.
fn major_in(version: &str) -> Option<u32> {
    let number = version.split_once("(PostgreSQL) ")?.1;
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..digits].parse().ok()
}

async fn places(folder: &Folder) -> Vec<PathBuf> {
    let mut places = Vec::new();
    // The shell walks the PATH, so that this module reads no environment.
    for line in ["command -v postgres", "pg_config --bindir"] {
        let mut shell = tokio::process::Command::new("sh");
        shell.args(["-c", line]);
        if let Ok(output) = run(shell).await {
            places.extend(bin_folder(String::from_utf8_lossy(&output.stdout).trim()));
        }
    }
    places.extend(entries(&folder.servers(), "", "bin"));
    for (parent, begins, below) in DISTRIBUTIONS {
        places.extend(entries(Path::new(parent), begins, below));
    }
    places.push(PathBuf::from("/usr/bin")); // Fedora, Arch
    let mut seen = std::collections::HashSet::new();
    places.retain(|place| seen.insert(place.clone()));
    places
}

/// The folder itself, or the one of the program that a link on the PATH leads to: beside the link
/// its siblings need not be.
fn bin_folder(path: &str) -> Option<PathBuf> {
    let real = fs::canonicalize(path).ok()?;
    if real.is_dir() { Some(real) } else { real.parent().map(Path::to_owned) }
}

fn entries(parent: &Path, begins: &str, below: &str) -> Vec<PathBuf> {
    let fits = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(begins);
    let found = fs::read_dir(parent).into_iter().flatten().flatten();
    found.filter(fits).map(|entry| entry.path().join(below)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(folder: &str, major: u32) -> Binaries {
        Binaries { folder: folder.into(), major }
    }

    #[test]
    fn the_newest_supported_server_is_chosen_and_the_first_of_equals() {
        let found = [server("/a", 15), server("/b", 17), server("/c", 17), server("/d", 19), server("/e", 13)];
        assert_eq!(choose(&found, None), Some(server("/b", 17)));
        assert_eq!(choose(&[server("/d", 19)], None), None);
    }

    #[test]
    fn a_cluster_is_run_by_its_own_major_only() {
        let found = [server("/a", 15), server("/b", 17)];
        assert_eq!(choose(&found, Some(15)), Some(server("/a", 15)));
        assert_eq!(choose(&found, Some(16)), None);
    }

    #[test]
    fn the_major_is_read_from_releases_and_betas() {
        assert_eq!(major_in("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(major_in("postgres (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(major_in("something else 9"), None);
    }
}
