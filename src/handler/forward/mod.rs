//! stub
pub(crate) struct Forward;
impl super::Run for Forward {
    fn run<'a>(
        &'a self,
        _: &'a mut super::Context,
    ) -> futures_util::future::BoxFuture<'a, Result<(), super::HandlerError>> {
        Box::pin(async { Ok(()) })
    }
}
