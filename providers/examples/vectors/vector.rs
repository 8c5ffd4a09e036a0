//! A vector as it stands in its file, and the source it describes: secrets, keys, and what fetching a key would give.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hookgate_providers::{Headers, KeyRequest, Secret};
use serde::Deserialize;
use serde_json::{Value, json};

const BOUNDARY: &str = "hookgate-vectors";

#[derive(Deserialize)]
pub(crate) struct Vector {
    pub(crate) id: String,
    pub(crate) provider: String,
    #[serde(default)]
    pub(crate) kind: String,
    pub(crate) secret: Option<String>,
    pub(crate) secrets: Option<Vec<String>>,
    pub(crate) key: Option<Value>,
    #[serde(default)]
    pub(crate) params: Value,
    #[serde(default)]
    pub(crate) config: Value,
    pub(crate) method: Option<String>,
    pub(crate) url: Option<String>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) headers_list: Option<Vec<(String, String)>>,
    pub(crate) body: Option<String>,
    pub(crate) body_base64: Option<String>,
    pub(crate) timestamp_now: Option<i64>,
    pub(crate) tolerance_s: Option<u32>,
    pub(crate) valid: bool,
    pub(crate) strict_valid: Option<bool>,
    pub(crate) expected_response: Option<Value>,
    pub(crate) expect: Option<Value>,
    pub(crate) meta: Option<Value>,
}

impl Vector {
    /// The body as it is sent: some vectors state the field of a form that holds it.
    pub(crate) fn body(&self) -> Result<Vec<u8>, base64::DecodeError> {
        let body = match &self.body_base64 {
            Some(body) => BASE64_STANDARD.decode(body)?,
            None => self.body.clone().unwrap_or_default().into_bytes(),
        };
        if !self.is_form_field() {
            return Ok(body);
        }
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"json\"\r\n\r\n");
        Ok([head.as_bytes(), &body, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat())
    }

    fn is_form_field(&self) -> bool {
        self.setting("body_is") == Some("decoded json form field")
    }

    pub(crate) fn headers(&self) -> Headers {
        let mut headers: Headers = match &self.headers_list {
            Some(list) => list.iter().map(|(name, value)| (name, value.as_str())).collect(),
            None => self.headers.iter().map(|(name, value)| (name, value.as_str())).collect(),
        };
        if self.is_form_field() {
            headers.push("content-type", format!("multipart/form-data; boundary={BOUNDARY}"));
        }
        headers
    }

    fn setting(&self, name: &str) -> Option<&str> {
        self.params.get(name).or(self.config.get(name)).and_then(Value::as_str)
    }

    fn settings(&self, name: &str) -> impl Iterator<Item = &str> {
        let list = self.params.get(name).or(self.config.get(name)).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str)
    }

    /// The secrets as a source would have them: with the names, users and tokens the vector configures beside them.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        let setting = |name: &str| self.setting(name);
        let name = ["key_name", "api_key", "app_key", "public_key"].into_iter().find_map(setting);
        let named = |secret: &str| match name {
            Some(name) => format!("{name}:{secret}"),
            None => secret.to_owned(),
        };
        let mut texts: Vec<String> =
            self.secrets.iter().flatten().chain(&self.secret).map(|secret| named(secret)).collect();
        if let Some(Value::Object(keys)) = self.params.get("keys") {
            texts = keys.iter().filter_map(|(name, key)| Some(format!("{name}:{}", key.as_str()?))).collect();
        }
        if let Some(Value::Object(keys)) = self.params.get("shared_keys") {
            texts.extend(keys.iter().filter_map(|(name, key)| Some(format!("{name}:{}", key.as_str()?))));
        }
        if let Some(user) = setting("username") {
            texts.push(format!("{user}:{}", setting("password").unwrap_or_default()));
        }
        let tokens = ["verify_token", "verify_code", "verification_token"].into_iter().filter_map(setting);
        texts.extend(tokens.chain(self.settings("topics")).map(|token| format!("verify:{token}")));
        let rate = self.config.get("allowed_rate").and_then(Value::as_u64).map(|rate| format!(" {rate}"));
        let rate = rate.unwrap_or_default();
        texts.extend(self.settings("allowed_origins").map(|origin| format!("verify:{origin}{rate}")));
        texts.extend(setting("secondary").map(str::to_owned));
        texts.extend(self.meant().unwrap_or_else(|| self.keys()));
        texts.into_iter().filter_map(|text| Secret::new(text).ok()).collect()
    }

    /// Where the provider's key is fetched, whose requests are meant.
    fn meant(&self) -> Option<Vec<String>> {
        let setting = |name: &str| self.setting(name);
        match provider_name(&self.provider).as_str() {
            "aws-sns" => Some(self.settings("topic_arns").map(str::to_owned).collect()),
            "paypal" => Some(setting("webhook_id").map(str::to_owned).into_iter().collect()),
            "google-pubsub" => {
                let (email, audience) = (setting("email").unwrap_or_default(), setting("audience").unwrap_or_default());
                Some(vec![format!("{email} {audience}")])
            }
            "plaid" | "ebay" if self.key.is_some() => Some(vec!["client:secret".into()]),
            _ => None,
        }
    }

    /// The key as one more secret of a source that fetches none; `None`: this provider's is never fetched.
    pub(crate) fn given_key(&self) -> Option<Secret> {
        self.meant()?;
        let key = self.key.as_ref()?;
        let text = match (key.get("jwks"), self.pem(), self.setting("kid")) {
            (Some(set), ..) => set.to_string(),
            (None, Some(pem), Some(kid)) => json!({kid: pem}).to_string(),
            (None, pem, _) => pem?.to_owned(),
        };
        Secret::new(text).ok()
    }

    fn pem(&self) -> Option<&str> {
        let key = self.key.as_ref()?;
        let found = [Some(key), key.get("cert_pem"), key.get("public_key_pem"), key.get("public_key")];
        found.into_iter().flatten().find_map(Value::as_str)
    }

    /// What the provider would answer when its key is fetched; `None`: not with 200.
    pub(crate) fn answer(&self, request: &KeyRequest) -> Option<Vec<u8>> {
        let json = |value: Value| Some(value.to_string().into_bytes());
        if request.url().ends_with("/oauth2/token") {
            return json(
                json!({"access_token": "made-up", "expires_in": 7200, "token_type": "Application Access Token"}),
            );
        }
        let jwks = self.key.as_ref()?.get("jwks");
        let one = |kid: &str| {
            let keys = jwks?.get("keys")?.as_array()?;
            keys.iter().find(|key| key.get("kid").and_then(Value::as_str) == Some(kid)).cloned()
        };
        let body: Option<Value> = serde_json::from_slice(request.body()).ok();
        if let Some(kid) = body.as_ref().and_then(|body| body.get("key_id")?.as_str()) {
            return json(json!({"key": one(kid)?}));
        }
        if let Some((_, kid)) = request.url().split_once("/public_key/") {
            let is_called = self.setting("kid").is_none_or(|known| known == kid);
            return json(
                json!({"key": self.pem().filter(|_| is_called)?.replace('\n', ""), "algorithm": "ECDSA", "digest": "SHA1"}),
            );
        }
        match (jwks, self.setting("kid")) {
            (Some(set), _) => json(set.clone()),
            (None, Some(kid)) => json(json!({kid: self.pem()?})),
            (None, None) => Some(self.pem()?.as_bytes().to_vec()),
        }
    }

    fn keys(&self) -> Vec<String> {
        let Some(key) = &self.key else { return Vec::new() };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        if let Some(Value::Array(keys)) = key.pointer("/jwks/keys") {
            return keys.iter().filter_map(|key| text(key.get("x")?)).collect();
        }
        let found = [Some(key), key.get("public_key"), key.get("public_key_pem")];
        found.into_iter().flatten().filter_map(text).collect()
    }
}

/// Vectors name some variants of one provider apart.
pub(crate) fn provider_name(provider: &str) -> String {
    let name = provider.replace(['_', '.'], "-");
    match name.as_str() {
        "hubspot-v1" | "hubspot-v2" | "hubspot-v3" => "hubspot".into(),
        "vonage-jwt" => "vonage".into(),
        _ => name,
    }
}
