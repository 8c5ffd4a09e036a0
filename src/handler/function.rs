//! Makes a plain `async fn` runnable.

use std::future::Future;
use std::marker::PhantomData;

use futures_util::future::BoxFuture;

use super::{Context, FromDelivery, HandlerError, Run};

/// An async function that takes a payload and `&mut Context`.
///
/// Implemented for every such function. It exists because the future borrows the context, and only a trait with the
/// lifetime as a parameter can say so for every lifetime at once.
pub trait HandlerFn<'a, E>: Send + Sync + 'static {
    /// What the function returns.
    type Future: Future<Output = Result<(), HandlerError>> + Send + 'a;

    /// Calls it.
    fn call(&self, event: E, cx: &'a mut Context) -> Self::Future;
}

impl<'a, E, F, Returned> HandlerFn<'a, E> for F
where
    F: Fn(E, &'a mut Context) -> Returned + Send + Sync + 'static,
    Returned: Future<Output = Result<(), HandlerError>> + Send + 'a,
{
    type Future = Returned;

    fn call(&self, event: E, cx: &'a mut Context) -> Returned {
        self(event, cx)
    }
}

/// A function together with the type of its payload.
pub(super) struct Function<F, E, Via> {
    call: F,
    takes: PhantomData<fn() -> (E, Via)>,
}

impl<F, E, Via> Function<F, E, Via> {
    pub(super) fn new(call: F) -> Self {
        Self { call, takes: PhantomData }
    }
}

impl<F, E, Via> Run for Function<F, E, Via>
where
    F: for<'a> HandlerFn<'a, E>,
    E: FromDelivery<Via> + Send + 'static,
    Via: 'static,
{
    fn run<'a>(&'a self, cx: &'a mut Context) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(async move {
            let event = E::from_delivery(cx.delivery())?;
            self.call.call(event, cx).await
        })
    }
}
