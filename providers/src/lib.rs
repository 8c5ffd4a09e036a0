//! Webhook providers as values.
