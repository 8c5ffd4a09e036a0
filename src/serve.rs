//! Serves a router on a listener: with a deadline for headers, and an end that answers what is in flight.
//!
//! `axum::serve` has no header timeout, so a sender that never finishes its headers would hold its connection for ever.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::{Router, body::Body};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// After an accept error that is not one connection's own, such as no free file descriptor.
const BREATHER: Duration = Duration::from_millis(100);

/// Serves until told to stop, then waits at most `grace` for the requests in flight.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    header_timeout: Duration,
    grace: Duration,
    stop: CancellationToken,
) {
    let mut server = auto::Builder::new(TokioExecutor::new());
    server.http1().timer(TokioTimer::new()).header_read_timeout(header_timeout);
    server.http2().timer(TokioTimer::new()).keep_alive_interval(header_timeout).keep_alive_timeout(header_timeout);
    let graceful = GracefulShutdown::new();
    loop {
        let (stream, peer) = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "listener.accept_failed");
                    tokio::time::sleep(BREATHER).await;
                    continue;
                }
            },
        };
        let connection = server.serve_connection(io(stream), service(router.clone(), peer)).into_owned();
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            // A sender that breaks its connection is everyday.
            if let Err(error) = watched.await {
                tracing::debug!(error, "connection.ended");
            }
        });
    }
    drop(listener);
    if tokio::time::timeout(grace, graceful.shutdown()).await.is_err() {
        tracing::warn!("listener.grace_over: some requests were cut off");
    }
}

fn io(stream: TcpStream) -> TokioIo<TcpStream> {
    // Answers are small and wanted at once.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "listener.nodelay_failed");
    }
    TokioIo::new(stream)
}

fn service(
    router: Router,
    peer: SocketAddr,
) -> impl hyper::service::Service<
    http::Request<Incoming>,
    Response = http::Response<Body>,
    Error = Infallible,
    Future: Send + 'static,
> + Clone
+ Send
+ 'static {
    hyper::service::service_fn(move |request: http::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    })
}
