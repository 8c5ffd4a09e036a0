//! Azure DevOps. No signature: HTTP Basic.
//! <https://learn.microsoft.com/en-us/azure/devops/service-hooks/services/webhooks>

use crate::locate::Locate::{Join, Json};
use crate::scheme::Scheme;
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "azure-devops",
    title: "Azure DevOps",
    docs: "https://learn.microsoft.com/en-us/azure/devops/service-hooks/services/webhooks",
    scheme: Scheme::Basic,
    delivery_id: &[Join("/", &[Json("/subscriptionId"), Json("/notificationId")])],
    event_type: &[Json("/eventType")],
    ordering_key: &[Json("/resource/id"), Json("/resource/pushId")],
    version: &[Json("/createdDate")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever knows the password can send anything. Fields of `resource` depend on the subscription's settings.",
    samples: &[Sample {
        event: "workitem.updated",
        headers: &[("content-type", "application/json")],
        body: r#"{"createdDate":"{{now_rfc3339}}","resource":{"id":"{{object}}"},"eventType":"workitem.updated","subscriptionId":"x","notificationId":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
