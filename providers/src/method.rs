//! With which methods a provider calls, and what for.

use crate::Provider;
use crate::handshake::When;

impl Provider {
    /// Every method this provider calls with, events' first: what to answer, and what to say in `Allow`.
    pub fn accepts(&self) -> impl Iterator<Item = &'static str> + use<> {
        let handshakes = self.handshake.iter().flat_map(|handshake| handshake.when).filter_map(|when| match *when {
            When::Method(method) => Some(method),
            _ => None,
        });
        let mut methods = self.methods.to_vec();
        for method in handshakes {
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        methods.into_iter()
    }

    /// Whether an event can come with this method. What comes with another one and is no handshake is nothing of this
    /// provider's, however well it is signed: a token alone would else make an event of any request that shows it.
    pub fn sends_events_by(&self, method: &str) -> bool {
        self.methods.contains(&method)
    }
}

#[cfg(test)]
mod tests {
    use crate::{ALL, Provider, find};

    fn accepts(name: &str) -> Vec<&'static str> {
        find(name).map(|provider| provider.accepts().collect()).unwrap_or_default()
    }

    #[test]
    fn handshakes_add_their_methods_to_those_of_events_once() {
        assert_eq!(accepts("github"), ["POST"]);
        assert_eq!(accepts("graph"), ["POST"]);
        assert_eq!(accepts("trello"), ["POST", "HEAD"]);
        assert_eq!(accepts("meta"), ["POST", "GET"]);
        assert_eq!(accepts("azure-event-grid"), ["POST", "OPTIONS"]);
        assert_eq!(accepts("gitea"), ["POST", "GET"]);
        assert!(find("meta").is_some_and(|meta| !meta.sends_events_by("GET")));
    }

    #[test]
    fn every_provider_sends_events_by_some_method_and_methods_are_upper_case() {
        let upper =
            |provider: &Provider| provider.accepts().all(|method| method.bytes().all(|byte| byte.is_ascii_uppercase()));
        for provider in ALL {
            assert!(!provider.methods.is_empty() && upper(provider), "{}", provider.name);
        }
    }
}
