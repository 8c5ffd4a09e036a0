//! Which layers there are, in which order, and how the merged settings become a [`Config`].

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::database::DatabaseSettings;
use super::error::{Complaints, ConfigError};
use super::forward::{ForwardDefaults, ForwardSettings};
use super::operator::OperatorSettings;
use super::sealing::SecretsSettings;
use super::secret::Keyring;
use super::sheet::Sheet;
use super::source::{SourceDefaults, SourceSettings};
use super::{
    Breaker, Config, HandlerPolicy, Log, Mode, Name, Recorder, Registry, Retention, Server, Source, Worker, policy,
};

/// `hookgate.default.toml`, every option with its default and a comment.
pub const DEFAULT_TOML: &str = include_str!("../../hookgate.default.toml");

const DEFAULT_FILE: &str = "hookgate.toml";
const PREFIX: &str = "HOOKGATE__";

/// What a configuration is loaded from.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// The file named on the command line. `None`: the one `HOOKGATE_CONFIG` names, else `hookgate.toml` if there is
    /// one. A named file must exist.
    pub file: Option<PathBuf>,
    /// The environment: overrides (`HOOKGATE__SECTION__KEY`) and what secrets refer to.
    pub env: BTreeMap<String, String>,
    /// Whether literal secrets are accepted.
    pub mode: Mode,
}

impl LoadOptions {
    /// The options of this process: its environment, and the file given on its command line. The one place in
    /// hookgate that reads the environment.
    pub fn of_process(file: Option<PathBuf>, mode: Mode) -> Self {
        // A variable that is not UTF-8 cannot be a setting or a secret of ours; a reference to it says "not set".
        let env = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self { file, env, mode }
    }
}

/// The whole file, as it may be written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    server: Server,
    operator: OperatorSettings,
    database: DatabaseSettings,
    recorder: Recorder,
    worker: Worker,
    breaker: Breaker,
    handler_defaults: HandlerPolicy,
    #[serde(rename = "forward_defaults")]
    _forward_defaults: ForwardDefaults,
    #[serde(rename = "source_defaults")]
    _source_defaults: SourceDefaults,
    retention: Retention,
    registry: Registry,
    log: Log,
    secrets: SecretsSettings,
    #[serde(default)]
    source: BTreeMap<Name, SourceSettings>,
    #[serde(default)]
    forward: Vec<ForwardSettings>,
}

pub(super) fn load(options: &LoadOptions) -> Result<Config, ConfigError> {
    let file = find_file(options)?;
    let file = file.as_ref().map(|(name, text)| (name.as_str(), text.as_str()));
    from_layers(file, &options.env, options.mode, &|path| std::fs::read(path))
}

fn find_file(options: &LoadOptions) -> Result<Option<(String, String)>, ConfigError> {
    let named = options.file.clone().map(|path| (path, "--config"));
    let named = named.or_else(|| options.env.get("HOOKGATE_CONFIG").map(|path| (path.into(), "HOOKGATE_CONFIG")));
    let path = named.as_ref().map_or(Path::new(DEFAULT_FILE), |(path, _)| path);
    match (std::fs::read_to_string(path), named.as_ref()) {
        (Ok(text), _) => Ok(Some((path.display().to_string(), text))),
        (Err(error), None) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        (Err(error), None) => {
            let sentence = format!("{DEFAULT_FILE} is here but cannot be read: {error}");
            Err(ConfigError::because(error, sentence))
        }
        (Err(error), Some((path, by))) => {
            let sentence = format!("the configuration file {}, named by {by}, cannot be read: {error}", path.display());
            Err(ConfigError::because(error, sentence))
        }
    }
}

/// Defaults, file, environment, in this order. Reads nothing but what comes in.
pub(super) fn from_layers(
    file: Option<(&str, &str)>,
    env: &BTreeMap<String, String>,
    mode: Mode,
    read: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
) -> Result<Config, ConfigError> {
    let mut sheet = Sheet::new();
    sheet.lay_file("hookgate.default.toml", DEFAULT_TOML)?;
    if let Some((name, text)) = file {
        sheet.lay_file(name, text)?;
    }
    if let Some(folder) = env.get("HOOKGATE_PG_BIN") {
        sheet.lay_variable("HOOKGATE_PG_BIN", &["database".into(), "pg_bin".into()], folder)?;
    }
    for (variable, text) in env.iter().filter(|(name, _)| name.starts_with(PREFIX)) {
        let path: Vec<String> = variable[PREFIX.len()..].split("__").map(str::to_ascii_lowercase).collect();
        sheet.lay_variable(variable, &path, text)?;
    }
    sheet.inherit("source", "source_defaults");
    sheet.inherit("forward", "forward_defaults");
    sheet.inherit("forward", "handler_defaults");
    resolve(sheet.read()?, &Keyring { env, read, mode })
}

fn resolve(settings: Settings, keyring: &Keyring<'_>) -> Result<Config, ConfigError> {
    let mut complaints = Complaints::default();
    let sources: BTreeMap<Name, Source> = settings
        .source
        .into_iter()
        .filter_map(|(name, source)| Some((name.clone(), source.resolve(name, keyring, &mut complaints)?)))
        .collect();
    let forwards = settings
        .forward
        .into_iter()
        .filter_map(|forward| forward.resolve(&sources, keyring, &mut complaints))
        .collect();
    let config = Config {
        operator: settings.operator.resolve(keyring, &mut complaints),
        database: settings.database.resolve(keyring, &mut complaints),
        secrets: settings.secrets.resolve(keyring, &mut complaints),
        server: settings.server,
        recorder: settings.recorder,
        worker: settings.worker,
        breaker: settings.breaker,
        handler_defaults: HandlerPolicy {
            attempts: policy::attempts(settings.handler_defaults.attempts, &settings.handler_defaults.retry),
            ..settings.handler_defaults
        },
        retention: settings.retention,
        registry: settings.registry,
        log: settings.log,
        sources,
        forwards,
    };
    complaints.none_or(config)
}
