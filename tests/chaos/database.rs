//! The soak's own Postgres, durable, and what is done to it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use hookgate::Gateway;
use hookgate::config::{Config, Mode};
use hookgate::embedded::{Embedded, Options};
use rustix::process::{Pid, Signal, kill_process};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection};

use crate::support::postgres::TestDatabase;

const NAME: &str = "soak";

/// A server with fsync on, and the database in it.
#[derive(Debug)]
pub(crate) struct Database {
    options: Options,
    server: tokio::sync::Mutex<Option<Embedded>>,
    connect: PgConnectOptions,
}

/// How a server ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stop {
    /// As an operator restarts it: sessions are cut off, a checkpoint is written.
    Fast,
    /// Without a checkpoint: it recovers at its start.
    Immediate,
    /// As the out-of-memory killer does it.
    Kill,
}

impl Database {
    pub(crate) async fn start(folder: &Path) -> Self {
        let options = Options::new(folder);
        let server = Embedded::start(&options).await.expect("start Postgres");
        let connect = server.connect_options().application_name("soak");
        let mut maintenance = connect.connect().await.expect("connect");
        maintenance.execute(AssertSqlSafe(format!("create database {NAME}"))).await.expect("make the database");
        let connect = connect.database(NAME);
        let database = Self { options, server: tokio::sync::Mutex::new(Some(server)), connect };
        let toml = format!("[database]\nurl = {:?}\n", database.as_test_database().url());
        let config = Config::from_toml(&toml, &BTreeMap::new(), Mode::Dev).expect("a configuration");
        Gateway::builder().config(config).migrate().await.expect("migrate");
        database
            .execute(
                "create table effect (id bigint generated always as identity, kind text not null, event text not null,
                     key text not null, n bigint not null, attempt int not null, sequence bigint)",
            )
            .await
            .expect("make the effects' table");
        database
    }

    /// As the tests' configuration wants it.
    pub(crate) fn as_test_database(&self) -> TestDatabase {
        TestDatabase::at(NAME, self.connect.clone())
    }

    pub(crate) async fn pool(&self) -> PgPool {
        PgPoolOptions::new().max_connections(2).connect_with(self.connect.clone()).await.expect("connect")
    }

    async fn execute(&self, sql: &str) -> sqlx::Result<()> {
        let mut connection = self.connect.connect().await?;
        connection.execute(AssertSqlSafe(sql.to_owned())).await?;
        connection.close().await
    }

    /// Ends the server and starts it again after `away`.
    pub(crate) async fn restart(&self, how: Stop, away: Duration) {
        let mut server = self.server.lock().await;
        let folder = server.as_ref().expect("a server").data_folder().to_owned();
        let file = folder.join("postgres/postmaster.pid");
        let text = std::fs::read_to_string(&file).expect("read postmaster.pid");
        let pid = text.lines().next().and_then(|line| Pid::from_raw(line.parse().ok()?)).expect("a pid");
        let signal = match how {
            Stop::Fast => Signal::INT,
            Stop::Immediate => Signal::QUIT,
            Stop::Kill => Signal::KILL,
        };
        kill_process(pid, signal).expect("signal Postgres");
        let until = Instant::now() + Duration::from_secs(60);
        while is_there(pid) && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        tokio::time::sleep(away).await;
        // The old handle only holds a lock that says "in use"; the new one takes it over.
        *server = Some(Embedded::start(&self.options).await.expect("start Postgres again"));
    }

    /// Ends every session of the gateways.
    pub(crate) async fn terminate_backends(&self) {
        let sql = "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'hookgate%'";
        self.execute(sql).await.expect("terminate");
    }

    /// Takes every connection slot there is, for a while.
    pub(crate) async fn fill_slots(&self, held: Duration) {
        let mut taken: Vec<PgConnection> = Vec::new();
        let until = Instant::now() + held;
        while Instant::now() < until {
            match self.connect.connect().await {
                Ok(connection) => taken.push(connection),
                // Full: take those of the gateways too.
                Err(_) => {
                    if let Some(connection) = taken.first_mut() {
                        let sql = "select pg_terminate_backend(pid) from pg_stat_activity
                                    where application_name like 'hookgate%'";
                        connection.execute(sql).await.expect("terminate");
                    }
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    /// Refuses every write for a while, in sessions that are there too, as a server does that became a standby.
    pub(crate) async fn read_only(&self, held: Duration) {
        let reload = "select pg_reload_conf()";
        self.execute("alter system set default_transaction_read_only = on").await.expect("make it read-only");
        self.execute(reload).await.expect("reload");
        tokio::time::sleep(held).await;
        self.execute("alter system reset default_transaction_read_only").await.expect("make it writable");
        self.execute(reload).await.expect("reload");
    }

    pub(crate) async fn stop(&self) {
        if let Some(server) = self.server.lock().await.take() {
            server.stop().await.expect("stop Postgres");
        }
    }
}

/// Whether the process still runs. A dead one that nobody waited for has no command line any more.
fn is_there(pid: Pid) -> bool {
    std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).is_ok_and(|line| !line.is_empty())
}
