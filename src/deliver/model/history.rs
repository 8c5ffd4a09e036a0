//! Runs histories, and makes one that fails as short as it gets.

use std::fmt;
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;

use super::count::Ledger;
use super::operation::{Operation, Random};
use super::reference::Violation;
use super::stage::Stage;
use super::world::World;

/// At least so many operations that did something.
const SHORTEST: usize = 30;
/// How long a failing history is made shorter.
const SHRINKING: Duration = Duration::from_secs(20);

/// A history in which a rule was broken.
#[derive(Debug)]
pub(super) struct Failure {
    seed: u64,
    found: Violation,
    length: usize,
    operations: Vec<Operation>,
    violation: Violation,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "history {:#018x}, {} operations: {}", self.seed, self.length, self.found)?;
        writeln!(f, "made shorter, {} operations: {}", self.operations.len(), self.violation)?;
        for operation in &self.operations {
            writeln!(f, "  {operation:?}")?;
        }
        Ok(())
    }
}

/// Runs the history of a seed.
pub(super) async fn run(stage: &mut Stage, seed: u64) -> Result<Ledger, Box<Failure>> {
    let mut operations = Vec::new();
    match drawn(stage, seed, &mut operations).await {
        Ok(ledger) => Ok(ledger),
        Err(violation) => Err(Box::new(shrink(stage.options(), seed, operations, violation).await)),
    }
}

/// Some histories have no poll: their workers look when they are told to.
fn polls(seed: u64) -> bool {
    !seed.is_multiple_of(3)
}

async fn drawn(stage: &mut Stage, seed: u64, operations: &mut Vec<Operation>) -> Result<Ledger, Violation> {
    let mut random = Random::new(seed);
    let length = SHORTEST + random.below(16);
    let mut world = World::begin(stage, polls(seed)).await?;
    let mut happened = 0;
    while happened < length {
        operations.push(random.operation());
        match world.step(&operations[operations.len() - 1]).await? {
            true => happened += 1,
            false => drop(operations.pop()),
        }
    }
    finish(world, happened).await
}

/// Runs these operations, whoever drew them.
pub(super) async fn told(stage: &mut Stage, seed: u64, operations: &[Operation]) -> Result<Ledger, Violation> {
    let mut world = World::begin(stage, polls(seed)).await?;
    for operation in operations {
        world.step(operation).await?;
    }
    finish(world, operations.len()).await
}

async fn finish(mut world: World<'_>, happened: usize) -> Result<Ledger, Violation> {
    world.end().await?;
    let mut ledger = std::mem::take(&mut world.reference.ledger);
    (ledger.histories, ledger.operations) = (1, happened as u64);
    Ok(ledger)
}

/// Takes operations out for as long as what is left still breaks a rule: halves first, single ones last. On a fresh stage
/// each time, since the one that failed may hold locks.
async fn shrink(options: PgConnectOptions, seed: u64, all: Vec<Operation>, found: Violation) -> Failure {
    let began = Instant::now();
    let (mut operations, mut violation) = (all.clone(), found.clone());
    let mut size = operations.len().div_ceil(2);
    while size > 0 && began.elapsed() < SHRINKING {
        let mut at = 0;
        let mut shorter = false;
        while at < operations.len() && began.elapsed() < SHRINKING {
            let mut fewer = operations.clone();
            fewer.drain(at..(at + size).min(fewer.len()));
            let Ok(mut stage) = Stage::set(options.clone()).await else { break };
            match told(&mut stage, seed, &fewer).await {
                Err(other) if rule(&other) == rule(&found) => (operations, violation, shorter) = (fewer, other, true),
                _ => at += size,
            }
        }
        if !(shorter && size == 1) {
            size /= 2;
        }
    }
    Failure { seed, found, length: all.len(), operations, violation }
}

/// Which rule it was, as far as a sentence tells: a shorter history that breaks another one explains nothing.
fn rule(violation: &Violation) -> String {
    violation.chars().take(12).collect()
}
