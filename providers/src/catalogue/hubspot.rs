//! HubSpot. v3: HMAC-SHA256 of method, URL, body and time (milliseconds). v2 and v1: a plain hash that starts with the secret.
//! <https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation>

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Algorithm, Hash, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Events, Provider, Sample};

const OLD: &str = "x-hubspot-signature";
const V3: Signed = Signed::base64(Header("x-hubspot-signature-v3"))
    .signs(&[Part::Method, Part::Url, Part::Body, Part::Timestamp])
    .or_signs(&[Part::Method, Part::UrlUnescaped(":/?@!$'()*,;"), Part::Body, Part::Timestamp])
    .timestamp(Timestamp::milliseconds(Header("x-hubspot-request-timestamp")));
const V2: Signed = Signed::hex(Header(OLD))
    .algorithm(Algorithm::Plain(&[Hash::Sha256]))
    .signs(&[Part::Key, Part::Method, Part::Url, Part::Body])
    .only_with(&[("x-hubspot-signature-version", "v2")]);
const V1: Signed = Signed::hex(Header(OLD))
    .algorithm(Algorithm::Plain(&[Hash::Sha256]))
    .signs(&[Part::Key, Part::Body])
    .only_if(&[("x-hubspot-signature-version", "v1")]);

pub(super) const PROVIDER: Provider = Provider {
    name: "hubspot",
    title: "HubSpot",
    docs: "https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation",
    scheme: Scheme::FirstCarried(&[Scheme::Signed(V3), Scheme::Signed(V2), Scheme::Signed(V1)]),
    delivery_id: &[Join("/", &[Json("/subscriptionId"), Json("/eventId"), Json("/objectId"), Json("/occurredAt")])],
    event_type: &[Json("/subscriptionType")],
    ordering_key: &[Join("/", &[Json("/portalId"), Json("/objectId")])],
    version: &[Json("/occurredAt")],
    events: Events::Each(""),
    volatile: &["/attemptNumber"],
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Up to 100 events a request. `eventId` alone is not promised to be unique. The URL is signed. Up to 10 retries in 24 hours (unverified).",
    samples: &[
        Sample {
            event: "contact.creation",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/hubspot_contact_creation.json"),
            object: "1246965",
        },
        Sample {
            event: "contact.propertyChange",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/hubspot_contact_propertychange.json"),
            object: "1246965",
        },
        Sample {
            event: "deal.creation",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/hubspot_deal_creation.json"),
            object: "99218402",
        },
    ],
    ..Provider::DEFAULT
};
