//! How a destination knows who calls.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::forward;
use crate::support::destination::Destination;
use crate::support::gateway::{Signed, start};
use crate::support::work::database_with_effects;

/// The header `authorization` that arrives.
async fn authorization(auth: &str) -> Option<String> {
    let (database, _pool) = database_with_effects().await;
    let mut destination = Destination::answering(&[]).await;
    let gateway = start(&database, &forward(&destination.url(), auth), vec![]).await;
    let mut event = Signed::stripe_event("evt_1", "a.b", "in_1");
    event.headers.push("authorization", "Bearer of the sender");
    event.send(gateway.ingest_addr().unwrap()).await;
    let arrived = destination.next().await;
    gateway.shutdown().await;
    arrived.header("authorization")
}

#[tokio::test]
async fn a_token_or_a_password_goes_out_in_place_of_what_the_sender_said() {
    let bearer = authorization("auth = { bearer = { literal = 't0ken' } }").await;
    assert_eq!(bearer.as_deref(), Some("Bearer t0ken"));
    let basic = authorization("auth = { basic = { user = 'gate', password = { literal = 'open:sesame' } } }").await;
    assert_eq!(basic, Some(format!("Basic {}", BASE64_STANDARD.encode("gate:open:sesame"))));
}
