//! Dropbox. HMAC-SHA256 of the body in hex.
//! <https://www.dropbox.com/developers/reference/webhooks>

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json, Query};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "dropbox",
    title: "Dropbox",
    docs: "https://www.dropbox.com/developers/reference/webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("x-dropbox-signature"))),
    ordering_key: &[Json("/list_folder/accounts/0")],
    handshake: &[Handshake {
        when: &[When::Method("GET"), When::Present(Query("challenge"))],
        proof: Proof::Nothing,
        answer: Answer::Text(Query("challenge")),
    }],
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "The body only lists accounts in which something changed.",
    samples: &[Sample {
        event: "",
        headers: &[("content-type", "application/json"), ("user-agent", "DropboxWebhooks/1.0")],
        body: include_str!("../samples/dropbox_accounts.json"),
        object: "dbid:AAH4f99T0taONIb-7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
