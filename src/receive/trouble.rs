//! What a database error means for a batch: a pure table over SQLSTATE classes.
//! <https://www.postgresql.org/docs/current/errcodes-appendix.html>

/// What can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// A row can't be stored: look for it, spare the others.
    BadData,
    /// There is no partition for this day.
    NoPartition,
    /// A lock, a deadlock, a serialization failure: once more.
    Contention,
    /// The connection, the server or its resources: once more, with the same ids.
    Unreachable,
}

/// Sorts an error. Whatever is not known to be the rows' fault is the server's: never bisected.
pub(crate) fn trouble(error: &sqlx::Error) -> Trouble {
    let Some(database) = error.as_database_error() else {
        return Trouble::Unreachable;
    };
    let code = database.code().unwrap_or_default();
    match &*code {
        // check_violation also stands for "no partition of relation found for row"; only that one names no constraint.
        "23514" if database.constraint().is_none() => Trouble::NoPartition,
        "40001" | "40P01" | "55P03" => Trouble::Contention,
        code if code.starts_with("22") || code.starts_with("23") => Trouble::BadData,
        _ => Trouble::Unreachable,
    }
}
