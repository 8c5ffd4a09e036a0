//! HCP Terraform run tasks. HMAC-SHA512 of the body in hex, keyed with the HMAC key of the task.
//! <https://developer.hashicorp.com/terraform/cloud-docs/api-docs/run-tasks/run-tasks-integration>
//!
//! - The body holds an access token for reporting the result: keep stored payloads as safe as that token.
//! - Enabling a task sends a request with the access token `test-token`, which must get 200.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, Scheme, Signed};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "terraform-run-task",
    title: "HCP Terraform run tasks",
    docs: "https://developer.hashicorp.com/terraform/cloud-docs/api-docs/run-tasks/run-tasks-integration",
    scheme: Scheme::Signed(Signed::hex(Header("x-tfc-task-signature")).hash(Hash::Sha512)),
    delivery_id: &[Json("/task_result_id")],
    event_type: &[Json("/stage")],
    ordering_key: &[Json("/run_id"), Json("/workspace_id")],
    version: &[Json("/run_created_at")],
    handshake: &[Handshake {
        when: &[When::Is(Json("/access_token"), "test-token")],
        proof: Proof::Signature,
        answer: Answer::Empty,
    }],
    reply: Acknowledgement { status: 200, body: None },
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Wants 200 at once and the result later at `task_result_callback_url`. Notifications are another scheme: the provider `terraform`.",
    samples: &[Sample {
        event: "post_plan",
        headers: &[("content-type", "application/json")],
        body: r#"{"payload_version":1,"stage":"post_plan","access_token":"demo.task-token","task_result_id":"{{id}}","task_result_enforcement_level":"mandatory","task_result_callback_url":"https://app.terraform.io/api/v2/task-results/{{id}}/callback","run_id":"{{object}}","run_created_at":"{{now_rfc3339}}","workspace_id":"ws-118","workspace_name":"prod","organization_name":"kestrel"}"#,
        object: "run-7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
