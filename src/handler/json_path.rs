//! Where in a JSON text a position is, as a JSON pointer.

/// More would not be read by anybody.
const LONGEST: usize = 200;

enum Step {
    Key(String),
    Index(usize),
}

/// The pointer to the value that the text up to a line and column (serde_json's: from 1, in bytes) has just read.
/// After a closing bracket that is the container itself. Empty at the top.
pub(super) fn at(json: &[u8], line: usize, column: usize) -> String {
    let before: usize = json.split_inclusive(|&byte| byte == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    let read = &json[..json.len().min(before + column)];
    let mut path = steps(read).into_iter().fold(String::new(), |path, step| match step {
        Step::Key(key) => path + "/" + &key.replace('~', "~0").replace('/', "~1"),
        Step::Index(index) => format!("{path}/{index}"),
    });
    if path.len() > LONGEST {
        path.truncate(path.floor_char_boundary(LONGEST));
        path.push('…');
    }
    path
}

/// Follows brackets, keys and commas only: the text up to here was already accepted by a parser.
fn steps(read: &[u8]) -> Vec<Step> {
    let mut open: Vec<Step> = Vec::new();
    let mut expects_key = false;
    let mut rest = read;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match first {
            b'{' => {
                open.push(Step::Key(String::new()));
                expects_key = true;
            }
            b'[' => {
                open.push(Step::Index(0));
                expects_key = false;
            }
            b'}' | b']' => {
                open.pop();
                expects_key = false;
            }
            b',' => match open.last_mut() {
                Some(Step::Index(index)) => *index += 1,
                Some(Step::Key(_)) => expects_key = true,
                None => {}
            },
            b'"' => {
                let (text, after) = string(tail);
                rest = after;
                if expects_key {
                    if let Some(Step::Key(key)) = open.last_mut() {
                        *key = String::from_utf8_lossy(text).into_owned();
                    }
                    expects_key = false;
                }
            }
            _ => {}
        }
    }
    open
}

/// Splits after the closing quote; escapes in a key stay as written.
fn string(text: &[u8]) -> (&[u8], &[u8]) {
    let mut end = 0;
    while end < text.len() {
        match text[end] {
            b'"' => return (&text[..end], &text[end + 1..]),
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    (text, &[])
}

#[cfg(test)]
mod tests {
    use super::at;
    use proptest::prelude::*;

    #[test]
    fn a_position_becomes_the_pointer_to_what_was_just_read() {
        let json = br#"{"a": [1, {"b/c": "x\"y", "d": 2}], "e": 3}"#;
        let table =
            [("1,", "/a/0"), (r#"x\"y""#, "/a/1/b~1c"), ("2", "/a/1/d"), ("2}", "/a/1"), ("3", "/e"), ("3}", "")];
        for (upto, expected) in table {
            let start = json.windows(upto.len()).position(|window| window == upto.as_bytes()).expect("in the text");
            let comma = usize::from(upto.ends_with(','));
            assert_eq!(at(json, 1, start + upto.len() - comma), expected, "up to {upto}");
        }
    }

    #[test]
    fn lines_count() {
        assert_eq!(at(b"{\n \"a\": 1,\n \"b\": true}", 3, 10), "/b");
    }

    proptest! {
        #[test]
        fn no_text_and_no_position_make_it_panic(
            json in proptest::collection::vec(any::<u8>(), 0..60), line in 0usize..5, column in 0usize..80,
        ) {
            let _ = at(&json, line, column);
        }
    }
}
