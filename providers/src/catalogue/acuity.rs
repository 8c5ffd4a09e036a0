//! Acuity Scheduling. HMAC-SHA256 of the form body in base64, keyed with the API key.
//! <https://developers.acuityscheduling.com/docs/webhooks>

use crate::locate::Locate::{Form, Header};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "acuity",
    title: "Acuity Scheduling",
    docs: "https://developers.acuityscheduling.com/docs/webhooks",
    scheme: Scheme::Signed(Signed::base64(Header("x-acuity-signature"))),
    event_type: &[Form("action")],
    ordering_key: &[Form("id")],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "The body is thin: fetch the appointment.",
    samples: &[Sample {
        event: "rescheduled",
        headers: &[("content-type", "application/x-www-form-urlencoded")],
        body: "calendarID=2&id={{object}}&action=rescheduled",
        object: "1099",
    }],
    ..Provider::DEFAULT
};
