//! eBay. ECDSA (P-256 with SHA-1) over the body; key id and signature are a JSON object in base64 in one header.
//! <https://developer.ebay.com/api-docs/commerce/notification/overview.html>
//!
//! - The secrets: `verify:TOKEN` is the verification token of the endpoint, 32 to 80 characters; `CLIENT_ID:SECRET` are
//!   the keyset's credentials, with which the public key is fetched. A public key, bare or as `KID` and PEM, spares that.
//! - The challenge's answer hashes the endpoint's URL as eBay has it: the source's public URL must be exactly that one.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Json, Query};
use crate::scheme::Scheme;
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "ebay",
    title: "eBay",
    docs: "https://developer.ebay.com/api-docs/commerce/notification/overview.html",
    scheme: Scheme::Ebay,
    delivery_id: &[Json("/notification/notificationId")],
    event_type: &[Json("/metadata/topic")],
    ordering_key: &[Json("/notification/data/userId"), Json("/notification/data/username")],
    version: &[Json("/notification/eventDate")],
    volatile: &["/notification/publishAttemptCount", "/notification/publishDate"],
    handshake: &[Handshake {
        when: &[When::Method("GET"), When::Present(Query("challenge_code"))],
        proof: Proof::Nothing,
        answer: Answer::Hashed("challengeResponse", Query("challenge_code")),
    }],
    reply: Acknowledgement { status: 204, body: Some(("text/plain", "")) },
    retry_horizon: Duration::from_secs(86400),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "SHA-1 inside. Applications that keep users' data must take account deletions or lose their access to the API.",
    samples: &[Sample {
        event: "MARKETPLACE_ACCOUNT_DELETION",
        headers: &[("content-type", "application/json")],
        body: r#"{"metadata":{"topic":"MARKETPLACE_ACCOUNT_DELETION","schemaVersion":"1.0","deprecated":false},"notification":{"notificationId":"{{id}}","eventDate":"{{now_rfc3339}}","publishDate":"{{now_rfc3339}}","publishAttemptCount":1,"data":{"username":"demo_user","userId":"{{object}}","eiasToken":"demo"}}}"#,
        object: "ma8vp1jySJC",
    }],
    ..Provider::DEFAULT
};
