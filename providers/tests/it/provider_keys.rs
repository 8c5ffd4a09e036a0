//! Keys of the provider's own: when they are asked for, from where, and what they are good for.

use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use hookgate_providers::{
    Headers, KeyRequest, Keys, Provider, Reject, Request, Secret, Unsigned, Verdict, sign, verify, verify_with_keys,
};
use p256::pkcs8::DecodePrivateKey;
use proptest::prelude::*;
use rsa::traits::PublicKeyParts;
use serde_json::{Value, json};

use crate::request::{NOW, provider};

const RSA: [&str; 2] = [include_str!("../keys/rsa_1.pem"), include_str!("../keys/rsa_2.pem")];
const P256: [&str; 2] = [include_str!("../keys/p256_1.pem"), include_str!("../keys/p256_2.pem")];
const EMAIL: &str = "push@demo.iam.gserviceaccount.com";
const URL: &str = "https://example.com/in/x";
/// The key set is the same for all these tests, and reading an RSA key takes a while without optimisation.
static JWKS: LazyLock<Value> = LazyLock::new(|| json!({"keys": [rsa_jwk(0), p256_jwk(0)]}));

fn der(pem: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(pem.lines().filter(|line| !line.starts_with('-')).collect::<String>()).unwrap()
}

fn base64url(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn rsa_jwk(index: usize) -> Value {
    let key = rsa::PrivateKey::from_pkcs8_der(&der(RSA[index])).unwrap().to_public_key();
    let number = |number: &rsa::BoxedUint| base64url(number.to_be_bytes_trimmed_vartime().as_ref());
    json!({"kty": "RSA", "kid": "hookgate", "alg": "RS256", "use": "sig", "n": number(key.n()), "e": number(key.e())})
}

fn p256_jwk(index: usize) -> Value {
    let key = *p256::ecdsa::SigningKey::from_pkcs8_der(&der(P256[index])).unwrap().verifying_key();
    let point = key.to_sec1_point(false);
    let [x, y] = [&point.as_bytes()[1..33], &point.as_bytes()[33..]].map(base64url);
    json!({"kty": "EC", "crv": "P-256", "kid": "hookgate", "alg": "ES256", "use": "sig", "x": x, "y": y})
}

/// A request that is authentic under the provider's key.
struct Sent {
    provider: &'static Provider,
    /// Without the key.
    secret: Secret,
    headers: Headers,
    body: Vec<u8>,
}

impl Sent {
    fn new(name: &str) -> Self {
        let provider = provider(name);
        let (meant, key) = match name {
            "paypal" => ("4JH86294D6297924G", RSA[0]),
            "google-pubsub" => (EMAIL, RSA[0]),
            "plaid" => ("", P256[0]),
            _ => ("kid-1", P256[0]),
        };
        let (mut headers, body) = provider.samples[0].render("id-1", NOW);
        let signing = Secret::new(format!("{meant}\n{key}").trim()).unwrap();
        let unsigned = Unsigned { method: "POST", url: URL, headers: &headers, body: &body, id: "id-1", now: NOW };
        let added = sign(provider, &unsigned, &signing).unwrap();
        headers.extend(added.iter());
        let secret = if matches!(name, "plaid" | "ebay") { "client:very-secret" } else { meant };
        Self { provider, secret: Secret::new(secret).unwrap(), headers, body }
    }

    fn every() -> Vec<Self> {
        ["paypal", "google-pubsub", "plaid", "ebay"].map(Self::new).into()
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers = self.headers.iter().filter(|(other, _)| *other != name).collect();
        self.headers.push(name, value);
        self
    }

    fn judge_at(&self, secrets: &[Secret], keys: &Keys, now: i64) -> Result<Verdict, Reject> {
        let request = Request { method: "POST", url: URL, headers: &self.headers, body: &self.body };
        verify_with_keys(self.provider, &request, secrets, keys, now)
    }

    fn judge(&self, keys: &Keys) -> Result<Verdict, Reject> {
        self.judge_at(std::slice::from_ref(&self.secret), keys, NOW)
    }

    fn needs(&self, keys: &Keys) -> KeyRequest {
        match self.judge(keys) {
            Ok(Verdict::NeedKey(request)) => request,
            other => panic!("{}: {other:?}", self.provider.name),
        }
    }

    /// The verdict with this fetched for whatever is asked.
    fn with_answer(&self, answer: &str) -> Result<Verdict, Reject> {
        let mut keys = Keys::new();
        for _ in 0..3 {
            match self.judge(&keys) {
                Ok(Verdict::NeedKey(request)) if request.url().ends_with("/oauth2/token") => {
                    keys.insert(&request, &br#"{"access_token":"a-token"}"#[..]);
                }
                Ok(Verdict::NeedKey(request)) => keys.insert(&request, answer.as_bytes()),
                verdict => return verdict,
            }
        }
        panic!("{} asks without end", self.provider.name)
    }

    fn wrong_answer(&self) -> String {
        match self.provider.name {
            "google-pubsub" => json!({"keys": [rsa_jwk(1)]}).to_string(),
            "plaid" => json!({"key": p256_jwk(1)}).to_string(),
            _ => RSA[1].to_owned(),
        }
    }

    fn right_answer(&self) -> String {
        match self.provider.name {
            "paypal" => RSA[0].to_owned(),
            "google-pubsub" => JWKS.to_string(),
            "plaid" => json!({"key": p256_jwk(0), "request_id": "r"}).to_string(),
            _ => json!({"key": P256[0].replace('\n', ""), "algorithm": "ECDSA", "digest": "SHA1"}).to_string(),
        }
    }
}

fn is_delivery(verdict: &Result<Verdict, Reject>) -> bool {
    matches!(verdict, Ok(Verdict::Delivery(_)))
}

#[test]
fn a_key_is_asked_for_and_with_it_the_request_is_authentic() {
    for sent in Sent::every() {
        assert!(matches!(sent.judge(&Keys::new()), Ok(Verdict::NeedKey(_))), "{}", sent.provider.name);
        let verdict = sent.with_answer(&sent.right_answer());
        assert!(is_delivery(&verdict), "{}: {verdict:?}", sent.provider.name);
    }
}

#[test]
fn each_provider_asks_at_its_own_address_and_says_nothing_secret_about_it() {
    let asked = |name| Sent::new(name).needs(&Keys::new());
    let url = asked("paypal");
    assert_eq!(
        (url.method(), url.url()),
        ("GET", "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-hookgate")
    );
    assert_eq!(asked("google-pubsub").url(), "https://www.googleapis.com/oauth2/v3/certs");
    let plaid = asked("plaid");
    assert_eq!((plaid.method(), plaid.url()), ("POST", "https://sandbox.plaid.com/webhook_verification_key/get"));
    let body: Value = serde_json::from_slice(plaid.body()).unwrap();
    assert_eq!(body, json!({"client_id": "client", "secret": "very-secret", "key_id": "hookgate"}));
    let ebay = Sent::new("ebay");
    let token = ebay.needs(&Keys::new());
    assert_eq!(token.url(), "https://api.ebay.com/identity/v1/oauth2/token");
    let mut keys = Keys::new();
    keys.insert(&token, &br#"{"access_token":"a-token"}"#[..]);
    let key = ebay.needs(&keys);
    assert_eq!(key.url(), "https://api.ebay.com/commerce/notification/v1/public_key/kid-1");
    assert!(key.headers().any(|header| header == ("authorization", "Bearer a-token")));
    for request in [plaid, token, key] {
        let shown = format!("{request:?} {}", request.id());
        assert!(!shown.contains("very-secret") && !shown.contains("a-token"), "{shown}");
        assert!(request.keep_for() <= std::time::Duration::from_secs(86_400));
    }
}

#[test]
fn nothing_is_fetched_for_a_request_that_is_refused_anyway() {
    let none = Keys::new();
    // eBay signs no time.
    for sent in Sent::every().iter().filter(|sent| sent.provider.name != "ebay") {
        let late = |keys: &Keys| sent.judge_at(std::slice::from_ref(&sent.secret), keys, NOW + 4 * 86_400);
        assert_eq!(late(&none), Err(Reject::KeyNotFetched), "{}", sent.provider.name);
        // With the key at hand it can be said whose request it is.
        for (answer, verdict) in
            [(sent.right_answer(), Reject::TimestampTooOld), (sent.wrong_answer(), Reject::SignatureMismatch)]
        {
            let mut keys = Keys::new();
            keys.insert(&sent.needs(&none), answer.into_bytes());
            assert_eq!(late(&keys), Err(verdict), "{}", sent.provider.name);
        }
    }
    for stranger in ["someone@else.example", &format!("{EMAIL} https://else.example"), "verify:token"] {
        let verdict = Sent::new("google-pubsub").judge_at(&[Secret::new(stranger).unwrap()], &none, NOW);
        assert!(matches!(verdict, Err(Reject::NotForThisSource | Reject::SecretUnusable)), "{stranger}: {verdict:?}");
    }
    let refused = |sent: Sent| sent.judge(&none).err().unwrap_or_else(|| panic!("{}", sent.provider.name));
    let paypal = || Sent::new("paypal");
    assert_eq!(refused(paypal().with("paypal-auth-algo", "SHA1withRSA")), Reject::SignatureMalformed);
    assert_eq!(refused(paypal().with("paypal-transmission-sig", "not base64")), Reject::SignatureMalformed);
    assert_eq!(refused(paypal().with("paypal-transmission-id", "1|2")), Reject::IdMalformed);
    assert_eq!(refused(paypal().with("paypal-transmission-time", "yesterday")), Reject::TimestampMalformed);
    let mut changed = Sent::new("plaid");
    changed.body.push(b' ');
    assert_eq!(refused(changed), Reject::ClaimMismatch);
    assert_eq!(refused(Sent::new("plaid").with("plaid-verification", "a.b.c")), Reject::SignatureMalformed);
    assert_eq!(refused(Sent::new("ebay").with("x-ebay-signature", "e30=")), Reject::SignatureMalformed);
    for kid in ["../../evil", "a/b", "", "a?b", "%2e%2e"] {
        let header = json!({"alg": "ecdsa", "kid": kid, "signature": "AAAA", "digest": "SHA1"}).to_string();
        let sent = Sent::new("ebay").with("x-ebay-signature", &BASE64_STANDARD.encode(header));
        assert_eq!(refused(sent), Reject::SignatureMalformed, "{kid}");
    }
}

#[test]
fn a_certificate_is_fetched_from_paypals_own_hosts_and_nowhere_else() {
    for url in [
        "http://api.paypal.com/v1/notifications/certs/CERT-1",
        "https://api.paypal.com.evil.example/v1/notifications/certs/CERT-1",
        "https://api.paypal.com@evil.example/v1/notifications/certs/CERT-1",
        "https://evil.example\\@api.paypal.com/v1/notifications/certs/CERT-1",
        "https://API.paypal.com/v1/notifications/certs/CERT-1",
        "https://api.paypal.com./v1/notifications/certs/CERT-1",
        "https://api.paypal.com:443/v1/notifications/certs/CERT-1",
        "https://api.paypal.com/v1/notifications/certs/CERT-1?x",
        "https://api.paypal.com/v1/notifications/certs/CERT-1#x",
        "https://api.paypal.com/v1/notifications/certs/CERT-../../../redirect",
        "https://api.paypal.com/redirect?to=evil.example",
        "https://\u{430}pi.paypal.com/v1/notifications/certs/CERT-1",
    ] {
        let verdict = Sent::new("paypal").with("paypal-cert-url", url).judge(&Keys::new());
        assert_eq!(verdict, Err(Reject::KeyUrlRefused), "{url}");
    }
}

#[test]
fn another_key_is_no_use_whatever_it_is_called() {
    let google = Sent::new("google-pubsub");
    let answer = |keys: Value| google.with_answer(&json!({ "keys": keys }).to_string());
    let other = rsa_jwk(1);
    assert_eq!(answer(json!([other])), Err(Reject::SignatureMismatch));
    let mut renamed = rsa_jwk(0);
    renamed["kid"] = "elsewhere".into();
    assert_eq!(answer(json!([renamed])), Err(Reject::KeyUnknown));
    // One id for two keys: either may have signed.
    assert!(is_delivery(&answer(json!([rsa_jwk(1), rsa_jwk(0)]))));
    // And for keys of two kinds: only that of the token's algorithm can have.
    assert!(is_delivery(&answer(json!([p256_jwk(0), rsa_jwk(0)]))));
    assert_eq!(answer(json!([p256_jwk(0)])), Err(Reject::KeyUnusable));
    for (member, value) in
        [("use", "enc"), ("alg", "PS256"), ("alg", "HS256"), ("kty", "oct"), ("kty", "EC"), ("n", "")]
    {
        let mut key = rsa_jwk(0);
        key[member] = value.into();
        assert_eq!(answer(json!([key])), Err(Reject::KeyUnusable), "{member} {value}");
    }
    let mut withdrawn = p256_jwk(0);
    withdrawn["expired_at"] = 1_700_000_000.into();
    let plaid = Sent::new("plaid");
    assert_eq!(plaid.with_answer(&json!({"key": withdrawn}).to_string()), Err(Reject::KeyExpired));
    assert_eq!(plaid.with_answer(&json!({"key": p256_jwk(1)}).to_string()), Err(Reject::SignatureMismatch));
}

#[test]
fn a_public_key_is_never_a_shared_one_and_no_algorithm_is_none() {
    let google = Sent::new("google-pubsub");
    let token = String::from_utf8(google.headers.single("authorization").unwrap().unwrap().to_vec()).unwrap();
    let parts: Vec<&str> = token.trim_start_matches("Bearer ").split('.').collect();
    let public = JWKS.to_string();
    let forge = |algorithm: &str, signature: &dyn Fn(&[u8]) -> Vec<u8>| {
        let header = base64url(json!({"alg": algorithm, "typ": "JWT", "kid": "hookgate"}).to_string().as_bytes());
        let signed = format!("{header}.{}", parts[1]);
        let token = format!("Bearer {signed}.{}", base64url(&signature(signed.as_bytes())));
        Sent::new("google-pubsub").with("authorization", &token).with_answer(&public)
    };
    let mac = |message: &[u8]| {
        use hmac::{KeyInit, Mac};
        let mut mac = <hmac::Hmac<sha2::Sha256> as KeyInit>::new_from_slice(public.as_bytes()).unwrap();
        mac.update(message);
        mac.finalize().into_bytes().to_vec()
    };
    for algorithm in ["HS256", "none", "None", "NONE", "", "RS512", "PS256", "ES256", "EdDSA", "rs256"] {
        assert_eq!(forge(algorithm, &mac), Err(Reject::SignatureMalformed), "{algorithm}");
        assert_eq!(forge(algorithm, &|_| Vec::new()), Err(Reject::SignatureMalformed), "{algorithm}");
    }
    assert_eq!(forge("RS256", &mac), Err(Reject::SignatureMismatch));
    assert_eq!(forge("RS256", &|_| Vec::new()), Err(Reject::SignatureMismatch));
}

#[test]
fn a_key_that_is_given_is_used_and_none_fetched() {
    for sent in Sent::every() {
        let given = match sent.provider.name {
            "google-pubsub" | "plaid" => JWKS.to_string(),
            "paypal" => RSA[0].to_owned(),
            _ => P256[0].to_owned(),
        };
        let other = if given == RSA[0] { RSA[1] } else { P256[1] };
        let name = sent.provider.name;
        let with = |key: &str| sent.judge_at(&[sent.secret.clone(), Secret::new(key).unwrap()], &Keys::new(), NOW);
        assert!(is_delivery(&with(&given)), "{name}: {:?}", with(&given));
        assert!(with(other).is_err(), "{name}");
        assert!(sent.provider.check_secret(&Secret::new(given.trim()).unwrap()).is_ok(), "{name}");
    }
}

#[test]
fn what_is_fetched_and_is_no_key_is_said_to_be_none() {
    for sent in Sent::every() {
        for answer in
            ["", "{}", "[]", "<html>", "null", r#"{"keys":[]}"#, "-----BEGIN PUBLIC KEY-----", r#"{"error":"x"}"#]
        {
            assert_eq!(sent.with_answer(answer), Err(Reject::KeyUnusable), "{} {answer}", sent.provider.name);
        }
    }
}

#[test]
fn secrets_that_mean_nothing_are_refused_with_what_to_write() {
    let check = |name: &str, secret: &str| {
        provider(name).check_secret(&Secret::new(secret).unwrap()).map_err(|e| e.to_string())
    };
    assert!(check("aws-sns", "arn:aws:sns:eu-central-1:123456789012:orders").is_ok());
    assert!(check("aws-sns", "orders").unwrap_err().contains("ARN"));
    assert!(check("paypal", "4JH86294D6297924G").is_ok());
    assert!(check("paypal", "https://example.com").unwrap_err().contains("webhook's id"));
    assert!(check("google-pubsub", EMAIL).is_ok());
    assert!(check("google-pubsub", &format!("{EMAIL} {URL}")).is_ok());
    assert!(check("google-pubsub", "123").unwrap_err().contains("EMAIL AUDIENCE"));
    assert!(check("plaid", "client:secret").is_ok());
    assert!(check("plaid", "secret").unwrap_err().contains("CLIENT_ID:SECRET"));
    assert!(check("ebay", "verify:0123456789").is_ok());
}

/// The vectors' certificates are for 2015 to 2043 and 2023 to 2043.
#[test]
fn a_certificate_counts_only_in_its_time_and_for_its_provider() {
    let vectors = |file| serde_json::from_str::<Value>(file);
    let all = [include_str!("../vectors/paypal.json"), include_str!("../vectors/aws_sns.json")]
        .map(|file| vectors(file).unwrap_or_else(|_| file.lines().map(|line| vectors(line).unwrap()).collect()));
    let vector = |index: usize, id: &str| {
        all[index].as_array().unwrap().iter().find(|vector| vector["id"] == id).unwrap().clone()
    };
    let paypal = vector(0, "paypal/-/valid-own-certificate");
    let sns = vector(1, "aws-sns/-/notification-v2-valid");
    let judge = |vector: &Value, name: &str, meant: &str, certificate: &Value, now: i64| {
        let provider = Provider { tolerance_s: Some(u32::MAX), ..*provider(name) };
        let headers: Headers = vector["headers"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| (name, value.as_str().unwrap()))
            .collect();
        let body = vector["body"].as_str().unwrap().as_bytes();
        let secret = Secret::new(format!("{meant} {}", certificate["key"]["cert_pem"].as_str().unwrap())).unwrap();
        verify(&provider, &Request { method: "POST", url: URL, headers: &headers, body }, &[secret], now)
    };
    let (webhook, topic) = ("4JH86294D6297924G", "arn:aws:sns:us-east-1:123456789012:MyTopic");
    let (in_2016, in_2013, in_2044) = (1_463_000_000, 1_370_000_000, 2_340_000_000);
    assert!(is_delivery(&judge(&paypal, "paypal", webhook, &paypal, in_2016)));
    for now in [in_2013, in_2044] {
        assert_eq!(judge(&paypal, "paypal", webhook, &paypal, now), Err(Reject::KeyExpired));
        assert_eq!(judge(&sns, "aws-sns", topic, &sns, now), Err(Reject::KeyExpired));
    }
    assert_eq!(judge(&paypal, "paypal", webhook, &sns, NOW), Err(Reject::KeyUnusable));
    assert!(is_delivery(&judge(&sns, "aws-sns", topic, &sns, NOW)));
    assert_eq!(judge(&sns, "aws-sns", topic, &paypal, NOW), Err(Reject::KeyUnusable));
    // What is fetched is a chain, of which one certificate is the provider's.
    let chain = |certificates: [&Value; 2]| {
        let pems = certificates.map(|vector| vector["key"]["cert_pem"].as_str().unwrap());
        json!({"key": {"cert_pem": pems.concat()}})
    };
    for chain in [chain([&paypal, &sns]), chain([&sns, &paypal])] {
        assert!(is_delivery(&judge(&paypal, "paypal", webhook, &chain, in_2016)));
        assert!(is_delivery(&judge(&sns, "aws-sns", topic, &chain, NOW)));
    }
    let elsewhere = "arn:aws:sns:us-east-1:999999999999:MyTopic";
    assert_eq!(judge(&sns, "aws-sns", elsewhere, &sns, NOW), Err(Reject::NotForThisSource));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_answer_makes_verify_panic_and_none_that_is_made_up_makes_a_request_authentic(
        bytes in proptest::collection::vec(any::<u8>(), 0..400), cut in 0..2_000_usize, label in "(CERTIFICATE|PUBLIC KEY|PRIVATE KEY)",
    ) {
        let pem = format!("-----BEGIN {label}-----\n{}\n-----END {label}-----", BASE64_STANDARD.encode(&bytes));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let jwk = json!({"kty": "RSA", "kid": "hookgate", "n": base64url(&bytes), "e": "AQAB"}).to_string();
        static SENT: LazyLock<[Sent; 2]> = LazyLock::new(|| ["plaid", "ebay"].map(Sent::new));
        for sent in SENT.iter() {
            let right = sent.right_answer();
            let cut = right.get(..cut.min(right.len() - 1)).unwrap_or_default();
            for answer in [&pem, &text, &jwk, cut] {
                prop_assert!(!is_delivery(&sent.with_answer(answer)));
            }
        }
    }
}
