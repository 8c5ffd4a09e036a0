//! Plaid. A token (ES256) with the hash of the body. Its keys are fetched one by one, with the client's credentials.
//! <https://plaid.com/docs/api/webhooks/webhook-verification/>
//!
//! - The secret is `CLIENT_ID:SECRET` of the environment that the webhooks come from; or a key (JWK, JWKS, PEM), with
//!   which nothing is fetched.
//! - A key that was withdrawn (`expired_at`) is refused.

use std::time::Duration;

use crate::locate::Locate::{Join, Json};
use crate::scheme::jwt::{JwtAlgorithm, Signer, TokenPlace};
use crate::scheme::{Encoding, Jwt, Scheme};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "plaid",
    title: "Plaid",
    docs: "https://plaid.com/docs/api/webhooks/webhook-verification/",
    scheme: Scheme::Jwt(Jwt {
        algorithms: &[JwtAlgorithm::Es256],
        body_hash: Some(("request_body_sha256", Encoding::Hex)),
        issued_within_s: Some(300),
        signer: Signer::Plaid,
        ..Jwt::hs256(TokenPlace::Header("plaid-verification", ""))
    }),
    event_type: &[Join(".", &[Json("/webhook_type"), Json("/webhook_code")])],
    ordering_key: &[Json("/item_id")],
    retry_horizon: Duration::from_secs(86400),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Events have no id. Retried for 24 hours, not at all when most were refused before.",
    samples: &[Sample {
        event: "TRANSACTIONS.SYNC_UPDATES_AVAILABLE",
        headers: &[("content-type", "application/json")],
        body: "{\n  \"webhook_type\": \"TRANSACTIONS\",\n  \"webhook_code\": \"SYNC_UPDATES_AVAILABLE\",\n  \"item_id\": \"{{object}}\",\n  \"initial_update_complete\": true,\n  \"environment\": \"sandbox\"\n}",
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
