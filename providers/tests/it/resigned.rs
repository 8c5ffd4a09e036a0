//! A request that was received, signed anew for another receiver: every provider keeps the same promises.

use hookgate_providers::{
    Event, Headers, Request, Secret, SignError, Unsigned, Verdict, find, resign, signature_headers, verify,
};

use crate::signed::{ID, NOW, Signed, secret};

/// Beyond every tolerance: PayPal's is three days.
const DAYS_LATER: i64 = NOW + 5 * 86_400;
const DESTINATION: &str = "https://app.example.net/hooks?shop=7";

fn resigned(signed: &Signed, secret: &Secret) -> Result<Headers, SignError> {
    let unsigned = Unsigned {
        method: "POST",
        url: DESTINATION,
        headers: &signed.headers,
        body: &signed.body,
        id: "",
        now: DAYS_LATER,
    };
    resign(signed.provider, &unsigned, secret)
}

fn taken(signed: &Signed, headers: &Headers, secret: &Secret, now: i64) -> Option<Event> {
    let request = Request { method: "POST", url: DESTINATION, headers, body: &signed.body };
    match verify(signed.provider, &request, std::slice::from_ref(secret), now) {
        Ok(Verdict::Delivery(verified)) => verified.into_events().into_iter().next(),
        _ => None,
    }
}

/// The samples of providers whose received requests can be signed anew, each with the destination's secret.
fn every() -> impl Iterator<Item = (&'static Signed, Secret)> {
    Signed::every()
        .iter()
        .map(|signed| (signed, secret(signed.provider, "destination's")))
        .filter(|(signed, secret)| signed.provider.check_resigning(secret).is_ok())
}

#[test]
fn days_later_it_is_fresh_for_the_destination_and_the_same_event() {
    assert!(every().count() > 150);
    for (signed, secret) in every() {
        let headers = resigned(signed, &secret).unwrap_or_else(|error| panic!("{}: {error}", signed.name()));
        let event = taken(signed, &headers, &secret, DAYS_LATER);
        let event = event.unwrap_or_else(|| panic!("{}: refused by the destination", signed.name()));
        let Ok(Verdict::Delivery(received)) = signed.judge_headers(&signed.headers) else { panic!("not a delivery") };
        assert_eq!(event, received.events()[0], "{}", signed.name());
        assert!(taken(signed, &headers, &signed.secret, DAYS_LATER).is_none(), "{}", signed.name());
        if signed.provider.covers.time {
            assert!(taken(signed, &headers, &secret, NOW).is_none(), "{}: the time is the old one", signed.name());
        }
    }
}

#[test]
fn what_authenticates_is_replaced_and_every_other_header_stays() {
    for (signed, secret) in every() {
        let headers = resigned(signed, &secret).unwrap();
        let replaced = signature_headers(signed.provider, &signed.headers);
        assert!(!replaced.is_empty(), "{}", signed.name());
        for (name, value) in signed.headers.iter() {
            assert!(headers.single(name).is_ok(), "{}: {name} twice", signed.name());
            if !replaced.contains(&name) {
                assert_eq!(headers.single(name), Ok(Some(value)), "{}: {name}", signed.name());
            }
        }
        for (name, value) in signed.authenticating().into_iter().filter(|(name, _)| replaced.contains(name)) {
            let fresh = headers.single(name);
            let constant = fresh == Ok(Some(value)) && value.len() < 20;
            assert!(constant || fresh != Ok(Some(value)), "{}: {name} is the old one", signed.name());
        }
    }
}

#[test]
fn a_request_is_signed_in_the_way_it_came() {
    let hubspot = find("hubspot").unwrap();
    let key = Secret::new("destination").unwrap();
    let old = [("x-hubspot-signature", "ab"), ("x-hubspot-signature-version", "v2")];
    let headers: Headers = old.into_iter().collect();
    let unsigned = Unsigned { method: "POST", url: DESTINATION, headers: &headers, body: b"[]", id: "", now: NOW };
    let signed = resign(hubspot, &unsigned, &key).unwrap();
    assert!(signed.single("x-hubspot-signature-v3") == Ok(None) && signed != headers);
    assert_eq!(signed.single("x-hubspot-signature-version"), Ok(Some(&b"v2"[..])));
}

#[test]
fn an_id_in_a_signed_header_is_kept_whatever_the_caller_would_call_it() {
    let svix = find("svix").unwrap();
    let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let headers: Headers = [("svix-id", ID), ("svix-timestamp", "1"), ("svix-signature", "v1,x")].into_iter().collect();
    let unsigned = Unsigned { method: "POST", url: "", headers: &headers, body: b"{}", id: "another", now: NOW };
    let signed = resign(svix, &unsigned, &secret).unwrap();
    assert_eq!(signed.single("svix-id"), Ok(Some(ID.as_bytes())));
    assert_eq!(signed.iter().count(), 3, "one family: {signed:?}");
}

#[test]
fn who_cannot_be_signed_for_is_known_from_the_secret_before_any_request() {
    let refused = |name: &str, secret: &str| {
        find(name).unwrap().check_resigning(&Secret::new(secret).unwrap()).expect_err("refused")
    };
    let discords = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29";
    assert_eq!(refused("discord", discords), SignError::NotSignable);
    assert_eq!(refused("mailgun", "key"), SignError::InBody);
    assert_eq!(refused("adyen", "00ff"), SignError::InBody);
    let public = "whpk_MCowBQYDK2VwAyEAOTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk=";
    assert!(matches!(refused("standard-webhooks", public), SignError::Secret(_)));
}
