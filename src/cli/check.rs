//! `check`: what the configuration comes to, and what in it contradicts itself.

use serde_json::json;

use super::Invocation;
use super::exit::{Exit, Failure};
use crate::config::{Config, LoadOptions, Mode, Problem, Severity};

#[derive(Debug, clap::Args)]
#[command(after_help = "Ends with 0 when the gateway would start, and with 1 when it would refuse to.")]
pub(super) struct Args {
    /// Refuse warnings too
    #[arg(long)]
    strict: bool,
    /// Accept secrets that stand in the file, as `hookgate dev` does
    #[arg(long)]
    dev: bool,
}

pub(super) fn run(invocation: &Invocation, args: &Args) -> Result<Exit, Failure> {
    let screen = invocation.screen;
    let mode = if args.dev { Mode::Dev } else { Mode::Serve };
    let config = match Config::load(&LoadOptions { mode, ..invocation.options.clone() }) {
        Ok(config) => config,
        Err(error) if screen.json => {
            let problems: Vec<_> =
                error.sentences().map(|sentence| json!({"severity": "error", "sentence": sentence})).collect();
            screen.value(&json!({"ok": false, "problems": problems, "config": null}));
            return Ok(Exit::No);
        }
        Err(error) => return Err(error.into()),
    };
    let problems = config.contradictions();
    let exit = verdict(&problems, args.strict);
    screen.line(config.to_toml().trim_end());
    screen.line("");
    for problem in &problems {
        screen.line(problem.to_string());
    }
    screen.line(match exit {
        Exit::Done => format!("This configuration is accepted (fingerprint {}).", config.fingerprint()),
        _ => "This configuration is refused.".to_owned(),
    });
    screen.value(&json!({
        "ok": exit == Exit::Done,
        "problems": problems.iter().map(shown).collect::<Vec<_>>(),
        "fingerprint": config.fingerprint(),
        "config": config.to_json(),
    }));
    Ok(exit)
}

fn verdict(problems: &[Problem], strict: bool) -> Exit {
    let bearable = if strict { Severity::Note } else { Severity::Warning };
    if problems.iter().all(|problem| problem.severity <= bearable) { Exit::Done } else { Exit::No }
}

fn shown(problem: &Problem) -> serde_json::Value {
    let severity = match problem.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    json!({"severity": severity, "sentence": problem.sentence})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_refused_only_when_asked_and_notes_never() {
        let of = |severity| [Problem { severity, sentence: String::new() }];
        let table = [
            (Severity::Note, Exit::Done, Exit::Done),
            (Severity::Warning, Exit::Done, Exit::No),
            (Severity::Error, Exit::No, Exit::No),
        ];
        for (severity, usual, strict) in table {
            assert_eq!(verdict(&of(severity), false), usual, "{severity:?}");
            assert_eq!(verdict(&of(severity), true), strict, "{severity:?} --strict");
        }
    }
}
