//! Secrets: named by reference in the configuration, fetched once at start, never printed.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret, SecretString};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{Mode, Name};

/// A secret value and where it came from. `Debug`, `Display` and `Serialize` show the reference only.
#[derive(Clone)]
pub struct Secret {
    name: Option<Name>,
    reference: Reference,
    value: SecretString,
}

impl Secret {
    /// The name the configuration gives it, to say which of several secrets matched.
    pub fn name(&self) -> Option<&Name> {
        self.name.as_ref()
    }

    /// Where it came from.
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// The value. Every call is a place where it can leak.
    pub fn expose(&self) -> &str {
        self.value.expose_secret()
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (set, {} bytes)", self.reference, self.expose().len())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({self})")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match &self.name {
            Some(name) => out.collect_str(&format_args!("{name} = {self}")),
            None => out.collect_str(self),
        }
    }
}

/// Where a secret is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// In an environment variable.
    Env(String),
    /// In a file. Its one final newline is not part of the secret; every other byte is.
    File(PathBuf),
    /// In the configuration itself.
    Literal,
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(variable) => write!(f, "env:{variable}"),
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Literal => f.write_str("literal"),
        }
    }
}

/// A secret as the file says it: `{ env = "X" }`, `{ file = "…" }`, or a literal.
pub(super) struct SecretSetting {
    pub(super) name: Option<Name>,
    pub(super) place: Place,
}

pub(super) enum Place {
    Env(String),
    File(PathBuf),
    Literal(SecretString),
}

impl<'de> Deserialize<'de> for SecretSetting {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(SettingVisitor)
    }
}

struct SettingVisitor;

impl<'de> Visitor<'de> for SettingVisitor {
    type Value = SecretSetting;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a reference: { env = \"VARIABLE\" } or { file = \"path\" }")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<SecretSetting, E> {
        Ok(SecretSetting { name: None, place: Place::Literal(text.into()) })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SecretSetting, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Keys {
            name: Option<Name>,
            env: Option<String>,
            file: Option<PathBuf>,
            literal: Option<SecretText>,
        }
        let keys = Keys::deserialize(MapAccessDeserializer::new(map))?;
        let place = match (keys.env, keys.file, keys.literal) {
            (Some(variable), None, None) => Place::Env(variable),
            (None, Some(path), None) => Place::File(path),
            (None, None, Some(text)) => Place::Literal(text.0),
            _ => {
                return Err(de::Error::custom("a secret has one place: either `env` or `file`"));
            }
        };
        Ok(SecretSetting { name: keys.name, place })
    }
}

/// A string that is never held unguarded on its way in.
struct SecretText(SecretString);

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        String::deserialize(input).map(|text| Self(text.into()))
    }
}

/// What secrets are fetched from. The environment and the file reader come in, so fetching can be tested.
pub(super) struct Keyring<'a> {
    pub(super) env: &'a BTreeMap<String, String>,
    pub(super) read: &'a dyn Fn(&Path) -> io::Result<Vec<u8>>,
    pub(super) mode: Mode,
}

impl Keyring<'_> {
    /// Fetches a secret for `setting` (a key such as `source.stripe.secrets`). The error is a sentence that names
    /// the setting, the variable or file, and what to do; it never holds a value.
    pub(super) fn fetch(&self, setting: &str, wanted: SecretSetting) -> Result<Secret, String> {
        if matches!(wanted.place, Place::Literal(_)) && self.mode != Mode::Dev {
            return Err(format!(
                "`{setting}` holds a secret in clear: put it in an environment variable or a file and write \
                 {{ env = \"VARIABLE\" }} or {{ file = \"path\" }} (`hookgate dev` alone accepts literals)"
            ));
        }
        self.fetch_any(setting, wanted)
    }

    /// The same for what may stand in the configuration itself, such as a database URL without a password.
    pub(super) fn fetch_any(&self, setting: &str, wanted: SecretSetting) -> Result<Secret, String> {
        let (reference, value) = match wanted.place {
            Place::Env(variable) => {
                let value = self.env.get(&variable).ok_or_else(|| {
                    format!(
                        "`{setting}` refers to the environment variable {variable}, which is not set: set it, or \
                         change the reference"
                    )
                })?;
                (Reference::Env(variable), SecretString::from(value.as_str()))
            }
            Place::File(path) => {
                let shown = path.display();
                let bytes = (self.read)(&path).map_err(|error| {
                    format!("`{setting}` refers to the file {shown}, which cannot be read: {error}")
                })?;
                let text = String::from_utf8(bytes).map_err(|_| {
                    format!("`{setting}` refers to the file {shown}, which is not UTF-8 text: write the secret as text")
                })?;
                let text = text.strip_suffix('\n').unwrap_or(&text);
                let text = text.strip_suffix('\r').unwrap_or(text);
                (Reference::File(path.clone()), SecretString::from(text))
            }
            Place::Literal(value) => (Reference::Literal, value),
        };
        if value.expose_secret().trim().is_empty() {
            let place = match &reference {
                Reference::Env(variable) => format!("the environment variable {variable}"),
                Reference::File(path) => format!("the file {}", path.display()),
                Reference::Literal => "the configuration".to_owned(),
            };
            return Err(format!(
                "`{setting}` is blank in {place}: anyone could sign with it; put the real secret there"
            ));
        }
        Ok(Secret { name: wanted.name, reference, value })
    }
}
