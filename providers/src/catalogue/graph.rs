//! Microsoft Graph. No signature: `clientState` in every notification.
//! <https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks>
//!
//! - The token of the handshake comes back as plain text that no browser takes for a page.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Join, Json, Query};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "graph",
    title: "Microsoft Graph",
    docs: "https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks",
    scheme: Scheme::Token(Token::at(Json("/clientState")).in_each("/value")),
    delivery_id: &[Join(
        "/",
        &[Json("/subscriptionId"), Json("/changeType"), Json("/resourceData/id"), Json("/resourceData/@odata.etag")],
    )],
    event_type: &[Json("/changeType")],
    ordering_key: &[Json("/resourceData/id")],
    events: Events::Each("/value"),
    handshake: &[Handshake {
        when: &[When::Method("POST"), When::Present(Query("validationToken"))],
        proof: Proof::Nothing,
        answer: Answer::Text(Query("validationToken")),
    }],
    ack_deadline: Duration::from_secs(3),
    retry_horizon: Duration::from_secs(4 * 3_600),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed. Encrypted contents are not decrypted. The handshake has to be answered within 10 seconds, a notification within 3. SharePoint writes the handshake differently: use `sharepoint`.",
    samples: &[Sample {
        event: "updated",
        headers: &[("content-type", "application/json")],
        body: r#"{"value":[{"subscriptionId":"s1","clientState":"{{secret}}","changeType":"updated","resource":"me/messages/1","resourceData":{"id":"{{object}}","@odata.etag":"{{id}}"}}]}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
