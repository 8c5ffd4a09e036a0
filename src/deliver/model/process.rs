//! One worker, driven step by step: it runs no handler further than the history says.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::super::claim::{self, Claim, Claimed};
use super::super::served::{Asked, Asking, Served};
use super::super::{Settings, Wake, Worker};
use super::operation::End;
use super::reference::{self, Violation, Work};
use crate::answers::Answers;
use crate::breaker;
use crate::database::Pools;
use crate::handler::{Context, Fail, Handler, HandlerError, Order, Raw, State, on};
use crate::registry::Plan;

/// Longer than any history: who is silent, the history says.
pub(super) const LEASE: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// How many jobs of a handler a worker runs at a time.
pub(super) const PLACES: usize = 3;

pub(super) enum Command {
    Write(oneshot::Sender<()>),
    End(End),
}

/// A handler began.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) delivery: Uuid,
    pub(super) handler: reference::Handler,
    pub(super) attempt: i32,
    pub(super) commands: UnboundedSender<Command>,
}

/// How handlers tell that they began.
struct Stage(UnboundedSender<Started>);

/// A task of a worker, and what the reference says it holds.
pub(super) struct Slot {
    pub(super) work: Work,
    pub(super) task: JoinHandle<()>,
    pub(super) commands: UnboundedSender<Command>,
}

pub(super) struct Process {
    pub(super) worker: Arc<Worker>,
    plan: Option<Plan>,
    pub(super) started: UnboundedReceiver<Started>,
    pub(super) slots: Vec<Slot>,
}

/// What a look brought, before any of it runs.
pub(super) struct Looked {
    pub(super) claims: Vec<Claim>,
    pub(super) asked: Vec<Asked>,
    /// Where it brought nothing, the worker waits until it is told, or for its poll.
    pub(super) rests: bool,
}

impl Process {
    pub(super) fn new(pool: PgPool, wake: Arc<Wake>) -> Self {
        let (told, started) = unbounded_channel();
        let mut state = State::default();
        state.insert(Stage(told));
        let settings = Settings {
            poll: LEASE,
            heartbeat: LEASE,
            lease: LEASE,
            lane_claim: reference::Handler::LANE_CLAIM as i64,
            release: 1,
            config_hash: String::new(),
            shares: [1; 3],
            // No handler here has one.
            breaker: breaker::Policy { failures: 1, within: LEASE, open_for: LEASE, longest: LEASE },
        };
        let pools = Pools { ingest: pool.clone(), worker: pool.clone(), operator: pool };
        let stop = CancellationToken::new();
        // Nobody here waits for an answer.
        let answers = Arc::new(Answers::new(0, stop.clone()));
        let worker = Worker::new(&pools, settings, handlers(), Arc::new(state), (wake, answers), stop);
        Self { worker: Arc::new(worker), plan: None, started, slots: Vec::new() }
    }

    pub(super) fn id(&self) -> Uuid {
        self.worker.id
    }

    /// Asks for work as a worker's look does, in a task of its own. `None`: no place is free.
    pub(super) async fn look(&mut self) -> Result<Option<JoinHandle<sqlx::Result<Looked>>>, Violation> {
        let worker = Arc::clone(&self.worker);
        let plan = worker.current(&mut self.plan).await.map_err(|error| error.to_string())?;
        let ask = |served: &Arc<Served>| match served.ask(plan, &worker.breakers) {
            Asking::This(this) => Some(this),
            Asking::NotNow(_) => None,
        };
        let asked: Vec<Asked> = worker.served.iter().filter_map(ask).collect();
        if asked.is_empty() {
            return Ok(None);
        }
        Ok(Some(tokio::spawn(async move {
            let number = worker.live.number();
            let Claimed { claims, got, again_in } = claim::claim(&worker, &asked, &number).await?;
            asked.iter().zip(&got).for_each(|(asked, got)| asked.got(got));
            Ok(Looked { claims, asked, rests: again_in.is_none() })
        })))
    }

    /// Begins to work a claim off, as a worker does; the first job's handler has begun when this returns.
    pub(super) async fn start(
        &mut self,
        claim: Claim,
        asked: &mut [Asked],
    ) -> Result<(JoinHandle<()>, Started), Violation> {
        let asked = asked.iter_mut().find(|asked| asked.has(claim.subscription()));
        let Some((served, place)) = asked.and_then(Asked::take_place) else {
            return Err("more was claimed than there are places".to_owned());
        };
        let mut task = self.worker.running.spawn(Arc::clone(&self.worker).start(served, claim, place));
        let started = tokio::select! {
            biased;
            started = self.started.recv() => started.ok_or("no handler can begin")?,
            _ = &mut task => return Err("a claim was made, and no handler began".to_owned()),
        };
        Ok((task, started))
    }
}

fn handlers() -> Vec<Handler> {
    use reference::Handler as Meant;
    let wait = Duration::ZERO;
    let mut handlers = vec![
        on("s", &["both", "ordered"]).name("ordered").order(Order::Lane).run(ordered),
        on("s", &["both", "free"]).name("free").run(free),
    ];
    for handler in &mut handlers {
        handler.concurrency = PLACES;
        handler.timeout = DAY;
        handler.policy.attempts = Meant::ATTEMPTS as u32;
        handler.policy.rescues = Meant::RESCUES as u32;
        // No wait but the one a handler asks for: a short one its lane can bear, a long one it can't.
        handler.policy.backoff_base = wait;
        handler.policy.backoff_cap = 20 * DAY;
        handler.policy.block_for = 5 * DAY;
        handler.policy.snooze_limit = SNOOZE * Meant::SNOOZES as u32 + SNOOZE / 2;
    }
    handlers
}

/// How the registry and the database know them.
pub(super) fn rows() -> Vec<crate::store::registry::HandlerRow> {
    handlers().iter().map(Handler::row).collect()
}

const SNOOZE: Duration = Duration::from_secs(3600);

async fn ordered(_: Raw, cx: &mut Context) -> Result<(), HandlerError> {
    obey(reference::Handler::Ordered, cx).await
}

async fn free(_: Raw, cx: &mut Context) -> Result<(), HandlerError> {
    obey(reference::Handler::Free, cx).await
}

async fn obey(handler: reference::Handler, cx: &mut Context) -> Result<(), HandlerError> {
    let (commands, mut given) = unbounded_channel();
    let delivery = cx.delivery().id();
    let started = Started { delivery, handler, attempt: cx.attempt() as i32, commands };
    let told = cx.state::<Stage>()?.0.send(started);
    told.map_err(|_| HandlerError::because("the history has ended"))?;
    loop {
        match given.recv().await {
            Some(Command::Write(done)) => {
                let name = if handler == reference::Handler::Ordered { "ordered" } else { "free" };
                sqlx::query("insert into model_effect (delivery, handler) values ($1, $2)")
                    .bind(delivery)
                    .bind(name)
                    .execute(cx.tx().await?)
                    .await?;
                let _ = done.send(());
            }
            Some(Command::End(end)) => return end.carry_out(cx).await,
            // The history forgot this task: what it does from here on is nobody's.
            None => std::future::pending().await,
        }
    }
}

impl End {
    async fn carry_out(self, cx: &mut Context) -> Result<(), HandlerError> {
        let failed = || HandlerError::because("as the history says");
        match self {
            Self::Ok => Ok(()),
            Self::Short => Err(failed().retry_after(DAY)),
            Self::Long => Err(failed().retry_after(10 * DAY)),
            // Without the hook, which would print each of them.
            Self::Panic => resume_unwind(Box::new("as the history says")),
            Self::Permanent => Err(failed().permanent()),
            Self::Undecodable => Err(HandlerError::undecodable("as the history says".to_owned())),
            Self::Escape => {
                sqlx::query("commit").execute(cx.tx().await?).await?;
                Ok(())
            }
            Self::Snooze => Err(Fail::snooze(failed(), SNOOZE)),
        }
    }
}
