//! What the user's program shares with its handlers: clients, caches, settings. One value a type.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;

use super::HandlerError;

/// Values by type.
#[derive(Default)]
pub(crate) struct State(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

impl State {
    /// Adds a value; a second one of the same type takes the first one's place.
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.0.insert(TypeId::of::<T>(), Box::new(value));
    }

    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Result<&T, HandlerError> {
        self.0.get(&TypeId::of::<T>()).and_then(|value| value.downcast_ref()).ok_or_else(|| {
            HandlerError::because(format!(
                "this program has no state of type `{}`: add it with `Builder::state(..)`",
                type_name::<T>(),
            ))
            .permanent()
        })
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "State({} values)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::State;
    use crate::job::Outcome;

    #[test]
    fn a_value_is_found_by_its_type_and_a_missing_one_is_a_permanent_error_that_says_what_to_do() {
        let mut state = State::default();
        state.insert(7u32);
        assert_eq!(*state.get::<u32>().expect("inserted above"), 7);
        let error = state.get::<String>().expect_err("never inserted");
        assert_eq!(error.outcome(), Outcome::Permanent);
        assert!(error.describe().contains("String") && error.describe().contains("Builder::state"));
    }
}
