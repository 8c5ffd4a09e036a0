//! Makes requests of bytes.

use hookgate_providers::{ALL, Headers, Provider, Request};

/// Names that some provider reads.
const NAMES: [&str; 28] = [
    "content-type", "authorization", "x-hub-signature-256", "x-github-event", "x-github-delivery", "stripe-signature", "webhook-id",
    "webhook-timestamp", "webhook-signature", "svix-id", "svix-timestamp", "svix-signature", "x-shopify-hmac-sha256", "x-slack-signature",
    "x-slack-request-timestamp", "x-twilio-signature", "x-hubspot-signature-v3", "x-hubspot-request-timestamp", "x-signature-ed25519",
    "x-signature-timestamp", "x-square-hmacsha256-signature", "x-hook-signature", "x-hook-secret", "x-zm-signature", "x-zm-request-timestamp",
    "x-event-key", "paddle-signature", "hmacsignature",
];

/// What is left of the input.
pub struct Input<'i>(pub &'i [u8]);

impl<'i> Input<'i> {
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// Up to 255 bytes, their number first.
    pub fn piece(&mut self) -> &'i [u8] {
        let length = usize::from(self.byte()).min(self.0.len());
        let (piece, rest) = self.0.split_at(length);
        self.0 = rest;
        piece
    }

    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.piece()).into_owned()
    }

    pub fn provider(&mut self) -> &'static Provider {
        let index = usize::from(self.byte()) + usize::from(self.byte());
        ALL[index % ALL.len()]
    }

    pub fn headers(&mut self) -> Headers {
        let mut headers = Headers::new();
        for _ in 0..self.byte() % 8 {
            let name = self.byte();
            match NAMES.get(usize::from(name)) {
                Some(known) => headers.push(known, self.piece()),
                None => {
                    let name = self.text();
                    headers.push(&name, self.piece());
                }
            }
        }
        headers
    }

    /// A request with everything that is left as its body.
    pub fn request(self, url: &'i str, headers: &'i Headers) -> Request<'i> {
        Request { method: "POST", url, headers, body: self.0 }
    }
}
