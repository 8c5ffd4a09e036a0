//! Processor time, from Linux's accounting.

use std::time::Duration;

/// The kernel's accounting unit since Linux 2.4 on every architecture that we build for (`USER_HZ`).
const TICK: Duration = Duration::from_millis(10);

/// What a process has used so far, all of its threads; zero where the kernel does not say.
pub(crate) fn of_process(pid: u32) -> Duration {
    own(&Stat::of(pid))
}

/// What the children of a process used that have ended and were waited for.
pub(crate) fn of_ended_children(pid: u32) -> Duration {
    ticks(&Stat::of(pid).0, 13)
}

/// What a process, its living children and its ended ones have used: all of a Postgres server, by its postmaster.
pub(crate) fn of_family(pid: u32) -> Duration {
    let parent = pid.to_string();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let living = processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .map(Stat::of)
        .filter(|stat| stat.0.get(1) == Some(&parent));
    of_process(pid) + of_ended_children(pid) + living.map(|stat| own(&stat)).sum::<Duration>()
}

/// What the whole machine has used so far, idle and waiting time left out.
pub(crate) fn of_machine() -> Duration {
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let first = stat.lines().next().unwrap_or_default();
    let fields = first.split_ascii_whitespace().skip(1).take(7).enumerate();
    // user, nice, system, idle, iowait, irq, softirq
    let busy = fields.filter(|(at, _)| !matches!(at, 3 | 4)).filter_map(|(_, field)| field.parse::<u32>().ok());
    TICK * busy.sum::<u32>()
}

/// The fields of `/proc/PID/stat` after the program's name, which may itself hold spaces and parentheses.
struct Stat(Vec<String>);

impl Stat {
    fn of(pid: u32) -> Self {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        Self(after_name.split_ascii_whitespace().map(str::to_owned).collect())
    }
}

fn own(stat: &Stat) -> Duration {
    ticks(&stat.0, 11)
}

/// The load average of the last minute: whether something else is running.
pub(crate) fn load_average() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_ascii_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(0.0)
}

/// The processor's model and how many of them there are.
pub(crate) fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown processor");
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{count} × {}", model.trim_start_matches([' ', '\t', ':']))
}

/// User and system time, which stand side by side.
fn ticks(fields: &[String], at: usize) -> Duration {
    TICK * fields.iter().skip(at).take(2).filter_map(|field| field.parse::<u32>().ok()).sum::<u32>()
}
