//! From a delivery's bytes to what the handler's function takes.

use std::any::type_name;

use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::{Delivery, HandlerError};

/// What a handler's function may take as its first argument: any type serde decodes from JSON, or [`Raw`].
///
/// `Via` tells the two apart for the compiler; nobody writes it.
pub trait FromDelivery<Via>: Sized {
    /// Decodes the event. An error makes the job dead: the same bytes never decode differently.
    fn from_delivery(delivery: &Delivery) -> Result<Self, HandlerError>;
}

/// The bytes that were received, for handlers that decode themselves.
#[derive(Clone, PartialEq, Eq)]
pub struct Raw(pub Bytes);

/// Markers that keep the implementations of [`FromDelivery`] apart.
#[doc(hidden)]
pub mod via {
    pub enum Json {}
    pub enum Bytes {}
}

impl FromDelivery<via::Bytes> for Raw {
    fn from_delivery(delivery: &Delivery) -> Result<Self, HandlerError> {
        Ok(Self(delivery.body.clone()))
    }
}

impl<E: DeserializeOwned> FromDelivery<via::Json> for E {
    fn from_delivery(delivery: &Delivery) -> Result<Self, HandlerError> {
        let _ = (delivery, type_name::<E>());
        Err(HandlerError::undecodable(String::new()))
    }
}
