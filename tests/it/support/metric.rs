//! The metrics of this process. Every test shares them, so each looks at a source of its own.

use std::sync::OnceLock;

/// The value of a counter whose line begins with `series`, such as `hookgate_conflicts_total{source="a"}`; 0 while
/// there is none.
pub(crate) fn counter(series: &str) -> u64 {
    let rendered = render();
    let value = rendered.lines().find_map(|line| line.strip_prefix(series)?.trim().parse().ok());
    value.unwrap_or(0)
}

/// Starts counting. What was counted before the first call is not seen.
pub(crate) fn counting() {
    render();
}

fn render() -> String {
    type Render = Box<dyn Fn() -> String + Send + Sync>;
    static METRICS: OnceLock<Render> = OnceLock::new();
    METRICS.get_or_init(|| {
        let handle = hookgate::telemetry::metrics().expect("the metrics of this process");
        Box::new(move || handle.render())
    })()
}
