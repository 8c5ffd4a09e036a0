//! What a destination's answer means. Pure.

use std::ops::ControlFlow;
use std::time::Duration;

use chrono::{DateTime, Utc};
use http::StatusCode;
use http::header::{self, HeaderMap};
use reqwest::Url;

use crate::config::Permanent;

/// Read for the connection's sake, then the connection is given up.
const LONGEST_READ: usize = 64 * 1024;

/// Kept for the operator.
const LONGEST_KEPT: usize = 1024;

/// What a response's status and headers decide.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Accepted,
    Refused {
        why: String,
        retry_after: Option<Duration>,
    },
    /// The same, and the forward says that no retry helps.
    Final {
        why: String,
    },
}

/// The beginning of a response's body.
#[derive(Default)]
pub(super) struct Excerpt {
    kept: Vec<u8>,
    read: usize,
}

impl Excerpt {
    /// Takes a piece in; `Break` when no more should be read.
    pub(super) fn take(&mut self, chunk: &[u8]) -> ControlFlow<()> {
        let room = LONGEST_KEPT - self.kept.len();
        self.kept.extend_from_slice(&chunk[..chunk.len().min(room)]);
        self.read += chunk.len();
        if self.read >= LONGEST_READ { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// On one line: what a destination sends must not move an operator's cursor or forge a log line.
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.kept)
            .split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

pub(super) fn judge(
    status: StatusCode,
    headers: &HeaderMap,
    asked: &Url,
    excerpt: &Excerpt,
    permanent: &Permanent,
    now: DateTime<Utc>,
) -> Verdict {
    if status.is_success() {
        return Verdict::Accepted;
    }
    let mut why = format!("the destination answered {status}");
    if status.is_redirection() {
        why.push_str(&redirected(headers, asked));
    }
    let text = excerpt.text();
    if !text.is_empty() {
        why.push_str(": ");
        why.push_str(&text);
    }
    if permanent.holds(status.as_u16()) {
        return Verdict::Final { why: format!("{why} (not retried: `permanent` holds {})", status.as_u16()) };
    }
    Verdict::Refused { why, retry_after: retry_after(headers, now) }
}

/// Names the host only: paths and queries may hold tokens.
fn redirected(headers: &HeaderMap, asked: &Url) -> String {
    let target = headers.get(header::LOCATION).and_then(|value| value.to_str().ok());
    match target.and_then(|target| asked.join(target).ok()) {
        Some(target) => format!(
            ", a redirect to {}, which is not followed; if that is right, put the new address into `to`",
            target.host_str().unwrap_or("nowhere"),
        ),
        None => ", a redirect, which is not followed".to_owned(),
    }
}

/// Seconds or an HTTP date (RFC 9110 section 10.2.3); anything else, and a date that is over, asks for nothing.
fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let value = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than fit are a wait without end: the policy's cap decides.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let until = DateTime::<Utc>::from(httpdate::parse_http_date(value).ok()?);
    (until - now).to_std().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    const NOW: i64 = 784_111_777; // Sun, 06 Nov 1994 08:49:37 GMT

    fn judged(status: u16, headers: &[(&'static str, &'static str)], body: &[u8]) -> Verdict {
        let status = StatusCode::from_u16(status).expect("a status");
        let headers = headers
            .iter()
            .map(|(name, value)| (name.parse().expect("a name"), HeaderValue::from_static(value)))
            .collect();
        let mut excerpt = Excerpt::default();
        let _ = excerpt.take(body);
        let asked = Url::parse("https://app.example.com/hooks?token=t").expect("a URL");
        judge(
            status,
            &headers,
            &asked,
            &excerpt,
            &Permanent::default(),
            DateTime::from_timestamp(NOW, 0).expect("a time"),
        )
    }

    fn refused(verdict: Verdict) -> (String, Option<Duration>) {
        match verdict {
            Verdict::Refused { why, retry_after } => (why, retry_after),
            other => panic!("{other:?} must be refused"),
        }
    }

    #[test]
    fn only_a_2xx_is_success() {
        for status in [200, 201, 202, 204, 299] {
            assert_eq!(judged(status, &[], b"whatever"), Verdict::Accepted, "{status}");
        }
        for status in [101, 300, 301, 302, 304, 307, 308, 400, 401, 404, 409, 410, 429, 500, 503] {
            let (why, retry_after) = refused(judged(status, &[], b""));
            assert!(why.contains(&status.to_string()), "{why}");
            assert_eq!(retry_after, None);
        }
    }

    #[test]
    fn a_wait_asked_for_is_heard_and_nonsense_is_not() {
        let seconds = |s| Some(Duration::from_secs(s));
        let table = [
            ("120", seconds(120)),
            (" 7 ", seconds(7)),
            ("0", seconds(0)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", seconds(60)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", None),
            ("99999999999999999999999", seconds(u64::MAX)),
            ("-5", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ];
        for (value, expected) in table {
            for status in [429, 503, 500] {
                assert_eq!(refused(judged(status, &[("retry-after", value)], b"")).1, expected, "{value:?}");
            }
        }
    }

    #[test]
    fn a_redirect_is_a_failure_that_names_the_host_and_no_more() {
        let (why, _) = refused(judged(302, &[("location", "https://evil.example.net/x?token=s3cret")], b""));
        assert!(why.contains("evil.example.net") && !why.contains("s3cret"), "{why}");
        let (why, _) = refused(judged(308, &[("location", "/hooks/")], b""));
        assert!(why.contains("app.example.com"), "{why}");
    }

    #[test]
    fn what_the_destination_says_is_kept_short_and_on_one_line() {
        let (why, _) = refused(judged(500, &[], b"no\r\n\x1b[31mtable\0 \xff here\n"));
        assert_eq!(why, "the destination answered 500 Internal Server Error: no [31mtable \u{fffd} here");
        let (why, _) = refused(judged(500, &[], &[b'x'; 70_000]));
        assert!(why.len() < 1200, "{}", why.len());
    }

    #[test]
    fn reading_ends_at_64_kilobytes() {
        let mut excerpt = Excerpt::default();
        assert!(excerpt.take(&[b'x'; 60_000]).is_continue());
        assert!(excerpt.take(&[b'x'; 6_000]).is_break());
    }
}
