//! Form bodies and query strings.

use std::borrow::Cow;

use crate::Repeated;

/// Whether a `content-type` says the body is a URL-encoded form.
pub(crate) fn is_form(content_type: &[u8]) -> bool {
    let essence = content_type.split(|byte| *byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(b"application/x-www-form-urlencoded")
}

/// The last field of this name, decoded.
pub(crate) fn field<'a>(form: &'a [u8], name: &str) -> Option<Cow<'a, str>> {
    form_urlencoded::parse(form).filter(|(key, _)| key == name).last().map(|(_, value)| value)
}

/// The only field of this name, decoded. Repeated where it authenticates, it is an attack.
pub(crate) fn only_field<'a>(form: &'a [u8], name: &str) -> Result<Option<Cow<'a, str>>, Repeated> {
    let mut values = form_urlencoded::parse(form).filter(|(key, _)| key == name).map(|(_, value)| value);
    match (values.next(), values.next()) {
        (_, Some(_)) => Err(Repeated),
        (value, None) => Ok(value),
    }
}

/// The only query parameter of this name in a URL, decoded.
pub(crate) fn only_query<'a>(url: &'a str, name: &str) -> Result<Option<Cow<'a, str>>, Repeated> {
    let Some((_, query)) = url.split_once('?') else { return Ok(None) };
    only_field(query.split('#').next().unwrap_or_default().as_bytes(), name)
}

/// The last query parameter of this name in a URL, decoded.
pub(crate) fn query<'a>(url: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let (_, query) = url.split_once('?')?;
    let query = query.split_once('#').map_or(query, |(query, _)| query);
    field(query.as_bytes(), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_and_the_last_one_counts() {
        assert_eq!(field(b"a=1&payload=%7B%22x%22%3A+1%7D&a=2", "payload").as_deref(), Some("{\"x\": 1}"));
        assert_eq!(field(b"a=1&a=2", "a").as_deref(), Some("2"));
        assert_eq!(field(b"a=%zz&%00=1&&&=", "b"), None);
        assert_eq!(query("https://example.com/in/x?token=a%20b&c=d#token=no", "token").as_deref(), Some("a b"));
        assert_eq!(query("https://example.com/in/x", "token"), None);
    }

    #[test]
    fn only_the_form_content_type_makes_a_form() {
        assert!(is_form(b"application/x-www-form-urlencoded"));
        assert!(is_form(b"Application/X-WWW-Form-Urlencoded ; charset=utf-8"));
        assert!(!is_form(b"application/x-www-form-urlencoded2"));
        assert!(!is_form(b""));
    }
}
