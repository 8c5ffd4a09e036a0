//! What can keep the embedded server from running. Every message says what to change.

use std::io;
use std::path::{Path, PathBuf};

/// Why the embedded Postgres could not be started or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// No usable server is installed and none could be downloaded.
    #[error(
        "no Postgres server ({wanted}) was found{looked}{fetch}. Install one \
         (Debian and Ubuntu: `apt-get install postgresql`; Fedora and RHEL: `dnf install postgresql-server`; \
         Alpine: `apk add postgresql`; macOS: `brew install postgresql@17`), \
         or name the folder of its programs in HOOKGATE_PG_BIN, \
         or set `database.url` to a Postgres that already runs"
    )]
    NoServer {
        /// The versions that would do, in words.
        wanted: String,
        /// Where it was looked for and what was there instead.
        looked: String,
        /// Why the download did not help.
        fetch: String,
    },

    /// The cluster was made by a Postgres of another major version.
    #[error(
        "the data folder {folder} was made by Postgres {needs} and only that major version can run it, \
         but the servers found are: {found}. Install Postgres {needs} (or name its programs in HOOKGATE_PG_BIN), \
         or start with another data folder"
    )]
    WrongVersion {
        /// The data folder.
        folder: PathBuf,
        /// The major version that made it.
        needs: u32,
        /// The servers found, or why there are none.
        found: String,
    },

    /// Neither the wanted folder nor the fallback can be reached by the server's user.
    #[error(
        "Postgres refuses to run as root, and its user (uid {uid}) cannot enter {parent}, which is above \
         the data folder {folder}. Choose a data folder that user can reach, or run hookgate as another user"
    )]
    Unreachable {
        /// The data folder that was tried last.
        folder: PathBuf,
        /// The folder that is closed.
        parent: PathBuf,
        /// The user the server would run as.
        uid: u32,
    },

    /// Running as root and there is no user to run the server as.
    #[error(
        "Postgres refuses to run as root, and this machine has neither a user `postgres` nor `nobody`. \
         Create one (`useradd --system postgres`), or run hookgate as another user"
    )]
    NoAccount,

    /// A file or folder belongs to somebody else.
    #[error(
        "{path} belongs to uid {owner}, but the embedded Postgres runs as uid {uid}. \
         Run hookgate as its owner, or change the owner"
    )]
    ForeignOwner {
        /// The file or folder.
        path: PathBuf,
        /// Who owns it.
        owner: u32,
        /// Who should.
        uid: u32,
    },

    /// The socket folder can be entered by others, or is not a folder.
    #[error("the socket folder {path} is not a private folder (mode 0700); remove it and start again")]
    NotPrivate {
        /// The socket folder.
        path: PathBuf,
    },

    /// The place of the cluster holds something else.
    #[error(
        "{path} holds files but no Postgres cluster (PG_VERSION is missing); move it away or choose another data folder"
    )]
    NotACluster {
        /// Where the cluster should be.
        path: PathBuf,
    },

    /// One of the server's programs failed.
    #[error("{program} failed: {output}")]
    Program {
        /// The program.
        program: String,
        /// What it or the server's log said.
        output: String,
    },

    /// A server process runs on the folder but cannot be used.
    #[error(
        "a Postgres server (pid {pid}) runs on {folder} but does not answer on its socket: {reason}. \
         Stop it (`kill -TERM {pid}`) and start again"
    )]
    NotAnswering {
        /// The server's process id.
        pid: i32,
        /// The cluster's folder.
        folder: PathBuf,
        /// The last connection error.
        reason: String,
    },

    /// The file system said no.
    #[error("could not {doing} {path}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
}

impl EmbeddedError {
    /// For `map_err`: names what was tried on which path.
    pub(super) fn io<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + use<'a> {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }
}
