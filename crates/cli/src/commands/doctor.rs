//! `bench-action doctor`: what makes this machine noisy, and what would help.

use super::project::random_seed;
use crate::args::{DoctorArgs, GlobalArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal;
use bench_core::doctor::{
    Counters, DoctorError, Facts, Finding, Length, Noise, Sight, Status, Step, Trust, findings,
    measure, sights, trust,
};
use bench_process::{Interrupt, Machine};
use serde::Serialize;

/// Looks, measures, and says what it found.
pub(crate) fn doctor(args: &DoctorArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    let interrupt = Interrupt::install().map_err(CliError::Signals)?;
    let facts = Facts::read();
    let (noise, failure, grown) = match length(args) {
        None => (Vec::new(), None, None),
        Some(length) => {
            let measured = measure(length, &random_seed(), &interrupt, |step| tell(step, global));
            let (noise, failure) = survived(measured)?;
            (noise, failure, Some(Counters::read().since(&facts.counters)))
        }
    };
    let trust = match failure {
        Some(reason) => Trust { ok: false, reason: Some(reason) },
        None => trust(&noise),
    };
    let report = Report {
        schema: "bench-action/doctor/v1",
        machine: &facts.machine,
        findings: findings(&facts, grown.as_ref()),
        schedules: noise.iter().map(|noise| Measured { noise, sees: sights(noise) }).collect(),
        trust,
    };
    terminal::print(&if args.json { json(&report) } else { text(&report) })?;
    Ok(if report.trust.ok { Exit::Done } else { Exit::Untrustworthy })
}

fn length(args: &DoctorArgs) -> Option<Length> {
    match (args.no_measure, args.quick) {
        (true, _) => None,
        (false, true) => Some(Length::Quick),
        (false, false) => Some(Length::Minute),
    }
}

/// A machine that is too busy to be measured is a finding, and no reason to say nothing else.
fn survived(
    measured: Result<Vec<Noise>, DoctorError>,
) -> Result<(Vec<Noise>, Option<String>), CliError> {
    match measured {
        Ok(noise) => Ok((noise, None)),
        Err(error @ (DoctorError::TooFew { .. } | DoctorError::Answer(_))) => {
            Ok((Vec::new(), Some(error.to_string())))
        }
        Err(error) => Err(error.into()),
    }
}

fn tell(step: Step, global: &GlobalArgs) {
    if global.quiet {
        return;
    }
    terminal::say(&match step {
        Step::Waiting(holder) => {
            let holder = holder.map(|holder| format!(" ({holder})")).unwrap_or_default();
            format!("another measurement runs on this machine{holder}: waiting for its end")
        }
        Step::Measuring(schedule) => format!("measuring equal against equal: {schedule}"),
    });
}

/// What `--json` prints. Fields are only ever added.
#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    machine: &'a Machine,
    findings: Vec<Finding>,
    /// Empty where nothing was measured.
    schedules: Vec<Measured<'a>>,
    trust: Trust,
}

#[derive(Serialize)]
struct Measured<'a> {
    #[serde(flatten)]
    noise: &'a Noise,
    sees: Vec<Sight>,
}

fn json(report: &Report<'_>) -> String {
    // Its keys are text and its numbers are finite.
    let text = serde_json::to_string_pretty(report).unwrap_or_default();
    format!("{text}\n")
}

fn text(report: &Report<'_>) -> String {
    let mut lines = vec![machine(report.machine), String::new()];
    for finding in &report.findings {
        lines.push(format!("  {}  {}", sign(finding.status), terminal::plain(&finding.found)));
        lines.extend(
            finding.remedy.as_ref().map(|remedy| format!("       → {}", terminal::plain(remedy))),
        );
    }
    if !report.schedules.is_empty() {
        lines.push(String::new());
        lines.extend(noise(&report.schedules));
        lines.push(String::new());
        lines.extend(sight(&report.schedules));
    }
    lines.push(String::new());
    lines.push(conclusion(report));
    lines.join("\n") + "\n"
}

fn sign(status: Status) -> &'static str {
    match status {
        Status::Good => "=",
        Status::Note => "·",
        Status::Warning => "!",
        Status::Unknown => "?",
    }
}

fn machine(machine: &Machine) -> String {
    let facts = [
        machine.cpu.clone(),
        machine.cores.map(|cores| format!("{cores} cores")),
        machine.os.clone(),
        machine.virtualization.as_ref().map(|kind| format!("virtualization {kind}")),
    ];
    terminal::plain(&facts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
}

/// The spread of each schedule, and the interval that should hold 0.
fn noise(schedules: &[Measured<'_>]) -> Vec<String> {
    let mut lines = vec![
        "  equal against equal    blocks   a block varies by   difference found (should hold 0)"
            .to_owned(),
    ];
    lines.extend(schedules.iter().map(|Measured { noise, .. }| {
        let name = format!("{} ({} time)", noise.schedule, noise.clock);
        let end = |end: Option<f64>, open: &str| end.map_or(open.to_owned(), signed);
        format!(
            "  {name:<23}{:>6}   {:>17}   {} … {} %{}",
            noise.blocks,
            percent(noise.spread),
            end(noise.low, "−∞"),
            end(noise.high, "+∞"),
            if noise.differs { "   differs!" } else { "" }
        )
    }));
    lines
}

/// What each schedule can see, and in how long.
fn sight(schedules: &[Measured<'_>]) -> Vec<String> {
    let mut lines = vec![
        "  what it can see in a suite of 100 benchmarks, nine times in ten (blocks and seconds for each)"
            .to_owned(),
    ];
    lines.extend(schedules.iter().map(|Measured { noise, sees }| {
        let mut known: Vec<(u32, &Sight)> =
            sees.iter().filter_map(|s| Some((s.blocks?, s))).collect();
        // A larger change that takes as many blocks says nothing new.
        known.dedup_by_key(|(blocks, _)| *blocks);
        let seen: Vec<String> = known
            .into_iter()
            .map(|(blocks, sight)| {
                let seconds = sight.seconds.map(|s| format!(" ({s:.1} s)")).unwrap_or_default();
                format!("{} in {blocks}{seconds}", percent(sight.change))
            })
            .collect();
        let name = noise.schedule.to_string();
        let seen =
            if seen.is_empty() { "no change up to 20 %".to_owned() } else { seen.join(", ") };
        format!("  {name:<12} {seen}")
    }));
    lines.push(
        "  this is the machine with short and steady work; what your benchmarks bring themselves comes on top"
            .to_owned(),
    );
    lines
}

fn conclusion(report: &Report<'_>) -> String {
    let warnings = report.findings.iter().filter(|f| f.status == Status::Warning).count();
    let helped = match warnings {
        0 => String::new(),
        1 => "; the line marked ! says what would help".to_owned(),
        n => format!("; the {n} lines marked ! say what would help"),
    };
    match &report.trust.reason {
        Some(reason) => format!("not to be trusted: {}{helped}", terminal::plain(reason)),
        None if report.schedules.is_empty() => format!("nothing was measured{helped}"),
        None => format!("fit to measure on{helped}"),
    }
}

/// `0.42 %`, of a fraction.
fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if percent < 1.0 { format!("{percent:.2} %") } else { format!("{percent:.1} %") }
}

/// `+0.12`, a log ratio as percent.
fn signed(log_ratio: f64) -> String {
    format!("{:+.2}", log_ratio.exp_m1() * 100.0).replace('-', "−")
}
