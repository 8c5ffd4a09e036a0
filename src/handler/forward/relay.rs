//! What of a destination's answer goes to the sender of the request.

use std::time::Duration;

use bytes::BytesMut;
use http::HeaderName;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_TYPE};
use reqwest::Response;

use crate::answers::{Answer, LARGEST};

/// About the body and nothing else: cookies, redirects and the like are between the destination and us.
const PASSED_ON: [HeaderName; 4] = [CONTENT_TYPE, CONTENT_ENCODING, CONTENT_LANGUAGE, CACHE_CONTROL];

/// Reads a 2xx to its end. `None`, and the sender gets the usual answer: it is too large, broken, or not there in time. The
/// job is done all the same.
pub(super) async fn answer(mut response: Response, limit: Duration) -> Option<Answer> {
    let status = response.status();
    let passed_on = |name: HeaderName| Some((name.clone(), response.headers().get(&name)?.clone()));
    let headers = PASSED_ON.into_iter().filter_map(passed_on).collect();
    let mut body = BytesMut::new();
    let reading = async {
        while let Some(chunk) = response.chunk().await.map_err(|error| error.without_url().to_string())? {
            if body.len() + chunk.len() > LARGEST {
                return Err(format!("it has more than {} kB", LARGEST / 1024));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(())
    };
    let read = tokio::time::timeout(limit, reading).await.unwrap_or_else(|_| Err("it does not end".to_owned()));
    match read {
        Ok(()) => Some(Answer { status, headers, body: body.freeze() }),
        Err(why) => {
            tracing::warn!(why, "answer.not_relayed: the destination's answer can't be passed on");
            None
        }
    }
}
