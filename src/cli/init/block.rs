//! What `init` writes: a commented source for hookgate.toml and a line for .env.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::guide::{Form, Guide, Origin};

/// The source as TOML, to be appended.
pub(super) fn source(name: &str, provider: &str, docs: &str, notes: &[String], variable: &str) -> String {
    let mut block = format!("# {provider}: POST /in/{name}\n");
    if !docs.is_empty() {
        block += &format!("# {docs}\n");
    }
    for note in notes {
        block += &comment(note);
    }
    block += &format!(
        "[source.{name}]\n\
         provider = \"{provider}\"\n\
         # Any of these may match; add a second while one rolls.\n\
         secrets = [{{ env = \"{variable}\" }}]\n"
    );
    if provider == "hmac" {
        block += HMAC;
    } else {
        block += "# The same id with another body: \"park\" keeps it for you to look at, \"process\" runs it too.\n\
                  #on_conflict = \"park\"\n";
    }
    block += &format!(
        "\n# What came from it, posted to your application. `order = \"lane\"`: one at a time per object.\n\
         #[[forward]]\n\
         #name = \"{name}-app\"\n\
         #from = \"{name}\"\n\
         #events = [\"*\"]\n\
         #to = \"http://127.0.0.1:3000/hooks/{name}\"\n\
         # \"provider\" signs as the provider does, so an application that verifies it keeps its code.\n\
         #sign = \"standard-webhooks\"\n\
         #secret = {{ env = \"{}\" }}\n\
         #order = \"lane\"\n",
        variable_for(&format!("{name}-app"))
    );
    block.replace("NAME.hmac", &format!("{name}.hmac"))
}

const HMAC: &str = "\
# How the sender signs. Each line shows its default or an example; adapt them to the sender's documentation.
[source.NAME.hmac]
# The header with the signature.
header = \"x-signature\"
#algorithm = \"sha256\"            # sha1, sha256, sha512
#encoding = \"hex\"                # hex, base64
#prefix = \"sha256=\"              # what stands before the signature
#signs = [\"timestamp\", \".\", \"body\"]
#timestamp = \"header:x-timestamp\"
# The id that stays the same when the sender tries again. Without it nothing is deduplicated.
delivery_id = \"json:/id\"
event_type = \"json:/type\"
#ordering_key = \"json:/data/id\"
";

/// A sentence as comment lines that fit beside the others.
fn comment(sentence: &str) -> String {
    const WIDTH: usize = 110;
    let mut lines = vec!["#".to_owned()];
    for word in sentence.split(' ') {
        if lines.last().is_some_and(|line| line.chars().count() + word.chars().count() > WIDTH) {
            lines.push("#".to_owned());
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

/// `shop-eu` → `SHOP_EU_SECRET`.
pub(super) fn variable_for(name: &str) -> String {
    format!("{}_SECRET", name.to_ascii_uppercase().replace('-', "_"))
}

/// The line for .env. What only the provider knows stays blank: hookgate refuses a blank secret and says which one,
/// whereas it could not tell a placeholder that was forgotten from a secret.
pub(super) fn env_line(variable: &str, guide: &Guide, random: [u8; 32]) -> String {
    match guide.secret {
        Origin::Ours(Form::Hex) => format!("{variable}={}\n", hex::encode(random)),
        Origin::Ours(Form::Whsec) => format!("{variable}=whsec_{}\n", STANDARD.encode(random)),
        Origin::Theirs(place) => format!("# {}: {place}\n{variable}=\n", guide.name),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hookgate_providers::ALL;

    use super::*;
    use crate::cli::init::guide::guide;
    use crate::cli::init::notes::notes;
    use crate::config::{Config, Mode, Severity};

    fn block(name: &str, provider: &str) -> String {
        let notes = hookgate_providers::find(provider).map(notes).unwrap_or_default();
        source(name, provider, "https://example.com/docs", &notes, &variable_for(name))
    }

    #[test]
    fn every_block_is_accepted_by_the_configuration_and_passes_check() {
        let secret = "whsec_aG9va2dhdGUgdGVzdCBrZXksIDI0IGJ5dGVz".to_owned();
        let key = hookgate_providers::Secret::new(secret.as_str()).expect("not blank");
        // Those whose secret may be any text: a public key or a name before the secret says nothing about the block.
        let any_text = ALL.iter().filter(|provider| provider.check_secret(&key).is_ok());
        let providers: Vec<&str> = any_text.map(|provider| provider.name).chain(["hmac"]).collect();
        assert!(providers.len() > 100, "{}", providers.len());
        for provider in providers {
            let secret = secret.clone();
            let env = BTreeMap::from([("SHOP_EU_SECRET".to_owned(), secret)]);
            let text = block("shop-eu", provider);
            let config = Config::from_toml(&text, &env, Mode::Serve).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let errors: Vec<_> =
                config.contradictions().into_iter().filter(|problem| problem.severity == Severity::Error).collect();
            assert!(errors.is_empty(), "{provider}: {errors:?}");
            assert_eq!(config.sources["shop-eu"].provider.name, provider);
        }
    }

    #[test]
    fn what_is_commented_out_would_be_accepted_too() {
        for provider in ["stripe", "hmac"] {
            let text: String = block("shop", provider)
                .lines()
                .map(|line| match line.strip_prefix('#') {
                    Some(option) if !option.starts_with(' ') => format!("{option}\n"),
                    _ => format!("{line}\n"),
                })
                .collect();
            let whsec = "whsec_aG9va2dhdGUgdGVzdCBrZXksIDI0IGJ5dGVz".to_owned();
            let env = ["SHOP_SECRET", "SHOP_APP_SECRET"].map(|variable| (variable.to_owned(), whsec.clone()));
            let config =
                Config::from_toml(&text, &env.into(), Mode::Serve).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(config.forwards.len(), 1);
        }
    }

    #[test]
    fn a_generated_secret_is_one_its_provider_accepts_and_an_unknown_one_is_left_blank() {
        for provider in ALL {
            let guide = guide(provider.name, Some(provider)).expect("built in");
            let line = env_line("X", &guide, [7; 32]);
            let value = line.lines().last().and_then(|line| line.strip_prefix("X=")).expect("X is set");
            match guide.secret {
                Origin::Theirs(_) => assert_eq!(value, "", "{}", provider.name),
                Origin::Ours(_) => {
                    let secret = hookgate_providers::Secret::new(value).expect("not blank");
                    assert_eq!(provider.check_secret(&secret), Ok(()), "{}", provider.name);
                }
            }
        }
    }
}
