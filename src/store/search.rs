//! Read queries of the operator API.
