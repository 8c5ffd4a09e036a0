//! The Postgres that both sides use: hookgate's embedded one, fsync on, in a folder that is gone afterwards.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use hookgate::embedded::{Embedded, Options};
use sqlx::postgres::{PgPool, PgPoolOptions};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use crate::{Failed, processor};

/// A running server and its folder.
#[derive(Debug)]
pub(crate) struct Postgres {
    server: Embedded,
    folder: PathBuf,
    pub(crate) pool: PgPool,
    programs: PathBuf,
}

impl Postgres {
    /// Starts a fresh cluster below `parent`, durable as in production.
    pub(crate) async fn start(parent: &Path) -> Result<Self, Failed> {
        let folder = parent.join(format!("hookgate-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        // As root the server runs as another user, who must be able to enter.
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755))?;
        let server = Embedded::start(&Options::new(folder.join("data"))).await?;
        let pool = PgPoolOptions::new().max_connections(2).connect_with(server.connect_options()).await?;
        // The server's own programs, so that pgbench and it are of one version.
        let programs: String =
            sqlx::query_scalar("select setting from pg_config where name = 'BINDIR'").fetch_one(&pool).await?;
        Ok(Self { server, folder, pool, programs: programs.into() })
    }

    /// Where scratch files may go; removed with the rest.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// As a gateway's `database.url` wants it.
    pub(crate) fn url(&self) -> Result<String, Failed> {
        let (socket, port) = self.socket()?;
        // In the host part of a URL a path's slashes must be escaped.
        let host = socket.replace('/', "%2F");
        Ok(format!("postgres://hookgate@{host}:{port}/hookgate?sslmode=disable"))
    }

    /// One of Postgres' client programs, told how to connect.
    pub(crate) fn client(&self, name: &str) -> Result<Command, Failed> {
        let (socket, port) = self.socket()?;
        let mut command = self.program(name)?;
        command.args(["-h", &socket, "-p", &port.to_string(), "-U", "hookgate"]);
        Ok(command)
    }

    fn socket(&self) -> Result<(String, u16), Failed> {
        let options = self.server.connect_options();
        let socket = options.get_socket().ok_or("the embedded server has no socket")?;
        Ok((socket.display().to_string(), options.get_port()))
    }

    fn program(&self, name: &str) -> Result<Command, Failed> {
        let path = self.programs.join(name);
        if !path.exists() {
            return Err(format!("{} is missing: install Postgres' client and contrib programs", path.display()).into());
        }
        let mut command = Command::new(path);
        command.kill_on_drop(true).current_dir(&self.folder).stdin(Stdio::null());
        Ok(command)
    }

    /// Processor time of the whole server so far. Complete once its clients have disconnected.
    pub(crate) async fn used(&self) -> Result<Duration, Failed> {
        let file: String = sqlx::query_scalar("select pg_read_file('postmaster.pid')").fetch_one(&self.pool).await?;
        let pid = file.lines().next().unwrap_or_default().parse()?;
        Ok(processor::of_family(pid))
    }

    /// What pg_test_fsync says of fdatasync on this disk, such as "1234.5 ops/sec 810 usecs/op".
    pub(crate) async fn fdatasync(&self) -> Result<String, Failed> {
        let mut command = self.program("pg_test_fsync")?;
        command.args(["-s", "1", "-f"]).arg(self.folder.join("fsync")).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("pg_test_fsync has no output")?).lines();
        let mut figure = String::from("not measured");
        while let Some(line) = lines.next_line().await? {
            // The first table, one 8 kB write, is what a commit does; the rest is not waited for.
            if let Some(rest) = line.trim().strip_prefix("fdatasync")
                && rest.contains("ops/sec")
            {
                figure = rest.split_whitespace().collect::<Vec<_>>().join(" ");
                break;
            }
        }
        child.kill().await?;
        Ok(figure)
    }

    /// Stops the server and removes the folder.
    pub(crate) async fn remove(self) -> Result<(), Failed> {
        self.pool.close().await;
        self.server.stop().await?;
        std::fs::remove_dir_all(&self.folder)?;
        Ok(())
    }
}
