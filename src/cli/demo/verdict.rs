//! Whether what was seen is what is promised. Pure: what was seen comes in.

use serde_json::Value;

use super::cast::FAILS_ONCE;

/// Why a request was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// A provider's event.
    Deliver,
    /// The same request once more.
    Copy,
    /// One byte changed after signing.
    Forge,
}

/// A request and what came of it.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) act: Act,
    pub(super) source: String,
    pub(super) event: String,
    pub(super) status: u16,
    pub(super) word: String,
    /// The id the gateway answered with.
    pub(super) delivery: Option<String>,
    /// What the API last said about that delivery.
    pub(super) shown: Value,
}

impl Sent {
    pub(super) fn state(&self) -> &str {
        self.shown["state"].as_str().unwrap_or("unknown")
    }

    pub(super) fn attempts(&self) -> &[Value] {
        self.shown["attempts"].as_array().map_or(&[], Vec::as_slice)
    }

    fn outcomes_of(&self, handler: &str) -> Vec<&str> {
        let of_handler = self.attempts().iter().filter(|attempt| attempt["handler"] == handler);
        let mut numbered: Vec<_> =
            of_handler.map(|a| (a["attempt"].as_i64(), a["outcome"].as_str().unwrap_or("?"))).collect();
        numbered.sort_unstable();
        numbered.into_iter().map(|(_, outcome)| outcome).collect()
    }
}

/// Everything that did not happen as told, a sentence each.
pub(super) fn differences(sent: &[Sent], refusals: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut expect = |as_told: bool, sentence: String| {
        if !as_told {
            found.push(sentence);
        }
    };
    let copies = |source: &str| sent.iter().filter(|s| s.act == Act::Copy && s.source == source).count() as u64;
    let mut failed_once = 0;
    for one in sent {
        let Sent { source, event, status, word, .. } = one;
        match one.act {
            Act::Deliver => {
                expect(
                    (200..300).contains(status),
                    format!("{source} {event} was answered {status} instead of accepted"),
                );
                let state = one.state();
                expect(state == "done", format!("{source} {event} ended {state} instead of done"));
                let (noted, wanted) = (one.shown["copies"].as_u64().unwrap_or(0), copies(source));
                expect(noted == wanted, format!("{source} {event} has {noted} copies noted instead of {wanted}"));
                failed_once += usize::from(one.outcomes_of(FAILS_ONCE) == ["failed", "ok"]);
                let archived = one.outcomes_of("archive");
                expect(
                    archived == ["ok"],
                    format!("{source} {event} was archived by the attempts {archived:?} instead of one"),
                );
            }
            Act::Copy => {
                expect(word == "duplicate", format!("the copy for {source} was answered {word} instead of duplicate"))
            }
            Act::Forge => {
                expect(*status == 401, format!("the forgery for {source} was answered {status} instead of 401"))
            }
        }
    }
    let forged = sent.iter().filter(|s| s.act == Act::Forge).count();
    expect(refusals == forged, format!("the API shows {refusals} refusals instead of {forged}"));
    expect(
        failed_once == 1,
        format!("{failed_once} deliveries failed once in {FAILS_ONCE} and then succeeded, instead of one"),
    );
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn attempt(handler: &str, attempt: u32, outcome: &str) -> Value {
        json!({"handler": handler, "attempt": attempt, "outcome": outcome})
    }

    fn sent(act: Act, source: &str, status: u16, word: &str, copies: u32) -> Sent {
        let mut attempts = vec![attempt("archive", 1, "ok")];
        if source == "stripe" {
            attempts.extend([attempt("billing", 2, "ok"), attempt("billing", 1, "failed")]);
        }
        Sent {
            act,
            source: source.to_owned(),
            event: "x".to_owned(),
            status,
            word: word.to_owned(),
            delivery: None,
            shown: json!({"state": "done", "copies": copies, "attempts": attempts}),
        }
    }

    fn as_told() -> Vec<Sent> {
        vec![
            sent(Act::Deliver, "github", 202, "accepted", 1),
            sent(Act::Deliver, "stripe", 202, "accepted", 0),
            sent(Act::Copy, "github", 202, "duplicate", 1),
            sent(Act::Forge, "github", 401, "refused", 0),
        ]
    }

    #[test]
    fn a_run_as_told_has_no_differences() {
        assert_eq!(differences(&as_told(), 1), Vec::<String>::new());
    }

    #[test]
    fn each_thing_that_goes_otherwise_is_named() {
        type Change = fn(&mut Vec<Sent>);
        let changes: [(Change, &str); 7] = [
            (|s| s[0].status = 503, "answered 503"),
            (|s| s[0].shown["state"] = json!("pending"), "ended pending"),
            (|s| s[0].shown["copies"] = json!(0), "0 copies"),
            (
                |s| s[0].shown["attempts"] = json!([attempt("archive", 1, "ok"), attempt("archive", 2, "ok")]),
                "archived",
            ),
            (
                |s| s[1].shown["attempts"] = json!([attempt("archive", 1, "ok"), attempt("billing", 1, "ok")]),
                "failed once",
            ),
            (|s| s[2].word = "accepted".into(), "instead of duplicate"),
            (|s| s[3].status = 202, "instead of 401"),
        ];
        for (change, named) in changes {
            let mut sent = as_told();
            change(&mut sent);
            let found = differences(&sent, 1).join("\n");
            assert!(found.contains(named), "{named} is not in: {found}");
        }
        assert_eq!(differences(&as_told(), 0), ["the API shows 0 refusals instead of 1"]);
    }
}
