//! A line to Postgres that loses the answer to a COMMIT, or the COMMIT itself: what a network does at the worst moment.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};

use super::postgres::{TestDatabase, fresh_folder};

/// `COMMIT` as a simple query (<https://www.postgresql.org/docs/current/protocol-message-formats.html>).
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";
const CARRIES: u8 = 0;
const LOSES_COMMIT: u8 = 1;
const LOSES_ANSWER: u8 = 2;

/// A proxy to a test's database. Ends with the test.
#[derive(Debug)]
pub(crate) struct Line {
    folder: PathBuf,
    next: Arc<AtomicU8>,
}

impl Line {
    /// A line, and the database as seen through it.
    pub(crate) async fn to(database: &TestDatabase) -> (Self, TestDatabase) {
        let options = database.options();
        let file = format!(".s.PGSQL.{}", options.get_port());
        let server: Arc<Path> = options.get_socket().expect("a Unix socket").join(&file).into();
        let folder = fresh_folder();
        let listener = UnixListener::bind(folder.join(&file)).expect("listen");
        let next = Arc::new(AtomicU8::new(CARRIES));
        let losing = Arc::clone(&next);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, Arc::clone(&server), Arc::clone(&losing)));
            }
        });
        let through = database.through(&folder);
        (Self { folder, next }, through)
    }

    /// The next COMMIT arrives and is carried out; its answer is lost together with the connection.
    pub(crate) fn lose_the_answer_to_the_next_commit(&self) {
        self.next.store(LOSES_ANSWER, Ordering::SeqCst);
    }

    /// The next COMMIT does not arrive; the connection is lost.
    pub(crate) fn lose_the_next_commit(&self) {
        self.next.store(LOSES_COMMIT, Ordering::SeqCst);
    }

    /// Whether a COMMIT was lost as asked.
    pub(crate) fn has_lost_it(&self) -> bool {
        self.next.load(Ordering::SeqCst) == CARRIES
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

async fn carry(mut client: UnixStream, server: Arc<Path>, losing: Arc<AtomicU8>) -> Option<()> {
    let mut server = UnixStream::connect(server).await.ok()?;
    let (mut asked, mut answered) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let asked = &asked[..read.ok().filter(|read| *read > 0)?];
                if asked.ends_with(COMMIT) {
                    match losing.swap(CARRIES, Ordering::SeqCst) {
                        LOSES_COMMIT => return None,
                        LOSES_ANSWER => {
                            server.write_all(asked).await.ok()?;
                            // Its answer means that it is done.
                            let _: usize = server.read(&mut answered).await.ok()?;
                            return None;
                        }
                        _ => {}
                    }
                }
                server.write_all(asked).await.ok()?;
            }
            read = server.read(&mut answered) => {
                client.write_all(&answered[..read.ok().filter(|read| *read > 0)?]).await.ok()?;
            }
        }
    }
}
