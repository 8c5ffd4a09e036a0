//! `init`: from nothing to a configured source, and what is left to do at the provider.
//!
//! Promise: nothing that is there is changed. A source of that name is refused, a variable that is set is kept, and
//! both files only grow at their end.

mod block;
mod files;
mod guide;
mod notes;

use std::path::PathBuf;

use hookgate_providers::find;
use rand::Rng as _;
use serde_json::json;

use super::exit::{Exit, Failure};
use super::{Invocation, local_url, providers, send};
use crate::config::Name;
use files::Existing;
use guide::{Guide, Origin, guide, tunnels};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The provider, or "hmac" for any other that signs with an HMAC
    provider: String,
    /// What the source is called, in its URL too [default: the provider's name]
    #[arg(long)]
    name: Option<Name>,
    /// The file that gets the secret's line
    #[arg(long, value_name = "FILE", default_value = ".env")]
    env_file: PathBuf,
}

pub(super) fn run(invocation: &Invocation, args: &Args) -> Result<Exit, Failure> {
    let provider = find(&args.provider);
    let guide = guide(&args.provider, provider).ok_or_else(|| providers::unknown(&args.provider))?;
    let name = args.name.as_ref().map_or(args.provider.as_str(), Name::as_str);
    let variable = block::variable_for(name);

    let file = config_file(invocation);
    let existing = files::read_config(&file)?;
    if existing.has_source(name) {
        return Err(Failure::no(format!("{} has a [source.{name}] already", file.display()))
            .advise("change it there, or choose another name with --name NAME"));
    }
    let docs = provider.map_or("", |provider| provider.docs);
    let notes = provider.map(notes::notes).unwrap_or_default();
    let wrote_secret = files::append_variable(&args.env_file, &variable, || {
        let mut random = [0; 32];
        rand::rng().fill_bytes(&mut random);
        block::env_line(&variable, &guide, random)
    })?;
    files::append(&file, &block::source(name, &args.provider, docs, &notes, &variable))?;

    let base = existing.public_url().unwrap_or_else(|| local_url(existing.ingest()));
    let url = send::ingest_url(base, name)?;
    let told = Told { name, variable: &variable, file, url: url.to_string(), docs, notes, wrote_secret };
    told.to_people(invocation, args, &guide, &existing);
    invocation.screen.value(&json!({
        "source": name,
        "provider": args.provider,
        "config": told.file,
        "env_file": args.env_file,
        "variable": variable,
        "secret": match (wrote_secret, guide.secret) {
            (false, _) => "kept",
            (true, Origin::Ours(_)) => "generated",
            (true, Origin::Theirs(_)) => "blank",
        },
        "url": told.url,
        "docs": docs,
        "notes": told.notes,
        "tunnels": tunnels(existing.ingest().port()).map(|(_, command)| command),
    }));
    Ok(Exit::Done)
}

fn config_file(invocation: &Invocation) -> PathBuf {
    let named = invocation.options.file.clone();
    named
        .or_else(|| invocation.variable("HOOKGATE_CONFIG").map(PathBuf::from))
        .unwrap_or_else(|| "hookgate.toml".into())
}

struct Told<'a> {
    name: &'a str,
    variable: &'a str,
    file: PathBuf,
    url: String,
    docs: &'a str,
    notes: Vec<String>,
    wrote_secret: bool,
}

impl Told<'_> {
    fn to_people(&self, invocation: &Invocation, args: &Args, guide: &Guide, existing: &Existing) {
        let say = |line: String| invocation.screen.line(line);
        let env = args.env_file.display();
        say(format!("wrote    [source.{}] to {}", self.name, self.file.display()));
        say(match (self.wrote_secret, guide.secret) {
            (false, _) => format!("kept     {} as it is in {env}", self.variable),
            (true, Origin::Ours(_)) => format!("wrote    {} to {env}: a fresh secret", self.variable),
            (true, Origin::Theirs(place)) => {
                format!("wrote    {}= to {env}; fill it in: {place}", self.variable)
            }
        });
        say(format!("\nAt the provider\n  url      {}", self.url));
        say(format!("  paste    {}", guide.paste));
        say(format!("  events   {}", guide.events));
        if !self.docs.is_empty() {
            say(format!("  docs     {}", self.docs));
        }
        for note in &self.notes {
            say(format!("  mind     {note}"));
        }
        if existing.public_url().is_none() {
            say("\nThe provider must reach that URL. From this machine, one of these gives it a public host:"
                .to_owned());
            for (tool, command) in tunnels(existing.ingest().port()) {
                say(format!("  {tool:<12} {command}"));
            }
            say("Set server.public_url to that host, and this command prints the full URL.".to_owned());
        }
        // A shell looks a name without a slash up in its search path.
        let here = if args.env_file.is_absolute() { "" } else { "./" };
        say(format!("\nThen\n  set -a; . {here}{env}; set +a\n  hookgate dev"));
        if find(&args.provider).is_some_and(|provider| !provider.samples.is_empty()) {
            say(format!("  hookgate send {}", args.provider));
        }
    }
}
