//! Layers of settings, laid over each other without forgetting where each value was written.
//!
//! Every layer is one piece of a single imagined text, and each value keeps its place in it. So whatever is wrong
//! after merging (an unknown key, a bad duration, a missing field) can be traced to a file and line, or to the
//! environment variable that said it.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::phrase;

/// Where a setting was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Location {
    /// In a file, on a line counted from 1.
    Line { file: String, line: usize },
    /// In an environment variable.
    Variable(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { file, line } => write!(f, "{file}:{line}"),
            Self::Variable(name) => write!(f, "environment variable {name}"),
        }
    }
}

pub(super) struct Sheet<'t> {
    pieces: Vec<Piece<'t>>,
    table: DeTable<'t>,
}

struct Piece<'t> {
    origin: Origin,
    start: usize,
    text: &'t str,
}

enum Origin {
    File(String),
    Variable(String),
}

impl<'t> Sheet<'t> {
    pub(super) fn new() -> Self {
        Self { pieces: Vec::new(), table: DeTable::new() }
    }

    /// Lays the settings of a file over what is there: tables merge, everything else replaces.
    pub(super) fn lay_file(&mut self, file: &str, text: &'t str) -> Result<(), ConfigError> {
        let start = self.add_piece(Origin::File(file.to_owned()), text);
        let parsed = DeTable::parse(text).map_err(|error| self.explain(&error, start))?;
        for (key, value) in shift_table(parsed.into_inner(), start) {
            self.yield_attempts(key.get_ref(), value.get_ref());
            merge(&mut self.table, key, value);
        }
        Ok(())
    }

    /// Whoever lists the waits between attempts and does not say how many there are has said it by the list: the number
    /// of the layer below does not count.
    fn yield_attempts(&mut self, section: &str, laid: &DeValue<'t>) {
        if let DeValue::Table(laid) = laid
            && lists_waits(laid)
            && let Some(DeValue::Table(below)) = self.table.get_mut(section).map(Spanned::get_mut)
        {
            below.remove("attempts");
        }
    }

    /// Lays one value over what is there. `text` is read as a TOML value, or else taken as a string.
    pub(super) fn lay_variable(&mut self, variable: &str, path: &[String], text: &'t str) -> Result<(), ConfigError> {
        let start = self.add_piece(Origin::Variable(variable.to_owned()), text);
        let span = start..start + text.len();
        let value = match DeValue::parse(text) {
            Ok(value) => shift(value, start),
            Err(_) => Spanned::new(span.clone(), DeValue::String(Cow::Borrowed(text))),
        };
        place(&mut self.table, path, value, &span)
            .map_err(|sentence| ConfigError::at(Location::Variable(variable.to_owned()), sentence))
    }

    /// Gives every table under `heirs` (a table of tables or an array of them) the keys of `ancestor` it lacks.
    pub(super) fn inherit(&mut self, heirs: &str, ancestor: &str) {
        let Some(DeValue::Table(ancestor)) = self.table.get(ancestor).map(|v| v.get_ref().clone()) else {
            return;
        };
        let fill = |heir: &mut Spanned<DeValue<'t>>| {
            if let DeValue::Table(heir) = heir.get_mut() {
                let counts = lists_waits(heir);
                for (key, value) in &ancestor {
                    if !(heir.contains_key(key) || counts && key.get_ref() == "attempts") {
                        heir.insert(key.clone(), value.clone());
                    }
                }
            }
        };
        match self.table.get_mut(heirs).map(Spanned::get_mut) {
            Some(DeValue::Table(table)) => table.iter_mut().for_each(|(_, heir)| fill(heir)),
            Some(DeValue::Array(array)) => array.iter_mut().for_each(fill),
            _ => {}
        }
    }

    /// Reads the merged settings.
    pub(super) fn read<T: DeserializeOwned>(self) -> Result<T, ConfigError> {
        let root = Spanned::new(0..0, self.table.clone());
        T::deserialize(toml::Deserializer::from(root)).map_err(|error| self.explain(&error, 0))
    }

    fn add_piece(&mut self, origin: Origin, text: &'t str) -> usize {
        // One byte between pieces, so that "just past the end" still belongs to the piece before.
        let start = self.pieces.last().map_or(0, |last| last.start + last.text.len() + 1);
        self.pieces.push(Piece { origin, start, text });
        start
    }

    fn explain(&self, error: &toml::de::Error, start: usize) -> ConfigError {
        let sentence = phrase::from_toml(error.message());
        let at = error.span().map(|span| span.start + start);
        match at.and_then(|at| self.pieces.iter().rev().find(|p| p.start <= at).map(|p| (p, at - p.start))) {
            None => ConfigError::said(sentence),
            Some((Piece { origin: Origin::Variable(name), .. }, _)) => {
                ConfigError::at(Location::Variable(name.clone()), sentence)
            }
            Some((Piece { origin: Origin::File(file), text, .. }, offset)) => {
                let before = &text.as_bytes()[..offset.min(text.len())];
                let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
                ConfigError::at(Location::Line { file: file.clone(), line }, sentence)
            }
        }
    }
}

/// Tables merge; everything else replaces what was there.
/// Whether a table says what `attempts` is by a list of waits.
fn lists_waits(table: &DeTable<'_>) -> bool {
    let listed =
        table.get("retry").is_some_and(|waits| waits.get_ref().as_array().is_some_and(|waits| !waits.is_empty()));
    listed && !table.contains_key("attempts")
}

fn merge<'t>(below: &mut DeTable<'t>, key: Spanned<Cow<'t, str>>, above: Spanned<DeValue<'t>>) {
    match (below.get_mut(&key).map(Spanned::get_mut), above) {
        (Some(DeValue::Table(below)), above) if matches!(above.get_ref(), DeValue::Table(_)) => {
            if let DeValue::Table(above) = above.into_inner() {
                above.into_iter().for_each(|(key, value)| merge(below, key, value));
            }
        }
        (_, above) => {
            below.insert(key, above);
        }
    }
}

/// Puts `value` at `path`. In an array of tables a segment means the element with that `name`. A segment of a
/// variable's name cannot hold `-`, so `_` finds a key that has `-` there.
fn place<'t>(
    table: &mut DeTable<'t>,
    path: &[String],
    value: Spanned<DeValue<'t>>,
    span: &Range<usize>,
) -> Result<(), String> {
    let Some((segment, rest)) = path.split_first() else {
        return Err("the name ends before it names a setting".to_owned());
    };
    let same = |name: &str| name == segment || name.replace('-', "_") == *segment;
    let key = table.keys().find(|key| same(key.get_ref())).map(|key| key.get_ref().clone());
    let key = Spanned::new(span.clone(), key.unwrap_or_else(|| Cow::Owned(segment.clone())));
    if rest.is_empty() {
        merge(table, key, value);
        return Ok(());
    }
    if !table.contains_key(&key) {
        table.insert(key.clone(), Spanned::new(span.clone(), DeValue::Table(DeTable::new())));
    }
    match table.get_mut(&key).map(Spanned::get_mut) {
        Some(DeValue::Table(inner)) => place(inner, rest, value, span),
        Some(DeValue::Array(array)) => {
            let named = array.iter_mut().find_map(|element| match element.get_mut() {
                DeValue::Table(inner) => match inner.get("name").map(Spanned::get_ref) {
                    Some(DeValue::String(name)) if same_name(name, &rest[0]) => Some(inner),
                    _ => None,
                },
                _ => None,
            });
            match named {
                Some(inner) if rest.len() > 1 => place(inner, &rest[1..], value, span),
                Some(_) => Err("the name ends before it names a setting".to_owned()),
                None => Err(format!("there is no `{segment}` named `{}` in the file to override", rest[0])),
            }
        }
        _ => Err(format!("`{segment}` is a single value and has nothing inside it")),
    }
}

fn same_name(name: &str, segment: &str) -> bool {
    name == segment || name.replace('-', "_") == segment
}

fn shift(value: Spanned<DeValue<'_>>, by: usize) -> Spanned<DeValue<'_>> {
    let span = value.span();
    let inner = match value.into_inner() {
        DeValue::Table(table) => DeValue::Table(shift_table(table, by)),
        DeValue::Array(mut array) => {
            for element in array.iter_mut() {
                let taken = std::mem::replace(element, Spanned::new(0..0, DeValue::Boolean(false)));
                *element = shift(taken, by);
            }
            DeValue::Array(array)
        }
        scalar => scalar,
    };
    Spanned::new(span.start + by..span.end + by, inner)
}

fn shift_table(table: DeTable<'_>, by: usize) -> DeTable<'_> {
    let mut shifted = DeTable::new();
    for (key, value) in table {
        let span = key.span();
        let key = Spanned::new(span.start + by..span.end + by, key.into_inner());
        shifted.insert(key, shift(value, by));
    }
    shifted
}
