//! What a person does at the provider: where to paste the URL, which events to choose, where the secret comes from.

use hookgate_providers::Provider;

/// The steps at one provider's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Guide {
    /// The name `--help` and the configuration use; "hmac" for any other sender.
    pub(super) name: &'static str,
    /// Where the URL is pasted.
    pub(super) paste: &'static str,
    /// Which events to choose.
    pub(super) events: &'static str,
    pub(super) secret: Origin,
}

/// Who makes the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The receiver may choose it, so `init` does.
    Ours(Form),
    /// The provider shows it here.
    Theirs(&'static str),
}

/// How a secret of ours is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Hex,
    Whsec,
}

const GUIDES: &[Guide] = &[
    Guide {
        name: "github",
        paste: "Repository or organisation > Settings > Webhooks > Add webhook: payload URL, content type application/json, and the secret from .env",
        events: "\"Let me select individual events\": those your handlers name, such as Pushes, Issues, Pull requests",
        secret: Origin::Ours(Form::Hex),
    },
    Guide {
        name: "stripe",
        paste: "Workbench > Webhooks > Add destination > Webhook endpoint (or: stripe listen --forward-to URL)",
        events: "those your handlers name, such as invoice.paid, customer.subscription.updated",
        secret: Origin::Theirs("Workbench > Webhooks > your endpoint > Signing secret (whsec_...)"),
    },
    Guide {
        name: "shopify",
        paste: "your app's configuration (shopify.app.toml, [webhooks] subscriptions), or Settings > Notifications > Webhooks in the store's admin",
        events: "the topics your handlers name, such as orders/create",
        secret: Origin::Theirs(
            "the app's client secret; for webhooks made in the admin, the value shown below their list",
        ),
    },
    Guide {
        name: "slack",
        paste: "api.slack.com/apps > your app > Event Subscriptions > Request URL (hookgate answers its challenge)",
        events: "bot events such as message.channels, app_mention; interactivity and slash commands take the same URL",
        secret: Origin::Theirs("api.slack.com/apps > your app > Basic Information > Signing Secret"),
    },
    Guide {
        name: "standard-webhooks",
        paste: "the sender's webhook settings: endpoint URL; give it the secret from .env, or put the one it shows there",
        events: "those your handlers name",
        secret: Origin::Ours(Form::Whsec),
    },
    Guide {
        name: "hmac",
        paste: "the sender's webhook settings; then describe in [source.NAME.hmac] how it signs",
        events: "those your handlers name",
        secret: Origin::Ours(Form::Hex),
    },
];

/// The guide for "hmac" or a built-in provider. One without an entry above has its docs page.
pub(super) fn guide(name: &str, provider: Option<&'static Provider>) -> Option<Guide> {
    let written = GUIDES.iter().find(|guide| guide.name == name).copied();
    written.or(provider.map(|provider| Guide {
        name: provider.name,
        paste: "the provider's webhook settings",
        events: "those your handlers name",
        secret: Origin::Theirs(provider.docs),
    }))
}

/// How people let a provider reach a gateway on their own machine.
pub(super) fn tunnels(port: u16) -> [(&'static str, String); 4] {
    [
        ("cloudflared", format!("cloudflared tunnel --url http://127.0.0.1:{port}")),
        ("ngrok", format!("ngrok http {port}")),
        ("tailscale", format!("tailscale funnel {port}")),
        ("ssh", format!("ssh -R 80:127.0.0.1:{port} nokey@localhost.run")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guide_is_for_a_provider_there_is() {
        for guide in GUIDES {
            assert!(guide.name == "hmac" || hookgate_providers::find(guide.name).is_some(), "{}", guide.name);
        }
    }
}
