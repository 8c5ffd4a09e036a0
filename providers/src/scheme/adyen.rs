//! Adyen's standard webhooks: each item of the body holds its own HMAC over eight of its fields.
//! <https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures>
//!
//! Nothing else of an item is protected, and the fields are joined without escaping: a colon in the merchant's own
//! reference is legal, one in any other field could be taken for the border of another and is refused.

use serde::Deserialize;
use subtle::ConstantTimeEq;

use super::hash::Bytes;
use super::key::Key;
use super::{Encoding, Hash, KeyForm};
use crate::{Reject, Request, Secret};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    notification_items: Vec<Wrapped>,
}

#[derive(Deserialize)]
struct Wrapped {
    #[serde(rename = "NotificationRequestItem")]
    item: Item,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    #[serde(default)]
    psp_reference: String,
    #[serde(default)]
    original_reference: String,
    #[serde(default)]
    merchant_account_code: String,
    #[serde(default)]
    merchant_reference: String,
    amount: Amount,
    #[serde(default)]
    event_code: String,
    #[serde(default)]
    success: String,
    additional_data: Signature,
}

#[derive(Deserialize)]
struct Amount {
    value: i64,
    #[serde(default)]
    currency: String,
}

#[derive(Deserialize)]
struct Signature {
    #[serde(rename = "hmacSignature")]
    hmac: String,
}

/// The index of the secret under which every item is authentic.
pub(super) fn check(request: &Request<'_>, secrets: &[Secret]) -> Result<usize, Reject> {
    let document: Document =
        serde_json::from_slice(crate::json::without_bom(request.body)).map_err(|_| Reject::SignatureMissing)?;
    if document.notification_items.is_empty() {
        return Err(Reject::SignatureMissing);
    }
    let items =
        document.notification_items.iter().map(|wrapped| Ok((wrapped.item.message()?, wrapped.item.signature()?)));
    let items: Vec<(String, Bytes)> = items.collect::<Result<_, Reject>>()?;
    let mut refused = Reject::SecretUnusable;
    for (index, secret) in secrets.iter().enumerate() {
        let Ok(Key { bytes, .. }) = KeyForm::Hex.of(secret) else { continue };
        let is_right = |(message, signature): &(String, Bytes)| {
            bool::from(signature.ct_eq(&Hash::Sha256.hmac(&bytes, &[message.as_bytes().into()])))
        };
        if items.iter().all(is_right) {
            return Ok(index);
        }
        refused = Reject::SignatureMismatch;
    }
    Err(refused)
}

impl Item {
    fn message(&self) -> Result<String, Reject> {
        let value = self.amount.value.to_string();
        let fields = [
            &self.psp_reference,
            &self.original_reference,
            &self.merchant_account_code,
            &self.merchant_reference,
            &value,
            &self.amount.currency,
            &self.event_code,
            &self.success,
        ];
        let is_ambiguous = fields.iter().enumerate().any(|(index, field)| index != 3 && field.contains(':'));
        if is_ambiguous { Err(Reject::SignatureMalformed) } else { Ok(fields.map(String::as_str).join(":")) }
    }

    fn signature(&self) -> Result<Bytes, Reject> {
        Encoding::Base64.decode(&self.additional_data.hmac).ok_or(Reject::SignatureMalformed)
    }
}
