//! SharePoint lists and libraries. No signature: `clientState` in every notification.
//! <https://learn.microsoft.com/en-us/sharepoint/dev/apis/webhooks/overview-sharepoint-webhooks>
//!
//! - As Microsoft Graph, but `validationtoken` is lower case and a notification does not say what changed.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Join, Json, Query};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "sharepoint",
    title: "SharePoint",
    docs: "https://learn.microsoft.com/en-us/sharepoint/dev/apis/webhooks/overview-sharepoint-webhooks",
    scheme: Scheme::Token(Token::at(Json("/clientState")).in_each("/value")),
    ordering_key: &[Join("/", &[Json("/webId"), Json("/resource")])],
    events: Events::Each("/value"),
    handshake: &[Handshake {
        when: &[When::Method("POST"), When::Present(Query("validationtoken"))],
        proof: Proof::Nothing,
        answer: Answer::Text(Query("validationtoken")),
    }],
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(60 * 60),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. A notification says only that a list changed: ask for the changes. Waits 5 seconds; 5 retries, 5 minutes apart.",
    samples: &[Sample {
        event: "changed",
        headers: &[("content-type", "application/json")],
        body: r#"{"value":[{"subscriptionId":"91779246-afe9-4525","clientState":"{{secret}}","expirationDateTime":"{{now_rfc3339}}","resource":"{{object}}","tenantId":"00000000-0000","siteUrl":"/sites/demo","webId":"dbbdb7a3"}]}"#,
        object: "b9f6f714-9df8",
    }],
    ..Provider::DEFAULT
};
