//! Forwards on the wire: who is called and how, what is sent once and what twice, and what a destination can do wrong.

mod authentication;
mod proxies;
mod resends;
mod slow;
mod statuses;
mod tls;
mod troubles;
mod wire;

use sqlx::PgPool;

/// A forward named `app` of everything from the source `stripe`, that retries at once. `more` are lines of its table.
fn forward(to: &str, more: &str) -> String {
    format!(
        "[[forward]]\nname = 'app'\nfrom = 'stripe'\nevents = ['*']\nto = '{to}'\nsign = 'none'\n\
         backoff_base = '1ms'\nbackoff_cap = '1ms'\n{more}\n"
    )
}

/// The error of the first attempt that ended.
async fn first_error(pool: &PgPool) -> Option<String> {
    sqlx::query_scalar("select error from hookgate.attempts order by ended_at limit 1")
        .fetch_optional(pool)
        .await
        .expect("read attempts")
        .flatten()
}
