//! The resolved configuration for people to read. Secrets appear as their reference only.

use sha2::{Digest, Sha256};

use super::Config;

impl Config {
    /// As TOML, in the form of the file. A setting that is not set is left out.
    pub fn to_toml(&self) -> String {
        // Serialising plain tables of strings and numbers cannot fail; an error would be told rather than hidden.
        toml::to_string(self).unwrap_or_else(|error| format!("# cannot be shown: {error}\n"))
    }

    /// As JSON. A setting that is not set is null.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_else(|error| serde_json::Value::String(error.to_string()))
    }

    /// 16 hex digits that agree between processes which treat a webhook alike. Listeners, roles, connections and
    /// folders differ between machines by design and are left out, and so are secret values: a digest that many can
    /// see must not help to guess them.
    pub fn fingerprint(&self) -> String {
        let mut shown = self.to_json();
        if let Some(sections) = shown.as_object_mut() {
            sections.retain(|section, _| {
                matches!(
                    section.as_str(),
                    "source" | "forward" | "handler_defaults" | "retention" | "registry" | "worker"
                )
            });
        }
        let digest = Sha256::digest(shown.to_string().as_bytes());
        hex::encode(&digest[..8])
    }
}
