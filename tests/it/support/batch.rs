//! Batches as their providers send them, and a handler that tells what it got of them.

use std::time::Duration;

use hookgate::{Context, Handler, Named, Raw};
use hookgate_providers::{Headers, Secret, Unsigned, find, sign};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::gateway::{Answer, client};

/// Far beyond what a run takes to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// A provider that puts many events in one request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batching {
    pub(crate) provider: &'static str,
    pub(crate) secret: &'static str,
    /// The request's body, around the elements.
    pub(crate) around: (&'static str, &'static str),
    /// What the URL has after the source's name.
    pub(crate) query: &'static str,
}

impl Batching {
    /// A source of this provider, called `batch`.
    pub(crate) fn source(&self, more: &str) -> String {
        let Self { provider, secret, .. } = self;
        format!("[source.batch]\nprovider = {provider:?}\nsecrets = [{{ literal = {secret:?} }}]\n{more}\n")
    }

    pub(crate) fn body(&self, elements: &[String]) -> String {
        format!("{}{}{}", self.around.0, elements.join(" ,"), self.around.1)
    }

    /// Posts a request with these elements, signed now.
    pub(crate) async fn send(&self, gateway: &hookgate::Running, elements: &[String]) -> Answer {
        let body = self.body(elements);
        // The gateway of a test is configured with port 0, and that is the URL it verifies with.
        let target = format!("/in/batch{}", self.query);
        let (headers, url) = (Headers::new(), format!("http://127.0.0.1:0{target}"));
        let now = chrono::Utc::now().timestamp();
        let unsigned = Unsigned { method: "POST", url: &url, headers: &headers, body: body.as_bytes(), id: "", now };
        let secret = Secret::new(self.secret).expect("a secret");
        // Adyen signs each item inside the body.
        let signed = match self.provider {
            "adyen" => Headers::new(),
            name => sign(find(name).expect("a provider"), &unsigned, &secret).expect("sign"),
        };
        let url = format!("http://{}{target}", gateway.ingest_addr().expect("it receives"));
        let mut request = client().post(url).header("content-type", "application/json").body(body);
        for (name, value) in signed.iter() {
            request = request.header(name, value);
        }
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.expect("a body");
        Answer { status, headers, json: serde_json::from_str(&text).unwrap_or(Value::Null), text }
    }
}

/// What a handler of one element was given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    pub(crate) event: u32,
    pub(crate) id: Option<String>,
    pub(crate) event_type: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) version: Option<i64>,
    pub(crate) element: String,
}

/// The runs of [`observer`], as they come.
pub(crate) struct Observed(UnboundedReceiver<Seen>);

impl Observed {
    /// The next `n` runs, by their place in the request.
    pub(crate) async fn next(&mut self, n: usize) -> Vec<Seen> {
        let mut seen = Vec::new();
        while seen.len() < n {
            let next = tokio::time::timeout(PATIENCE, self.0.recv()).await.expect("the handler never ran");
            seen.push(next.expect("the handler is there"));
        }
        seen.sort();
        seen
    }

    /// Whether it ran without the test having looked.
    pub(crate) fn has_more(&self) -> bool {
        !self.0.is_empty()
    }
}

/// A handler that succeeds and tells what it was given.
pub(crate) fn observer(handler: Named) -> (Handler, Observed) {
    let (told, seen) = unbounded_channel();
    let handler = handler.run(move |Raw(bytes): Raw, cx: &mut Context| {
        let delivery = cx.delivery();
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let _ = told.send(Seen {
            event: delivery.event(),
            id: owned(delivery.event_id()),
            event_type: owned(delivery.event_type()),
            key: owned(delivery.ordering_key()),
            version: delivery.version(),
            element: String::from_utf8_lossy(&bytes).into_owned(),
        });
        async { Ok(()) }
    });
    (handler, Observed(seen))
}
