//! The one error of the library's outside: why a gateway could not be built, started or run.

use std::error::Error as StdError;
use std::fmt;

/// Why a gateway could not be built or started. The text is one sentence that says what to do.
///
/// Opaque, so that its insides can change: ask with the `is_*` methods.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    text: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Configuration,
    Database,
    Schema,
    Listener,
}

impl Error {
    /// Something in the configuration or a handler's definition must be changed.
    pub fn is_configuration(&self) -> bool {
        self.kind == Kind::Configuration
    }

    /// Postgres can't be reached or started, or refuses.
    pub fn is_database(&self) -> bool {
        self.kind == Kind::Database
    }

    /// The database's schema is not this release's: `hookgate migrate` helps.
    pub fn is_schema(&self) -> bool {
        self.kind == Kind::Schema
    }

    /// A listener's address can't be bound.
    pub fn is_listener(&self) -> bool {
        self.kind == Kind::Listener
    }

    pub(crate) fn configuration(source: impl StdError + Send + Sync + 'static) -> Self {
        Self { kind: Kind::Configuration, text: source.to_string(), source: None }
    }

    pub(crate) fn contradiction(text: impl Into<String>) -> Self {
        Self { kind: Kind::Configuration, text: text.into(), source: None }
    }

    pub(crate) fn database<E: StdError + Send + Sync + 'static>(text: &str) -> impl FnOnce(E) -> Self {
        let text = text.to_owned();
        move |source| Self { kind: Kind::Database, text, source: Some(Box::new(source)) }
    }

    pub(crate) fn embedded(source: crate::embedded::EmbeddedError) -> Self {
        Self { kind: Kind::Database, text: source.to_string(), source: source.source().map(|s| s.to_string().into()) }
    }

    pub(crate) fn migration(source: sqlx::migrate::MigrateError) -> Self {
        Self {
            kind: Kind::Schema,
            text: "the schema can't be brought up to date".to_owned(),
            source: Some(Box::new(source)),
        }
    }

    pub(crate) fn schema(text: String) -> Self {
        Self { kind: Kind::Schema, text, source: None }
    }

    pub(crate) fn listener(setting: &str, address: std::net::SocketAddr, source: std::io::Error) -> Self {
        Self {
            kind: Kind::Listener,
            text: format!("{setting} = \"{address}\" can't be listened on: free the port or set another"),
            source: Some(Box::new(source)),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
