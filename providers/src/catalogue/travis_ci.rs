//! Travis CI. RSA (SHA-1) over the decoded form field `payload`. The secret is Travis' public key.
//! <https://docs.travis-ci.com/user/notifications/#configuring-webhook-notifications>
//!
//! - The key is published in <https://api.travis-ci.com/config> under `webhook.public_key`.
//! - The rest of the form is not signed; the events are found in `payload` alone.

use crate::locate::Locate::{Form, Header, Json};
use crate::scheme::{Hash, Part, PublicKey, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "travis-ci",
    title: "Travis CI",
    docs: "https://docs.travis-ci.com/user/notifications/#configuring-webhook-notifications",
    scheme: Scheme::Signed(
        Signed::base64(Header("signature")).public_key(PublicKey::Rsa(Hash::Sha1)).signs(&[Part::At(Form("payload"))]),
    ),
    form_payload: Some("payload"),
    event_type: &[Json("/type")],
    ordering_key: &[Json("/id")],
    version: &[Json("/finished_at")],
    resends_automatically: false,
    covers: Coverage { body: false, id: false, event_type: true, time: false },
    quirks: "Only the field `payload` is signed, other fields are not signed. Not documented to be sent again. Fetch the key over TLS and pin it.",
    samples: &[Sample {
        event: "push",
        headers: &[("content-type", "application/x-www-form-urlencoded")],
        body: "payload={%22id%22%3A{{object}}%2C%22type%22%3A%22push%22%2C%22state%22%3A%22passed%22%2C%22number%22%3A%2242%22%2C%22finished_at%22%3A%22{{now_rfc3339}}%22}",
        object: "123001",
    }],
    ..Provider::DEFAULT
};
