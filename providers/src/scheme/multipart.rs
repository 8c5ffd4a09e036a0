//! One field of a `multipart/form-data` body, found without copying anything.
//!
//! Strict: what Dropbox Sign sends is plain, and the well-kept readers of this format are asynchronous. Part headers are
//! bounded, an unfinished body has no fields, and a field that comes twice is refused.

use crate::{Reject, Request};

/// RFC 2046, section 5.1.1.
const LONGEST_BOUNDARY: usize = 70;
const LONGEST_HEADERS: usize = 8 * 1024;

/// The value of the only field of this name. `None`: the body is of another type, or has no such field.
pub(super) fn field<'r>(request: &Request<'r>, name: &str) -> Result<Option<&'r [u8]>, Reject> {
    let Some(boundary) = request.headers.single("content-type")?.and_then(boundary) else { return Ok(None) };
    let delimiter = [b"\r\n--", boundary].concat();
    // The first delimiter has no line before it, unless there is a preamble, which no sender writes.
    let Some(mut rest) = request.body.strip_prefix(&delimiter[2..]) else { return Ok(None) };
    let mut found = None;
    while let Some(part) = rest.strip_prefix(b"\r\n") {
        let Some(end) = find(part, &delimiter) else { return Ok(None) };
        let (headers, value) = split(&part[..end]).ok_or(Reject::SignatureMalformed)?;
        if is_field(headers, name) && found.replace(value).is_some() {
            return Err(Reject::HeaderRepeated);
        }
        rest = &part[end + delimiter.len()..];
    }
    Ok(found.filter(|_| rest.starts_with(b"--")))
}

fn boundary(content_type: &[u8]) -> Option<&[u8]> {
    let text = std::str::from_utf8(content_type).ok()?;
    let (kind, parameters) = text.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let value = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.trim().split_once('=')?;
        name.eq_ignore_ascii_case("boundary").then_some(value)
    })?;
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    (1..=LONGEST_BOUNDARY).contains(&value.len()).then_some(value.as_bytes())
}

/// Headers and value.
fn split(part: &[u8]) -> Option<(&str, &[u8])> {
    let end = find(&part[..part.len().min(LONGEST_HEADERS)], b"\r\n\r\n")?;
    Some((std::str::from_utf8(&part[..end]).ok()?, &part[end + 4..]))
}

fn is_field(headers: &str, name: &str) -> bool {
    let disposition = headers.split("\r\n").find_map(|line| {
        let (header, value) = line.split_once(':')?;
        header.eq_ignore_ascii_case("content-disposition").then_some(value.trim())
    });
    let Some((kind, parameters)) = disposition.and_then(|value| value.split_once(';')) else { return false };
    let quoted = format!("\"{name}\"");
    kind.trim().eq_ignore_ascii_case("form-data")
        && parameters.split(';').any(|parameter| {
            parameter
                .trim()
                .split_once('=')
                .is_some_and(|(key, value)| key.eq_ignore_ascii_case("name") && (value == quoted || value == name))
        })
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Headers;

    fn json(body: &str) -> Result<Option<String>, Reject> {
        let headers: Headers = [("content-type", "multipart/form-data; boundary=\"--b\"")].into_iter().collect();
        let request = Request { method: "POST", url: "", headers: &headers, body: body.as_bytes() };
        Ok(field(&request, "json")?.map(|value| String::from_utf8_lossy(value).into_owned()))
    }

    fn part(name: &str, value: &str) -> String {
        format!("----b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    }

    #[test]
    fn a_field_is_what_stands_between_its_headers_and_the_next_boundary() {
        let body = part("other", "x") + &part("json", "{\"a\":\r\n1}") + "----b--\r\n";
        assert_eq!(json(&body), Ok(Some("{\"a\":\r\n1}".into())));
        assert_eq!(json(&(part("json", "") + "----b--")), Ok(Some(String::new())));
    }

    #[test]
    fn a_body_that_is_cut_or_is_something_else_has_no_field() {
        let body = part("json", "{}") + "----b--";
        for end in 0..body.len() {
            assert!(!matches!(json(&body[..end]), Ok(Some(_))), "{end}");
        }
        assert_eq!(json("{}"), Ok(None));
        assert_eq!(json(&(part("jsonx", "{}") + "----b--")), Ok(None));
    }

    #[test]
    fn a_field_that_comes_twice_is_refused() {
        assert_eq!(json(&(part("json", "1") + &part("json", "2") + "----b--")), Err(Reject::HeaderRepeated));
    }
}
