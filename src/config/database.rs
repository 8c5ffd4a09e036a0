//! `[database]`: which Postgres, and how many connections to it.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize, Serializer};

use super::error::Complaints;
use super::secret::{Keyring, Reference, Secret, SecretSetting};

/// Which Postgres, and how many connections to it.
#[derive(Debug, Clone, Serialize)]
pub struct Database {
    /// The server to use. `None`: hookgate runs its own in `data`.
    pub url: Option<DatabaseUrl>,
    /// Folder of hookgate's own Postgres.
    pub data: PathBuf,
    /// Folder of Postgres server binaries; `None`: look for them.
    pub pg_bin: Option<PathBuf>,
    /// Connections for recording.
    pub ingest_connections: u32,
    /// Connections for claiming, settling and handlers' transactions.
    pub worker_connections: u32,
    /// Connections for the API and the dashboard.
    pub operator_connections: u32,
    /// Whether to LISTEN for work made by other processes; polling goes on regardless.
    pub listen: bool,
    /// Whether `url` leads to a pooler in transaction mode.
    pub pooler: bool,
}

/// A connection URL. Shown without its password.
#[derive(Clone)]
pub struct DatabaseUrl(Secret);

impl DatabaseUrl {
    /// The whole URL, password included.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }

    /// Where it came from.
    pub fn reference(&self) -> &Reference {
        self.0.reference()
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Query parameters may carry a password too (`?password=`), so they are dropped rather than picked apart.
        let mut shown = match reqwest::Url::parse(self.expose()) {
            Ok(url) => url,
            Err(_) => return write!(f, "{} (unreadable)", self.reference()),
        };
        if shown.password().is_some() {
            let _ = shown.set_password(Some("hidden"));
        }
        shown.set_query(None);
        match self.reference() {
            Reference::Literal => write!(f, "{shown}"),
            reference => write!(f, "{reference} ({shown})"),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseUrl({self})")
    }
}

impl Serialize for DatabaseUrl {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub(super) struct DatabaseSettings {
    url: Option<SecretSetting>,
    data: PathBuf,
    pg_bin: Option<PathBuf>,
    ingest_connections: u32,
    worker_connections: u32,
    operator_connections: u32,
    listen: bool,
    pooler: bool,
}

impl DatabaseSettings {
    pub(super) fn resolve(self, keyring: &Keyring<'_>, complaints: &mut Complaints) -> Database {
        let url = self.url.and_then(|url| complaints.take(database_url(keyring, url)));
        Database {
            url,
            data: self.data,
            pg_bin: self.pg_bin,
            ingest_connections: self.ingest_connections,
            worker_connections: self.worker_connections,
            operator_connections: self.operator_connections,
            listen: self.listen,
            pooler: self.pooler,
        }
    }
}

/// A literal URL is accepted (many hold no password at all); a literal password is only masked, not refused.
fn database_url(keyring: &Keyring<'_>, setting: SecretSetting) -> Result<DatabaseUrl, String> {
    let secret = keyring.fetch_any("database.url", setting)?;
    match reqwest::Url::parse(secret.expose()) {
        Ok(url) if matches!(url.scheme(), "postgres" | "postgresql") => Ok(DatabaseUrl(secret)),
        _ => Err(format!(
            "`database.url` ({}) is not a Postgres URL: write postgres://user:password@host:5432/database",
            secret.reference()
        )),
    }
}
