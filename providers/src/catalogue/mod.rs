//! Every provider, one file each. A new one is a file here, a line below, and its samples.

use crate::Provider;

mod github;
mod shopify;
mod slack;
mod standard_webhooks;
mod stripe;

/// Every provider there is, by name.
pub const ALL: &[&Provider] =
    &[&github::PROVIDER, &shopify::PROVIDER, &slack::PROVIDER, &standard_webhooks::PROVIDER, &stripe::PROVIDER];

/// The provider of this name.
pub fn find(name: &str) -> Option<&'static Provider> {
    ALL.iter().find(|provider| provider.name == name).copied()
}
