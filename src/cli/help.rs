//! `--help`: commands grouped by what one wants to do, examples, and the exit codes.

use super::exit::Exit;

const GROUPS: [(&str, &[&str]); 3] = [
    ("Get going", &["dev", "init", "send"]),
    ("Run it", &["serve", "migrate", "check"]),
    (
        "Look and act",
        &[
            "deliveries",
            "jobs",
            "replay",
            "handlers",
            "lanes",
            "pause",
            "resume",
            "breakers",
            "explain",
            "sources",
            "providers",
        ],
    ),
];

const EXAMPLES: &str = "\
Examples:
  hookgate dev --demo                          watch webhooks being verified, deduplicated, retried
  hookgate init stripe                         configure a source
  hookgate dev                                 run it
  hookgate send stripe invoice.paid            post a signed sample to it
  hookgate deliveries list --state dead        what needs you
  hookgate explain --source stripe --request captured.http
                                               why it was refused
  hookgate replay ID --handler billing         run one handler of one delivery again
";

/// The command with its subcommands grouped, which clap cannot do by itself.
pub(super) fn grouped(command: clap::Command) -> clap::Command {
    let mut groups = String::new();
    for (title, names) in GROUPS {
        groups += &format!("{title}:\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            groups += &format!("  {name:<11} {}\n", about.map(ToString::to_string).unwrap_or_default());
        }
        groups.push('\n');
    }
    command
        .help_template(format!(
            "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}Options:
{{options}}{{after-help}}"
        ))
        .after_help(format!("{EXAMPLES}\n{}", Exit::table()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_is_in_exactly_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let command = Cli::command();
        let mut there: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        grouped.sort_unstable();
        there.sort_unstable();
        assert_eq!(grouped, there);
    }

    #[test]
    fn the_help_shows_groups_examples_and_exit_codes() {
        let help = grouped(Cli::command()).render_long_help().to_string();
        for part in ["Usage: hookgate", "Get going:", "Run a gateway", "--config", "Examples:", "Exit codes:"] {
            assert!(help.contains(part), "{part} is missing in:\n{help}");
        }
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "too wide for a terminal: {line}");
        }
    }

    #[test]
    fn the_definition_of_the_command_line_holds_together() {
        grouped(Cli::command()).debug_assert();
    }
}
