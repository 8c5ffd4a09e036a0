//! The bodies: 200 documents shaped like GitHub's, about 2 KB each, the same ones in every run.
//!
//! Compression decides what a row costs, so the documents repeat what recorded payloads repeat (URLs of one
//! repository, key names) and vary what those vary (ids, hashes, prose). The report prints how far lz4 got with them.

use serde_json::{Value, json};

/// How many different bodies there are.
pub(crate) const COUNT: usize = 200;

/// The secret of the measured source.
pub(crate) const SECRET: &str = "It's a Secret to Everybody";

const WORDS: [&str; 64] = [
    "after", "again", "alarm", "always", "backlog", "because", "before", "broken", "cache", "cannot", "claim",
    "client", "close", "commit", "config", "crash", "deploy", "double", "empty", "error", "every", "expect", "fails",
    "field", "first", "flaky", "handler", "header", "ignore", "index", "invoice", "later", "leak", "limit", "memory",
    "missing", "nightly", "number", "order", "panic", "parse", "queue", "rarely", "release", "retry", "return",
    "second", "secret", "server", "signal", "slow", "stale", "stream", "table", "thread", "timeout", "token", "twice",
    "unless", "update", "version", "waits", "while", "worker",
];

/// All of them, as they are sent.
pub(crate) fn all() -> Vec<String> {
    (0..COUNT as u64).map(|n| issue(&mut Dice(0x9E37_79B9_7F4A_7C15 ^ (n + 1))).to_string()).collect()
}

/// An `issues` event with the parts of GitHub's that matter here: who opens an issue is also its sender.
fn issue(dice: &mut Dice) -> Value {
    let owner = format!("{}-{}", dice.word(), dice.word());
    let name = format!("{}-{}", dice.word(), dice.word());
    let api = format!("https://api.github.com/repos/{owner}/{name}");
    let html = format!("https://github.com/{owner}/{name}");
    let number = dice.below(9000) + 1;
    let opener = user(dice);
    json!({
        "action": "opened",
        "issue": {
            "url": format!("{api}/issues/{number}"),
            "repository_url": api,
            "labels_url": format!("{api}/issues/{number}/labels{{/name}}"),
            "comments_url": format!("{api}/issues/{number}/comments"),
            "events_url": format!("{api}/issues/{number}/events"),
            "html_url": format!("{html}/issues/{number}"),
            "id": dice.id(),
            "number": number,
            "title": dice.prose(5),
            "user": opener,
            "labels": [],
            "state": "open",
            "locked": false,
            "comments": 0,
            "created_at": dice.time(),
            "author_association": "CONTRIBUTOR",
            "body": dice.prose(26),
        },
        "repository": {
            "id": dice.id(),
            "name": name,
            "full_name": format!("{owner}/{name}"),
            "private": false,
            "html_url": html,
            "url": api,
            "forks_url": format!("{api}/forks"),
            "hooks_url": format!("{api}/hooks"),
            "pulls_url": format!("{api}/pulls{{/number}}"),
            "issues_url": format!("{api}/issues{{/number}}"),
            "default_branch": "main",
        },
        "sender": opener,
    })
}

fn user(dice: &mut Dice) -> Value {
    let login = format!("{}{}", dice.word(), dice.below(1000));
    let id = dice.id();
    json!({
        "login": login,
        "id": id,
        "avatar_url": format!("https://avatars.githubusercontent.com/u/{id}?v=4"),
        "url": format!("https://api.github.com/users/{login}"),
        "repos_url": format!("https://api.github.com/users/{login}/repos"),
        "type": "User",
        "site_admin": false,
    })
}

/// splitmix64: the same documents on every machine.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn id(&mut self) -> u64 {
        1_000_000_000 + self.below(1_000_000_000)
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len() as u64) as usize]
    }

    fn prose(&mut self, words: usize) -> String {
        let words: Vec<_> = (0..words).map(|_| self.word()).collect();
        words.join(" ")
    }

    fn time(&mut self) -> String {
        format!(
            "2026-{:02}-{:02}T{:02}:{:02}:00Z",
            self.below(12) + 1,
            self.below(28) + 1,
            self.below(24),
            self.below(60)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_about_2_kb_and_all_different() {
        let documents = all();
        let mean = documents.iter().map(String::len).sum::<usize>() / documents.len();
        assert!((1900..=2200).contains(&mean), "{mean} bytes");
        let different: std::collections::HashSet<_> = documents.iter().collect();
        assert_eq!(different.len(), COUNT);
    }
}
