//! Why a request is refused, likeliest reason first.

use hookgate_providers::{Provider, Reject, Request, Secret, Verdict, verify};

/// A captured request, and what its receiver knows.
pub(super) struct Asked<'a> {
    pub(super) provider: &'a Provider,
    pub(super) request: Request<'a>,
    pub(super) secrets: &'a [Secret],
    #[expect(dead_code, reason = "the search for reasons is being written")]
    pub(super) retired: &'a [Secret],
    /// Unix seconds.
    pub(super) now: i64,
}

/// What becomes of the request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is an event.
    Delivery,
    /// It is answered and no event.
    Handshake,
    /// It is refused, for these reasons.
    Refused(&'static str, Vec<Reason>),
}

/// One reason, and what to change.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reason {
    pub(super) sentence: String,
    /// Whether undoing it made the signature right.
    pub(super) is_certain: bool,
}

pub(super) fn answer(asked: &Asked<'_>) -> Answer {
    match verify(asked.provider, &asked.request, asked.secrets, asked.now) {
        Ok(Verdict::Delivery(_)) => Answer::Delivery,
        Ok(Verdict::Handshake(_)) => Answer::Handshake,
        Ok(Verdict::NeedKey(_)) => Answer::Refused("key_not_fetched", reasons(asked, None)),
        Err(reject) => Answer::Refused(reject.as_str(), reasons(asked, Some(reject))),
    }
}

fn reasons(_: &Asked<'_>, reject: Option<Reject>) -> Vec<Reason> {
    let told = |reject: Reject| Reason { sentence: format!("it is refused: {reject}"), is_certain: false };
    reject.map(told).into_iter().collect()
}
