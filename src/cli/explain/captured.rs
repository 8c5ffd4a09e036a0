//! A request as it was captured: the bytes of HTTP/1, from a proxy's log, `nc -l`, or a debugger. Pure.

use std::ops::Range;

use hookgate_providers::Headers;

/// A captured request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Captured {
    pub(super) method: String,
    /// Path and query, as received.
    pub(super) target: String,
    pub(super) headers: Headers,
    pub(super) body: Vec<u8>,
    /// What about the capture may have changed the body: to be told before any verdict on it.
    pub(super) notes: Vec<String>,
}

/// Why the text is no captured request, with what to do about it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotARequest {
    #[error("it is empty")]
    Empty,
    #[error("it is a response: capture what was sent to hookgate, not what it answered")]
    Response,
    #[error("its lines begin with `>`, as `curl -v` prints them: remove that, and put the body below a blank line")]
    CurlOutput,
    #[error("it is a curl command: capture what curl sends, such as with `nc -l 9000 > captured.http`")]
    CurlCommand,
    #[error("it begins with `{{`, as JSON does: above a body must be the request line, the headers, and a blank line")]
    Json,
    #[error("its first line is no request line: it is like `POST /in/stripe HTTP/1.1`")]
    RequestLine,
    #[error("line {0} is no header: headers are like `content-type: application/json`, and a blank line ends them")]
    Header(usize),
    #[error("no blank line ends the headers: below it stands the body, even an empty one")]
    NoBlankLine,
}

/// Reads request line, headers and body, whatever the line ends.
pub(super) fn read(bytes: &[u8]) -> Result<Captured, NotARequest> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = Lines { text, at: 0 };
    let first = lines.next().unwrap_or_default();
    let (method, target) = request_line(&text[first]).ok_or_else(|| misread(text))?;
    let mut headers = Headers::new();
    let mut number = 1;
    loop {
        number += 1;
        let line = &text[lines.next().ok_or(NotARequest::NoBlankLine)?];
        if line.is_empty() {
            break;
        }
        let (name, value) = header(line).ok_or(NotARequest::Header(number))?;
        headers.push(name, value);
    }
    let mut notes = Vec::new();
    let body = body(&headers, &text[lines.at..], &mut notes);
    Ok(Captured { method, target, headers, body, notes })
}

/// Lines without their ends, as places in the text.
struct Lines<'t> {
    text: &'t [u8],
    at: usize,
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let length = self.text[start..].iter().position(|byte| *byte == b'\n')?;
        self.at = start + length + 1;
        let end = start + length;
        Some(start..if self.text[start..end].ends_with(b"\r") { end - 1 } else { end })
    }
}

fn request_line(line: &[u8]) -> Option<(String, String)> {
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
    if !is_method || !version.starts_with("HTTP/") || words.next().is_some() {
        return None;
    }
    // A proxy is sent the whole URL.
    let target = match target.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |index| &rest[index..]),
        None => target,
    };
    target.starts_with('/').then(|| (method.to_owned(), target.to_owned()))
}

/// What the text probably is, if it is no request.
fn misread(text: &[u8]) -> NotARequest {
    let text = text.trim_ascii_start();
    match text {
        [] => NotARequest::Empty,
        [b'{' | b'[', ..] => NotARequest::Json,
        [b'>' | b'*', b' ', ..] => NotARequest::CurlOutput,
        _ if text.starts_with(b"HTTP/") => NotARequest::Response,
        _ if text.starts_with(b"curl ") => NotARequest::CurlCommand,
        _ => NotARequest::RequestLine,
    }
}

fn header(line: &[u8]) -> Option<(&str, &[u8])> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let name = std::str::from_utf8(&line[..colon]).ok()?;
    let token = |byte: u8| byte.is_ascii_graphic() && !b"\"(),/:;<=>?@[\\]{}".contains(&byte);
    (!name.is_empty() && name.bytes().all(token)).then(|| (name, line[colon + 1..].trim_ascii()))
}

fn body(headers: &Headers, rest: &[u8], notes: &mut Vec<String>) -> Vec<u8> {
    let says = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    let is_chunked = says("transfer-encoding").is_some_and(|value| value.to_ascii_lowercase().ends_with(b"chunked"));
    if is_chunked {
        return dechunked(rest).unwrap_or_else(|| {
            notes.push("it says `transfer-encoding: chunked` and the body is not in chunks: taken as it is".into());
            rest.to_vec()
        });
    }
    let length = says("content-length").and_then(|value| std::str::from_utf8(value).ok()?.parse::<usize>().ok());
    match length {
        Some(length) if length == rest.len() => rest.to_vec(),
        // Editors end a file with a line end.
        Some(length) if matches!(rest.get(length..), Some(b"\n" | b"\r\n")) => rest[..length].to_vec(),
        Some(length) if length < rest.len() => {
            notes.push(format!("content-length is {length} and {} bytes are here: the rest was left out", rest.len()));
            rest[..length].to_vec()
        }
        Some(length) => {
            notes.push(format!(
                "content-length is {length} and only {} bytes are here: the capture is cut, or it changed line ends",
                rest.len()
            ));
            rest.to_vec()
        }
        None => {
            if rest.ends_with(b"\n") {
                notes.push(
                    "it has no content-length, so the line end at its end counts as part of the body: remove it if an \
                     editor put it there"
                        .into(),
                );
            }
            rest.to_vec()
        }
    }
}

/// RFC 9112 section 7.1, the trailer ignored; `None`: not in chunks, or cut.
fn dechunked(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut lines = Lines { text: rest, at: 0 };
        let line = std::str::from_utf8(&rest[lines.next()?]).ok()?;
        let size = usize::from_str_radix(line.split(';').next()?.trim(), 16).ok()?;
        rest = &rest[lines.at..];
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(..size)?);
        rest = &rest[size..];
        rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n"))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body_of(text: &str) -> (String, usize) {
        let captured = read(text.as_bytes()).expect("a request");
        (String::from_utf8(captured.body).expect("text"), captured.notes.len())
    }

    #[test]
    fn request_line_headers_and_body_are_read_whatever_the_line_ends() {
        for end in ["\r\n", "\n"] {
            let text =
                ["POST /in/x?a=1 HTTP/1.1", "Host: a", "X-Sig:  v ", "Content-Length: 5", "", "a\nb\r\n"].join(end);
            let captured = read(text.as_bytes()).expect("a request");
            assert_eq!((captured.method.as_str(), captured.target.as_str()), ("POST", "/in/x?a=1"));
            assert_eq!(captured.headers.single("x-sig"), Ok(Some(&b"v"[..])));
            assert_eq!(captured.body, b"a\nb\r\n");
            assert_eq!(captured.notes, Vec::<String>::new());
        }
    }

    #[test]
    fn a_body_is_as_long_as_it_says_and_doubts_are_told() {
        let sized = |length: &str, rest: &str| body_of(&format!("POST / HTTP/1.1\nContent-Length: {length}\n\n{rest}"));
        assert_eq!(sized("2", "{}"), ("{}".into(), 0));
        assert_eq!(sized("2", "{}\n"), ("{}".into(), 0), "an editor's line end");
        assert_eq!(sized("2", "{}and more"), ("{}".into(), 1));
        assert_eq!(sized("9", "{}"), ("{}".into(), 1));
        assert_eq!(body_of("GET / HTTP/1.1\n\n"), (String::new(), 0));
        assert_eq!(body_of("POST / HTTP/1.1\n\n{}\n"), ("{}\n".into(), 1));
    }

    #[test]
    fn chunks_are_put_together_and_what_only_says_chunked_is_taken_as_it_is() {
        let chunked =
            |rest: &str| body_of(&format!("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n{rest}"));
        assert_eq!(chunked("5;x=y\r\nhello\r\nA\r\n, world\r\n!\r\n0\r\n\r\n"), ("hello, world\r\n!".into(), 0));
        assert_eq!(chunked("5\nhello\n0\n\n"), ("hello".into(), 0));
        for not in ["{\"a\":1}", "5\r\nhell", "5\r\nhello", "ffffffffffffffff\r\nx", ""] {
            assert_eq!(chunked(not), (not.into(), 1));
        }
    }

    #[test]
    fn a_whole_url_in_the_request_line_is_its_path() {
        let captured = read(b"POST https://a.example/in/x?y HTTP/2\n\n").expect("a request");
        assert_eq!(captured.target, "/in/x?y");
    }

    #[test]
    fn what_is_no_request_is_told_what_it_is() {
        let table = [
            ("", NotARequest::Empty),
            ("\n \n", NotARequest::Empty),
            ("HTTP/1.1 401 Unauthorized\n\n", NotARequest::Response),
            ("> POST / HTTP/1.1\n", NotARequest::CurlOutput),
            ("* Connected to\n> POST / HTTP/1.1\n", NotARequest::CurlOutput),
            ("curl -X POST http://x\n", NotARequest::CurlCommand),
            ("{\"id\": 1}\n", NotARequest::Json),
            ("hello\n", NotARequest::RequestLine),
            ("post / HTTP/1.1\n\n", NotARequest::RequestLine),
            ("POST / HTTP/1.1", NotARequest::RequestLine),
            ("POST / HTTP/1.1\nhost: a\n", NotARequest::NoBlankLine),
            ("POST / HTTP/1.1\nhost: a\n{\"id\": 1}\n\n", NotARequest::Header(3)),
        ];
        for (text, why) in table {
            assert_eq!(read(text.as_bytes()).map(|_| ()), Err(why), "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(bytes in "(POST / HTTP/1.1\r?\n)?([a-z-]{1,12}: ?[0-9a-z]{0,9}\r?\n){0,3}\r?\n?[0-9a-f\r\n;]{0,40}") {
            let _ = read(bytes.as_bytes());
        }
    }
}
