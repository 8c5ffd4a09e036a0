//! Webhook providers as values.
//!
//! A [`Provider`] says how one sender signs its requests, where it puts the delivery id, the event type and
//! the ordering key, which handshakes it expects answered, and how it retries. [`verify`] turns a request into
//! a [`Verified`] proof (or a handshake's [`Reply`], or a [`Reject`]); [`sign`] makes the request that provider
//! would have sent.
//!
//! The crate is pure: no I/O, no clock, no environment, no async. The time comes in as an argument.
//!
//! ```
//! use hookgate_providers::{Headers, Request, Secret, Unsigned, Verdict, find, sign, verify};
//!
//! let stripe = find("stripe").ok_or("unknown provider")?;
//! let secrets = [Secret::new("whsec_example")?];
//! let body = br#"{"id":"evt_1","type":"invoice.paid","created":1700000000}"#;
//!
//! let unsigned = Unsigned { method: "POST", url: "https://example.com/in/stripe", headers: &Headers::new(), body, id: "evt_1", now: 1_700_000_000 };
//! let headers = sign(stripe, &unsigned, &secrets[0])?;
//!
//! let request = Request { method: "POST", url: "https://example.com/in/stripe", headers: &headers, body };
//! let Verdict::Delivery(verified) = verify(stripe, &request, &secrets, 1_700_000_010)? else { unreachable!() };
//! assert_eq!(verified.events()[0].delivery_id.as_deref(), Some("evt_1"));
//! assert_eq!(verified.events()[0].event_type.as_deref(), Some("invoice.paid"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod authenticate;
mod catalogue;
mod custom;
mod event;
mod explain;
mod fingerprint;
mod form;
pub mod handshake;
mod intern;
mod json;
mod keys;
pub mod locate;
mod method;
mod overrides;
pub mod pinned;
mod place;
mod provider;
mod reject;
mod request;
pub mod sample;
pub mod scheme;
mod secret;
mod sign;
mod verify;
mod view;
mod warning;

pub use authenticate::authenticate;
pub use catalogue::{ALL, find};
pub use custom::{CustomError, CustomHmac, custom};
pub use event::{Event, document, element, elements, values};
pub use explain::{BodyChange, Finding, JsonStyle, Refused, SecretReading, UrlPart, explain};
pub use handshake::{Handshake, Reply};
pub use keys::{KeyRequest, Keys};
pub use locate::Locate;
pub use overrides::{OneOrMore, OverrideError, Overrides};
pub use place::{Placed, Places, place};
pub use provider::{Acknowledgement, Coverage, Events, Provider};
pub use reject::Reject;
pub use request::{Headers, Repeated, Request};
pub use sample::Sample;
pub use scheme::Scheme;
pub use secret::{Secret, SecretError};
pub use sign::{SignError, Unsigned, resign, sign, signature_headers};
pub use verify::{MAX_SECRETS, Verdict, Verified, verify, verify_with_keys};
pub use warning::Warning;

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
