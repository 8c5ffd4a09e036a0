//! PgBouncer in transaction mode before a test's server, as Debian installs it.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::postgres::{TestDatabase, fresh_folder};

/// The same database, with PgBouncer between. `None`, with the reason printed, where there is no PgBouncer.
pub(crate) fn before(database: &TestDatabase) -> Option<TestDatabase> {
    static SHARED: OnceLock<Option<PgBouncer>> = OnceLock::new();
    let options = database.options();
    let socket = options.get_socket().expect("a Unix socket");
    let shared = SHARED.get_or_init(|| PgBouncer::start(socket, options.get_port(), options.get_username()));
    shared.as_ref().map(|pooler| database.through(&pooler.folder))
}

/// A running PgBouncer. Ends with this process, or when dropped.
#[derive(Debug)]
pub(crate) struct PgBouncer {
    shell: Child,
    pub(crate) folder: PathBuf,
}

impl PgBouncer {
    /// Before the server whose socket is in this folder. Few sessions, taken in turn, so that hardly two statements of a
    /// client meet the same one by chance.
    pub(crate) fn start(socket: &Path, port: u16, user: &str) -> Option<Self> {
        let Some(program) = program() else {
            eprintln!("skipped: no PgBouncer is installed (apt-get install pgbouncer)");
            return None;
        };
        let folder = fresh_folder();
        let (file, users) = (folder.join("pgbouncer.ini"), folder.join("users.txt"));
        std::fs::write(&users, format!("\"{user}\" \"\"\n")).expect("write the users");
        let settings = format!(
            "[databases]\n\
             * = host={} port={port}\n\
             [pgbouncer]\n\
             pool_mode = transaction\n\
             server_round_robin = 1\n\
             default_pool_size = 12\n\
             max_client_conn = 2000\n\
             auth_type = trust\n\
             auth_file = {}\n\
             listen_addr =\n\
             listen_port = {port}\n\
             unix_socket_dir = {}\n\
             logfile = {}\n",
            socket.display(),
            users.display(),
            folder.display(),
            folder.join("log").display(),
        );
        std::fs::write(&file, settings).expect("write the settings");
        // It refuses to run as root, and the server's socket is open to the server's user alone.
        let owner = std::fs::metadata(socket).expect("the socket's folder");
        let mut shell = Command::new("sh");
        if rustix::process::geteuid().is_root() {
            chown(&folder, Some(owner.uid()), Some(owner.gid())).expect("give the folder away");
            shell.uid(owner.uid()).gid(owner.gid());
        }
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).expect("open the folder");
        // Ended when the other end of the pipe is gone, however this process went. With KILL: QUIT is ignored by what a shell
        // runs in the background, and TERM waits for clients from version 1.23 on.
        let script = r#""$0" -q "$1" & server=$!; cat >/dev/null; kill -KILL $server"#;
        shell.args(["-c", script]).args([program, file]).current_dir("/").process_group(0);
        let shell = shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let pooler = Self { shell: shell.expect("start PgBouncer"), folder };
        let until = Instant::now() + Duration::from_secs(10);
        while UnixStream::connect(pooler.folder.join(format!(".s.PGSQL.{port}"))).is_err() {
            let log = || std::fs::read_to_string(pooler.folder.join("log")).unwrap_or_default();
            assert!(Instant::now() < until, "PgBouncer does not listen: {}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(pooler)
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Debian puts it where only root's PATH leads.
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    folders.map(|folder| folder.join("pgbouncer")).find(|program| program.is_file())
}
