//! Reads the CSV of launches back into results: strict, and in whatever order its lines stand.

use super::cells::{Cells, Columns, cell};
use super::{EVIDENCE, LEADING, ROLES, ROW_DETAILS, RUN_DETAILS};
use crate::read::{FEWER, read_json, too_large};
use crate::{Block, Caps, Measured, ReadError, Results, Row, Sample, SideName};
use std::collections::BTreeMap;

/// How to mend what cannot be mended in one cell.
const ANEW: &str = "write the file anew with `bench-action render --format csv`";

/// Reads the bytes; `place` names them in errors. Columns that are not known are passed by.
///
/// # Errors
/// Names the line, the column and the remedy.
pub(crate) fn read_launches(bytes: &[u8], place: &str, caps: Caps) -> Result<Results, ReadError> {
    let mut reader = csv::Reader::from_reader(bytes);
    let wanted = LEADING.into_iter().chain(EVIDENCE).chain([ROW_DETAILS, RUN_DETAILS]);
    let header = reader.headers().map_err(|error| unreadable(place, &error))?.clone();
    let columns = Columns::of(&header, wanted, place)?;
    let mut file = File { run: None, rows: BTreeMap::new() };
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| unreadable(place, &error))? {
        file.take(&Cells::new(&columns, &record), place, caps)?;
    }
    file.finish(place)
}

/// What the CSV parser did not understand.
fn unreadable(place: &str, error: &csv::Error) -> ReadError {
    let at = error.position().map_or(1, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            // The first that is missing, or the last there is.
            let column =
                format!("number {}", len.min(expected_len) + u64::from(len < expected_len));
            let message = format!(
                "the line has {len} cells, the header {expected_len}: is it cut off? {ANEW}"
            );
            cell(place, at, &column, &message)
        }
        csv::ErrorKind::Utf8 { err, .. } => {
            let column = format!("number {}", err.field() + 1);
            cell(place, at, &column, "it is no UTF-8 text: save the file as UTF-8")
        }
        _ => cell(place, at, "number 1", &format!("{error}: {ANEW}")),
    }
}

struct File {
    run: Option<Results>,
    /// By the number in the column `row`.
    rows: BTreeMap<u64, Lines>,
}

/// The lines of one row.
struct Lines {
    role: String,
    id: String,
    comparison: String,
    /// Where the first of them stands.
    line: u64,
    details: Option<Row>,
    blocks: BTreeMap<u32, Block>,
    /// By the number in the column `launch`, base's and head's.
    launches: [BTreeMap<u64, Sample>; 2],
}

impl File {
    fn take(&mut self, cells: &Cells<'_>, place: &str, caps: Caps) -> Result<(), ReadError> {
        if cells.has(RUN_DETAILS) {
            let run = run_details(cells, place)?;
            if self.run.replace(run).is_some() {
                return Err(cells.error(RUN_DETAILS, "they were on a line above: keep one of them"));
            }
        }
        let is_of_no_row = LEADING.iter().chain(&EVIDENCE).all(|name| !cells.has(name));
        if is_of_no_row && !cells.has(ROW_DETAILS) {
            return Ok(());
        }
        let number: u64 = cells.needed("row", cells.whole("row")?)?;
        let lines = self.rows.entry(number).or_insert_with(|| Lines::begin(cells));
        lines.take(cells)?;
        if self.rows.len() > caps.rows {
            return Err(too_large(
                &format!("{place}:{}", cells.line),
                "the number of rows",
                format!("{} rows", caps.rows),
                FEWER,
            ));
        }
        Ok(())
    }

    fn finish(self, place: &str) -> Result<Results, ReadError> {
        let Some(mut results) = self.run else {
            let message = format!("no line has them: keep the line that does, or {ANEW}");
            return Err(cell(place, 2, RUN_DETAILS, &message));
        };
        for lines in self.rows.into_values() {
            let is_sentinel = lines.role == ROLES[1];
            let row = lines.finish(place)?;
            if is_sentinel { &mut results.sentinel } else { &mut results.benchmarks }.push(row);
        }
        Ok(results)
    }
}

fn run_details(cells: &Cells<'_>, place: &str) -> Result<Results, ReadError> {
    let place = format!("{place}:{}, column `{RUN_DETAILS}`", cells.line);
    let run = read_json(cells.text(RUN_DETAILS).as_bytes(), &place)?;
    if run.benchmarks.is_empty() && run.sentinel.is_empty() {
        return Ok(run);
    }
    Err(cells.error(
        RUN_DETAILS,
        &format!("there are rows in it, which have lines of their own: {ANEW}"),
    ))
}

impl Lines {
    fn begin(cells: &Cells<'_>) -> Self {
        Self {
            role: cells.text("role").to_owned(),
            id: cells.text("id").to_owned(),
            comparison: cells.text("comparison").to_owned(),
            line: cells.line,
            details: None,
            blocks: BTreeMap::new(),
            launches: [BTreeMap::new(), BTreeMap::new()],
        }
    }

    fn take(&mut self, cells: &Cells<'_>) -> Result<(), ReadError> {
        if !ROLES.contains(&cells.text("role")) {
            return Err(cells.wrong("role", "neither `benchmark` nor `sentinel`"));
        }
        let own = [("role", &self.role), ("id", &self.id), ("comparison", &self.comparison)];
        if let Some((name, _)) = own.into_iter().find(|(name, own)| cells.text(name) != **own) {
            let other = format!("another {name} than that of the same row on line {}", self.line);
            return Err(cells.wrong(name, &other));
        }
        if cells.has(ROW_DETAILS) {
            self.take_details(cells)?;
        }
        if cells.has("order") { self.take_block(cells) } else { no_block(cells) }?;
        if cells.has("side") { self.take_launch(cells) } else { no_launch(cells) }
    }

    fn take_details(&mut self, cells: &Cells<'_>) -> Result<(), ReadError> {
        let row: Row = serde_json::from_str(cells.text(ROW_DETAILS)).map_err(|error| {
            cells.error(ROW_DETAILS, &format!("it is not what was written ({error}): {ANEW}"))
        })?;
        let samples = [&row.base, &row.head].into_iter().flatten().map(|side| side.samples.len());
        let message = if self.details.is_some() {
            "the same row has them on a line above: keep one of them".to_owned()
        } else if (&row.id, &row.comparison) != (&self.id, &self.comparison) {
            format!(
                "it is of another row, `{}`: {ANEW}",
                row.id.chars().take(100).collect::<String>()
            )
        } else if samples.sum::<usize>() + row.blocks.len() > 0 {
            format!("there are launches in it, which have lines of their own: {ANEW}")
        } else {
            self.details = Some(row);
            return Ok(());
        };
        Err(cells.error(ROW_DETAILS, &message))
    }

    fn take_block(&mut self, cells: &Cells<'_>) -> Result<(), ReadError> {
        let block = block(cells)?;
        match self.blocks.get(&block.index) {
            None => drop(self.blocks.insert(block.index, block)),
            Some(known) if *known == block => {}
            Some(known) => {
                let name = difference(known, &block);
                return Err(cells.wrong(name, "not what another line of the same block has"));
            }
        }
        Ok(())
    }

    fn take_launch(&mut self, cells: &Cells<'_>) -> Result<(), ReadError> {
        let side = side(cells, "side")?;
        let launch = cells.needed("launch", cells.whole("launch")?)?;
        let launches = &mut self.launches[usize::from(side == SideName::Head)];
        if launches.insert(launch, sample(cells)?).is_some() {
            return Err(cells.wrong("launch", "there twice on this side of the row"));
        }
        Ok(())
    }

    fn finish(self, place: &str) -> Result<Row, ReadError> {
        let at = |message: String| cell(place, self.line, ROW_DETAILS, &message);
        let Some(mut row) = self.details else {
            let message = format!(
                "no line of row `{}` has them: keep the line that does, or {ANEW}",
                self.id
            );
            return Err(at(message));
        };
        let sides = [(&mut row.base, SideName::Base), (&mut row.head, SideName::Head)];
        for ((measured, side), launches) in sides.into_iter().zip(self.launches) {
            match measured {
                Some(Measured { samples, .. }) => samples.extend(launches.into_values()),
                None if launches.is_empty() => {}
                None => {
                    return Err(at(format!(
                        "they have no {side}, of which there are launches: {ANEW}"
                    )));
                }
            }
        }
        row.blocks = self.blocks.into_values().collect();
        row.blocks.sort_by_key(|block| block.order);
        Ok(row)
    }
}

/// Cells of a launch on a line that names no side would be lost.
fn no_launch(cells: &Cells<'_>) -> Result<(), ReadError> {
    let of_launch = EVIDENCE.iter().skip_while(|name| **name != "side").skip(1);
    match of_launch.clone().find(|name| cells.has(name)) {
        None => Ok(()),
        Some(name) => {
            let message = format!("there is a `{name}` of no side: fill in the column `side`");
            Err(cells.error("side", &message))
        }
    }
}

/// Nor may cells of a block be lost, on a line that says nothing of its place. (A launch has a `block`
/// also where there is no more to say of it.)
fn no_block(cells: &Cells<'_>) -> Result<(), ReadError> {
    let of_block = EVIDENCE.iter().take_while(|name| **name != "side");
    let is_lost = |name: &str| cells.has(name) && (name != "block" || !cells.has("side"));
    match of_block.clone().any(|name| is_lost(name)) {
        false => Ok(()),
        true => Err(cells.error("order", "the block on this line has none: fill it in")),
    }
}

fn side(cells: &Cells<'_>, name: &str) -> Result<SideName, ReadError> {
    let side = SideName::BOTH.into_iter().find(|side| side.word() == cells.text(name));
    side.ok_or_else(|| cells.wrong(name, "neither `base` nor `head`"))
}

fn block(cells: &Cells<'_>) -> Result<Block, ReadError> {
    Ok(Block {
        index: cells.needed("block", cells.whole("block")?)?,
        order: cells.needed("order", cells.whole("order")?)?,
        started_ms: cells.needed("started_ms", cells.whole("started_ms")?)?,
        core: cells.whole("core")?,
        coin: side(cells, "coin")?,
        d: cells.number("d")?,
        corrected: cells.number("corrected")?,
        counted: cells.needed("counted", cells.truth("counted")?)?,
        load: cells.number("load")?,
    })
}

/// The first column in which two blocks of one index differ.
fn difference(a: &Block, b: &Block) -> &'static str {
    let differs = [
        ("order", a.order != b.order),
        ("started_ms", a.started_ms != b.started_ms),
        ("core", a.core != b.core),
        ("coin", a.coin != b.coin),
        ("counted", a.counted != b.counted),
        ("d", a.d != b.d),
        ("corrected", a.corrected != b.corrected),
    ];
    differs.into_iter().find(|(_, differs)| *differs).map_or("load", |(name, _)| name)
}

fn sample(cells: &Cells<'_>) -> Result<Sample, ReadError> {
    Ok(Sample {
        block: cells.needed("block", cells.whole("block")?)?,
        first: cells.needed("first", cells.truth("first")?)?,
        value: cells.number("value")?,
        cpu_ns: cells.needed("cpu_ns", cells.whole("cpu_ns")?)?,
        wall_ns: cells.needed("wall_ns", cells.whole("wall_ns")?)?,
        loops: cells.needed("loops", cells.whole("loops")?)?,
        max_rss_bytes: cells.whole("max_rss_bytes")?,
        voluntary_switches: cells.whole("voluntary_switches")?,
    })
}
