//! HCP Terraform. HMAC-SHA512 of the body in hex.
//! <https://developer.hashicorp.com/terraform/cloud-docs/api-docs/notification-configurations>

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "terraform",
    title: "HCP Terraform",
    docs: "https://developer.hashicorp.com/terraform/cloud-docs/api-docs/notification-configurations",
    scheme: Scheme::Signed(Signed::hex(Header("x-tfe-notification-signature")).hash(Hash::Sha512)),
    event_type: &[Json("/notifications/0/trigger"), Json("/trigger")],
    ordering_key: &[Json("/run_id"), Json("/workspace_id")],
    version: &[Json("/notifications/0/run_updated_at")],
    handshake: &[Handshake {
        when: &[When::Is(Json("/notifications/0/trigger"), "verification")],
        proof: Proof::Signature,
        answer: Answer::Empty,
    }],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Sends a verification when a configuration is enabled; it must be answered with success.",
    samples: &[Sample {
        event: "run:completed",
        headers: &[("content-type", "application/json")],
        body: r#"{"notifications":[{"run_updated_at":"{{now_rfc3339}}","trigger":"run:completed"}],"run_id":"{{object}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
