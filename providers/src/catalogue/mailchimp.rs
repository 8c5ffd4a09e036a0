//! Mailchimp Marketing. No signature: put `?token=…` in the callback URL.
//! <https://mailchimp.com/developer/marketing/guides/sync-audience-data-webhooks/>
//!
//! - When a webhook is saved, a GET to the same URL must get 200.
//! - Mailchimp Transactional signs and is the provider `mandrill`.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Form, Join, Query};
use crate::scheme::{Scheme, Token};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "mailchimp",
    title: "Mailchimp Marketing",
    docs: "https://mailchimp.com/developer/marketing/guides/sync-audience-data-webhooks/",
    scheme: Scheme::Token(Token::at(Query("token"))),
    event_type: &[Form("type")],
    ordering_key: &[
        Join("/", &[Form("data[list_id]"), Form("data[id]")]),
        Join("/", &[Form("data[list_id]"), Form("data[new_id]")]),
        Form("data[list_id]"),
    ],
    handshake: &[Handshake { when: &[When::Method("GET")], proof: Proof::Signature, answer: Answer::Empty }],
    reply: Acknowledgement { status: 200, body: None },
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever knows the URL can send anything. The body is a form, events have no id, and `fired_at` is no ISO date.",
    samples: &[
        Sample {
            event: "subscribe",
            headers: &[("content-type", "application/x-www-form-urlencoded")],
            body: r#"type=subscribe&fired_at=2026-11-30+21%3A40%3A36&data%5Bid%5D={{object}}&data%5Blist_id%5D=a6b5da1054&data%5Bemail%5D=ada%40example.com&data%5Bmerges%5D%5BFNAME%5D=Ada&data%5Bip_opt%5D=203.0.113.7"#,
            object: "8a25ff1d98",
        },
        Sample {
            event: "unsubscribe",
            headers: &[("content-type", "application/x-www-form-urlencoded")],
            body: r#"type=unsubscribe&fired_at=2026-11-30+21%3A41%3A02&data%5Baction%5D=unsub&data%5Breason%5D=manual&data%5Bid%5D={{object}}&data%5Blist_id%5D=a6b5da1054&data%5Bemail%5D=ada%40example.com"#,
            object: "8a25ff1d98",
        },
        Sample {
            event: "cleaned",
            headers: &[("content-type", "application/x-www-form-urlencoded")],
            body: r#"type=cleaned&fired_at=2026-11-30+21%3A42%3A37&data%5Blist_id%5D={{object}}&data%5Bcampaign_id%5D=4fjk2ma9xd&data%5Breason%5D=hard&data%5Bemail%5D=ada%40example.com"#,
            object: "a6b5da1054",
        },
    ],
    ..Provider::DEFAULT
};
