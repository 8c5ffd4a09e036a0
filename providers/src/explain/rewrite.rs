//! JSON as the writers in use write it.

use std::fmt;

use crate::json::document::{Document, Keys, Token, unescaped};
use crate::json::without_bom;

/// How a JSON document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    layout: Layout,
    keys: Order,
    strings: Strings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Compact,
    /// A space behind commas and colons, as Python's `json.dumps` writes.
    Spaced,
    Indented(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    AsWritten,
    Sorted,
}

/// What is escaped in strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strings {
    AsWritten,
    /// Only what must be.
    Plain,
    /// Everything beyond ASCII, as Python writes.
    Ascii,
    /// Slashes, as PHP writes when told to leave Unicode alone.
    Slashes,
    /// Slashes and everything beyond ASCII, as PHP writes.
    SlashesAndAscii,
    /// `<`, `>` and `&`, as Go writes.
    Html,
}

const LAYOUTS: [Layout; 5] =
    [Layout::Compact, Layout::Spaced, Layout::Indented("  "), Layout::Indented("    "), Layout::Indented("\t")];
const STRINGS: [Strings; 6] =
    [Strings::AsWritten, Strings::Plain, Strings::Ascii, Strings::Slashes, Strings::SlashesAndAscii, Strings::Html];

/// The first style in which the document is what `is_it` looks for.
pub(super) fn styles(body: &[u8], is_it: impl Fn(&[u8]) -> bool) -> Option<Style> {
    let text = std::str::from_utf8(without_bom(body)).ok()?;
    for keys in [Order::AsWritten, Order::Sorted] {
        let order = if keys == Order::Sorted { Keys::Sorted } else { Keys::AsWritten };
        let document = Document::read(text, order, &[])?;
        for strings in STRINGS {
            for layout in LAYOUTS {
                let style = Style { layout, keys, strings };
                // Deep documents grow with the square of their depth when indented: more than a few times is no honest one.
                let Some(mut written) = style.write(&document, body.len() * 4 + 4096) else { continue };
                if written != body && is_it(&written) {
                    return Some(style);
                }
                written.push(b'\n');
                if is_it(&written) {
                    return Some(style);
                }
            }
        }
    }
    None
}

impl Style {
    fn write(self, document: &Document<'_>, longest: usize) -> Option<Vec<u8>> {
        let (comma, colon) = match self.layout {
            Layout::Compact => (",", ":"),
            Layout::Spaced => (", ", ": "),
            Layout::Indented(_) => (",", ": "),
        };
        let mut written = Vec::new();
        let mut depth = 0;
        // Whether a value stands before, so that a comma is due; whether a key does, so that nothing is.
        let (mut after_value, mut after_key) = (false, false);
        document.walk(&mut |token| {
            let closes = matches!(token, Token::Close(_));
            if closes {
                depth -= 1;
            }
            if !closes && after_value {
                written.extend_from_slice(comma.as_bytes());
            }
            let breaks = if closes { after_value } else { depth > 0 && !after_key };
            if let (Layout::Indented(indent), true) = (self.layout, breaks) {
                written.push(b'\n');
                (0..depth).for_each(|_| written.extend_from_slice(indent.as_bytes()));
            }
            match token {
                Token::Open(bracket) => {
                    written.push(bracket);
                    depth += 1;
                }
                Token::Close(bracket) => written.push(bracket),
                Token::Plain(text) => written.extend_from_slice(text.as_bytes()),
                Token::Text(text) => self.string(text, &mut written),
                Token::Key(text) => {
                    self.string(text, &mut written);
                    written.extend_from_slice(colon.as_bytes());
                }
            }
            after_key = matches!(token, Token::Key(_));
            after_value = !after_key && !matches!(token, Token::Open(_));
            written.len() <= longest
        });
        (written.len() <= longest).then_some(written)
    }

    fn string(self, quoted: &str, written: &mut Vec<u8>) {
        let text = unescaped(quoted);
        let text = std::str::from_utf8(&text).ok().filter(|_| self.strings != Strings::AsWritten);
        let Some(Ok(plain)) = text.map(serde_json::to_string) else {
            return written.extend_from_slice(quoted.as_bytes());
        };
        let (slashes, ascii, html) = match self.strings {
            Strings::AsWritten | Strings::Plain => (false, false, false),
            Strings::Ascii => (false, true, false),
            Strings::Slashes => (true, false, false),
            Strings::SlashesAndAscii => (true, true, false),
            Strings::Html => (false, false, true),
        };
        for letter in plain.chars() {
            match letter {
                '/' if slashes => written.extend_from_slice(b"\\/"),
                '<' | '>' | '&' | '\u{2028}' | '\u{2029}' if html => escape(letter, written),
                letter if ascii && !letter.is_ascii() => escape(letter, written),
                letter => written.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }
}

fn escape(letter: char, written: &mut Vec<u8>) {
    for unit in letter.encode_utf16(&mut [0; 2]) {
        written.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
    }
}

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.layout {
            Layout::Compact => "compact JSON",
            Layout::Spaced => "JSON with a space behind commas and colons",
            Layout::Indented("\t") => "JSON indented by tabs",
            Layout::Indented("  ") => "JSON indented by 2 spaces",
            Layout::Indented(_) => "JSON indented by 4 spaces",
        })?;
        if self.keys == Order::Sorted {
            f.write_str(", keys sorted")?;
        }
        f.write_str(match self.strings {
            Strings::AsWritten => "",
            Strings::Plain => ", nothing escaped that need not be",
            Strings::Ascii => ", everything beyond ASCII escaped",
            Strings::Slashes => ", slashes escaped",
            Strings::SlashesAndAscii => ", slashes and everything beyond ASCII escaped",
            Strings::Html => ", <, > and & escaped",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_is_found_again() {
        let written = [
            r#"{"b":[1,{"ü/<":"é😀"}],"a":{},"c":[]}"#,
            r#"{"b": [1, {"ü/<": "é😀"}], "a": {}, "c": []}"#,
            "{\n  \"b\": [\n    1,\n    {\n      \"ü/<\": \"é😀\"\n    }\n  ],\n  \"a\": {},\n  \"c\": []\n}",
            r#"{"a":{},"b":[1,{"ü/<":"é😀"}],"c":[]}"#,
            r#"{"b":[1,{"\u00fc\/<":"\u00e9\ud83d\ude00"}],"a":{},"c":[]}"#,
            r#"{"b": [1, {"\u00fc/<": "\u00e9\ud83d\ude00"}], "a": {}, "c": []}"#,
            r#"{"b":[1,{"ü/\u003c":"é😀"}],"a":{},"c":[]}"#,
        ];
        for original in written {
            for arrived in [written[0], written[1], written[2], written[4]] {
                if original != arrived {
                    assert!(styles(arrived.as_bytes(), |text| text == original.as_bytes()).is_some(), "{original}");
                }
            }
        }
    }

    #[test]
    fn deep_documents_are_not_blown_up() {
        let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
        assert_eq!(styles(deep.as_bytes(), |text| text.len() > deep.len() * 4 + 5_000), None);
    }
}
