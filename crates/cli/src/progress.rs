//! Shows how far a run is: a bar on a terminal, plain lines in a log.
//!
//! It draws only when told of an event, and events come between measurements only: a bar that
//! ticks by itself would wake on the core that is being measured.

use crate::args::{GlobalArgs, ProgressChoice};
use crate::terminal;
use bench_core::events::{Event, Listener, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;

/// The listener that draws.
#[derive(Debug)]
pub(crate) struct Display {
    style: Style,
    warnings: Warnings,
    /// The newest news, for the line of the next round.
    last: Option<Progress>,
    goal: Goal,
}

#[derive(Debug)]
enum Style {
    Bar(ProgressBar),
    Lines,
    Hidden,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Warnings {
    Shown,
    /// Under `-q`; the report has them all the same.
    Hidden,
}

/// What a benchmark is measured for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Decision,
    /// So many blocks, whatever they say.
    Blocks,
}

impl Goal {
    /// How many have reached it, in words.
    fn reached(self, progress: &Progress) -> String {
        match self {
            Self::Decision => format!("{} of {} decided", progress.decided, progress.total),
            Self::Blocks => format!("{} of {} done", progress.ended, progress.total),
        }
    }
}

impl Display {
    /// What the flags ask for, on this standard error.
    pub(crate) fn new(global: &GlobalArgs) -> Self {
        let warnings = if global.quiet { Warnings::Hidden } else { Warnings::Shown };
        let style = match global.progress {
            _ if global.quiet => Style::Hidden,
            ProgressChoice::Never => Style::Hidden,
            ProgressChoice::Lines => Style::Lines,
            // Log lines would tear a bar apart.
            ProgressChoice::Auto if global.verbose > 0 => Style::Lines,
            ProgressChoice::Auto if !std::io::stderr().is_terminal() => Style::Lines,
            ProgressChoice::Auto => Style::Bar(bar()),
        };
        Self { style, warnings, last: None, goal: Goal::Decision }
    }

    fn say(&self, line: &str) {
        match &self.style {
            Style::Bar(bar) => bar.suspend(|| terminal::say(line)),
            Style::Lines | Style::Hidden => terminal::say(line),
        }
    }
}

impl Listener for Display {
    fn event(&mut self, event: &Event) {
        if let Event::Warning(text) = event {
            if self.warnings == Warnings::Shown {
                self.say(&format!("warning: {}", terminal::plain(text)));
            }
            return;
        }
        if let Event::Planned { repeat, .. } = event {
            self.goal = if repeat.is_some() { Goal::Blocks } else { Goal::Decision };
        }
        match &self.style {
            Style::Bar(bar) => draw(bar, event, self.goal),
            Style::Lines => {
                if let Some(line) = line(event, self.last, self.goal) {
                    self.say(&line);
                }
            }
            Style::Hidden => {}
        }
        if let Event::Measured(progress) = event {
            self.last = Some(*progress);
        }
    }
}

/// A bar without a thread of its own: it is drawn by the calls below and by nothing else.
fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {prefix}{wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(style);
    bar
}

fn draw(bar: &ProgressBar, event: &Event, goal: Goal) {
    match event {
        Event::Preparing { .. } | Event::Prepared { .. } | Event::Planned { .. } => {
            bar.set_message(line(event, None, goal).unwrap_or_default());
        }
        Event::Measuring { benchmark } => bar.set_message(terminal::plain(benchmark)),
        Event::Measured(progress) => bar.set_prefix(prefix(progress, goal)),
        Event::Finished => bar.finish_and_clear(),
        Event::RoundStarted { .. }
        | Event::Decided { .. }
        | Event::Demoted { .. }
        | Event::Warning(_) => return,
    }
    bar.tick();
}

/// What stands before the name of the benchmark that is measured.
fn prefix(progress: &Progress, goal: Goal) -> String {
    let left = left(progress.left_s).map(|left| format!("{left} · ")).unwrap_or_default();
    format!("{} · {left}", goal.reached(progress))
}

/// The line that an event is worth in a log; none for what happens many times a round.
fn line(event: &Event, last: Option<Progress>, goal: Goal) -> Option<String> {
    match event {
        Event::Preparing { side, environment, label } => {
            let place = in_environment(environment.as_deref());
            Some(format!("preparing {side}{place}  {}", terminal::plain(label)))
        }
        Event::Prepared { side, environment, seconds: taken, cached, version } => {
            let place = in_environment(environment.as_deref());
            let version = version.as_ref().map(|v| format!("version {}, ", terminal::plain(v)));
            let version = version.unwrap_or_default();
            let cached = if *cached { " (cached)" } else { "" };
            Some(format!("prepared  {side}{place}  {version}in {}{cached}", seconds(*taken)))
        }
        Event::Planned { benchmarks, budget_s, .. } => {
            let plural = if *benchmarks == 1 { "" } else { "s" };
            let budget = seconds(*budget_s);
            Some(format!("measuring {benchmarks} benchmark{plural}, for at most {budget}"))
        }
        Event::RoundStarted { round } => last.map(|progress| {
            let left = left(progress.left_s).map(|left| format!(", {left}")).unwrap_or_default();
            let (reached, after) = (goal.reached(&progress), seconds(progress.elapsed_s));
            format!("round {round}: {reached} after {after}{left}")
        }),
        Event::Finished => last.map(|progress| {
            format!("measured: {} after {}", goal.reached(&progress), seconds(progress.elapsed_s))
        }),
        Event::Demoted { benchmark, reason } => {
            let benchmark = terminal::plain(benchmark);
            Some(format!("{benchmark} starts anew by the wall clock: {}", terminal::plain(reason)))
        }
        Event::Measuring { .. }
        | Event::Measured(_)
        | Event::Decided { .. }
        | Event::Warning(_) => None,
    }
}

fn in_environment(name: Option<&str>) -> String {
    name.map(|name| format!(" in {}", terminal::plain(name))).unwrap_or_default()
}

/// The forecast; none once it says no more than that the end is near, which it may say for a while.
fn left(left_s: f64) -> Option<String> {
    (left_s >= 1.0).then(|| format!("about {} left", seconds(left_s)))
}

/// A span of time as a person says it: tenths below ten seconds, minutes above ninety.
fn seconds(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round();
    if whole < 90.0 {
        format!("{whole:.0} s")
    } else {
        format!("{:.0} min {:02.0} s", (whole / 60.0).floor(), whole % 60.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bench_results::SideName;

    fn progress() -> Progress {
        Progress { decided: 12, ended: 14, total: 103, elapsed_s: 65.2, left_s: 125.0, round: 7 }
    }

    #[test]
    fn a_log_gets_one_line_for_a_round_and_none_for_a_block() {
        let round = Event::RoundStarted { round: 8 };
        let line = |event: &Event, last| line(event, last, Goal::Decision);
        assert_eq!(
            line(&round, Some(progress())).unwrap(),
            "round 8: 12 of 103 decided after 65 s, about 2 min 05 s left"
        );
        assert_eq!(line(&round, None), None);
        let soon = Progress { left_s: 0.04, ..progress() };
        assert_eq!(line(&round, Some(soon)).unwrap(), "round 8: 12 of 103 decided after 65 s");
        let end = line(&Event::Finished, Some(progress())).unwrap();
        assert_eq!(end, "measured: 12 of 103 decided after 65 s");
        assert_eq!(line(&Event::Measuring { benchmark: "a".into() }, Some(progress())), None);
        assert_eq!(line(&Event::Measured(progress()), Some(progress())), None);
    }

    #[test]
    fn where_the_blocks_are_fixed_nothing_is_said_of_decisions() {
        let end = line(&Event::Finished, Some(progress()), Goal::Blocks).unwrap();
        assert_eq!(end, "measured: 14 of 103 done after 65 s");
        assert!(prefix(&progress(), Goal::Blocks).starts_with("14 of 103 done · "));
    }

    #[test]
    fn a_prepared_side_tells_its_version_its_time_and_its_cache() {
        let event = Event::Prepared {
            side: SideName::Head,
            environment: None,
            seconds: 2.44,
            cached: true,
            version: Some("1.2.0".into()),
        };
        assert_eq!(
            line(&event, None, Goal::Decision).unwrap(),
            "prepared  head  version 1.2.0, in 2.4 s (cached)"
        );
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        let event = Event::Demoted { benchmark: "a\x1b[2J".into(), reason: "it\nwaits".into() };
        let line = line(&event, None, Goal::Decision).unwrap();
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }

    #[test]
    fn quiet_shows_neither_progress_nor_warnings() {
        let global = GlobalArgs {
            directory: None,
            color: crate::args::ColorChoice::Auto,
            progress: ProgressChoice::Lines,
            quiet: true,
            verbose: 0,
        };
        let display = Display::new(&global);
        assert!(matches!(display.style, Style::Hidden));
        assert_eq!(display.warnings, Warnings::Hidden);
    }

    #[test]
    fn spans_of_time_are_said_in_the_unit_that_fits() {
        assert_eq!(seconds(0.04), "0.0 s");
        assert_eq!(seconds(9.96), "10.0 s");
        assert_eq!(seconds(89.6), "1 min 30 s");
        assert_eq!(seconds(3_600.0), "60 min 00 s");
    }
}
