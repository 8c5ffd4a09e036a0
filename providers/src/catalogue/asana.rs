//! Asana. HMAC-SHA256 of the body in hex. The secret comes in the handshake, as `X-Hook-Secret`.
//! <https://developers.asana.com/docs/webhooks-guide>
//!
//! - The handshake is answered with the secret it carries, which is the source's from then on.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "asana",
    title: "Asana",
    docs: "https://developers.asana.com/docs/webhooks-guide",
    scheme: Scheme::Signed(Signed::hex(Header("x-hook-signature"))),
    delivery_id: &[
        Join(
            "/",
            &[Json("/user/gid"), Json("/action"), Json("/resource/gid"), Json("/change/field"), Json("/created_at")],
        ),
        // A task added to a project and to a section of it: two events of one moment.
        Join(
            "/",
            &[Json("/user/gid"), Json("/action"), Json("/resource/gid"), Json("/parent/gid"), Json("/created_at")],
        ),
        Join("/", &[Json("/user/gid"), Json("/action"), Json("/resource/gid"), Json("/created_at")]),
    ],
    event_type: &[Join(".", &[Json("/resource/resource_type"), Json("/action")])],
    ordering_key: &[Json("/resource/gid")],
    version: &[Json("/created_at")],
    events: Events::Each("/events"),
    handshake: &[Handshake {
        when: &[When::Method("POST"), When::Present(Header("x-hook-secret")), When::Absent(Header("x-hook-signature"))],
        proof: Proof::Offered(Header("x-hook-secret")),
        answer: Answer::Header("x-hook-secret"),
    }],
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(10),
    retry_horizon: Duration::from_secs(86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Events have no id: who did what to which object and when make one. A request without events comes every 8 hours and must be answered; after 24 hours of failures the webhook is deleted, as after a 410.",
    samples: &[
        Sample {
            event: "task.changed",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/asana_task_changed.json"),
            object: "1204118027118",
        },
        Sample {
            event: "task.added",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/asana_task_added.json"),
            object: "1204118027118",
        },
        Sample {
            event: "story.added",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/asana_story_added.json"),
            object: "1204118027118",
        },
    ],
    ..Provider::DEFAULT
};
