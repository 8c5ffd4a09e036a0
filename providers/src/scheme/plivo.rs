//! What Plivo signs of a call: the URL, its query sorted, and the sorted fields of the form.
//! <https://www.plivo.com/docs/voice/concepts/signature-validation>

use super::message::is_form;
use crate::Request;

/// A `?` stands before the fields even when there is no query, and a dot between the two.
pub(super) fn url_and_form(request: &Request<'_>) -> String {
    let (base, query) = request.url.split_once('?').unwrap_or((request.url, ""));
    let query = sorted(query.split('#').next().unwrap_or_default().as_bytes());
    let fields = if is_form(request.headers) { sorted(request.body) } else { Vec::new() };
    let pairs: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut signed = base.split('#').next().unwrap_or_default().to_owned();
    if !pairs.is_empty() || !fields.is_empty() {
        signed.push('?');
    }
    signed.push_str(&pairs.join("&"));
    if !pairs.is_empty() && !fields.is_empty() {
        signed.push('.');
    }
    signed.extend(fields.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]));
    signed
}

fn sorted(form: &[u8]) -> Vec<(String, String)> {
    let mut pairs: Vec<_> = form_urlencoded::parse(form).into_owned().collect();
    pairs.sort_unstable();
    pairs
}
