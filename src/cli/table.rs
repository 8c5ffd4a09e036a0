//! Aligned columns for people. Machines get `--json`.

/// A table that is laid out when it is complete.
#[derive(Debug)]
pub(super) struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

const GAP: &str = "  ";

impl Table {
    pub(super) fn new<const N: usize>(head: [&'static str; N]) -> Self {
        Self { head: head.into(), rows: Vec::new() }
    }

    /// Adds a row; an empty cell is shown as `-`, so that columns can be counted by eye and by `awk`.
    pub(super) fn row<const N: usize>(&mut self, cells: [String; N]) {
        debug_assert_eq!(N, self.head.len(), "a row has a cell for each column");
        self.rows.push(cells.into_iter().map(shown).collect());
    }

    /// The lines, aligned. Only the last column may run wide; where the line is longer than `width` it is cut there,
    /// because ids and states are copied from the columns before it.
    pub(super) fn lines(&self, width: Option<usize>) -> Vec<String> {
        let head: Vec<String> = self.head.iter().map(|name| (*name).to_owned()).collect();
        let all = || std::iter::once(&head).chain(&self.rows);
        let widths: Vec<usize> =
            (0..head.len()).map(|column| all().map(|row| columns(&row[column])).max().unwrap_or(0)).collect();
        all().map(|row| line(row, &widths, width)).collect()
    }
}

/// Control characters come from outside (event types, errors) and could move the cursor of a terminal.
fn shown(cell: String) -> String {
    let cell: String = cell.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if cell.is_empty() { "-".to_owned() } else { cell }
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

fn line(row: &[String], widths: &[usize], width: Option<usize>) -> String {
    let mut line = String::new();
    for (cell, width) in row.iter().zip(widths) {
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', width - columns(cell)));
        line.push_str(GAP);
    }
    let line = line.trim_end();
    let fixed: usize = widths.iter().rev().skip(1).map(|width| width + GAP.len()).sum();
    match width {
        Some(width) if columns(line) > width && width > fixed + 8 => {
            line.chars().take(width - 1).chain(['…']).collect()
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["SOURCE", "STATE", "ERROR"]);
        table.row(["stripe".into(), "dead".into(), "connection refused by the destination".into()]);
        table.row(["standard-webhooks".into(), "done".into(), String::new()]);
        table
    }

    #[test]
    fn columns_are_aligned_and_lines_do_not_end_in_spaces() {
        assert_eq!(
            table().lines(None),
            [
                "SOURCE             STATE  ERROR",
                "stripe             dead   connection refused by the destination",
                "standard-webhooks  done   -",
            ]
        );
    }

    #[test]
    fn a_narrow_terminal_cuts_the_last_column_only() {
        let lines = table().lines(Some(40));
        assert_eq!(lines[1], "stripe             dead   connection re…");
        assert_eq!(table().lines(Some(20)), table().lines(None), "too narrow for the others: left whole");
    }

    #[test]
    fn text_from_outside_cannot_steer_the_terminal() {
        let mut table = Table::new(["EVENT"]);
        table.row(["a\u{1b}[2Jb\nc".into()]);
        assert_eq!(table.lines(None)[1], "a [2Jb c");
    }
}
