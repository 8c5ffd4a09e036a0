//! Salesforce outbound messages. No signature: SOAP, with a token that you put in the URL, `?token=…`.
//! <https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_om_outboundmessaging.htm>
//!
//! - Anything but a SOAP acknowledgement counts as a failure, and Salesforce sends the messages again for a day.
//! - Up to 100 notifications share a message. It is XML, which is not looked into: one message is one event, and a repeated
//!   one is not recognised; each notification's `Id` stays the same.

use std::time::Duration;

use crate::locate::Locate::Query;
use crate::scheme::{Scheme, Token};
use crate::{Acknowledgement, Coverage, Provider, Sample};

const ACKNOWLEDGEMENT: &str = r#"<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><notificationsResponse xmlns="http://soap.sforce.com/2005/09/outbound"><Ack>true</Ack></notificationsResponse></soapenv:Body></soapenv:Envelope>"#;

pub(super) const PROVIDER: Provider = Provider {
    name: "salesforce",
    title: "Salesforce (outbound messages)",
    docs: "https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_om_outboundmessaging.htm",
    scheme: Scheme::Token(Token::at(Query("token"))),
    reply: Acknowledgement { status: 200, body: Some(("text/xml", ACKNOWLEDGEMENT)) },
    ack_deadline: Duration::from_secs(60),
    retry_horizon: Duration::from_secs(86400),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever knows the URL can send anything. Compare OrganizationId with yours.",
    samples: &[Sample {
        event: "",
        headers: &[("content-type", "text/xml; charset=utf-8"), ("soapaction", "\"\"")],
        body: r#"<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><notifications xmlns="http://soap.sforce.com/2005/09/outbound"><OrganizationId>00D000000000001EAA</OrganizationId><Notification><Id>{{id}}</Id><sObject><Id>{{object}}</Id></sObject></Notification></notifications></soapenv:Body></soapenv:Envelope>"#,
        object: "0015000000VALDtAAP",
    }],
    ..Provider::DEFAULT
};
