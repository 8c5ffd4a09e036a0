//! What is said when a configuration is refused.

use std::fmt;

use super::sheet::Location;

/// A configuration was refused. `Display` is one sentence a line, each with the file and line or the environment
/// variable where that is known, and each saying what to change. Never holds a secret.
#[derive(Debug)]
pub struct ConfigError {
    complaints: Vec<Complaint>,
    source: Option<std::io::Error>,
}

/// One reason for refusing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Complaint {
    pub(super) at: Option<Location>,
    pub(super) sentence: String,
}

impl ConfigError {
    pub(super) fn at(location: Location, sentence: String) -> Self {
        Self { complaints: vec![Complaint { at: Some(location), sentence }], source: None }
    }

    pub(super) fn said(sentence: String) -> Self {
        Self { complaints: vec![Complaint { at: None, sentence }], source: None }
    }

    pub(super) fn because(source: std::io::Error, sentence: String) -> Self {
        Self { source: Some(source), ..Self::said(sentence) }
    }

    /// The reasons, one sentence each, with the place in front where it is known.
    pub fn sentences(&self) -> impl Iterator<Item = String> + '_ {
        self.complaints.iter().map(Complaint::to_string)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, complaint) in self.complaints.iter().enumerate() {
            if n > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{complaint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|error| error as _)
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            Some(location) => write!(f, "{location}: {}", self.sentence),
            None => f.write_str(&self.sentence),
        }
    }
}

/// Collects reasons, so that a start with three unset variables names all three.
#[derive(Default)]
pub(super) struct Complaints(Vec<Complaint>);

impl Complaints {
    /// Keeps the value or the complaint.
    pub(super) fn take<T>(&mut self, result: Result<T, String>) -> Option<T> {
        result.map_err(|sentence| self.say(sentence)).ok()
    }

    pub(super) fn say(&mut self, sentence: String) {
        self.0.push(Complaint { at: None, sentence });
    }

    /// Whether anything was said.
    pub(super) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// `value`, if nothing was said.
    pub(super) fn none_or<T>(self, value: T) -> Result<T, ConfigError> {
        if self.0.is_empty() { Ok(value) } else { Err(ConfigError { complaints: self.0, source: None }) }
    }
}
