//! What would become of a request, and why: likeliest reason first.

use hookgate_providers::{ALL, Finding, Keys, Provider, Refused, Request, Secret, Verdict, explain, verify};

use crate::config::show_size;

/// A captured request, and what its receiver knows.
pub(super) struct Asked<'a> {
    pub(super) provider: &'a Provider,
    pub(super) request: Request<'a>,
    pub(super) secrets: &'a [Secret],
    /// Secrets that were live once.
    pub(super) retired: &'a [Secret],
    pub(super) max_body: usize,
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
    /// The kind of reason, for scripts.
    pub(super) code: &'static str,
    pub(super) sentence: String,
    /// Whether undoing it made the signature right.
    pub(super) is_certain: bool,
}

pub(super) fn answer(asked: &Asked<'_>) -> Answer {
    let (body, largest) = (asked.request.body.len(), asked.max_body);
    if body > largest {
        let sentence = format!(
            "its body has {body} bytes and `max_body` is {}, so it is refused unread: raise that if such events are real",
            show_size(largest)
        );
        return refused("too_large", sentence);
    }
    let refusal = match verify(asked.provider, &asked.request, asked.secrets, asked.now) {
        Ok(Verdict::Handshake(_)) => return Answer::Handshake,
        Ok(Verdict::Delivery(_)) if asked.provider.sends_events_by(asked.request.method) => return Answer::Delivery,
        Ok(Verdict::Delivery(_)) => {
            let methods = asked.provider.methods.join(", ");
            let sentence = format!(
                "it is signed, but came with {}, and {} sends events with {methods} only: a redirect on the way may have \
                 changed it",
                asked.request.method, asked.provider.title
            );
            return refused("method_not_expected", sentence);
        }
        Ok(Verdict::NeedKey(_)) => "key_not_fetched",
        Err(reject) => reject.as_str(),
    };
    let findings = explain(&Refused {
        provider: asked.provider,
        request: asked.request,
        secrets: asked.secrets,
        retired: asked.retired,
        keys: &Keys::new(),
        others: ALL,
        now: asked.now,
    });
    Answer::Refused(refusal, findings.iter().map(reason).collect())
}

fn refused(code: &'static str, sentence: String) -> Answer {
    Answer::Refused(code, vec![Reason { code, sentence, is_certain: true }])
}

fn reason(finding: &Finding) -> Reason {
    Reason { code: code(finding), sentence: finding.to_string(), is_certain: finding.is_certain() }
}

/// Kinds of reasons in snake_case. Scripts rely on them; they never change.
fn code(finding: &Finding) -> &'static str {
    match finding {
        Finding::Accepted => "accepted",
        Finding::Clock { .. } => "clock",
        Finding::RetiredSecret { .. } => "retired_secret",
        Finding::Secret { .. } => "secret_read_otherwise",
        Finding::Body(_) => "body_changed",
        Finding::Url(_) => "url_changed",
        Finding::Method => "method_changed",
        Finding::Family { .. } => "header_family",
        Finding::Renamed { .. } => "header_renamed",
        Finding::Truncated { .. } => "header_truncated",
        Finding::WrittenOtherwise { .. } => "written_otherwise",
        Finding::Repeated { .. } => "repeated",
        Finding::AnotherProvider { .. } => "another_provider",
        Finding::HeadersOfAnother { .. } => "headers_of_another",
        Finding::Missing { .. } => "missing",
        Finding::Malformed { .. } => "malformed",
        Finding::EmptyBody => "empty_body",
        Finding::Length { .. } => "length",
        Finding::Decompressed => "decompressed",
        Finding::LostCharacters => "lost_characters",
        Finding::WrongSecret { .. } => "wrong_secret",
        Finding::UrlMayDiffer => "url_may_differ",
        Finding::UnusableSecret { .. } => "unusable_secret",
        Finding::Claims => "claims",
        Finding::NoSecret => "no_secret",
        Finding::TooManySecrets => "too_many_secrets",
        Finding::KeyNotFetched => "key_not_fetched",
        Finding::HandshakeRefused => "handshake_refused",
        Finding::HandshakeIncomplete => "handshake_incomplete",
        _ => "other",
    }
}
