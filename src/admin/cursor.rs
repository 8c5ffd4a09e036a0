//! Where a list goes on: opaque to clients, the last key shown inside.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use super::error::ApiError;
use crate::store::{JobKey, LaneKey};

pub(super) fn of_delivery(id: Uuid) -> String {
    URL_SAFE_NO_PAD.encode(id.as_bytes())
}

pub(super) fn delivery(cursor: &str) -> Result<Uuid, ApiError> {
    Ok(Uuid::from_bytes(bytes(cursor)?))
}

pub(super) fn of_lane(lane: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(lane)
}

pub(super) fn lane(cursor: &str) -> Result<LaneKey, ApiError> {
    bytes(cursor)
}

pub(super) fn of_job(key: JobKey) -> String {
    let mut bytes = [0; 28];
    bytes[..16].copy_from_slice(key.delivery.as_bytes());
    for (place, n) in bytes[16..].chunks_exact_mut(4).zip([key.event, key.subscription, key.run]) {
        place.copy_from_slice(&n.to_be_bytes());
    }
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(super) fn job(cursor: &str) -> Result<JobKey, ApiError> {
    let bytes: [u8; 28] = bytes(cursor)?;
    let number = |at: usize| i32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let mut delivery = [0; 16];
    delivery.copy_from_slice(&bytes[..16]);
    Ok(JobKey { delivery: Uuid::from_bytes(delivery), event: number(16), subscription: number(20), run: number(24) })
}

fn bytes<const N: usize>(cursor: &str) -> Result<[u8; N], ApiError> {
    let decoded = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| bytes.try_into().ok());
    decoded.ok_or_else(|| {
        ApiError::Invalid("cursor is none of this list's; take it from the 'next' of the page before".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_back_to_its_key_and_no_other_text_does() {
        let key = JobKey { delivery: Uuid::from_u128(7), event: -1, subscription: 2, run: i32::MAX };
        assert_eq!(job(&of_job(key)).unwrap(), key);
        assert_eq!(delivery(&of_delivery(key.delivery)).unwrap(), key.delivery);
        assert!(delivery(&of_job(key)).is_err());
        assert!(delivery("?").is_err());
    }
}
