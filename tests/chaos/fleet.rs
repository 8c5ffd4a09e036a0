//! The two gateways as processes, and what watches over them: whoever dies is started again, as a service manager would.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::database::Database;
use crate::destination::Destination;
use crate::ledger::Ledger;
use crate::support::gateway::{STANDARD_SECRET, toml};

pub(crate) const GATEWAYS: usize = 2;
/// How soon a service manager starts what ended.
const START_AGAIN: Duration = Duration::from_millis(300);

#[derive(Debug)]
pub(crate) struct Fleet {
    gateways: Vec<Arc<Mutex<Gateway>>>,
    ledger: Arc<Ledger>,
}

#[derive(Debug)]
struct Gateway {
    file: PathBuf,
    log: PathBuf,
    child: Option<Child>,
    ingest: Option<SocketAddr>,
    /// Whether it is to run at all.
    wanted: bool,
}

impl Fleet {
    pub(crate) async fn start(
        folder: &Path,
        database: &Database,
        destination: &Destination,
        ledger: Arc<Ledger>,
    ) -> Self {
        let more = configuration(&destination.url());
        let mut gateways = Vec::new();
        for n in 0..GATEWAYS {
            let file = folder.join(format!("gateway-{n}.toml"));
            std::fs::write(&file, toml(&database.as_test_database(), &more)).expect("write the configuration");
            let log = folder.join(format!("gateway-{n}.log"));
            File::create(&log).expect("make the log");
            gateways.push(Arc::new(Mutex::new(Gateway { file, log, child: None, ingest: None, wanted: true })));
        }
        for gateway in &gateways {
            std::thread::spawn({
                let gateway = Arc::clone(gateway);
                let ledger = Arc::clone(&ledger);
                move || watch_over(&gateway, &ledger)
            });
        }
        let fleet = Self { gateways, ledger };
        fleet.all_up().await;
        fleet
    }

    /// Where a gateway receives now, if it does.
    pub(crate) fn ingest(&self, n: usize) -> Option<SocketAddr> {
        self.gateways[n % GATEWAYS].lock().expect("no panic").ingest
    }

    /// Waits until every gateway receives.
    pub(crate) async fn all_up(&self) {
        let until = Instant::now() + Duration::from_secs(60);
        while !(0..GATEWAYS).all(|n| self.ingest(n).is_some()) {
            if Instant::now() > until {
                let log = |log| std::fs::read_to_string(log).unwrap_or_default();
                let said: Vec<_> = self.logs().into_iter().map(log).collect();
                panic!(
                    "a gateway does not start: {}",
                    said.iter().filter_map(|log| log.lines().last()).collect::<String>()
                );
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Sends a gateway a signal, if it runs.
    pub(crate) fn signal(&self, n: usize, signal: Signal) {
        let mut gateway = self.gateways[n].lock().expect("no panic");
        if signal == Signal::KILL || signal == Signal::TERM {
            gateway.ingest = None;
        }
        if let Some(child) = &gateway.child {
            // It may have ended by itself.
            let _ = kill_process(Pid::from_child(child), signal);
        }
    }

    pub(crate) fn logs(&self) -> Vec<PathBuf> {
        self.gateways.iter().map(|gateway| gateway.lock().expect("no panic").log.clone()).collect()
    }

    /// Stops them in order; complains of one that does not end.
    pub(crate) async fn stop(&self, complaints: &mut Vec<String>) {
        for (n, gateway) in self.gateways.iter().enumerate() {
            gateway.lock().expect("no panic").wanted = false;
            self.signal(n, Signal::TERM);
        }
        let until = Instant::now() + Duration::from_secs(30);
        for (n, gateway) in self.gateways.iter().enumerate() {
            while gateway.lock().expect("no panic").child.is_some() {
                if Instant::now() > until {
                    complaints.push(format!("gateway {n} did not end within 30 s of SIGTERM"));
                    self.signal(n, Signal::KILL);
                    break;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        self.ledger.add("gateways", "stopped in order at the end", GATEWAYS as u64);
    }
}

/// Short times, so that a minute sees many leases; and budgets that no number of faults uses up. What the tests'
/// configuration says too goes into the environment, which has the last word.
const ENVIRONMENT: [(&str, &str); 4] = [
    ("HOOKGATE__WORKER__LEASE", "4s"),
    ("HOOKGATE__WORKER__HEARTBEAT", "1s"),
    ("HOOKGATE__WORKER__RESCUES", "1000"),
    ("HOOKGATE__LOG__LEVEL", "info"),
];

fn configuration(destination: &str) -> String {
    format!(
        r#"
[[forward]]
name = "forwarded"
from = "stripe"
events = ["forwarded.*"]
to = "{destination}"
secret = {{ literal = "{STANDARD_SECRET}" }}
attempts = 10000
timeout = "2s"
concurrency = 8
backoff_base = "100ms"
backoff_cap = "1s"
"#
    )
}

/// Starts the process, waits for its end, and starts it again, for as long as it is wanted.
fn watch_over(gateway: &Mutex<Gateway>, ledger: &Ledger) {
    loop {
        let output = {
            let mut gateway = gateway.lock().expect("no panic");
            if !gateway.wanted {
                return;
            }
            let log = OpenOptions::new().append(true).open(&gateway.log).expect("open the log");
            let mut child = Command::new(std::env::current_exe().expect("this program"))
                .args(["gateway".as_ref(), gateway.file.as_os_str()])
                .envs(ENVIRONMENT)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(log)
                .spawn()
                .expect("start a gateway");
            ledger.count("gateways", "starts");
            let output = child.stdout.take().expect("its output");
            gateway.child = Some(child);
            output
        };
        let mut lines = BufReader::new(output).lines();
        let ready = lines.next().and_then(Result::ok).and_then(|line| line.strip_prefix("ready: ")?.parse().ok());
        gateway.lock().expect("no panic").ingest = ready;
        // Until it closes its output, which it does by ending.
        lines.for_each(drop);
        let mut gateway = gateway.lock().expect("no panic");
        gateway.ingest = None;
        if let Some(mut child) = gateway.child.take() {
            let status = child.wait().expect("its end");
            if ready.is_none() && status.code().is_some() {
                ledger.count("gateways", "starts that the database's state refused");
            }
        }
        drop(gateway);
        std::thread::sleep(START_AGAIN);
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for gateway in &self.gateways {
            let mut gateway = gateway.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            gateway.wanted = false;
            if let Some(child) = &mut gateway.child {
                let _ = child.kill();
            }
        }
    }
}
