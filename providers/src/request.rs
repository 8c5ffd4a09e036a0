//! A request as it was received: borrowed, raw, and with its headers in order.

/// The header lines of a request in the order received: lower-cased name, raw value bytes.
///
/// Values are bytes because HTTP allows any; nothing here decodes or trims them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, Vec<u8>)>);

/// A header that may appear once appeared several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeated;

impl Headers {
    /// No headers.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a header line after those already there. The name is lower-cased.
    pub fn push(&mut self, name: &str, value: impl Into<Vec<u8>>) {
        self.0.push((name.to_ascii_lowercase(), value.into()));
    }

    /// Every header line, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// The value of a header (lower-case name) that must not be repeated.
    ///
    /// Two lines of one security header let a proxy and us read different ones, so they are an error, never "the first".
    pub fn single(&self, name: &str) -> Result<Option<&[u8]>, Repeated> {
        self.single_where(|candidate| candidate == name)
    }

    pub(crate) fn single_where(&self, is: impl Fn(&str) -> bool) -> Result<Option<&[u8]>, Repeated> {
        let mut values = self.iter().filter(|(name, _)| is(name)).map(|(_, value)| value);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(Repeated),
            (value, None) => Ok(value),
        }
    }
}

impl<N: AsRef<str>, V: Into<Vec<u8>>> FromIterator<(N, V)> for Headers {
    fn from_iter<T: IntoIterator<Item = (N, V)>>(lines: T) -> Self {
        let mut headers = Self::new();
        headers.extend(lines);
        headers
    }
}

impl<N: AsRef<str>, V: Into<Vec<u8>>> Extend<(N, V)> for Headers {
    fn extend<T: IntoIterator<Item = (N, V)>>(&mut self, lines: T) {
        for (name, value) in lines {
            self.push(name.as_ref(), value);
        }
    }
}

/// Names only: values may hold credentials.
impl std::fmt::Debug for Headers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().map(|(name, _)| name)).finish()
    }
}

/// One HTTP request to judge.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The method as received, upper case.
    pub method: &'a str,
    /// The public URL of the source with the raw request target: what the sender called, not what a proxy made of it.
    pub url: &'a str,
    /// The headers as received.
    pub headers: &'a Headers,
    /// The body as received.
    pub body: &'a [u8],
}

/// No body and no header values: both may hold what must not be logged.
impl std::fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("headers", self.headers)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}
