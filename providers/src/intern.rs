//! Providers are `Copy` values of `'static` parts. Those made from configuration at run time get their parts here:
//! each distinct text is leaked once, so reloading the same configuration for years costs nothing more.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::Locate;
use crate::scheme::Part;

static TEXTS: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
static LOCATIONS: LazyLock<Mutex<HashSet<&'static [Locate]>>> = LazyLock::new(Mutex::default);
static PARTS: LazyLock<Mutex<HashSet<&'static [Part]>>> = LazyLock::new(Mutex::default);

pub(crate) fn text(text: &str) -> &'static str {
    keep(&TEXTS, text, |text| Box::leak(text.into()))
}

pub(crate) fn locations(list: &[Locate]) -> &'static [Locate] {
    keep(&LOCATIONS, list, |list| Box::leak(list.into()))
}

pub(crate) fn parts(list: &[Part]) -> &'static [Part] {
    keep(&PARTS, list, |list| Box::leak(list.into()))
}

fn keep<T: ?Sized + Hash + Eq>(
    kept: &Mutex<HashSet<&'static T>>,
    value: &T,
    leak: impl FnOnce(&T) -> &'static T,
) -> &'static T {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.get(value) {
        return known;
    }
    let leaked = leak(value);
    kept.insert(leaked);
    leaked
}
