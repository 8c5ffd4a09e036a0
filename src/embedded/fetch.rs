//! Downloading a server with the `postgresql_embedded` crate. Only its archives are used; the
//! cluster is ours to make and run.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use postgresql_embedded::{PostgreSQL, Settings, VersionReq};

/// Puts the newest release of a major version under `servers` and gives the folder of its programs.
pub(super) async fn fetch(servers: &Path, major: u32) -> Result<PathBuf, String> {
    tracing::info!(major, "no Postgres server is installed; downloading one");
    // The client panics without a default; an Err only says that the program chose one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let version = VersionReq::parse(&format!("={major}")).map_err(|error| error.to_string())?;
    fs::create_dir_all(servers).map_err(|error| error.to_string())?;
    // The archive's folder is made private and by us; the server's user must be able to enter.
    open(servers)?;

    let looks_made = LooksMade::new(servers)?;
    let settings = Settings {
        version,
        installation_dir: servers.to_owned(),
        data_dir: looks_made.0.clone(),
        ..Settings::default()
    };
    let mut installer = PostgreSQL::new(settings);
    installer.setup().await.map_err(|error| error.to_string())?;
    let installed = installer.settings().installation_dir.clone();
    open(&installed)?;
    Ok(installed.join("bin"))
}

fn open(folder: &Path) -> Result<(), String> {
    fs::set_permissions(folder, Permissions::from_mode(0o755)).map_err(|error| error.to_string())
}

/// `setup` runs initdb unless the cluster looks made, and would run it as root: so it is shown a
/// folder that looks so.
struct LooksMade(PathBuf);

impl LooksMade {
    fn new(servers: &Path) -> Result<Self, String> {
        let folder = servers.join("no-cluster");
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(folder.join("postgresql.conf"), ""))
            .map_err(|error| error.to_string())?;
        Ok(Self(folder))
    }
}

impl Drop for LooksMade {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
