//! Why a request was refused: for the operator's logs and metrics, never for the sender.

/// Why a request was refused. Holds no part of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reject {
    /// The source has no secret to verify with.
    NoSecret,
    /// The source has more live secrets than [`crate::MAX_SECRETS`].
    TooManySecrets,
    /// None of the secrets is a key of the kind this provider uses.
    SecretUnusable,
    /// The signature header, or every entry of a supported version in it, is missing or empty.
    SignatureMissing,
    /// What should be a signature is not written the way this provider writes one.
    SignatureMalformed,
    /// A header carries more signatures than any honest sender does.
    TooManySignatures,
    /// No signature matches the request under any secret.
    SignatureMismatch,
    /// A header, or a key in one, that the provider sends once came several times.
    HeaderRepeated,
    /// A header that is part of what was signed is missing.
    SignedHeaderMissing,
    /// The timestamp that is part of what was signed is missing.
    TimestampMissing,
    /// The timestamp is not plain decimal digits (or the date form this provider uses), or appears twice.
    TimestampMalformed,
    /// Authentic, but signed longer ago than the tolerance: a replay, or this machine's clock is ahead.
    TimestampTooOld,
    /// Authentic, but signed further in the future than the tolerance: this machine's clock is behind.
    TimestampInFuture,
    /// The delivery id that is part of what was signed is missing.
    IdMissing,
    /// The delivery id has a form that would let two different requests have the same signed text.
    IdMalformed,
    /// No body, from a provider that always sends one.
    EmptyBody,
    /// A claim of the signed token is not about this request: another body, URL or issuer.
    ClaimMismatch,
    /// Meant for somebody else: a topic, an account or an address that is none of the source's.
    NotForThisSource,
    /// The request names a place for its key where the provider has none.
    KeyUrlRefused,
    /// The request is made with a key that is not among the provider's. It may be newer than those that were fetched: forget
    /// what this verdict was made with and fetch again, but at most once a minute, since anybody can name a key.
    KeyUnknown,
    /// What was fetched or configured as a key is none of this kind, or not the provider's.
    KeyUnusable,
    /// Whether it is authentic cannot be said without a key that was not fetched: its time is off, or nobody was asked to.
    KeyNotFetched,
    /// The key was withdrawn, or is used outside of the time its certificate is for.
    KeyExpired,
    /// A handshake with a wrong token, or one that would sign what a sender could pass off as an event.
    HandshakeRefused,
    /// A handshake without the value that has to be answered.
    HandshakeIncomplete,
}

impl Reject {
    /// A stable snake_case label for metrics, logs and the quarantine.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoSecret => "no_secret",
            Self::TooManySecrets => "too_many_secrets",
            Self::SecretUnusable => "secret_unusable",
            Self::SignatureMissing => "signature_missing",
            Self::SignatureMalformed => "signature_malformed",
            Self::TooManySignatures => "too_many_signatures",
            Self::SignatureMismatch => "signature_mismatch",
            Self::HeaderRepeated => "header_repeated",
            Self::SignedHeaderMissing => "signed_header_missing",
            Self::TimestampMissing => "timestamp_missing",
            Self::TimestampMalformed => "timestamp_malformed",
            Self::TimestampTooOld => "timestamp_too_old",
            Self::TimestampInFuture => "timestamp_in_future",
            Self::IdMissing => "id_missing",
            Self::IdMalformed => "id_malformed",
            Self::EmptyBody => "empty_body",
            Self::ClaimMismatch => "claim_mismatch",
            Self::NotForThisSource => "not_for_this_source",
            Self::KeyUrlRefused => "key_url_refused",
            Self::KeyUnknown => "key_unknown",
            Self::KeyUnusable => "key_unusable",
            Self::KeyNotFetched => "key_not_fetched",
            Self::KeyExpired => "key_expired",
            Self::HandshakeRefused => "handshake_refused",
            Self::HandshakeIncomplete => "handshake_incomplete",
        }
    }
}

impl std::fmt::Display for Reject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::error::Error for Reject {}

impl From<crate::Repeated> for Reject {
    fn from(_: crate::Repeated) -> Self {
        Self::HeaderRepeated
    }
}
