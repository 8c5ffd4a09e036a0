//! What must not be used as a dedup key, because it is new on every attempt or equal for different events.

use super::Locate;

/// Why a value cannot be a dedup key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// Made anew for each HTTP request, by the sender or by a proxy on the way.
    #[error(
        "it is a request or trace id, new on every attempt: duplicates would not be recognised. Use the provider's event id"
    )]
    RequestId,
    /// Counts attempts.
    #[error(
        "it counts or names attempts, so a retry differs from the first: duplicates would not be recognised. Use the provider's event id"
    )]
    Attempt,
    /// A time.
    #[error(
        "it is a time: events of one moment would be taken for duplicates, and retries may carry a new one. Use the provider's event id"
    )]
    Timestamp,
    /// The same for every request.
    #[error(
        "it is the same for every event: all but the first would be taken for duplicates. Use the provider's event id"
    )]
    Constant,
}

/// Headers that name one HTTP request or trace. Prefixes end in a dash.
const REQUEST_IDS: &[&str] = &[
    "x-request-id",
    "request-id",
    "x-correlation-id",
    "correlation-id",
    "x-trace-id",
    "trace-id",
    "traceparent",
    "tracestate",
    "x-b3-",
    "b3",
    "x-amzn-trace-id",
    "x-amzn-requestid",
    "x-amz-request-id",
    "x-amz-cf-id",
    "x-cloud-trace-context",
    "cf-ray",
    "x-datadog-",
    "uber-trace-id",
    "x-ot-span-context",
    "sentry-trace",
    "x-vercel-id",
    "fly-request-id",
    "x-ms-request-id",
    "x-client-request-id",
    "x-azure-ref",
    "x-appgw-trace-id",
    "x-transaction-id",
    "x-envoy-",
    "via",
    "x-forwarded-for",
];
const CONSTANTS: &[&str] = &["host", "content-type", "user-agent", "accept", "content-length", "authorization"];
const ATTEMPTS: &[&str] =
    &["attempt", "attempts", "retry", "retries", "retried", "redelivery", "redelivered", "tries", "try"];
const TIMES: &[&str] = &["timestamp", "time", "ts", "date", "datetime", "created", "updated", "at"];

/// Why the value at `locate` must not be a dedup key; `None`: nothing speaks against it.
///
/// A time is fine as one part of a composite, where another part names the object.
pub fn refuse_as_dedup_key(locate: &Locate) -> Option<Reason> {
    match *locate {
        Locate::Header(name) | Locate::Family(name) => header(name),
        Locate::Pair(_, key) => words(key),
        Locate::Json(pointer) | Locate::Root(pointer) => words(pointer.rsplit('/').next().unwrap_or(pointer)),
        Locate::Form(name) | Locate::Query(name) => words(name),
        Locate::Lit(_) | Locate::IfPresent(..) => Some(Reason::Constant),
        Locate::Join(_, parts) => composite(parts),
    }
}

fn composite(parts: &[Locate]) -> Option<Reason> {
    let reasons = || parts.iter().map(refuse_as_dedup_key);
    reasons().flatten().find(|reason| matches!(reason, Reason::RequestId | Reason::Attempt)).or_else(|| {
        let nothing_identifies = reasons().all(|reason| reason.is_some());
        nothing_identifies.then(|| reasons().flatten().next().unwrap_or(Reason::Constant))
    })
}

fn header(name: &str) -> Option<Reason> {
    let named = |known: &&str| name == *known || (known.ends_with('-') && name.starts_with(*known));
    if REQUEST_IDS.iter().any(named) {
        return Some(Reason::RequestId);
    }
    if CONSTANTS.contains(&name) {
        return Some(Reason::Constant);
    }
    words(name)
}

/// Judges a name by its words: `x-slack-retry-num`, `createdAt`, `event_ts`.
fn words(name: &str) -> Option<Reason> {
    let words = split(name);
    let is = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let ends_in = |list: &[&str]| words.last().is_some_and(|word| list.contains(&word.as_str()));
    if is(ATTEMPTS) {
        Some(Reason::Attempt)
    } else if is(&["traceparent", "trace"]) {
        Some(Reason::RequestId)
    } else if ends_in(TIMES) || is(&["timestamp"]) {
        Some(Reason::Timestamp)
    } else {
        None
    }
}

fn split(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous_lower = false;
    for letter in name.chars() {
        let boundary = !letter.is_ascii_alphanumeric() || (previous_lower && letter.is_ascii_uppercase());
        if boundary {
            words.push(String::new());
        }
        if letter.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(letter.to_ascii_lowercase());
        }
        previous_lower = letter.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_on_every_attempt_is_refused() {
        for header in [
            "x-request-id",
            "traceparent",
            "x-trace-id",
            "x-correlation-id",
            "x-b3-traceid",
            "x-amzn-trace-id",
            "cf-ray",
        ] {
            assert_eq!(refuse_as_dedup_key(&Locate::Header(header)), Some(Reason::RequestId), "{header}");
        }
        for header in ["x-slack-retry-num", "attempt", "x-attempt-number", "x-webhook-attempt", "webhook-retry-count"] {
            assert_eq!(refuse_as_dedup_key(&Locate::Header(header)), Some(Reason::Attempt), "{header}");
        }
        assert_eq!(refuse_as_dedup_key(&Locate::Json("/deliveryAttempt")), Some(Reason::Attempt));
    }

    #[test]
    fn times_are_refused_alone_but_may_complete_a_composite() {
        for pointer in ["/timestamp", "/data/createdAt", "/created_at", "/event/event_ts", "/created"] {
            assert_eq!(refuse_as_dedup_key(&Locate::Json(pointer)), Some(Reason::Timestamp), "{pointer}");
        }
        assert_eq!(
            refuse_as_dedup_key(&Locate::Join("|", &[Locate::Json("/object_id"), Locate::Json("/event_time")])),
            None
        );
        let with_attempt = &[Locate::Json("/id"), Locate::Header("x-attempt-number")];
        assert_eq!(refuse_as_dedup_key(&Locate::Join("|", with_attempt)), Some(Reason::Attempt));
    }

    #[test]
    fn event_ids_are_accepted() {
        for header in
            ["x-github-delivery", "webhook-id", "x-shopify-event-id", "x-event-id", "x-message-id", "idempotency-key"]
        {
            assert_eq!(refuse_as_dedup_key(&Locate::Header(header)), None, "{header}");
        }
        for pointer in ["/id", "/event_id", "/data/object/id", "/uuid", "/updates/id", "/country"] {
            assert_eq!(refuse_as_dedup_key(&Locate::Json(pointer)), None, "{pointer}");
        }
    }
}
