//! A handler as a value: what it listens to, under which policy, and what it runs.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::forward::Forward;
use super::function::Function;
use super::{FromDelivery, HandlerFn, Run};
use crate::condition::Condition;
use crate::config::{HandlerPolicy, OnFailure, Order, Rate};
use crate::deliver::Limit;
use crate::job::Policy;
use crate::registry::{Placement, Routing};
use crate::store::registry::HandlerRow;

/// Starts a handler for events of a source.
///
/// `from` is a source's name or a pattern of names; `events` are event types or patterns. In both, `*` matches any run of
/// characters, dots included; everything else is exact.
///
/// ```
/// # use hookgate::{Context, HandlerError};
/// #[derive(serde::Deserialize)]
/// struct InvoicePaid {
///     amount_paid: i64,
/// }
///
/// async fn credit(event: InvoicePaid, cx: &mut Context) -> Result<(), HandlerError> {
///     println!("{} for attempt {}", event.amount_paid, cx.attempt());
///     Ok(())
/// }
///
/// let handler = hookgate::on("stripe", &["invoice.paid"]).name("credit").attempts(5).run(credit);
/// # assert_eq!(handler.name(), "credit");
/// ```
pub fn on(from: impl Into<String>, events: &[impl AsRef<str>]) -> On {
    On { from: from.into(), patterns: events.iter().map(|pattern| pattern.as_ref().to_owned()).collect() }
}

/// A handler that still lacks its name.
#[derive(Debug, Clone)]
#[must_use = "a handler needs a name and something to run"]
pub struct On {
    from: String,
    patterns: Vec<String>,
}

impl On {
    /// Names the handler: 1 to 64 of `a-z`, `0-9`, `_`, `-`.
    ///
    /// Its queued jobs and its downstream keys hang on the name, so it is never derived from code that may be renamed.
    /// Another name is another handler.
    pub fn name(self, name: impl Into<String>) -> Named {
        Named {
            from: self.from,
            patterns: self.patterns,
            name: name.into(),
            order: Order::None,
            policy: Policy::default(),
            timeout: Duration::from_secs(30),
            concurrency: 10,
            rate: None,
            burst: None,
            block_for: None,
            sequence: Sequence::default(),
            when: Vec::new(),
            responds: false,
        }
    }
}

/// What carries a handler out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A function of this program.
    Rust,
    /// An HTTP request to another one.
    Forward,
}

impl Kind {
    /// The name used in the database and the API.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Forward => "forward",
        }
    }
}

/// How jobs of one ordering key come to be in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sequence {
    pub(crate) window: Duration,
    /// Where the ordering key is; empty: where the source says.
    pub(crate) ordering_key: Vec<String>,
    /// Where the version is; empty: where the source says.
    pub(crate) version: Vec<String>,
}

/// A named handler; every option has a default. [`Named::run`] completes it.
#[derive(Debug, Clone)]
#[must_use = "a handler needs something to run"]
pub struct Named {
    name: String,
    from: String,
    patterns: Vec<String>,
    order: Order,
    policy: Policy,
    timeout: Duration,
    concurrency: usize,
    rate: Option<Rate>,
    burst: Option<u32>,
    block_for: Option<Duration>,
    sequence: Sequence,
    when: Vec<Condition>,
    responds: bool,
}

impl Named {
    /// In which order jobs run. Default [`Order::None`].
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// How many failures make a job dead. Default 12.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.policy.attempts = attempts;
        self
    }

    /// How long one attempt may take; it is cancelled after that and counts as failed. Default 30 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How many jobs of this handler one worker process runs at a time. Default 10.
    pub fn concurrency(mut self, jobs: usize) -> Self {
        self.concurrency = jobs;
        self
    }

    /// How many jobs of this handler start in such a time, over all processes that share the database; a retry counts as
    /// any other start. The time is a second, a minute or an hour. Default: as many as come.
    pub fn rate(mut self, jobs: u32, per: Duration) -> Self {
        self.rate = Some(Rate { jobs, per });
        self
    }

    /// How many jobs may start at once after a quiet time, where the handler has a rate. Default: a second's worth.
    pub fn burst(mut self, jobs: u32) -> Self {
        self.burst = Some(jobs);
        self
    }

    /// How long to wait between attempts: up to `base` after the first failure, `factor` times more after each further
    /// one, never more than `cap`. The wait is drawn at random below that. Default 5 s, 2, 1 h.
    pub fn backoff(mut self, base: Duration, factor: u32, cap: Duration) -> Self {
        self.policy.backoff_base = base;
        self.policy.backoff_factor = factor;
        self.policy.backoff_cap = cap;
        self
    }

    /// How long to wait between attempts, wait by wait, instead of the back-off; each up to a tenth longer. There are as many
    /// attempts as that has room for, one more than waits; with a higher [`Named::attempts`] after this, the last one repeats.
    pub fn retry(mut self, waits: &[Duration]) -> Self {
        self.policy.retry = waits.to_vec();
        if !waits.is_empty() {
            self.policy.attempts = u32::try_from(waits.len()).unwrap_or(u32::MAX).saturating_add(1);
        }
        self
    }

    /// How long after its first failure a job is still tried again: it is dead as soon as its next try would come later.
    /// A redrive starts afresh. Default: as long as there are attempts.
    pub fn give_up_after(mut self, horizon: Duration) -> Self {
        self.policy.give_up_after = Some(horizon);
        self
    }

    /// How long a failing job may hold up its lane before the lane goes on without it. Default 15 min.
    pub fn block_for(mut self, limit: Duration) -> Self {
        self.block_for = Some(limit);
        self
    }

    /// What a lane does while its first job fails. Default [`OnFailure::Block`]. For [`Order::Lane`] only.
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.policy.on_failure = on_failure;
        self
    }

    /// How long a lane that was idle waits before it starts, so that what arrives meanwhile starts in the provider's order.
    /// Default zero, at most 5 s; with [`Order::Lane`] and [`Order::Latest`].
    pub fn reorder_window(mut self, window: Duration) -> Self {
        self.sequence.window = window;
        self
    }

    /// Where the ordering key is, instead of where the source says: `json:/pointer`, `header:NAME`, `form:FIELD`,
    /// `query:NAME`, or several joined as `json:/account + json:/id`; the first found counts. In a batch, pointers are
    /// relative to the element. Where nothing is found, the source's key counts.
    pub fn ordering_key(mut self, places: &[impl AsRef<str>]) -> Self {
        self.sequence.ordering_key = places.iter().map(|place| place.as_ref().to_owned()).collect();
        self
    }

    /// Where the version is, instead of where the source says, written as in [`Named::ordering_key`]: a number that grows
    /// with each change of the object, or a date.
    pub fn version(mut self, places: &[impl AsRef<str>]) -> Self {
        self.sequence.version = places.iter().map(|place| place.as_ref().to_owned()).collect();
        self
    }

    /// Takes only events that fulfil this too; called several times, all must hold. What does not is recorded as `filtered`
    /// and can be replayed. Holds for what is recorded afterwards. Default: every event that its types name.
    pub fn when(mut self, condition: Condition) -> Self {
        self.when.push(condition);
        self
    }

    /// Answers the request: what is given to [`Context::respond`](super::Context::respond) goes to the sender, if it is done
    /// before the provider's deadline; else the sender gets the source's usual answer and the job goes on. Not with an
    /// order: a job that waits for others would answer too late.
    pub fn respond(mut self) -> Self {
        self.responds = true;
        self
    }

    /// Every option at once, as the configuration has them. Those that its order has no use for were inherited: the
    /// configuration refuses them where they are said.
    pub(crate) fn policy(mut self, policy: &HandlerPolicy) -> Self {
        self.policy.block_for = policy.block_for;
        self.policy.give_up_after = policy.give_up_after;
        if policy.order != Order::None {
            self.policy.on_failure = policy.on_failure;
            self.sequence = Sequence {
                window: policy.reorder_window,
                ordering_key: policy.ordering_key.clone().unwrap_or_default(),
                version: policy.version.clone().unwrap_or_default(),
            };
        }
        Self { rate: policy.rate, burst: policy.burst, ..self }
            .retry(&policy.retry)
            .order(policy.order)
            .attempts(policy.attempts)
            .timeout(policy.timeout)
            .concurrency(policy.concurrency)
            .backoff(policy.backoff_base, policy.backoff_factor, policy.backoff_cap)
    }

    /// Completes the handler with an `async fn(payload, &mut Context) -> Result<(), HandlerError>`.
    ///
    /// The payload is decoded from the event's JSON; one that does not fit makes the job dead at once, since no retry
    /// can change it. Take [`Raw`](super::Raw) for the bytes, or `serde_json::Value` for any JSON.
    pub fn run<F, E, Via>(self, function: F) -> Handler
    where
        F: for<'a> HandlerFn<'a, E>,
        E: FromDelivery<Via> + Send + 'static,
        Via: 'static,
    {
        self.complete(Kind::Rust, Arc::new(Function::<F, E, Via>::new(function)))
    }

    /// Completes the handler with an HTTP forward.
    pub(crate) fn forward(self, forward: Forward) -> Handler {
        self.complete(Kind::Forward, Arc::new(forward))
    }

    fn complete(self, kind: Kind, runner: Arc<dyn Run>) -> Handler {
        let mut handler = Handler {
            name: self.name.into(),
            kind,
            from: self.from,
            patterns: self.patterns,
            order: self.order,
            policy: Policy { block_for: self.block_for.unwrap_or(self.policy.block_for), ..self.policy },
            says_block_for: self.block_for.is_some(),
            sequence: self.sequence,
            placement: None,
            timeout: self.timeout,
            concurrency: self.concurrency,
            rate: self.rate,
            burst: self.burst,
            breaker: None,
            when: self.when,
            responds: self.responds,
            runner,
        };
        handler.placement = handler.routing().placement();
        handler
    }
}

/// A complete handler, to be registered with `Builder::handler`.
#[derive(Clone)]
pub struct Handler {
    pub(crate) name: Arc<str>,
    pub(crate) kind: Kind,
    pub(crate) from: String,
    pub(crate) patterns: Vec<String>,
    pub(crate) order: Order,
    pub(crate) policy: Policy,
    pub(crate) says_block_for: bool,
    pub(crate) sequence: Sequence,
    /// The locations of `sequence`, read once.
    pub(crate) placement: Option<Placement>,
    pub(crate) timeout: Duration,
    pub(crate) concurrency: usize,
    pub(crate) rate: Option<Rate>,
    pub(crate) burst: Option<u32>,
    /// The breaker of the one thing it calls; nothing of it starts while that is open.
    pub(crate) breaker: Option<Arc<str>>,
    pub(crate) when: Vec<Condition>,
    pub(crate) responds: bool,
    pub(crate) runner: Arc<dyn Run>,
}

impl Handler {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What may start of it, over all processes.
    pub(crate) fn limit(&self) -> Option<Limit> {
        Some(Limit::new(self.rate?, self.burst))
    }

    /// The handler as the registry stores it.
    pub(crate) fn row(&self) -> HandlerRow {
        HandlerRow {
            name: self.name.to_string(),
            kind: self.kind.as_str(),
            from: self.from.clone(),
            patterns: self.patterns.clone(),
            ordering: self.order.as_str(),
            routing: self.routing(),
        }
    }

    /// What whoever records events for it must know.
    pub(crate) fn routing(&self) -> Routing {
        Routing {
            ordering_key: self.sequence.ordering_key.clone(),
            version: self.sequence.version.clone(),
            reorder_ms: i32::try_from(self.sequence.window.as_millis()).unwrap_or(i32::MAX),
            halts: self.policy.on_failure == OnFailure::Halt,
            // Conditions that can't be written as JSON were refused by `check`.
            when: (!self.when.is_empty()).then(|| serde_json::to_value(&self.when).unwrap_or_default()),
            respond: self.responds,
        }
    }
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("from", &self.from)
            .field("patterns", &self.patterns)
            .field("order", &self.order)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handler::{Context, HandlerError, Raw};

    async fn nothing(_: Raw, _: &mut Context) -> Result<(), HandlerError> {
        Ok(())
    }

    fn named(name: &str) -> Named {
        on("stripe", &["invoice.*"]).name(name)
    }

    #[test]
    fn a_plain_definition_is_accepted_with_the_documented_defaults() {
        let handler = named("credit").run(nothing);
        assert_eq!((handler.kind, handler.order), (Kind::Rust, Order::None));
        assert_eq!((handler.timeout, handler.concurrency), (Duration::from_secs(30), 10));
        assert_eq!(handler.policy, Policy::default());
    }
}
