//! Turns a parser's message into a sentence for the person who wrote the setting.

/// Says what is wrong and what would be right, without repeating the value: it may be a secret put in the wrong place.
pub(super) fn from_toml(message: &str) -> String {
    let message = message.trim_end();
    if let Some(rest) = message.strip_prefix("unknown field ") {
        return unknown("key", rest);
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        return unknown("value", rest);
    }
    if let Some(field) = message.strip_prefix("missing field ") {
        return format!("the key {field} is missing here");
    }
    if message.starts_with("data did not match any variant") {
        return "found neither a text nor a list of texts".to_owned();
    }
    for prefix in ["invalid type: ", "invalid value: "] {
        if let Some(rest) = message.strip_prefix(prefix) {
            let kind: String = rest.chars().take_while(|c| c.is_ascii_alphabetic() || *c == ' ').collect();
            let wanted = rest.rsplit_once(", expected ").map_or("something else", |(_, wanted)| wanted);
            return format!("found {}, where {wanted} belongs", article(kind.trim()));
        }
    }
    message.to_owned()
}

fn article(kind: &str) -> String {
    match kind.chars().next() {
        Some('a' | 'e' | 'i' | 'o' | 'u') => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

/// `rest` is serde's "`found`, expected one of `a`, `b`".
fn unknown(what: &str, rest: &str) -> String {
    let mut quoted = rest.split('`').skip(1).step_by(2);
    let found = quoted.next().unwrap_or_default();
    let known: Vec<&str> = quoted.collect();
    match nearest(found, &known) {
        Some(near) => format!("unknown {what} `{found}`; did you mean `{near}`?"),
        None if known.is_empty() => format!("unknown {what} `{found}`"),
        None => format!("unknown {what} `{found}`; known here: {}", known.join(", ")),
    }
}

/// The known word a slip or two away from `found`.
pub(super) fn nearest<'k>(found: &str, known: &[&'k str]) -> Option<&'k str> {
    let reach = (found.chars().count() / 3).clamp(1, 3);
    known
        .iter()
        .map(|word| (distance(found, word), *word))
        .filter(|(distance, _)| *distance <= reach)
        .min()
        .map(|(_, word)| word)
}

/// Letters to add, drop or change to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let change = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_rephrased_without_the_value() {
        let table = [
            (
                "unknown field `hearbeat`, expected one of `poll`, `heartbeat`",
                "unknown key `hearbeat`; did you mean `heartbeat`?",
            ),
            (
                "unknown field `colour`, expected `poll` or `heartbeat`",
                "unknown key `colour`; known here: poll, heartbeat",
            ),
            ("unknown variant `lanes`, expected `none` or `lane`", "unknown value `lanes`; did you mean `lane`?"),
            ("missing field `to`", "the key `to` is missing here"),
            (
                "invalid type: string \"whsec_, expected x\", expected a sequence",
                "found a string, where a sequence belongs",
            ),
            (
                "invalid type: integer `3`, expected a table of settings",
                "found an integer, where a table of settings belongs",
            ),
            ("`3 x` is not a duration", "`3 x` is not a duration"),
        ];
        for (message, sentence) in table {
            assert_eq!(from_toml(message), sentence);
        }
    }

    #[test]
    fn distance_counts_slips() {
        for (a, b, n) in
            [("", "", 0), ("", "ab", 2), ("lease", "lease", 0), ("lese", "lease", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!((distance(a, b), distance(b, a)), (n, n), "{a} {b}");
        }
    }
}
