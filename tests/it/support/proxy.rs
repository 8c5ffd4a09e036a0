//! A socket between a gateway and its Postgres that can be cut or go silent.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

use super::postgres::{TestDatabase, fresh_folder};

/// What the line does with what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Open,
    /// Connections end at once, new ones too.
    Cut,
    /// Connections stay, and nothing comes through: a network that drops packets, a server that hangs.
    Silent,
}

/// The line as one connection sees it: what goes for all, unless the connection was abandoned.
#[derive(Debug, Clone, Copy)]
struct State {
    line: Line,
    /// Connections that began before are silent for good.
    since: u64,
}

/// A proxy to a test's database. Ends with the test.
#[derive(Debug)]
pub(crate) struct Proxy {
    folder: PathBuf,
    line: watch::Sender<State>,
}

impl Proxy {
    /// A proxy, open, and the database as seen through it.
    pub(crate) async fn before(database: &TestDatabase) -> (Self, TestDatabase) {
        let options = database.options();
        let socket = options.get_socket().expect("a Unix socket").to_owned();
        let file = format!(".s.PGSQL.{}", options.get_port());
        let folder = fresh_folder();
        let listener = UnixListener::bind(folder.join(&file)).expect("listen");
        let (line, watched) = watch::channel(State { line: Line::Open, since: 0 });
        tokio::spawn(accept(listener, socket.join(&file).into(), watched));
        let through = database.through(&folder);
        (Self { folder, line }, through)
    }

    pub(crate) fn cut(&self) {
        self.line.send_modify(|state| state.line = Line::Cut);
    }

    pub(crate) fn silence(&self) {
        self.line.send_modify(|state| state.line = Line::Silent);
    }

    pub(crate) fn open(&self) {
        self.line.send_modify(|state| state.line = Line::Open);
    }

    /// Nothing comes through the present connections any more, and nothing ends them: their server's host is gone
    /// without a word, and another one took its place. New connections work.
    pub(crate) fn abandon_connections(&self) {
        self.line.send_modify(|state| state.since += 1);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

async fn accept(listener: UnixListener, server: Arc<Path>, line: watch::Receiver<State>) {
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(carry(client, Arc::clone(&server), line.clone()));
    }
}

async fn carry(client: UnixStream, server: Arc<Path>, mut line: watch::Receiver<State>) {
    let began = line.borrow().since;
    let cut = line.clone();
    let carried = async {
        // While the line is silent a connection is not even made.
        line.wait_for(|state| state.line == Line::Open).await.ok()?;
        let server = UnixStream::connect(server).await.ok()?;
        let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
        tokio::select! {
            () = copy(from_client, to_server, line.clone(), began) => {}
            () = copy(from_server, to_client, line.clone(), began) => {}
        }
        Some(())
    };
    let mut cut = cut;
    tokio::select! {
        _ = carried => {}
        _ = cut.wait_for(|state| state.line == Line::Cut) => {}
    }
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut line: watch::Receiver<State>, began: u64) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        let carries = |state: &State| state.line == Line::Open && state.since == began;
        if line.wait_for(carries).await.is_err() || to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
