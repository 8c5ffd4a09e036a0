//! `lanes`: what stands still, why, and what to do about it.

use serde_json::{Value, json};

use super::Invocation;
use super::client::{Api, Client};
use super::deliveries::text;
use super::exit::{Exit, Failure};
use super::table::Table;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List those at work, standing still, or lacking something
    List(List),
    /// Show one with the job that is next in it
    Show(One),
    /// Start nothing more of it; what runs ends as it would have
    Pause(One),
    /// Let it go on after a pause or a halt
    Resume(One),
    /// Put its first job among the dead, and let it go on
    #[command(
        after_help = "The skipped job can be redriven: `hookgate replay DELIVERY`. It then runs next in its lane."
    )]
    Skip(One),
    /// Put everything that is queued in it among the dead
    #[command(after_help = "Each can be redriven: `hookgate replay DELIVERY`. A running job ends as it would have.")]
    Cancel(One),
}

#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// Only those in this state
    #[arg(long, value_parser = crate::store::search::lanes::STATES)]
    state: Option<String>,
    /// Only those of this handler
    #[arg(long)]
    handler: Option<String>,
    /// Only those of this source
    #[arg(long)]
    source: Option<String>,
    /// Only those of this ordering key
    #[arg(long)]
    key: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    #[command(flatten)]
    api: Api,
}

#[derive(Debug, clap::Args)]
pub(super) struct One {
    /// Its id, as `list` has it
    id: LaneId,
    #[command(flatten)]
    api: Api,
}

/// Hexadecimal digits, so that nothing else becomes part of a path.
#[derive(Debug, Clone)]
pub(super) struct LaneId(String);

impl std::str::FromStr for LaneId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(Self(text.to_ascii_lowercase()));
        }
        Err("a lane's id is 32 hexadecimal digits: `hookgate lanes list` shows them".to_owned())
    }
}

pub(super) async fn run(invocation: &Invocation, command: &Command) -> Result<Exit, Failure> {
    let screen = invocation.screen;
    let (verb, one) = match command {
        Command::List(wanted) => return list(invocation, wanted).await,
        Command::Show(One { id, api }) => {
            let lane = Client::connect(invocation, api)?.get(&format!("lanes/{}", id.0), &[]).await?;
            details(&lane).iter().for_each(|line| screen.line(line));
            screen.value(&lane);
            return Ok(Exit::Done);
        }
        Command::Pause(one) => ("pause", one),
        Command::Resume(one) => ("resume", one),
        Command::Skip(one) => ("skip", one),
        Command::Cancel(one) => ("cancel", one),
    };
    let done = Client::connect(invocation, &one.api)?.post(&format!("lanes/{}/{verb}", one.id.0), &json!({})).await?;
    screen.line(told(verb, &done));
    screen.value(&done);
    Ok(Exit::Done)
}

/// As many pages as it takes: one may be short, even empty, and not be the last.
async fn list(invocation: &Invocation, wanted: &List) -> Result<Exit, Failure> {
    let client = Client::connect(invocation, &wanted.api)?;
    let filters =
        [("state", &wanted.state), ("handler", &wanted.handler), ("source", &wanted.source), ("key", &wanted.key)];
    let filters: Vec<(&str, String)> =
        filters.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))).collect();
    let (mut items, limit) = (Vec::new(), usize::from(wanted.limit));
    let mut cursor: Option<String> = None;
    loop {
        let mut query = filters.clone();
        query.push(("limit", (limit - items.len()).min(200).to_string()));
        query.extend(cursor.map(|cursor| ("cursor", cursor)));
        let page = client.get("lanes", &query).await?;
        items.extend(page["items"].as_array().cloned().unwrap_or_default());
        cursor = page["next"].as_str().map(str::to_owned);
        if cursor.is_none() || items.len() >= limit {
            break;
        }
    }
    invocation.screen.table(&table(&items));
    invocation.screen.value(&json!({ "items": items, "next": cursor }));
    Ok(Exit::Done)
}

fn told(verb: &str, done: &Value) -> String {
    let (lane, left) = (&done["lane"], &done["left"]);
    let name = format!("{} of {}", text(lane, "key"), text(lane, "handler"));
    match verb {
        "pause" if lane["pausing"] == true => format!("{name} is paused when what runs ends."),
        "skip" => format!("{name}: its first job is among the dead. The lane is {}.", text(lane, "state")),
        "cancel" => format!("{name}: {left} jobs are among the dead. The lane is {}.", text(lane, "state")),
        _ => format!("{name} is {}.", text(lane, "state")),
    }
}

fn table(items: &[Value]) -> Table {
    let mut table =
        Table::new(["LANE", "HANDLER", "SOURCE", "STATE", "PENDING", "FAILURES", "NEXT TRY", "GAPS", "KEY"]);
    for lane in items {
        let head = &lane["head"];
        let failures = head["failures"].as_u64().map(|n| n.to_string()).unwrap_or_default();
        table.row([
            text(lane, "id"),
            text(lane, "handler"),
            text(lane, "source"),
            state(lane),
            lane["pending"].to_string(),
            failures,
            text(head, "next_try"),
            lane["gaps"].to_string(),
            text(lane, "key"),
        ]);
    }
    table
}

fn state(lane: &Value) -> String {
    let state = text(lane, "state");
    match (lane["pausing"] == true, lane["unapplied"].is_null()) {
        (true, _) => format!("{state}, pausing"),
        (false, false) => format!("{state}, unapplied"),
        (false, true) => state,
    }
}

fn details(lane: &Value) -> Vec<String> {
    let head = &lane["head"];
    let mut lines = vec![
        format!("lane       {}", text(lane, "id")),
        format!("key        {}", text(lane, "key").escape_debug()),
        format!("handler    {} on {}, order {}", text(lane, "handler"), text(lane, "source"), text(lane, "order")),
        format!("state      {}, {} pending", state(lane), lane["pending"]),
    ];
    if !head.is_null() {
        lines.push(format!(
            "head       {}  attempt {}, {} failures",
            text(head, "delivery"),
            head["attempt"],
            head["failures"]
        ));
    }
    if head["blocked_seconds"].is_number() {
        let seconds = head["blocked_seconds"].as_f64().unwrap_or_default();
        lines.push(format!("failing    for {seconds:.0} s, next try {}", text(head, "next_try")));
    }
    if lane["gaps"] != 0 || lane["outside"] != 0 {
        lines.push(format!("missing    {} dead, {} retrying outside", lane["gaps"], lane["outside"]));
    }
    if !lane["unapplied"].is_null() {
        let delivery = text(lane, "unapplied");
        lines.push(format!("unapplied  its newest is dead: hookgate replay {delivery}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halted() -> Value {
        json!({
            "id": "00ff", "key": "in_1", "handler": "billing", "source": "stripe", "order": "lane", "state": "halted",
            "pausing": false, "pending": 3, "gaps": 1, "outside": 0, "unapplied": null,
            "head": {"delivery": "d1", "attempt": 2, "failures": 2, "next_try": "T", "failing_since": "S",
                     "blocked_seconds": 61.4},
        })
    }

    #[test]
    fn a_row_tells_what_holds_the_lane_up() {
        let unapplied = json!({"id": "01", "key": "k", "handler": "h", "source": "s", "state": "idle", "pausing": false,
                               "pending": 0, "gaps": 2, "unapplied": "d9", "head": null});
        assert_eq!(
            table(&[halted(), unapplied]).lines(None),
            [
                "LANE  HANDLER  SOURCE  STATE            PENDING  FAILURES  NEXT TRY  GAPS  KEY",
                "00ff  billing  stripe  halted           3        2         T         1     in_1",
                "01    h        s       idle, unapplied  0        -         -         2     k",
            ]
        );
    }

    #[test]
    fn the_details_name_the_head_and_what_is_missing() {
        let lines = details(&halted()).join("\n");
        assert!(lines.contains("head       d1  attempt 2, 2 failures"), "{lines}");
        assert!(lines.contains("failing    for 61 s, next try T"), "{lines}");
        assert!(lines.contains("missing    1 dead, 0 retrying outside"), "{lines}");
    }

    #[test]
    fn what_was_done_is_told_in_a_sentence() {
        let done = |lane: Value| json!({"left": 2, "lane": lane});
        assert_eq!(told("resume", &done(halted())), "in_1 of billing is halted.");
        assert_eq!(told("cancel", &done(halted())), "in_1 of billing: 2 jobs are among the dead. The lane is halted.");
        let mut pausing = halted();
        pausing["pausing"] = true.into();
        assert_eq!(told("pause", &done(pausing)), "in_1 of billing is paused when what runs ends.");
    }
}
