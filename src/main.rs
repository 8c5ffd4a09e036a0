//! The `hookgate` binary: the command line with no handlers of its own.

fn main() -> std::process::ExitCode {
    hookgate::Gateway::builder().run_cli()
}
